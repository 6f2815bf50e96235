"""What a reader of the statements can know, and which statement taught it (Section 3.1, 5.2).

Every fact remembers the id of its statement, so the supporting facts of an answer are simply the
facts it was read from, in the order of the reasoning. The reader never looks at the world.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from memnn.simulator.actions import Action, Drop, Get, GetFrom, Give, Go, Put


@dataclass(frozen=True, slots=True)
class Known:
    """A room that follows from the statements, and the statements it follows from."""

    room: str
    supports: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Went:
    room: str
    id: int


@dataclass(frozen=True, slots=True)
class _Held:
    """Got or given: it is wherever its carrier is, also after later moves."""

    carrier: str
    id: int


@dataclass(frozen=True, slots=True)
class _Left:
    """Dropped, or seen in use: it is where that actor was at that moment."""

    went: _Went | None
    id: int


@dataclass(frozen=True, slots=True)
class _Stored:
    """Put in or on a container: it is wherever that container is.

    `shown` is the put seen the other way: the container was then where the putter was.
    """

    container: str
    shown: _Left
    id: int


_Move: TypeAlias = _Held | _Left | _Stored


class Knowledge:
    """Facts read so far. `learn` takes the meaning of a statement, not its words."""

    def __init__(self) -> None:
        self._went: dict[str, list[_Went]] = {}
        # For every actor the index of the latest go to each room.
        self._visits: dict[str, dict[str, int]] = {}
        # What last moved each thing.
        self._moves: dict[str, _Move] = {}
        # Containers nobody has moved, and what last showed where they stand.
        self._used: dict[str, _Left] = {}
        self._did: dict[str, tuple[Action, int]] = {}
        self._told: list[tuple[Action, int]] = []

    def learn(self, action: Action, id: int) -> None:
        actor = action.actor
        self._did[actor] = (action, id)
        self._told.append((action, id))
        match action:
            case Go(_, room):
                went = self._went.setdefault(actor, [])
                self._visits.setdefault(actor, {})[room] = len(went)
                went.append(_Went(room, id))
            case Get(_, thing):
                self._moves[thing] = _Held(actor, id)
            case GetFrom(_, thing, container):
                self._moves[thing] = _Held(actor, id)
                self._used[container] = _Left(self._latest(actor), id)
            case Put(_, thing, container):
                shown = _Left(self._latest(actor), id)
                self._moves[thing] = _Stored(container, shown, id)
                self._used[container] = shown
            case Give(_, thing, to):
                self._moves[thing] = _Held(to, id)
            case Drop(_, thing):
                self._moves[thing] = _Left(self._latest(actor), id)
            case _:  # looking teaches nothing about what changed
                pass

    def _latest(self, actor: str) -> _Went | None:
        went = self._went.get(actor)
        return went[-1] if went else None

    def where_actor(self, actor: str) -> Known | None:
        went = self._latest(actor)
        return None if went is None else Known(went.room, (went.id,))

    def where_before(self, actor: str, room: str) -> Known | None:
        """Where the actor was before the latest go to a room: that go, then the one before it."""
        visit = self._visits.get(actor, {}).get(room, 0)
        if visit == 0:
            return None
        before, there = self._went[actor][visit - 1 : visit + 1]
        return Known(before.room, (there.id, before.id))

    def where_thing(self, thing: str) -> Known | None:
        """Follow what last moved the thing, then its container, until somebody's go."""
        supports: list[int] = []
        shown = self._used.get(thing)  # how an unmoved thing at this point of the chain is located
        while True:
            move = self._moves.get(thing)
            if move is None:
                if shown is None or shown.went is None:
                    return None
                # After a put the showing statement is the put itself, already a support.
                if supports[-1:] != [shown.id]:
                    supports.append(shown.id)
                return Known(shown.went.room, (*supports, shown.went.id))
            supports.append(move.id)
            match move:
                case _Held(carrier):
                    went = self._latest(carrier)
                    return None if went is None else Known(went.room, (*supports, went.id))
                case _Left(went):
                    return None if went is None else Known(went.room, (*supports, went.id))
                case _Stored():
                    thing, shown = move.container, move.shown

    def latest(self) -> Iterator[tuple[Action, int]]:
        """All that was told, newest first, each with its statement: for questions of any kind."""
        return reversed(self._told)

    def last_action(self, actor: str) -> tuple[Action, int] | None:
        """What the actor did last, and the statement that said so."""
        return self._did.get(actor)
