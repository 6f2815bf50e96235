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
    from memnn.ordinary.reading import PassageReading


class PathParts(NamedTuple):
    """What is known of a path before it is said what its answer is."""

    marked: MarkedPath
    u: Floats  # (words, d)
    inside: Floats  # (words, 3)
    support: Floats  # (d,)
    last: Floats  # (d,)
    found: Floats  # (2 COVER,)


class ReadAgain(NamedTuple):
    """What its words say, read once more with the question's."""

    say: Floats  # (answers,)
    inside: Floats  # (words, 3)
    signs: Floats  # (words, SIGNS)
    judged: float


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
    def again(self) -> ReadAgain | None:
        """Readers of before do not read a path again."""
        return self.reading.again(self.parts)

    @cached_property
    def in_answer(self) -> Floats:
        """(words, 3) of each word: is it in the answer, its first, its last?"""
        return self.parts.inside + self.again.inside if self.again else self.parts.inside

    @cached_property
    def inside(self) -> Floats:
        """(n, l, 3) the same by statement and place."""
        return self.reading.shown(self.in_answer)

    @cached_property
    def signs(self) -> Floats | None:
        """(n, l, SIGNS) of each word: is it left out, added, taken away, for a number?"""
        return self.reading.shown(self.again.signs) if self.again else None

    @cached_property
    def say(self) -> Floats:
        """(answers,) of saying a learnt word, the first of copying."""
        said = self.reading.say(self.parts)
        return said + self.again.say if self.again else said

    @cached_property
    def judged(self) -> float:
        """Whether path and answer answer the question, in log odds before they are calibrated."""
        return self.reading.judge(self)

    @property
    def supported(self) -> float:
        """The same of all statements, whatever the path."""
        return self.reading.supported
