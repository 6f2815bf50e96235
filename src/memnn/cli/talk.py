"""The conversation of `memnn chat`: what is told and asked, and commands that begin with `/`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from memnn.cli import screen
from memnn.cli.lines import lines
from memnn.errors import InputError
from memnn.types import Answer, Slot

if TYPE_CHECKING:
    from memnn.conversations.intents import Intent
    from memnn.network import Network

COMMANDS = {
    "/why": "what the last answer rests on",
    "/memory": "what I was told, /memory 20 the last 20",
    "/search WORDS": "finds what was told",
    "/undo": "takes back what was told or forgotten last",
    "/forget ID": "deletes it",
    "/right ID": "that statement answers my last question",
    "/load FILE": "tells me a file",
    "/export FILE": "writes all of it as lines of JSON",
    "/quit": "ends (or Ctrl-D)",
}
HELP = "help says what you can say, /help lists commands, bye ends."
MORE_HELP = "Here “bye” ends, and /help lists commands: /memory, /search, /forget, /load, /export."
LEAVE = frozenset({"bye", "goodbye", "quit", "exit", ":q"})
"""A line that ends the talk, as everywhere; `/quit` does, too."""
NO_WORDS = "I heard no words. Tell me what happens, or ask; /help lists what else I can do."
FOUND = 5
"""Statements that /search shows."""


class Talk:
    """The conversation: a network, what was asked last, and what can be taken back."""

    def __init__(self, net: Network, json: bool = False) -> None:
        from memnn.conversations.small_talk import SmallTalk

        self.net, self.json = net, json
        self.small_talk = SmallTalk()
        self.asked = ""
        self.answer: Answer | None = None
        self.undo: list[Callable[[], str]] = []
        """How to take back what was done, the last one last; each says what it did."""

    def __call__(self, said: Sequence[str] = ()) -> None:
        """From what was said already until the input ends."""
        for line in chain(said, lines([command.split()[0] for command in (*COMMANDS, "/help")])):
            try:
                if line.lower().rstrip(".! ") in LEAVE:
                    break
                if line.startswith("/"):
                    if not self.obey(line):
                        break
                else:
                    self.hear(line)
            except InputError as error:
                screen.err.print(Text(str(error), style="red"))
            except KeyboardInterrupt:
                if not sys.stdin.isatty():
                    raise
                screen.say("interrupted; Ctrl-C again ends")
        self.show(self.net.flush())

    def hear(self, line: str) -> None:
        if not any(map(str.isalnum, line)):  # "?", a smile
            screen.say(NO_WORDS)
        elif self.net.I.streams:  # which takes every word
            self.take(line)
        else:
            for part, intent in self.small_talk.hears(line):
                if self.small_talk.takes(intent):
                    self.reply(part, intent)
                else:
                    self.take(part)

    def take(self, line: str) -> None:
        from memnn.text.sentences import is_question

        self.show(self.net.respond(line), line)
        if is_question(line):  # on a word stream nothing else may tell that it has ended
            self.show(self.net.flush(), line)

    def reply(self, said: str, intent: Intent) -> None:
        """What is neither told nor asked."""
        from memnn.conversations.intents import CORRECT, FORGET, UNDO, WHY

        if self.answer is not None and not self.json and intent.name in ("wrong", WHY):
            self.admit(self.answer) if intent.name == "wrong" else self.why()
            return
        reply = self.small_talk(self.net, self.net.memory, said, intent)
        changed = reply.intent in (FORGET, UNDO, CORRECT)
        if changed and reply.slots:
            self.answer = None  # it may rest on what is gone
            back = self._retell if reply.intent == FORGET else self._untell_these
            self.undo.append(partial(back, reply.slots))
        if self.json:
            screen.print_json(reply.to_json())
            return
        for line in reply.text.splitlines():
            screen.out.print(Text(f"   {line}", style="dim"))
        if intent.name == "self":
            screen.say(f"   {MORE_HELP}")
        for slot in () if changed else reply.slots:
            screen.out.print(Text(f"   [{slot.id}] {slot.text}"))

    def show(self, said: Iterable[Slot | Answer], line: str = "") -> None:
        told: list[int] = []
        try:
            for each in said:
                self.small_talk.follows(each)
                if isinstance(each, Slot):
                    told.append(each.id)
                    show_told(each, self.json)
                    continue
                self.asked, self.answer = line, each
                if self.json:
                    screen.print_json(screen.answer_json(each))
                else:
                    screen.show_answer(each)
        finally:
            if told:
                self.undo.append(lambda: self._untell(told))

    def obey(self, line: str) -> bool:
        """A command of the chat; False ends it."""
        command, *rest = line.split(maxsplit=1)
        argument = rest[0].strip() if rest else ""
        id = int(argument) if argument.isdecimal() and len(argument) < 20 else None
        if command in ("/quit", "/exit"):
            return False
        if command == "/memory" and (not argument or id is not None):
            self.show_memory(id)
        elif command == "/why" and not rest:
            self.why()
        elif command == "/undo" and not rest:
            self.take_back()
        elif command == "/search" and rest:
            self.search(argument)
        elif command == "/export" and rest:
            self.export(argument)
        elif command == "/load" and rest:
            self.load(Path(argument))
        elif command == "/forget" and id is not None:
            self.forget(id)
        elif command == "/right" and id is not None:
            self.teach(id)
        else:
            self.help(command)
        return True

    def help(self, command: str) -> None:
        known = {each.split()[0]: each for each in COMMANDS}
        near = get_close_matches(command, known, 1)
        if command in known:
            screen.say(f"{known[command]} {COMMANDS[known[command]]}")
            return
        if command not in ("/help", "/?"):
            meant = f"Did you mean {near[0]}?" if near else "There are:"
            screen.say(f"There is no {command}. {meant}")
            if near:
                return
        for each, does in COMMANDS.items():
            screen.say(f"   {each:<14} {does}")

    def show_memory(self, newest: int | None) -> None:
        from memnn.memory.present import superseded

        memory = self.net.memory
        shown, by = memory.scan(), superseded(memory)
        for slot in shown if newest is None else reversed(memory.newest(newest)):
            if self.json:
                show_told(slot, self.json)
            else:
                replaced = f"  (replaced by [{by[slot.id]}])" if slot.id in by else ""
                screen.out.print(Text(f"   [{slot.id}] {slot.text}{replaced}"))

    def forget(self, id: int) -> None:
        from memnn.memory.present import versions

        (slot,) = self.net.memory.read([id])
        gone = versions(self.net.memory, [id])
        self.net.forget(id)
        self.answer = None  # it may rest on what is gone
        self.undo.append(lambda: self._retell([slot]))
        self.small_talk.forgot([slot], self.net.memory)
        older = ", ".join(f"[{each}]" for each in gone[1:])
        replaced = f", and {older}, which it replaced" if older else ""
        self.say({"forgot": id}, f"forgot [{id}] {slot.text}{replaced}")

    def load(self, path: Path) -> None:
        from memnn.cli.stories import tell_lines

        before = self.net.memory.last_id
        n = tell_lines(self.net, path)
        told = [slot.id for slot in islice(self.net.memory.scan(before), n)]
        self.undo.append(lambda: self._untell(told))
        self.say(
            {"loaded": str(path), "statements": n}, f"remembered {screen.count(n, 'statement')}"
        )

    def take_back(self) -> None:
        """What was told or forgotten last; what is gone already cannot be."""
        done = ""
        while self.undo and not done:
            done = self.undo.pop()()
        if not done:
            raise InputError("there is nothing to take back; /forget ID deletes what is older")
        self.answer = None
        self.say({"undone": done}, done)

    def _untell(self, ids: list[int]) -> str:
        there = set(self.net.memory.candidates().tolist())
        gone = [id for id in ids if id in there]
        self.net.memory.delete(gone)
        named = ", ".join(f"[{id}]" for id in gone[:5]) + (" …" if len(gone) > 5 else "")
        return f"forgot {named}" if gone else ""

    def _untell_these(self, slots: Sequence[Slot]) -> str:
        return self._untell([slot.id for slot in slots])

    def _retell(self, slots: Sequence[Slot]) -> str:
        write = self.net.memory.write
        new = [write(slot.text, source=slot.source, turn=slot.turn) for slot in slots]
        named = "; ".join(f"[{slot.id}], which is now the newest: {slot.text}" for slot in new)
        return f"told again as {named}"

    def search(self, words: str) -> None:
        found = self.net.search(words, FOUND)
        if self.json:
            screen.print_json({"found": [each.to_dict() for each in found]})
            return
        if not found:
            screen.say("nothing was told about this")
        for each in found:
            by = "" if each.speaker is None else f"{each.speaker}: "
            screen.out.print(Text(f"   [{each.id}] {by}{each.text}"))

    def export(self, path: str) -> None:
        from memnn.memory.copy import to_lines
        from memnn.paths import private

        try:
            with open(path, "x", encoding="utf-8", newline="\n", opener=private) as file:
                file.writelines(to_lines(self.net.memory))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"cannot write {path}: {why}") from None
        n = len(self.net.memory)
        self.say(
            {"exported": path, "statements": n},
            f"wrote {screen.count(n, 'statement')} to {path}; memnn memory import reads it",
        )

    def teach(self, id: int) -> None:
        if self.answer is None:
            raise InputError("nothing was asked yet, or something was forgotten since; ask again")
        lesson = self.net.teach(self.asked, [id])
        self.say(lesson.to_dict(), f"I keep that [{id}] answers “{self.asked}”")

    def admit(self, answer: Answer) -> None:
        """The user says that it is wrong: what it rests on, and how to put it right."""
        told = [] if answer.abstained else answer.evidence
        rests = [f"[{hop.id}] {hop.text}" for hop in told if hop.source != "world"]
        if rests:
            screen.say(f"I said “{answer.text}” because of {'; '.join(rests)}")
        screen.say(
            "Tell me how it is now, /forget ID what never was so, or /right ID for the statement "
            "that answers it (/search WORDS finds it)"
        )

    def why(self) -> None:
        """What each network would have said to the last question, and what spoke for it."""
        if self.answer is None:
            raise InputError("nothing was asked yet, or something was forgotten since; ask again")
        reasons = self.net.reasons(self.asked)
        if self.json:
            networks = [asdict(reason) for reason in reasons]
            screen.print_json({**screen.answer_json(self.answer), "networks": networks})
            return
        screen.show_answer(self.answer)
        for reason in reasons:
            screen.show_reason(reason)

    def say(self, done: dict[str, object], line: str) -> None:
        """What was done, for programs or for people."""
        if self.json:
            screen.print_json(done)
        else:
            screen.out.print(Text(f"   {line}", style="dim"))


def show_told(slot: Slot, json: bool) -> None:
    if json:
        screen.print_json(slot.to_dict())
    else:
        screen.out.print(Text(f"   remembered as [{slot.id}]", style="dim"))
