"""What two words of a question and of statements have to do with each other.

Words look at each other in `reader`: how much depends on what is read of them and on this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.ordinary.lexicon import NO_STEM
from memnn.ordinary.passage import MARKS, MEANT, Passage

NEAR = ((-1, -1), (1, 1), (-2, -2), (2, 2), (-4, -3), (3, 4), (-99, -5), (5, 99))
"""How far behind it another word of the same text stands, from and to."""
RELATIONS = (
    "same", "stands for", "is meant by", "alike", "same part", "asked", "older", "newer",
    "text before", "text behind", *(f"{first} to {last}" for first, last in NEAR),
)  # fmt: skip
"""By name; "text before" and "text behind" are the neighbours among the statements in view."""
ALIKE_AT = RELATIONS.index("alike")
"""0 here: the reader, which knows their vectors, fills it in."""


class WordPlaces(NamedTuple):
    """Where the t words of a question and of statements stand, and what they name."""

    stems: Ints  # (..., t)
    means: Ints  # (..., t, MEANT)
    texts: Ints  # (..., t) the statement, -1 for the question
    parts: Ints  # (..., t) the part of it between two pauses
    places: Ints  # (..., t)

    @classmethod
    def of(cls, passage: Passage) -> WordPlaces:
        k, at = passage.shape[2], np.nonzero(passage.there)
        pauses = passage.marks[:, :, MARKS.index("pause")]
        parts = (np.cumsum(pauses, axis=1) - pauses).astype(np.int64)
        means = np.full((k + len(at[0]), MEANT), NO_STEM)
        means[k:] = passage.means[at]
        return cls(
            np.concatenate([passage.question.stems, passage.stems[at]]), means,
            np.concatenate([np.full(k, -1), at[0]]),
            np.concatenate([np.zeros(k, np.int64), parts[at]]),
            np.concatenate([np.arange(k), at[1]]),
        )  # fmt: skip


_BITS = ("same", "stands for", "is meant by", "asked")
_APART = ((), ("older",), ("older", "text before"), ("newer",), ("newer", "text behind"))
"""What two words of different texts may be; nothing if one is the question's."""
_LONG = 256
"""Texts follow each other at this distance, so that one number tells where a word stands; no text
is half as long."""
_FARTHEST = 2 * _LONG + _LONG // 2
_PLACES = len(_APART) + 2 * (len(NEAR) + 1)


def _named(code: int) -> frozenset[str]:
    """The relations that a code stands for."""
    bits, place = divmod(code, _PLACES)
    named = {name for i, name in enumerate(_BITS) if bits >> i & 1}
    if place < len(_APART):
        return frozenset(named | set(_APART[place]))
    together, near = divmod(place - len(_APART), len(NEAR) + 1)
    named |= {"same part"} if together else set()
    named |= {RELATIONS[near - 1 - len(NEAR)]} if near else set()
    return frozenset(named)


CODED: Floats = np.array(
    [[name in _named(code) for name in RELATIONS] for code in range(_PLACES << len(_BITS))],
    np.float32,
)
"""(codes, RELATIONS): 1 where a code stands for a relation."""


def _place(behind: int) -> int:
    """The part of a code for a word that stands so far behind."""
    apart = (behind + _LONG // 2) // _LONG
    if apart:
        return (4 if apart == 1 else 3) if apart > 0 else (2 if apart == -1 else 1)
    near = [number for number, (first, last) in enumerate(NEAR, 1) if first <= behind <= last]
    return len(_APART) + sum(near)


_BY_STEP = np.array([_place(step) for step in range(-_FARTHEST, _FARTHEST + 1)], np.int16)
_TOGETHER = np.int16(len(NEAR) + 1)
_SAME, _STANDS, _MEANT, _ASKED = (np.int16(_PLACES << bit) for bit in range(len(_BITS)))
_NOBODY = np.iinfo(np.int32).min


def codes(x: WordPlaces) -> Ints:
    """For every two words the number of what they have to do with each other, a row of `CODED`:
    (..., t, t). In small numbers, which take less time."""
    one, other = (..., slice(None), None), (..., None, slice(None))
    stems, asked = x.stems.astype(np.int32), x.texts < 0
    names = np.where(stems != NO_STEM, stems, _NOBODY)[other]
    places, parts = ((_LONG * x.texts + at).astype(np.int32) for at in (x.places, x.parts))
    steps = np.clip(places[other] - places[one], -_FARTHEST, _FARTHEST)
    found: NDArray[np.int16] = _BY_STEP[steps + _FARTHEST]
    found *= asked[one] == asked[other]
    found += (parts[one] == parts[other]) * _TOGETHER
    found += (stems[one] == names) * _SAME
    found += asked[other] * _ASKED
    if (x.means != NO_STEM).any():
        means = np.moveaxis(x.means.astype(np.int32), -1, 0)
        stands = np.logical_or.reduce([meant[one] == names for meant in means])
        found += stands * _STANDS
        found += np.swapaxes(stands, -1, -2) * _MEANT
    return found.astype(np.int64)


def relations(x: WordPlaces) -> Floats:
    """For every two words what they have to do with each other: (..., t, t, RELATIONS)."""
    return CODED[codes(x)]
