"""When to say nothing: what training questions always had, and this one lacks.

In most stories whoever is asked about has been mentioned. Where that held for every training
question of a form, a question of that form about somebody nobody mentioned is not answered. Where
training answered such questions ("Is Sandra in the hallway?"), neither does silence follow here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memnn.types import Question, Story


@dataclass(frozen=True)
class Silence:
    """Words that only questions have; forms of questions answered without a mention of all."""

    asking: frozenset[str] = frozenset()
    """Words of questions that no statement has: they are not what a question is about."""
    excused: frozenset[str] = frozenset()
    """Words of statements that some answered question had although nobody had said them."""
    forms: frozenset[str] = frozenset()
    """Forms of questions, see `form`."""

    def form(self, question: Sequence[str]) -> str:
        """The words that make a question of it: "where is _"."""
        return " ".join(word if word in self.asking else "_" for word in question)

    def missing(self, question: Sequence[str], told: Iterable[str]) -> list[str]:
        """What the question is about and nothing told mentions; empty where that is no matter."""
        told = set(told)
        lacking = [
            word
            for word in question
            if word not in told and word not in self.asking and word not in self.excused
        ]
        return [] if lacking and self.form(question) in self.forms else lacking

    def to_json(self) -> dict[str, list[str]]:
        return {
            "asking": sorted(self.asking),
            "excused": sorted(self.excused),
            "forms": sorted(self.forms),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Silence:
        """ValueError where something else was written."""
        for name in ("asking", "excused", "forms"):
            if not isinstance(data[name], list) or not all(isinstance(w, str) for w in data[name]):
                raise ValueError("silence must be lists of strings")
        return cls(*(frozenset(data[name]) for name in ("asking", "excused", "forms")))

    @classmethod
    def learn(cls, stories: Sequence[Story], split: Callable[[str], list[str]]) -> Silence:
        """From training stories, all of whose questions were answered."""
        stated = {w for story in stories for line in story.statements for w in split(line.text)}
        asked = {w for story in stories for line in story.questions for w in split(line.text)}
        found = cls(asking=frozenset(asked - stated))
        absent: list[tuple[str, list[str]]] = []
        for story in stories:
            told: set[str] = set()
            for line in story.lines:
                words = split(line.text)
                if isinstance(line, Question):
                    if lacking := found.missing(words, told):
                        absent.append((found.form(words), lacking))
                else:
                    told.update(words)
        return cls(found.asking, *_blame(absent))


def _blame(absent: list[tuple[str, list[str]]]) -> tuple[frozenset[str], frozenset[str]]:
    """Who may be missing: words that were in several forms of questions, else the form at hand."""
    forms_of: dict[str, set[str]] = {}
    for form, words in absent:
        for word in words:
            forms_of.setdefault(word, set()).add(form)
    excused = frozenset(word for word, forms in forms_of.items() if len(forms) > 1)
    forms = frozenset(form for form, words in absent if not excused.issuperset(words))
    return excused, forms
