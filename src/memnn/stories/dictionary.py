"""The dictionary W: words to rows of U, and the answers that R can give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any

from memnn.text.tokens import DEFAULT_TOKENISER, surface_words, tokeniser
from memnn.types import Story

REMEMBERED = 5_000
"""Texts whose words are kept."""


@dataclass(frozen=True)
class Dictionary:
    """Words in order of first appearance, then index features, then answers of several words.

    `words` are the |W| words. `indices` counts the features that encode a memory's absolute
    index, used by `time="index"` alone. `answers` are the candidates of R as people write them:
    first every word in its commonest surface form, then the answer units that are no word.
    """

    words: tuple[str, ...]
    answers: tuple[str, ...]
    entities: frozenset[str] = frozenset()
    """Names of people, things and places: words of questions and answers that stories mention.

    An answer needs a memory that mentions each one in the question."""
    indices: int = 0
    tokeniser: str = DEFAULT_TOKENISER

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def entity_rows(self) -> frozenset[int]:
        return frozenset(self._row[word] for word in self.entities)

    @cached_property
    def _answer_row(self) -> dict[str, int]:
        rows = {answer: row for row, answer in enumerate(self.answers)}
        # An answer written otherwise than the commonest form still is that word.
        return {word: row for row, word in enumerate(self.words)} | rows

    @cached_property
    def tokenise(self) -> Callable[[str], tuple[str, ...]]:
        """The words of a text, known or not.

        The same few texts are looked at again and again, so the last ones are remembered.
        """
        read = tokeniser(self.tokeniser)
        return lru_cache(REMEMBERED)(lambda text: tuple(read(text)))

    def __getstate__(self) -> dict[str, Any]:
        """What another process is sent: not what is remembered."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def names(self, text: str) -> frozenset[str]:
        """The names in a text: entities, and words that were never learnt."""
        return frozenset(self.pattern(text)[1])

    @cached_property
    def pattern(self) -> Callable[[str], tuple[str, tuple[str, ...]]]:
        """A text with its names left open, and the names: "_ went to the _", (joe, kitchen)."""
        return lru_cache(REMEMBERED)(self._pattern)

    def _pattern(self, text: str) -> tuple[str, tuple[str, ...]]:
        row, entities = self._row, self.entities
        words, names = [], []
        for word in self.tokenise(text):
            name = word in entities or word not in row
            words.append("_" if name else word)
            if name:
                names.append(word)
        return " ".join(words), tuple(names)

    def __len__(self) -> int:
        """The number of features in one block of Φ."""
        return len(self.words) + self.indices

    def row(self, word: str) -> int | None:
        return self._row.get(word)

    def index_row(self, index: int | None) -> list[int]:
        """The feature of an absolute write time, where there are such features."""
        if not self.indices or index is None:
            return []
        return [len(self.words) + min(index, self.indices) - 1]

    def rows(self, text: str, index: int | None = None) -> list[int]:
        """The words of a text in order; unknown ones are left out. `index` is its write time."""
        get = self._row.get
        rows = [row for word in self.tokenise(text) if (row := get(word)) is not None]
        return rows + self.index_row(index) if self.indices else rows

    def unknown(self, text: str) -> list[str]:
        """The words of a text that the dictionary lacks, as they were written."""
        row = self._row
        if all(word in row for word in self.tokenise(text)):
            return []
        return [word for word in surface_words(text) if word.lower() not in row]

    def answer_row(self, answer: str) -> int | None:
        """The candidate of R that an answer is."""
        answer = answer.strip()
        row = self._answer_row.get(answer)
        return self._answer_row.get(answer.lower()) if row is None else row

    @classmethod
    def build(cls, stories: Iterable[Story], *, index_features: bool = False) -> Dictionary:
        """Learn words, answer units and surface forms from training stories."""
        tokenise = tokeniser(DEFAULT_TOKENISER)
        forms: dict[str, Counter[str]] = {}
        units: dict[str, None] = {}
        told: Counter[str] = Counter()
        asked: set[str] = set()
        statements = 0
        longest = 0
        for story in stories:
            longest = max(longest, len(story.lines), *((line.id or 0) for line in story.lines))
            for line in story.lines:
                for form in surface_words(line.text):
                    forms.setdefault(form.lower(), Counter())[form] += 1
            for statement in story.statements:
                told.update(set(tokenise(statement.text)))
                statements += 1
            for question in story.questions:
                asked.update(tokenise(question.text))
                asked.update(tokenise(question.answer or ""))
                answer = (question.answer or "").strip()
                if tokenise(answer) == [answer.lower()]:
                    # How answers write a word outweighs how running text does.
                    forms.setdefault(answer.lower(), Counter())[answer] += 1_000_000
                elif answer:
                    units[answer] = None
        surfaces = [counts.most_common(1)[0][0] for counts in forms.values()]
        return cls(
            words=tuple(forms),
            answers=(*surfaces, *units),
            # Told about too, but not in most statements, as "the" is.
            entities=frozenset(w for w in asked if 0 < told[w] <= statements / 2),
            indices=longest if index_features else 0,
        )
