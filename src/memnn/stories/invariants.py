"""What held for every question of the training stories, without exception.

A network that was only ever asked what it had been told cannot learn by itself when to be silent.
These sentences can: where one of them held throughout training and fails for an answer, nothing
that was told supports it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from memnn.stories.dictionary import Dictionary
from memnn.text.tokens import surface_words

SENTENCES = ("grounded", "fresh", "about", "linked", "chained")
PATTERNS = ("backwards", "barren", "now")


@dataclass(frozen=True)
class Habits:
    """Which sentences held, and what `stories.superseding` needs; by default, nothing."""

    grounded: bool = False
    """The answer is a word of a supporting statement ..."""
    fresh: bool = False
    """... and no word of the question."""
    about: bool = False
    """The first support mentions every name of the question."""
    linked: bool = False
    """Every support shares a name with the question or a support before it."""
    chained: bool = False
    """Every support shares a name with the support right before it."""
    backwards: frozenset[str] = frozenset()
    """Patterns of questions and supports after which the next support always was an older one."""
    barren: frozenset[str] = frozenset()
    """Patterns that were told often and never were the last support: they hold no answers."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Patterns of statements that held answers, each with a question that it answers."""
    now: frozenset[str] = frozenset()
    """Patterns of questions that only ever needed the latest statement of a kind."""

    def broken(
        self, dictionary: Dictionary, question: str, supports: Sequence[str], ids: Sequence[int]
    ) -> str:
        """Why these supports do not support this question; empty if they do."""
        asked = dictionary.names(question)
        told = [dictionary.names(text) for text in supports]
        if self.about and not asked <= told[0]:
            return f"no single fact I was told is about {_list(asked, question)}"
        known = set(asked)
        texts = (question, *supports)
        for text, before, names in zip(texts, [asked, *told], told, strict=False):
            if (self.linked and not names & known) or (
                self.chained and before is not asked and not names & before
            ):
                return f"what I was told does not lead on from {_list(before, text)}"
            known |= names
        for text, (id, next_id) in zip(supports, pairwise(ids), strict=False):
            patterns = {dictionary.pattern(question)[0], dictionary.pattern(text)[0]}
            if next_id > id and patterns & self.backwards:
                return f"I was not told what came before '{text}'"
        if dictionary.pattern(supports[-1])[0] in self.barren:
            return f"'{supports[-1]}' does not say it, and nothing I was told comes closer"
        return ""

    def unheard(
        self, dictionary: Dictionary, question: str, supports: Sequence[str], answer: str
    ) -> str:
        """Why these supports do not give this answer; empty if they do."""
        said = set(dictionary.tokenise(answer))
        if self.grounded and not any(said <= set(dictionary.tokenise(text)) for text in supports):
            return "the facts that come closest do not hold an answer"
        if self.fresh and said <= set(dictionary.tokenise(question)):
            return "the facts that come closest say no more than the question"
        return ""

    def to_json(self) -> dict[str, Any]:
        flags = {name: getattr(self, name) for name in SENTENCES}
        patterns = {name: sorted(getattr(self, name)) for name in PATTERNS}
        return flags | patterns | {"kinds": dict(self.kinds)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Habits:
        """Older models have none. ValueError where something else was written."""
        flags = {name: data.get(name, False) for name in SENTENCES}
        patterns = {name: frozenset(data.get(name, [])) for name in PATTERNS}
        kinds = dict(data.get("kinds", {}))
        texts = [*kinds, *kinds.values(), *frozenset().union(*patterns.values())]
        if not all(isinstance(flag, bool) for flag in flags.values()) or not all(
            isinstance(text, str) for text in texts
        ):
            raise ValueError("habits must be True or False, and patterns must be strings")
        found: dict[str, Any] = flags | patterns
        return cls(**found, kinds=kinds)


def _list(names: frozenset[str], text: str) -> str:
    """Names as they stand in a text."""
    return " and ".join(w for w in surface_words(text) if w.lower() in names) or f"'{text}'"
