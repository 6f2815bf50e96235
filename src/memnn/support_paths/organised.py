"""O over paths in a large memory (§2): reads only what question and supports may be about.

Before each step these statements join those read before: the first and the last that mention a word
of the question or of a support, those right beside a support, and those of texts that have two
words of the question, or one of it and one of the support; a support's neighbours, and the very
newest. So do those of the words that O has learnt to look for after such a question and support:
"mice" after "mouse". What a statement is worth is what it is worth in the whole memory. That none
of the others is worth more is not proved: docs/paths.md says how often that matters.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.path_among import extend_among, worth_of_words
from memnn.kernels.path_features import MOST_WORDS
from memnn.kernels.path_search import begin_paths
from memnn.support_paths.index import MentionIndex
from memnn.support_paths.supports import Desk, Paths
from memnn.support_paths.view import PathView
from memnn.support_paths.vocabulary import UNKNOWN

FEW = 2_000
"""So many statements are read as soon as the right ones are found."""
CALLED = 4
"""Words that O has learnt to look for, whether question and support have them or not."""
NEAR, LATEST = 2, 24
"""Neighbours of a support on either side, and the last statements: words they share or not."""


class OrganisedPaths(Paths):
    """Nearly always the supports of the full search, in nearly the same time for any size."""

    indexed = True

    def _find(self, view: PathView, n: int, x: Ints, desk: Desk) -> tuple[int, int]:
        if n <= FEW or view.mentions is None:
            return super()._find(view, n, x, desk)
        literal, beam, work = desk
        found = begin_paths(beam, work)
        part = _Part(view, view.mentions, n, x.tolist())
        for step in range(self.search.most + 1):
            if step < self.search.most:
                self._read_on(part, view, x, desk, found)
            more = extend_among(
                self.model.A, x, literal, view.lines, n, part.array(), self.search.most,
                self.search, beam, found, work,
            )  # fmt: skip
            if more < 0:
                break
            found = more
        return found, len(part.rows)

    def _read_on(self, part: _Part, view: PathView, x: Ints, desk: Desk, found: int) -> None:
        """What may follow the supports that the paths have come to."""
        literal, beam, work = desk
        worths = np.zeros(len(self.model.vocabulary))
        for h, (length, stopped) in enumerate(
            zip(beam.lengths[:found].tolist(), beam.done[:found].tolist(), strict=True)
        ):
            row = int(beam.paths[h, length - 1]) if length else None
            if stopped or row in part.supports:
                continue
            worth_of_words(
                worths, self.model.A, x, literal, view.lines, beam.paths[h], length, work
            )
            worths[UNKNOWN] = -np.inf
            most = min(CALLED, len(worths) - 1)
            part.follow(row, np.argpartition(-worths, most)[:most].tolist())


class _Part:
    """What was read for one question."""

    def __init__(self, view: PathView, index: MentionIndex, n: int, asked: list[int]) -> None:
        self.lines, self.index, self.n = view.lines, index, n
        self.asked = list(dict.fromkeys(asked[:MOST_WORDS]))
        self.words: set[int] = set()
        self.supports: set[int | None] = set()
        self.rows = set(range(n - LATEST, n))
        self._read_ends(self.asked)
        for one, other in combinations(self.asked, 2):
            self.rows.update(index.both(one, other, n, None))

    def array(self) -> Ints:
        return np.array(sorted(self.rows), np.int64)

    def follow(self, row: int | None, called: list[int]) -> None:
        """Read what may follow a support, or come first; `called` are words to look for."""
        self.supports.add(row)
        told: dict[int, None] = {}
        if row is not None:
            self.rows.update(range(max(row - NEAR, 0), min(row + NEAR + 1, self.n)))
            start, end = self.lines.ptr[row : row + 2].tolist()
            told = dict.fromkeys(self.lines.words[start : min(end, start + MOST_WORDS)].tolist())
        told |= dict.fromkeys(called)
        self._read_ends(told)
        asked = [word for word in self.asked if word not in told]
        if row is not None:
            for word in (*told, *asked):
                self.rows.update(self.index.beside(word, self.n, row))
        for one in asked:
            for other in told:
                if other not in self.asked:
                    self.rows.update(self.index.both(one, other, self.n, row))

    def _read_ends(self, words: Iterable[int]) -> None:
        for word in words:
            if word not in self.words:
                self.words.add(word)
                self.rows.update(self.index.ends(word, self.n))
