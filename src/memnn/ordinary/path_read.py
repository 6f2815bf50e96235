"""What the reader says of a path: scores at once, the answer when somebody wants to know it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memnn.kernels.arrays import Bools, Floats
from memnn.ordinary.parameters import FAR
from memnn.ordinary.passage import MarkedPath

if TYPE_CHECKING:
    from memnn.ordinary.reader import PassageReading


class PathParts(NamedTuple):
    """What is known of a path before it is said what its answer is."""

    marked: MarkedPath
    u: Floats  # (words, d)
    inside: Floats  # (words, 3)
    support: Floats  # (d,)
    last: Floats  # (d,)
    found: Floats  # (2 COVER,)


@dataclass(frozen=True)
class PathRead:
    """What the reader says of a path over n statements."""

    content: Floats  # (n,) s_O of each statement
    newer: Floats  # (n,) what write time adds to it
    free: Bools  # (n,) not yet on the path
    stop: float
    """The score of ending here."""
    reading: PassageReading
    parts: PathParts

    @cached_property
    def scores(self) -> Floats:
        return np.where(self.free, self.content + self.newer, np.float32(FAR))

    @cached_property
    def inside(self) -> Floats:
        """(n, l, 3) of each word: is it in the answer, its first, its last?"""
        return self.reading.shown(self.parts.inside)

    @cached_property
    def say(self) -> Floats:
        """(answers,) of saying a learnt word, the first of copying."""
        return self.reading.say(self.parts)

    @cached_property
    def judged(self) -> float:
        """Whether path and answer answer the question, in log odds before they are calibrated."""
        return self.reading.judge(self)

    @property
    def supported(self) -> float:
        """The same of all statements, whatever the path."""
        return self.reading.supported
