"""A larger reader that begins where a smaller one has ended.

What a new unit says counts nothing at first, so that the larger one reads nearly as the smaller
did. What it hears is as at the start of any training. Heads have as many units in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from memnn.kernels.arrays import Bools, Floats
from memnn.ordinary.parameters import Parts, ReaderSize, parts

NORMAL = ("_look", "_more")
"""Layers that hear units whose mean square is 1: of more units each of the old ones is larger."""


def grow(learnt: Mapping[str, Floats], start: Mapping[str, Floats]) -> dict[str, Floats]:
    """The parameters of `start` with those of `learnt`, which has the same layers or fewer of
    them, with as many units or fewer."""
    if not learnt:
        return dict(start)
    was, now = _parts(learnt), _parts(start)
    found = {name: value.copy() for name, value in start.items()}
    for name, value in learnt.items():
        layer = name.removesuffix(".b")
        if layer not in was:  # no matrix
            found[name] = value
            continue
        rows, columns = map(_kept, was[layer], now[layer])
        columns = columns[: found[name].shape[-1]]
        if name != layer:
            found[name][columns] = value
            continue
        if layer.endswith(NORMAL):
            value = value * np.float32(rows.mean() ** 0.5)
        # A word that is read literally from now on is read as it was.
        found[name][np.ix_(~rows, columns)] = value[0] if name == "literal" else 0.0
        found[name][np.ix_(rows, columns)] = value
    return found


def _parts(parameters: Mapping[str, Floats]) -> dict[str, tuple[Parts, Parts]]:
    literals, dim = len(parameters["literal"]) - 1, len(parameters["meaning"])
    said = parameters["say_out"].shape[1]
    return parts(literals, dim, said, ReaderSize.of(parameters))


def _kept(was: Sequence[int], now: Sequence[int]) -> Bools:
    """Which of the larger ones stand for the smaller: the first of each part."""
    return np.concatenate([np.arange(n) < m for m, n in zip(was, now, strict=True)])
