"""Small talk: what is said to a memory and is neither told nor asked, and what is done about it.

"Thanks" gets a reply, "what have I told you about Anna?" a list, "forget that" deletes what was
told last, and "no, it's Bristol" puts it right. Only conversations hear it: `tell` keeps what it is
given.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

from memnn.as_json import TalkJson, slot_json
from memnn.conversations.asking import is_asked, put_right
from memnn.conversations.correcting import Doubted, alike, corrected, doubted_by
from memnn.conversations.index import lemmas_of
from memnn.conversations.intents import (
    CORRECT,
    FORGET,
    FORGET_OTHER,
    NO_TALK,
    RECALL,
    RECALL_ALL,
    UNDO,
    Intent,
    intent_of,
)
from memnn.conversations.listing import listed
from memnn.conversations.updating import updated
from memnn.errors import InputError
from memnn.memory import AsOf, Memory
from memnn.memory.present import hidden
from memnn.text.english import FUNCTION_WORDS
from memnn.text.sentences import Sentences, is_question
from memnn.text.tokens import words_1
from memnn.types import Answer, FoundSlot, Slot

MOST_LISTED = 50
"""Statements that a recall lists."""
MOST_FOUND = 1_000
MOST_SENTENCES = 10
"""A text of more is not talk but something to keep, whatever its sentences look like."""


@dataclass(frozen=True)
class TalkReply:
    """What is said to talk; nothing was told or asked."""

    said: str
    intent: str
    """`reply`, `recall`, `recall all`, `forget`, `forget other` (listed, not deleted), `undo` or
    `correct`."""
    text: str
    slots: tuple[Slot, ...] = ()
    """What it lists, what was deleted, or what was written."""

    def to_json(self) -> TalkJson:
        return {
            "said": self.said,
            "intent": self.intent,
            "reply": self.text,
            "statements": [slot_json(slot) for slot in self.slots],
        }


class Searchable(Protocol):
    """What a recall needs of a network."""

    @property
    def memory(self) -> Memory: ...

    def search(self, question: str, k: int = 10, *, as_of: AsOf = None) -> list[FoundSlot]: ...


class SmallTalk:
    """The talk of one conversation: it knows what was forgotten last, and said last."""

    def __init__(self) -> None:
        self._forgotten: tuple[Slot, int] | None = None
        """And the last id at that time: what is told since is newer than what was forgotten."""
        self._last: Answer | Slot | Doubted | None = None
        """What a correction is about: an answer, what was told, or the last correction."""

    def follows(self, last: Answer | Slot | None) -> None:
        """What comes next follows this: what was told or answered just now."""
        self._last = last

    def takes(self, intent: Intent) -> bool:
        """Whether it is talk here: a correction of nothing is told as it is."""
        if intent.name == CORRECT and not isinstance(self._last, Answer):
            return self._doubted(intent.topic) is not None
        return bool(intent.name)

    def __call__(
        self, net: Searchable, memory: Memory, said: str, intent: Intent, as_of: AsOf = None
    ) -> TalkReply:
        """Do what is wanted, and say so. `net` finds, and `memory` is changed."""
        name = intent.name
        if name == UNDO:
            return self._undo(memory, said)
        if name == FORGET:
            return self._forget(memory, said)
        if name == CORRECT:
            return self._correct(memory, said, intent.topic)
        if name == RECALL_ALL or (name == RECALL and not intent.topic):
            return _list(said, RECALL_ALL, *_told(memory, as_of))
        if name == RECALL or (name == FORGET_OTHER and intent.topic):
            found = about(net, intent.topic, as_of)
            return _list(said, name, len(found), found, intent.topic)
        return TalkReply(said, "reply", _texts().get(name, _texts()["remark"]))

    def _forget(self, memory: Memory, said: str) -> TalkReply:
        found = listed(memory, limit=1, newest=True)
        if not found:
            return TalkReply(said, FORGET, _texts()["forget none"])
        (slot,) = found
        memory.delete([slot.id])
        self._last = None
        self._forgotten = slot, memory.last_id
        text = _texts()["forget"].format(id=slot.id, slot=slot.text)
        return TalkReply(said, FORGET, text, (slot,))

    def _doubted(self, right: str) -> Doubted | None:
        last = self._last
        if isinstance(last, Slot):
            return alike(last, right)
        return doubted_by(last) if isinstance(last, Answer) else last

    def _correct(self, memory: Memory, said: str, right: str) -> TalkReply:
        """Write the statement that was wrong once more, put right; it supersedes the old one."""
        doubted = self._doubted(right)
        text = None if doubted is None or not right else corrected(doubted, right)
        if doubted is None or text is None:
            return TalkReply(said, "reply", _texts()["correct none"])
        try:
            statement = updated(memory, doubted.id, text)
        except InputError:  # it is gone, or was put right already
            return TalkReply(said, "reply", _texts()["correct none"])
        new = memory.write(statement.text, turn=statement.turn)
        self._last = Doubted(new.id, new.text, right)
        reply = _texts()["correct"].format(id=new.id, slot=new.text, was=doubted.id)
        return TalkReply(said, CORRECT, reply, (new,))

    def _undo(self, memory: Memory, said: str) -> TalkReply:
        """Put back what was forgotten last; if something was told since, that is taken back."""
        if self._forgotten is None or memory.last_id > self._forgotten[1]:
            return self._forget(memory, said)
        slot = self._forgotten[0]
        new = memory.write(slot.text, source=slot.source, turn=slot.turn)
        self._forgotten = None
        text = _texts()["undo"].format(id=new.id, slot=new.text)
        return TalkReply(said, UNDO, text, (new,))


def heard(text: str) -> Iterator[tuple[str, Intent]]:
    """The parts of a text: talk, sentence by sentence, and what lies between as it was said; but a
    question that lacks its mark has one."""
    sentences = [x.text for x in Sentences()(text)]
    parts = [(sentence, NO_TALK) for sentence in sentences]
    if len(sentences) <= MOST_SENTENCES:
        parts = list(_read(sentences))
    if parts == [(sentence, NO_TALK) for sentence in sentences]:
        yield text, NO_TALK
        return
    between: list[str] = []
    for sentence, intent in parts:
        if not intent.name:
            between.append(sentence)
            continue
        if between:
            yield "\n".join(between), NO_TALK
            between = []
        yield sentence, intent
    if between:
        yield "\n".join(between), NO_TALK


def _read(sentences: Sequence[str]) -> Iterator[tuple[str, Intent]]:
    """What each sentence wants; "That's wrong. It's green." is one."""
    place = 0
    while place < len(sentences):
        sentence, place = sentences[place], place + 1
        intent = _intent(sentence)
        if intent.name and place < len(sentences) and not is_question(sentence):
            both = f"{sentence} {sentences[place]}"
            if intent_of(both).name == CORRECT and not _intent(sentences[place]).name:
                sentence, intent, place = both, intent_of(both), place + 1
        if not intent.name and is_asked(sentence) and not is_question(sentence):
            sentence = _marked(sentence)
        yield sentence, intent if intent.name else NO_TALK


def _intent(sentence: str) -> Intent:
    """What is asked without its mark may be talk if it is so with slips and without."""
    if not is_asked(sentence):
        return intent_of(sentence)
    intent = intent_of(_marked(sentence))
    if intent.name == CORRECT:  # "Is it Bristol?" puts nothing right
        return NO_TALK
    return (
        intent
        if is_question(sentence) or (intent.name and intent_of(_marked(put_right(sentence))).name)
        else NO_TALK
    )


def _marked(question: str) -> str:
    return f"{question.rstrip('.! ')}?"


def about(net: Searchable, topic: str, as_of: AsOf = None) -> list[Slot]:
    """What was told about something, by id: whatever shares a word that carries the topic, and
    what follows such a statement and begins with a pronoun."""
    wanted = _content(topic)
    found = net.search(" ".join(sorted(wanted)), MOST_FOUND, as_of=as_of)
    ids = {each.id for each in found if wanted & _lemmas(each.text)}
    told = _present(net.memory, as_of) if ids else []
    return _with_pronouns(net.memory, told, ids)


def _with_pronouns(memory: Memory, told: list[int], ids: set[int]) -> list[Slot]:
    """These statements, each with those after it that go on about it."""
    pronouns, found = frozenset(_data()["persons"]["others"].split()), []
    for place, id in enumerate(told):
        before = place > 0 and told[place - 1] in ids
        if id in ids:
            found += memory.read([id])
        elif before:
            (slot,) = memory.read([id])
            if pronouns.intersection(words_1(slot.text)[:1]):
                found.append(slot)
                ids.add(id)
    return found


def _content(topic: str) -> frozenset[str]:
    """The words that carry a topic; of "my family" the family, of "me" all words for me."""
    words = _lemmas(topic)
    content = words - FUNCTION_WORDS
    if content:
        return content
    return frozenset().union(*(group for group in _persons() if group & words)) or words


def _lemmas(text: str) -> frozenset[str]:
    words = words_1(text)
    return frozenset(form for word in words for form in [word, *lemmas_of(word)])


def _told(memory: Memory, as_of: AsOf) -> tuple[int, list[Slot]]:
    """How much was told, and the last of it."""
    ids = _present(memory, as_of)
    return len(ids), memory.read(ids[-MOST_LISTED:])


def _present(memory: Memory, as_of: AsOf) -> list[int]:
    gone = hidden(memory, as_of)
    return [id for id in memory.candidates(as_of).tolist() if id not in gone]


def _list(said: str, intent: str, n: int, slots: Sequence[Slot], topic: str = "") -> TalkReply:
    """A reply with the last of n statements."""
    many = f"{intent} many" if n > MOST_LISTED else intent
    text = _texts()[many if n else f"{intent} none"].format(n=f"{n:,}", topic=topic)
    return TalkReply(said, intent, text, tuple(slots[-MOST_LISTED:]))


@cache
def _data() -> dict[str, dict[str, str]]:
    place = files("memnn.conversations") / "data" / "replies.toml"
    return tomllib.loads(place.read_text("utf-8"))


def _texts() -> dict[str, str]:
    return _data()["replies"]


def _persons() -> list[frozenset[str]]:
    return [frozenset(_data()["persons"][who].split()) for who in ("speaker", "speakers")]
