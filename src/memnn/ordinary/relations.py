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


def relations(x: WordPlaces) -> Floats:
    """For every two words: (..., t, t, RELATIONS)."""
    known = (x.stems >= 0)[..., None, :]
    same = (x.stems[..., :, None] == x.stems[..., None, :]) & known
    stands = (x.means[..., :, None, :] == x.stems[..., None, :, None]).any(-1) & known
    apart = x.texts[..., None, :] - x.texts[..., :, None]
    told = (x.texts >= 0)[..., :, None] & (x.texts >= 0)[..., None, :]
    asked = np.broadcast_to((x.texts < 0)[..., None, :], same.shape)
    one, step = apart == 0, x.places[..., None, :] - x.places[..., :, None]
    together = one & (x.parts[..., None, :] == x.parts[..., :, None])
    found = [
        same, stands, np.swapaxes(stands, -1, -2), np.zeros_like(same), together, asked,
        told & (apart < 0), told & (apart > 0), told & (apart == -1), told & (apart == 1),
        *(one & (step >= first) & (step <= last) for first, last in NEAR),
    ]  # fmt: skip
    stacked: Floats = np.stack(found, axis=-1).astype(np.float32)
    return stacked
