"""Statements as they were heard: their words, what pronouns stand for, and who mentions what."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from memnn.memory.growing import Growing
from memnn.ordinary.hearing import BACK, KIND, Hearing, Taken
from memnn.ordinary.lexicon import NO_STEM, WordArrays, WordTable
from memnn.ordinary.words import DEFINITE, Token, is_content

LONGEST = 24
"""Words of a statement that are read; the rest is kept and shown, but not seen."""
LONGEST_QUESTION = 20
MOST = 20
"""Statements that are read for a question; of a longer memory the ones it can be about."""
FIRST, ALIKE, LINKED, NEIGHBOURS = 10, 4, 4, 3
"""Of these, at most: those that share most with the question, those that name what is most like it,
those that share a word with the best of the first, and those that follow these."""
RECENT = 64
"""How many of the newest mentions of a word are looked at."""
NEAREST = 8
"""How many words are looked for that mean much the same as one of the question."""


@dataclass(frozen=True, slots=True)
class HeardText:
    """One statement."""

    forms: tuple[str, ...]
    """Its words as they are written."""
    words: tuple[int, ...]
    stems: tuple[int, ...]
    """Of each word, NO_STEM for words that name nothing and for pronouns."""
    meant: tuple[tuple[int, ...], ...]
    """The stems that each pronoun stands for; () for all other words."""
    pronouns: tuple[bool, ...]
    pauses: tuple[bool, ...]
    about: frozenset[int]
    """All that is named, by a word or by a pronoun."""


@dataclass(frozen=True, slots=True)
class HeardQuestion:
    """What is asked; here a pronoun gives way to what it stands for."""

    words: WordArrays
    """What is known of each of its words."""

    @property
    def stems(self) -> list[int]:
        found: list[int] = self.words.stems.tolist()
        return found

    @property
    def about(self) -> frozenset[int]:
        return frozenset(self.stems) - {NO_STEM}


class HeardTexts:
    """Statements of one story or memory, heard one after the other.

    What is asked about an earlier moment is understood as it would have been then.
    """

    def __init__(self, table: WordTable, hearing: Hearing) -> None:
        self.table = table
        self.texts: list[HeardText] = []
        self._listener = hearing.listen()
        self._resolved: dict[int, list[Token]] = {}
        self._taken: dict[int, list[Taken]] = {}
        self._mentions: dict[int, list[int]] = {}
        self._named = Growing("int64")
        """A word for each stem that was mentioned."""

    def __len__(self) -> int:
        return len(self.texts)

    def hear(self, text: Sequence[Token]) -> None:
        row, text = len(self.texts), text[:LONGEST]
        heard = self._listener.hear(text)
        words = tuple(self.table.add(token.text) for token in text)
        pronouns = tuple(token.text in KIND for token in text)
        stems = tuple(
            NO_STEM if pronoun or not is_content(token.text) else self.table.stem(token.text)
            for token, pronoun in zip(text, pronouns, strict=True)
        )
        meant = tuple(
            tuple(self.table.stem(word.text) for word in each if is_content(word.text))
            for each in heard.meant
        )
        about = frozenset(stems).union(*meant) - {NO_STEM}
        forms = tuple(token.form for token in text)
        if any(heard.meant):
            self._resolved[row] = heard.resolved
            self._taken[row] = heard.taken
        pauses = tuple(token.pause for token in text)
        first = {stem: word for word, stem in zip(words, stems, strict=True)}
        self.texts.append(HeardText(forms, words, stems, meant, pronouns, pauses, about))
        new = [word for stem, word in first.items() if stem >= 0 and stem not in self._mentions]
        for stem in about:
            self._mentions.setdefault(stem, []).append(row)
        self._named.extend(new)  # last: others may be looking, and find it among the mentions

    def asked(self, question: Sequence[Token], n: int) -> HeardQuestion:
        """A question when n statements had been told; nothing is kept of it."""
        before = [self._said(row) for row in range(max(0, n - BACK), n)]
        heard = self._listener.understood(question, before)[:LONGEST_QUESTION]
        return HeardQuestion(self.table.rows([token.text for token in heard]))

    def told_of(self, question: Sequence[Token], n: int) -> bool:
        """Whether a question names a thing, as one that is known, which was told."""
        return any(
            before.text in DEFINITE
            and is_content(token.text)
            and self.newest(self.table.known_stem(token.text), n) >= 0
            for before, token in pairwise(question)
        )

    def _said(self, row: int) -> list[Token]:
        found = self._resolved.get(row)
        return found or [Token(form.lower(), form) for form in self.texts[row].forms]

    def taken(self, row: int) -> list[Taken]:
        """What the pronouns of a statement were taken for."""
        return self._taken.get(row, [])

    def newest(self, stem: int, n: int) -> int:
        """The last of the first n statements that names something, -1 for none."""
        rows = self._mentions.get(stem, ())
        at = bisect_left(rows, n)
        return rows[at - 1] if at else -1

    def _latest(self, stem: int, n: int) -> list[int]:
        rows = self._mentions.get(stem, [])
        at = bisect_left(rows, n)
        return rows[max(0, at - RECENT) : at]

    def in_view(self, question: HeardQuestion, n: int, wanted: Iterable[int] = ()) -> list[int]:
        """The statements that a question is answered from, of the first n, in their order.

        `wanted` are there in any case.
        """
        if n <= MOST:
            return [row for row in range(n) if self.texts[row].words]
        chosen = dict.fromkeys(wanted)
        first = self._sharing(question.about, n)[:FIRST]
        for row in first + self._sharing(self._near(question, n), n)[:ALIKE]:
            chosen.setdefault(row)
        linked = frozenset().union(*(self.texts[row].about for row in first[:4]))
        for row in self._sharing(linked - question.about, n)[:LINKED]:
            chosen.setdefault(row)
        for row in first[:NEIGHBOURS]:
            if row + 1 < n:
                chosen.setdefault(row + 1)
        for row in range(n - 1, max(-1, n - 1 - RECENT), -1):
            if len(chosen) >= MOST:
                break
            chosen.setdefault(row)
        return sorted(row for row in list(chosen)[:MOST] if self.texts[row].words)

    def _near(self, question: HeardQuestion, n: int) -> list[int]:
        """What the first n statements name that means much the same as a word of the question."""
        words, named = question.words, self._named.values
        table = self.table.arrays()  # after what is named, which it has
        asked = words.vectors[words.traits[:, 0] > 0]
        if not len(asked) or not len(named):
            return []
        alike = (asked @ table.vectors[named].T).max(axis=0)
        found: list[int] = []
        for at in np.argsort(-alike, kind="stable").tolist():
            if alike[at] <= 0.0 or len(found) == NEAREST:
                break
            stem = int(table.stems[named[at]])
            if stem not in question.about and self._mentions[stem][0] < n:
                found.append(stem)
        return found

    def _sharing(self, stems: Collection[int], n: int) -> list[int]:
        """Statements that name some of this, those with the rarest first, the newest of equals."""
        shares: dict[int, float] = {}
        for stem in stems:
            rows = self._latest(stem, n)
            for row in rows:
                shares[row] = shares.get(row, 0.0) + 1.0 / (1.0 + len(rows)) ** 0.5
        return sorted(shares, key=lambda row: (-shares[row], -row))
