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
FORMS = (ASKS, ENDS_ASKING, FIRST_PERSON, SECOND_PERSON, TIMED)
Floats = NDArray[np.float64]
Places = NDArray[np.int32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class TurnLayout:
    """The first `end` turns of an index."""

    def __init__(self, index: TurnIndex, end: int) -> None:
        self.end, self._index = end, index
        self._norms: tuple[tuple[float, float], Floats] | None = None

    @cached_property
    def _speaker(self) -> Places:
        return self._index.speaker[: self.end]

    @cached_property
    def _session(self) -> Places:
        return self._index.session[: self.end]

    @cached_property
    def _form(self) -> Places:
        return self._index.form[: self.end]

    @cached_property
    def _sizes(self) -> Places:
        return self._index.sizes[: self.end]

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
            self._norms = (least, each), norms_of(self._sizes, least, each)
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
        if not self._index.sessions:
            return np.zeros(0)
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
        return {bit: _put(self._form, bit) for bit in FORMS}

    @cached_property
    def answers(self) -> Floats:
        """1 where the turn before asks."""
        found = np.zeros(self.end)
        found[1:] = self.forms[ASKS][:-1] * self.joined[0][1:]
        return found


def norms_of(sizes: Places, least: float, each: float) -> Floats:
    """least + each · length."""
    norms = sizes.astype(np.float64)
    norms *= each
    norms += least
    return norms


def _put(forms: Places, bit: int) -> Floats:
    return ((forms & bit) > 0).astype(np.float64)


class SomeTurns:
    """The same of some turns of a large memory, of which nothing is kept for the next question."""

    def __init__(self, index: TurnIndex, places: Ints, lengths: Floats, joined: Mask) -> None:
        """`joined` says before which of them there is a turn of the same talk."""
        self._index, self._places = index, places
        self._lengths, self._joined = lengths, joined

    @cached_property
    def nobodys(self) -> Floats:
        nobodys: Mask = self._index.speaker[self._places] == NOBODY
        return nobodys.astype(np.float64)

    @cached_property
    def log_lengths(self) -> Floats:
        return np.log1p(self._lengths)

    @cached_property
    def forms(self) -> dict[int, Floats]:
        forms = self._index.form[self._places]
        return {bit: _put(forms, bit) for bit in FORMS}

    @cached_property
    def answers(self) -> Floats:
        before = self._index.form[np.maximum(self._places - 1, 0)]
        return _put(before, ASKS) * self._joined


class TurnLayouts:
    """The layout that was wanted last. What was told first stays as it is, so its end names it."""

    def __init__(self) -> None:
        self._last: TurnLayout | None = None

    def of(self, index: TurnIndex, end: int) -> TurnLayout:
        last = self._last
        if last is None or last.end != end:
            last = self._last = TurnLayout(index, end)
        return last
