"""What of a memory's turns depends on no question, kept for the next one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memnn.conversations.index import TurnIndex

NOBODY = -1
ASKS, ENDS_ASKING, FIRST_PERSON, SECOND_PERSON, TIMED = 1, 2, 4, 8, 16
"""How a turn is put: it asks, asks last, speaks of who says it, of who hears it, of a time."""
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class TurnLayout:
    """The first `end` turns of an index."""

    def __init__(self, index: TurnIndex, end: int) -> None:
        self.end = end
        self._speaker, self._session = index.speaker[:end], index.session[:end]
        self._form, self._sizes = index.form[:end], index.sizes[:end]
        self._norms: tuple[tuple[float, float], Floats] | None = None

    @cached_property
    def joined(self) -> tuple[Mask, Mask]:
        """Whether the turn before, and the one after, is of the same talk: somebody's, and in the
        same session."""
        joined, spoken = np.zeros(self.end + 1, np.bool_), self._speaker != NOBODY
        together = self._session[1:] == self._session[:-1]
        joined[1:-1] = together & spoken[1:] & spoken[:-1]
        return joined[:-1], joined[1:]

    @cached_property
    def lengths(self) -> Floats:
        return self._sizes.astype(np.float64)

    def norms(self, least: float, each: float) -> Floats:
        """least + each · length, which are the same for every question over these turns."""
        if self._norms is None or self._norms[0] != (least, each):
            norms = self._sizes.astype(np.float64)
            norms *= each
            norms += least
            self._norms = (least, each), norms
        return self._norms[1]

    @cached_property
    def window_lengths(self) -> Floats:
        """Of each turn with those beside it."""
        before, after = self.joined
        found = self.lengths.copy()
        found[1:] += self.lengths[:-1] * before[1:]
        found[:-1] += self.lengths[1:] * after[:-1]
        return found

    @cached_property
    def log_lengths(self) -> Floats:
        return np.log1p(self.lengths)

    @cached_property
    def session_lengths(self) -> Floats:
        """Of each session; turns without one count nowhere."""
        n = int(self._session.max(initial=-1)) + 1
        return np.bincount(self._session + 1, self.lengths, n + 1)[1:].astype(np.float64)

    @cached_property
    def nobodys(self) -> Floats:
        """1 where a statement was told that nobody said."""
        nobodys: Mask = self._speaker == NOBODY
        return nobodys.astype(np.float64)

    @cached_property
    def forms(self) -> dict[int, Floats]:
        """1 where a turn is put so."""
        bits = (ASKS, ENDS_ASKING, FIRST_PERSON, SECOND_PERSON, TIMED)
        return {bit: ((self._form & bit) > 0).astype(np.float64) for bit in bits}

    @cached_property
    def answers(self) -> Floats:
        """1 where the turn before asks."""
        found = np.zeros(self.end)
        found[1:] = self.forms[ASKS][:-1] * self.joined[0][1:]
        return found


class TurnLayouts:
    """The layout that was wanted last. What was told first stays as it is, so its end names it."""

    def __init__(self) -> None:
        self._last: TurnLayout | None = None

    def of(self, index: TurnIndex, end: int) -> TurnLayout:
        last = self._last
        if last is None or last.end != end:
            last = self._last = TurnLayout(index, end)
        return last
