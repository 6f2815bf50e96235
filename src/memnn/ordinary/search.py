"""O's search: a beam over paths of supports, each ended by a STOP that was learnt."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from memnn.kernels.arrays import Floats
from memnn.ordinary.parameters import FAR
from memnn.ordinary.path_read import PathRead
from memnn.ordinary.reading import PassageReading

BEHIND = 4.0
"""A path whose probability is this far behind, as a logarithm, is not followed."""


@dataclass(frozen=True)
class PathFound:
    """A path, and what was read on the way."""

    path: tuple[int, ...]
    score: float
    """The logarithm of its probability."""
    reads: tuple[PathRead, ...]
    """What decided each support; the last is of the whole path."""
    lead: float
    """How far it is ahead of the next best path."""


@dataclass(frozen=True)
class _Partial:
    path: tuple[int, ...]
    score: float
    reads: tuple[PathRead, ...]


def find_path(reading: PassageReading, hops: int, beam: int) -> PathFound:
    """The best path of at most this many supports."""
    open_, ended = [_Partial((), 0.0, ())], list[_Partial]()
    for taken in range(hops + 1):
        grown: list[tuple[float, _Partial, int, PathRead]] = []
        reads = reading.read_all([partial.path for partial in open_])
        for partial, read in zip(open_, reads, strict=True):
            scores = logarithms(np.append(read.scores, read.stop))
            if partial.path:
                ended.append(
                    _Partial(partial.path, partial.score + scores[-1], (*partial.reads, read))
                )
            if taken < hops:
                for place in np.argsort(-scores[:-1], kind="stable")[:beam].tolist():
                    if read.free[place]:
                        grown.append((partial.score + scores[place], partial, place, read))
        best = max((each.score for each in ended), default=-np.inf)
        least = max(best, max((g[0] for g in grown), default=best) - BEHIND)
        grown = sorted((g for g in grown if g[0] > least), key=lambda g: -g[0])[:beam]
        open_ = [_Partial((*p.path, place), s, (*p.reads, read)) for s, p, place, read in grown]
        if not open_:
            break
    ended.sort(key=lambda each: -each.score)
    lead = ended[0].score - ended[1].score if len(ended) > 1 else -log(1e-3)
    return PathFound(ended[0].path, float(ended[0].score), ended[0].reads, float(lead))


def logarithms(scores: Floats) -> Floats:
    """Logarithms of the probabilities of choices with these scores."""
    shifted = np.maximum(scores - scores.max(), FAR).astype(np.float64)
    found: Floats = shifted - np.log(np.exp(shifted).sum())
    return found
