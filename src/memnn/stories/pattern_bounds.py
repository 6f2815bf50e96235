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

from memnn.kernels.words import GAP, find_patterns
from memnn.stories.dictionary import Dictionary
from memnn.text.pages import numbered_rows, numbered_values

Ints = NDArray[np.int64]


class Patterns(NamedTuple):
    """As `kernels.story_infer.most_content` reads them: three levels of lists in flat arrays."""

    word_ptr: Ints  # (patterns + 1,)
    words: Ints
    gap_ptr: Ints  # (patterns + 1,)
    name_ptr: Ints  # (gaps + 1,)
    names: Ints


class PatternBounds:
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

    def read_page(self, ptr: Ints, tokens: Ints) -> Ints:
        """Take in many statements; returns the names of all of them."""
        most = max(self._known, int(tokens.max(initial=-1)) + 1)
        is_name = np.zeros(most, np.bool_)
        is_name[self._known :] = True
        is_name[list(self._entity)] = True
        seen: Ints = np.full(most if self.as_sets else 0, -1, np.int64)
        key_ptr, keys = np.zeros_like(ptr), np.empty_like(tokens)
        name_ptr, names = np.zeros_like(ptr), np.empty_like(tokens)
        find_patterns(ptr, tokens, is_name, seen, key_ptr, keys, name_ptr, names)
        names = names[: name_ptr[-1]]
        numbers, firsts = numbered_rows(key_ptr, keys)
        all_gaps: list[dict[int, None]] = []
        first_gap = np.empty(len(firsts), np.int64)
        for number, row in enumerate(firsts.tolist()):
            first_gap[number] = len(all_gaps)
            key = tuple(keys[key_ptr[row] : key_ptr[row + 1]].tolist())
            if key not in self._gaps:
                self._gaps[key] = [{} for token in key if token == GAP]
                self._patterns = None
            all_gaps += self._gaps[key]
        counts = np.diff(name_ptr)
        gap = np.repeat(first_gap[numbers] - name_ptr[:-1], counts) + np.arange(len(names))
        codes = gap * most + names
        _, places = numbered_values(codes)
        for in_gap, name in zip(gap[places].tolist(), names[places].tolist(), strict=True):
            if name not in all_gaps[in_gap]:
                all_gaps[in_gap][name] = None
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
