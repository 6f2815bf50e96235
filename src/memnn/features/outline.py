"""What a memory looks like from afar: the patterns of its statements, and who stands where.

A pattern is a statement with its names left open ("_ went to the _"); a gap knows every name that
ever stood in it. A million statements have a few hundred patterns, so that the most content any of
them could have for a question is found without looking at one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.features.dictionary import Dictionary

Ints = NDArray[np.int64]
GAP = -1


class Patterns(NamedTuple):
    """As `kernels.infer.most_content` reads them: three levels of lists in flat arrays."""

    word_ptr: Ints  # (patterns + 1,)
    words: Ints
    gap_ptr: Ints  # (patterns + 1,)
    name_ptr: Ints  # (gaps + 1,)
    names: Ints


class Outline:
    """Grows with every statement; says too much, never too little, about any part or past."""

    def __init__(self, dictionary: Dictionary, as_sets: bool) -> None:
        self._known = len(dictionary)
        self._entity = dictionary.entity_rows
        self.as_sets = as_sets
        self._gaps: dict[tuple[int, ...], list[dict[int, None]]] = {}
        self._patterns: Patterns | None = None

    def is_name(self, token: int) -> bool:
        """Entities of the dictionary, and words that it lacks."""
        return token >= self._known or token in self._entity

    def names(self, tokens: Iterable[int]) -> list[int]:
        return [token for token in dict.fromkeys(tokens) if self.is_name(token)]

    def read(self, tokens: Iterable[int]) -> list[int]:
        """Take in a statement; returns its names."""
        if self.as_sets:
            tokens = dict.fromkeys(tokens)
        pattern, names = [], []
        for token in tokens:
            if token >= self._known or token in self._entity:
                pattern.append(GAP)
                names.append(token)
            else:
                pattern.append(token)
        gaps = self._gaps.get(key := tuple(pattern))
        if gaps is None:
            gaps = self._gaps[key] = [{} for _ in names]
            self._patterns = None
        for gap, name in zip(gaps, names, strict=True):
            if name not in gap:
                gap[name] = None
                self._patterns = None
        return names

    def to_json(self) -> list[Any]:
        return [[list(key), [list(gap) for gap in gaps]] for key, gaps in self._gaps.items()]

    def from_json(self, data: list[Any]) -> None:
        self._gaps = {tuple(key): [dict.fromkeys(gap) for gap in gaps] for key, gaps in data}
        self._patterns = None

    def patterns(self) -> Patterns:
        if self._patterns is None:
            words = [[t for t in key if t != GAP] for key in self._gaps]
            gaps = list(self._gaps.values())
            names = [gap for pattern in gaps for gap in pattern]
            self._patterns = Patterns(
                *_flat(words), _ends([len(pattern) for pattern in gaps]), *_flat(names)
            )
        return self._patterns


def _flat(lists: Iterable[Iterable[int]]) -> tuple[Ints, Ints]:
    """The ends of lists, and all that is in them."""
    kept = [list(items) for items in lists]
    return _ends([len(items) for items in kept]), np.array(
        [item for items in kept for item in items], np.int64
    )


def _ends(lengths: list[int]) -> Ints:
    ends: Ints = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends
