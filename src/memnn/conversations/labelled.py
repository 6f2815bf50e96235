"""Conversations with labelled questions: those of the project, LoCoMo's, anybody's.

A file of the project is JSON: `sessions`, each with `said` (its time) and `turns` (speaker and
text), and `questions`, each with the numbers of the turns that answer it, counted from 1 through
the file; none for a question that nothing answers.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from memnn.conversations.files import locomo_turns
from memnn.conversations.telling import turn_about
from memnn.errors import InputError
from memnn.memory import RamMemory
from memnn.types import Turn

_EVIDENCE = re.compile(r"D\d+:\d+")


@dataclass(frozen=True)
class LabelledQuestion:
    """A question about a conversation."""

    question: str
    kind: str
    supports: tuple[int, ...]
    """Places of turns from 0; none where nothing answers it."""
    answer: str = ""
    when: str | None = None


@dataclass(frozen=True)
class Conversation:
    """What was said, and what may be asked about it."""

    name: str
    turns: tuple[tuple[str, Turn], ...]
    questions: tuple[LabelledQuestion, ...]

    def memory(self) -> RamMemory:
        return told([self])

    @property
    def speakers(self) -> set[str]:
        return {turn.speaker for _, turn in self.turns if turn.speaker is not None}


def told(conversations: Sequence[Conversation]) -> RamMemory:
    """All of them in one memory, one after the other."""
    memory = RamMemory()
    texts = [text for each in conversations for text, _ in each.turns]
    turns = [turn for each in conversations for _, turn in each.turns]
    memory.write_many(texts, turns=turns)
    return memory


def ours() -> list[Conversation]:
    """The conversations that were written for this project (see README.md beside them)."""
    places = (files("memnn.conversations") / "data").iterdir()
    texts = {p.name.removesuffix(".json"): p for p in places if p.name.endswith(".json")}
    return [read(json.loads(texts[n].read_text(encoding="utf-8")), n) for n in sorted(texts)]


def memories() -> list[Conversation]:
    """What an assistant may have noted of a user, and questions about it: `data/memories.txt`."""
    text = (files("memnn.conversations") / "data" / "memories.txt").read_text(encoding="utf-8")
    found = []
    for part in text.strip().split("\n\n"):
        lines = part.splitlines()
        told = tuple((line[2:], Turn()) for line in lines if line.startswith("+ "))
        asked = [line[2:].rpartition(" = ") for line in lines if line.startswith("? ")]
        questions = tuple(
            LabelledQuestion(q, "none", ())
            if ids == "none"
            else LabelledQuestion(q, "single", tuple(int(n) - 1 for n in ids.split(", ")))
            for q, _, ids in asked
        )
        found.append(Conversation(lines[0].removeprefix("user "), told, questions))
    return found


def read(about: dict[str, Any], name: str) -> Conversation:
    """A conversation from its JSON."""
    turns = []
    for number, session in enumerate(about["sessions"], start=1):
        for speaker, text in session["turns"]:
            turn = turn_about(speaker, session["said"], f"{name} {number}", None)
            assert turn is not None
            turns.append((text, turn))
    questions = tuple(
        LabelledQuestion(
            q["question"], q["kind"], tuple(n - 1 for n in q["supports"]), q.get("answer", ""),
            q.get("when"),
        )
        for q in about["questions"]
    )  # fmt: skip
    return Conversation(name, tuple(turns), questions)


def locomo(path: str | Path) -> list[Conversation]:
    """LoCoMo's conversations (JSON, or gzipped) with those of its questions that can be measured:
    of the kinds 1 to 4 with turns that answer them, and of kind 5, which nothing answers."""
    data = Path(path).read_bytes()
    try:
        listed = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        return [_locomo(sample, number) for number, sample in enumerate(listed, start=1)]
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise InputError(
            f"{path} does not hold conversations as LoCoMo has them: {error}"
        ) from None


def _locomo(sample: dict[str, Any], number: int) -> Conversation:
    name = str(sample.get("sample_id", number))
    place: dict[str, int] = {}
    turns: list[tuple[str, Turn]] = []
    for item in locomo_turns(sample["conversation"]):
        place[item["meta"]["dia_id"]] = len(turns)
        turn = turn_about(item["speaker"], item["said"], f"{name} {item['session']}", None)
        assert turn is not None
        turns.append((str(item["text"]), turn))
    questions = []
    for q in sample["qa"]:
        named = [id for text in q["evidence"] for id in _EVIDENCE.findall(text)]
        supports = tuple(sorted({place[id] for id in named if id in place}))
        if q["category"] == 5:
            questions.append(LabelledQuestion(q["question"], "5", ()))
        elif supports:
            questions.append(
                LabelledQuestion(q["question"], str(q["category"]), supports, str(q["answer"]))
            )
    return Conversation(name, tuple(turns), tuple(questions))


def groups(conversations: Sequence[Conversation], size: int) -> Iterator[list[Conversation]]:
    """So many at a time, of one kind: with an assistant, of two people, of more."""
    kinds: dict[tuple[bool, bool], list[Conversation]] = {}
    for each in conversations:
        kind = "Assistant" in each.speakers, len(each.speakers) > 2
        kinds.setdefault(kind, []).append(each)
    for alike in kinds.values():
        for first in range(0, len(alike), size):
            yield alike[first : first + size]
