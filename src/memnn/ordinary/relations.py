"""What two words of a question and of statements have to do with each other.

Words look at each other in `reader`: how much depends on what is read of them and on this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
_STEPS = np.zeros(2 * 100 + 1, np.int64)
"""By how far behind it a word stands (at most 100): its number in NEAR from 1 on, or 0."""
for _number, (_first, _last) in enumerate(NEAR, start=1):
    _STEPS[_first + 100 : _last + 101] = _number
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


def codes(x: WordPlaces) -> Ints:
    """For every two words the number of what they have to do with each other, a row of `CODED`:
    (..., t, t)."""
    known = (x.stems >= 0)[..., None, :]
    same = (x.stems[..., :, None] == x.stems[..., None, :]) & known
    stands = np.zeros_like(same)
    for meant in np.moveaxis(x.means, -1, 0):
        stands |= (meant[..., :, None] == x.stems[..., None, :]) & known
    apart = x.texts[..., None, :] - x.texts[..., :, None]
    told = (x.texts >= 0)[..., :, None] & (x.texts >= 0)[..., None, :]
    step = x.places[..., None, :] - x.places[..., :, None]
    together = x.parts[..., None, :] == x.parts[..., :, None]
    inside = len(_APART) + together * (len(NEAR) + 1) + _STEPS[np.clip(step, -100, 100) + 100]
    outside = told * (1 + 2 * (apart > 0) + (np.abs(apart) == 1))
    bits = same + 2 * stands + 4 * np.swapaxes(stands, -1, -2) + 8 * (x.texts < 0)[..., None, :]
    found: Ints = bits * _PLACES + np.where(apart == 0, inside, outside)
    return found


def relations(x: WordPlaces) -> Floats:
    """For every two words what they have to do with each other: (..., t, t, RELATIONS)."""
    return CODED[codes(x)]
