"""Statements as they were heard: their words, what pronouns stand for, and who mentions what."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from memnn.memory.growing import Growing
from memnn.ordinary.hearing import BACK, KIND, Hearing, MeantWords, Taken, resolved, taken
from memnn.ordinary.lexicon import NO_STEM, WordArrays, WordTable
from memnn.ordinary.shelved import TextsAfter, ToldBefore
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
CARRIED = 6
"""How many statements before one are looked at for what it goes on about."""
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


@dataclass(frozen=True)
class HeardQuestion:
    """What is asked; here a pronoun gives way to what it stands for."""

    words: WordArrays
    """What is known of each of its words."""

    @cached_property
    def stems(self) -> list[int]:
        found: list[int] = self.words.stems.tolist()
        return found

    @cached_property
    def about(self) -> frozenset[int]:
        return frozenset(self.stems) - {NO_STEM}


class HeardTexts:
    """Statements of one story or memory, heard one after the other.

    What is asked about an earlier moment is understood as it would have been then.
    """

    def __init__(
        self, table: WordTable, hearing: Hearing, before: ToldBefore | None = None
    ) -> None:
        self.table, self._hearing, self.before = table, hearing, before
        self._heard: list[HeardText] = []
        self.texts: Sequence[HeardText] = self._heard
        self._listener = hearing.listen()
        self.meant: dict[int, list[MeantWords]] = {}
        """What the pronouns of a statement stand for, where they stand for something."""
        self.mentions: dict[int, list[int]] = {}
        self.named = Growing("int64")
        """A word for each stem that was mentioned."""
        if before is not None:
            self.texts = TextsAfter(before, self._noted, self._heard)
            last = (before.heard(row) for row in self._last_rows(len(before)))
            self._listener.go_on([resolved(t[:LONGEST], m[:LONGEST]) for t, m in last])

    def after(self, before: ToldBefore) -> HeardTexts:
        """The same, once all that was heard is kept in the memory."""
        found = HeardTexts(self.table, self._hearing, before)
        found.named = self.named
        return found

    def __len__(self) -> int:
        return len(self.texts)

    def fetch(self, rows: Iterable[int]) -> None:
        """Have statements at hand, where a memory keeps what was heard."""
        if self.before is not None:
            self.before.fetch(rows)

    def fetch_with_before(self, rows: Iterable[int]) -> None:
        """The same, with the statements that these may go on about."""
        self.fetch(near for row in rows for near in range(row - CARRIED, row + 1))

    def hear(self, text: Sequence[Token]) -> None:
        row, text = len(self.texts), text[:LONGEST]
        meant = self._listener.hear(text).meant
        heard = self._noted(text, meant)
        first = {stem: word for word, stem in zip(heard.words, heard.stems, strict=True)}
        if any(meant):
            self.meant[row] = meant
        self._heard.append(heard)
        new = [word for stem, word in first.items() if stem >= 0 and self._first(stem) is None]
        for stem in heard.about:
            self.mentions.setdefault(stem, []).append(row)
        self.named.extend(new)  # last: others may be looking, and find it among the mentions

    def _noted(self, text: Sequence[Token], meant_words: Sequence[MeantWords]) -> HeardText:
        """A statement whose pronouns stand for these words."""
        text = text[:LONGEST]
        words = tuple(self.table.add(token.text) for token in text)
        pronouns = tuple(token.text in KIND for token in text)
        stems = tuple(
            NO_STEM if pronoun or not is_content(token.text) else self.table.stem(token.text)
            for token, pronoun in zip(text, pronouns, strict=True)
        )
        meant = tuple(
            tuple(self.table.stem(word.text) for word in each if is_content(word.text))
            for each in meant_words[:LONGEST]
        )
        about = frozenset(stems).union(*meant) - {NO_STEM}
        forms = tuple(token.form for token in text)
        pauses = tuple(token.pause for token in text)
        return HeardText(forms, words, stems, meant, pronouns, pauses, about)

    def asked(self, question: Sequence[Token], n: int) -> HeardQuestion:
        """A question when n statements had been told; nothing is kept of it."""
        before = [self._said(row) for row in self._last_rows(n)]
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

    def _last_rows(self, n: int) -> range:
        rows = range(max(0, n - BACK), n)
        self.fetch(rows)
        return rows

    def _spoken(self, row: int) -> tuple[Sequence[Token], Sequence[MeantWords]]:
        """A statement's words, and what they stand for where one stands for something."""
        if self.before is not None and row < len(self.before):
            text, meant = self.before.heard(row)
            text, meant = text[:LONGEST], meant[:LONGEST]
            if any(meant):
                return text, meant
        elif row in self.meant:
            known = self.texts[row]
            pairs = zip(known.forms, known.pauses, strict=True)
            return [Token(form.lower(), form, pause) for form, pause in pairs], self.meant[row]
        return [Token(form.lower(), form) for form in self.texts[row].forms], ()

    def _said(self, row: int) -> list[Token]:
        text, meant = self._spoken(row)
        return resolved(text, meant) if meant else list(text)

    def taken(self, row: int) -> list[Taken]:
        """What the pronouns of a statement were taken for."""
        return taken(*self._spoken(row))

    def newest(self, stem: int, n: int) -> int:
        """The last of the first n statements that names something, -1 for none."""
        rows = self.mentions.get(stem, ())
        at = bisect_left(rows, n)
        if at:
            return rows[at - 1]
        return -1 if self.before is None else self.before.newest(stem, n)

    def _first(self, stem: int) -> int | None:
        """The first statement that names something."""
        if self.before is not None and (row := self.before.first(stem)) >= 0:
            return row
        rows = self.mentions.get(stem)
        return rows[0] if rows else None

    def _latest(self, stem: int, n: int) -> list[int]:
        rows = self.mentions.get(stem, [])
        at = bisect_left(rows, n)
        found = rows[max(0, at - RECENT) : at]
        if len(found) < RECENT and self.before is not None:
            found = (self.before.latest(stem, n, RECENT) + found)[-RECENT:]
        return found

    def in_view(self, question: HeardQuestion, n: int, wanted: Iterable[int] = ()) -> list[int]:
        """The statements that a question is answered from, of the first n, in their order.

        `wanted` are there in any case.
        """
        if n <= MOST:
            return [row for row in range(n) if self.texts[row].words]
        chosen = dict.fromkeys(wanted)
        near = self._near(question, n)
        self._fetch_mentions([*question.about, *near], n)
        first = self._sharing(question.about, n)[:FIRST]
        for row in first + self._sharing(near, n)[:ALIKE]:
            chosen.setdefault(row)
        self.fetch(first[:4])
        linked = frozenset().union(*(self.texts[row].about for row in first[:4]))
        self._fetch_mentions(linked - question.about, n)
        for row in self._sharing(linked - question.about, n)[:LINKED]:
            chosen.setdefault(row)
        for row in first[:NEIGHBOURS]:
            if row + 1 < n:
                chosen.setdefault(row + 1)
        for row in range(n - 1, max(-1, n - 1 - RECENT), -1):
            if len(chosen) >= MOST:
                break
            chosen.setdefault(row)
        rows = list(chosen)[:MOST]
        self.fetch_with_before(rows)
        return sorted(row for row in rows if self.texts[row].words)

    def _fetch_mentions(self, stems: Iterable[int], n: int) -> None:
        if self.before is not None:
            self.before.fetch_mentions(stems, n, RECENT)

    def _near(self, question: HeardQuestion, n: int) -> list[int]:
        """What the first n statements name that means much the same as a word of the question."""
        words, named = question.words, self.named.values
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
            first = self._first(stem)
            if stem not in question.about and first is not None and first < n:
                found.append(stem)
        return found

    def _sharing(self, stems: Collection[int], n: int) -> list[int]:
        """Statements that name some of this, those with the rarest first, the newest of equals."""
        shares: dict[int, float] = {}
        for stem in stems:
            rows = self._latest(stem, n)
            rare = 1.0 / (1.0 + len(rows)) ** 0.5
            for row in rows:
                shares[row] = shares.get(row, 0.0) + rare
        best = sorted(zip(shares.values(), shares, strict=True), reverse=True)
        return [row for _, row in best]
