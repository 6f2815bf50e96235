"""One writer at a time, in a database without transactions.

Row 0 of a collection holds what outlives the slots: the last id given and the count of deletions.
Rows from -1 down to -2^62 are claims. Who wants to write puts a claim of its own and then looks.
Reads are strongly consistent, so of two who claim at once at least one sees the other, and who sees
another waits. A claim shows that its writer lives by its beat; one that has not beaten for LEASE
seconds is dead, and a writer never writes more than HOLD seconds after its last beat, so the two
never meet.

What is known here of a memory is no `memory.follow` cache: that asks what changed, and this knows.
"""

from __future__ import annotations

import json
import random
import secrets
import time as clock
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

from memnn.errors import MemoryStoreError
from memnn.memory.milvus.table import WRITE_SECONDS, Row, Table, blank
from memnn.memory.protocol import MOST_ID

FORMAT = 2
HOLD = 2.0
LEASE = HOLD + WRITE_SECONDS  # a write sent in time has ended, one way or the other
PATIENCE = 30.0
LEAST_CLAIM = -MOST_ID - 1


@dataclass(frozen=True, slots=True)
class RowZero:
    """Row 0, what outlives the slots. The last id may lag behind; the rows after it tell."""

    last_id: int = 0
    last_time: str = ""
    deletions: int = 0
    format: int = FORMAT
    born: str = ""
    """Which memory of its name it is: one that was dropped and begun anew is another."""


class Claim(NamedTuple):
    id: int
    beat: int


class Writer:
    """What one process knows of a memory, and whether it may write to it.

    Whoever calls it sees to it that only one thread does.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.state = RowZero()
        self._known = False
        self._claim: Claim | None = None
        self._until = 0.0  # until when this process is the writer, by clock.monotonic

    @property
    def writing(self) -> bool:
        return clock.monotonic() < self._until

    def newest(self) -> RowZero:
        """The state as it is: the writer knows it, everyone else looks."""
        self.table.client  # noqa: B018 a closed memory says so
        if not self.writing:
            self.look()
        return self.state

    def look(self) -> set[Claim]:
        """Read state and claims, and the rows since the state was written, as of now."""
        known, claims, row_0 = self.state, set[Claim](), None
        own = f"(id <= 0 and id >= {LEAST_CLAIM})"
        found = own if not self._known else f"({own} or id > {known.last_id})"
        new: list[Row] = []
        for row in self.table.rows(found, ["id", "time", "state"]):
            if row["id"] < 0:
                claims.add(Claim(row["id"], json.loads(row["state"])["beat"]))
            elif row["id"] == 0:
                row_0 = state_of(row["state"])
            else:
                new.append(row)
        if not self.table.there:
            self._forget()
            return claims
        state = row_0 or RowZero(format=1)
        if not self._known or state.born != known.born:  # all that is known is of another memory
            known = state
            new = list(self.table.rows(f"id > {state.last_id}", ["id", "time"]))
        self._known = True
        self.state = replace(
            state,
            last_id=max([state.last_id, known.last_id, *(row["id"] for row in new)]),
            last_time=max([state.last_time, known.last_time, *(row["time"] for row in new)]),
        )
        return claims

    def _forget(self) -> None:
        """There is no memory; where one was, whoever followed it must notice."""
        deletions = self.state.deletions + 1 if self._known else self.state.deletions
        self.state, self._known = RowZero(deletions=deletions), False
        self._claim, self._until = None, 0.0

    def hold(self, dim: int) -> None:
        """Be the writer for the next write at least; a memory that is not there is made."""
        if not self.writing:
            self._become_writer(dim)
        elif clock.monotonic() > self._until - HOLD / 2:
            self.save()

    def _become_writer(self, dim: int) -> None:
        seen: dict[Claim, float] = {}  # the claims of others, and since when they look like this
        impatient = clock.monotonic() + PATIENCE
        while True:
            if not self.table.look():
                # Counted on from the clock, so that no cache takes the new memory for an old one.
                born = RowZero(deletions=clock.time_ns() // 1_000, born=secrets.token_hex(8))
                self.table.make(dim, [_row(0, _about(born), dim, "state")])
            if seen:  # refused before: look first, and claim when the way seems free
                seen = self._others(seen)
            if all(_is_dead(since) for since in seen.values()):
                began = clock.monotonic()
                mine = Claim(-secrets.randbelow(MOST_ID) - 1, 0)
                self.table.insert([_row(mine.id, {"beat": 0}, self.table.dim)])
                seen = self._others(seen)
                if seen.pop(mine, None) and all(_is_dead(since) for since in seen.values()):
                    break
                self.table.remove([mine.id])
            if clock.monotonic() > impatient:
                raise MemoryStoreError(
                    "another process is writing to this memory; try again when it is done"
                )
            clock.sleep(random.uniform(0.02, 0.2))
        gone = [claim.id for claim in seen]
        if self._claim is not None:
            gone.append(self._claim.id)
        self._claim, self._until = mine, began + HOLD
        if seen:  # a writer died, perhaps between a deletion and its count
            self.count_deletion()
        if gone:
            self.table.remove(gone)

    def _others(self, seen: dict[Claim, float]) -> dict[Claim, float]:
        """The claims there are but one's own of before, with when each was first seen so."""
        own = None if self._claim is None else self._claim.id
        return {c: seen.get(c, clock.monotonic()) for c in self.look() if c.id != own}

    def save(self) -> None:
        """Show that the writer lives, and keep what it knows."""
        assert self._claim is not None
        began = clock.monotonic()
        self._claim = Claim(self._claim.id, self._claim.beat + 1)
        self.table.replace(self.own_rows(self.table.dim))
        self._until = began + HOLD

    def count_deletion(self) -> None:
        self.state = replace(self.state, deletions=self.state.deletions + 1)
        self.save()

    def own_rows(self, dim: int) -> list[Row]:
        """State and claim, for a collection of this dimension."""
        assert self._claim is not None
        return [
            _row(self._claim.id, {"beat": self._claim.beat}, dim),
            _row(0, _about(self.state), dim, "state"),
        ]

    def move(self, new: str, dim: int) -> None:
        """Let a collection that was filled take the place of the old one, in this format."""
        before = self.state
        born = before.born or secrets.token_hex(8)
        self.state = replace(before, format=FORMAT, born=born)
        try:
            self.table.insert(self.own_rows(dim), into=new)
            self.table.switch(new)
        except BaseException:
            self.state = before
            raise

    def release(self) -> None:
        """Let the next writer in."""
        if self._claim is not None:
            with suppress(MemoryStoreError):
                if self.writing:
                    self.save()
                self.table.remove([self._claim.id])
            self._claim = None
        self._until = 0.0

    def dropped(self) -> None:
        """The memory was dropped by its writer."""
        self._forget()


def _is_dead(since: float) -> bool:
    return clock.monotonic() - since > LEASE


def _row(id: int, state: dict[str, Any], dim: int, kind: str = "claim") -> Row:
    return blank(id, dim) | {"state": json.dumps(state), "kind": kind}


def _about(state: RowZero) -> dict[str, Any]:
    """The state as JSON; an older memnn that reads format 1 takes no keys that it does not know."""
    about = asdict(state)
    if state.format == 1:
        del about["born"]
    return about


def state_of(text: str) -> RowZero:
    about = json.loads(text)
    if about["format"] > FORMAT:
        raise MemoryStoreError(
            f"this memory has format {about['format']} and this version reads up to {FORMAT}; "
            "install a newer memnn"
        )
    known = {field.name for field in fields(RowZero)}
    return RowZero(**{key: value for key, value in about.items() if key in known})
