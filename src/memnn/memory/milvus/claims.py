"""One writer at a time, in a database without transactions.

Row 0 of a collection holds what outlives the slots: the last id given and the count of deletions.
Rows from -1 down to -2^62 are claims. Who wants to write puts a claim of its own and then looks.
Reads are strongly consistent, so of two who claim at once at least one sees the other, and who sees
another waits. A claim shows that its writer lives by its beat; one that has not beaten for LEASE
seconds is dead, and a writer never writes more than HOLD seconds after its last beat, so the two
never meet. Who takes over removes the claims of the dead: a writer that finds its own again after a
pause knows that nobody wrote meanwhile.

A drop waits for nobody but a move to another collection, which might bring back what was dropped: a
write to a collection that is no longer there fails. Each of the two says so in its claim and then
looks for the other.

What is known here of a memory is no `memory.follow` cache: that asks what changed, and this knows.
"""

from __future__ import annotations

import json
import random
import secrets
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

from memnn.errors import MemoryStoreError, UnreadableMemory
from memnn.memory.milvus.connection import WRITE_SECONDS, NoAnswer
from memnn.memory.milvus.fields import Row, blank, own_state
from memnn.memory.milvus.table import Table
from memnn.memory.protocol import MOST_ID

FORMAT = 2
HOLD = 2.0
LEASE = HOLD + WRITE_SECONDS  # a write sent in time has ended, one way or the other
PATIENCE = 30.0
PAUSES = 5  # that a write is tried again after
LEAST_CLAIM = -MOST_ID - 1
MOVE, DROP = "move", "drop"


class Overtaken(MemoryStoreError):
    """Another process may have written since this one began what it was doing."""


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
    doing: str = ""


class Writer:
    """What one process knows of a memory, and whether it may write to it.

    Whoever calls it sees to it that only one thread does.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.state = RowZero()
        self._known = False
        self.term = 0
        """Grows when somebody else may have written since this process was the writer."""
        self._claim: Claim | None = None
        self._claim_found = False
        self._until = 0.0  # until when this process is the writer, by clock.monotonic

    @property
    def writing(self) -> bool:
        return clock.monotonic() < self._until

    def newest(self) -> RowZero:
        """The state as it is: the writer knows it, unless it was dropped; everyone else looks."""
        self.table.client  # noqa: B018 a closed memory says so
        if not (self.writing and self.table.stands()):
            self.look()
        return self.state

    def look(self) -> set[Claim]:
        """Read state and claims, and the rows since the state was written, as of now."""
        known, claims, row_0 = self.state, set[Claim](), None
        own = f"(id <= 0 and id >= {LEAST_CLAIM})"
        found = own if not self._known else f"({own} or id > {known.last_id})"
        new: list[Row] = []
        for row in self.table.rows(found, ["id", "time", "state"], own=True):
            if row["id"] < 0:
                about = own_state(row["state"], "beat")
                claims.add(Claim(row["id"], about["beat"], about.get("doing", "")))
            elif row["id"] == 0:
                row_0 = state_of(row["state"])
            else:
                new.append(row)
        if not self.table.there:
            self._forget()
            return claims
        state = row_0 or RowZero(format=1)
        if not self._known or state.born != known.born:  # all that is known is of another memory
            if self._known:
                self._claim, self._until = None, 0.0
            known = state
            new = list(self.table.rows(f"id > {state.last_id}", ["id", "time"]))
        self._known = True
        graves = self.table.graves  # row 0 may be one that the engine brought back
        self.state = replace(
            state,
            last_id=max(state.last_id, known.last_id, graves.highest, *(r["id"] for r in new)),
            last_time=max([state.last_time, known.last_time, *(row["time"] for row in new)]),
            deletions=max(state.deletions, known.deletions, graves.deletions),
        )
        return claims

    def _forget(self) -> None:
        """There is no memory; where one was, whoever followed it must notice."""
        deletions = self.state.deletions + 1 if self._known else self.state.deletions
        self.state, self._known = RowZero(deletions=deletions), False
        self._claim, self._until = None, 0.0

    def hold(self, dim: int) -> None:
        """Be the writer for the next write at least; a memory that is not there is made."""
        for _ in range(PAUSES):
            if not self.writing:
                self._become_writer(dim)
            elif clock.monotonic() > self._until - HOLD / 2:
                self.save()
            if self.writing:
                return
        raise MemoryStoreError("the server of this memory is too slow to write to; try again later")

    def _become_writer(self, dim: int) -> None:
        seen: dict[Claim, float] = {}  # the claims of others, and since when they look like this
        impatient = clock.monotonic() + PATIENCE
        while True:
            if not self.table.look():
                # Counted on from the clock, so that no cache takes the new memory for an old one.
                born = RowZero(deletions=clock.time_ns() // 1_000, born=secrets.token_hex(8))
                try:
                    self.table.make(dim, [_row(0, _about(born), dim, "state")])
                except NoAnswer:  # the server makes collections one after the other
                    if clock.monotonic() > impatient:
                        raise
                    continue
            if seen:  # refused before: look first, and claim when the way seems free
                seen = self._others(seen)
            if all(_is_dead(since) for since in seen.values()):
                began = clock.monotonic()
                mine = self._put_claim("" if self._claim is None else self._claim.doing)
                seen = self._others(seen)
                if seen.pop(mine, None) and all(_is_dead(since) for since in seen.values()):
                    break
                self.table.remove([mine.id])
            _wait(impatient)
        gone = [claim.id for claim in seen]
        if self._claim is not None:
            gone.append(self._claim.id)
        if not self._claim_found:
            self.term += 1
        self._claim, self._until = mine, began + HOLD
        if seen:  # a writer died, perhaps between a deletion and its count
            self.count_deletion()
        if gone:
            self.table.remove(gone)

    def _put_claim(self, doing: str = "") -> Claim:
        mine = Claim(-secrets.randbelow(MOST_ID) - 1, 0, doing)
        self.table.insert([_claim_row(mine, self.table.dim)])
        return mine

    def _others(self, seen: dict[Claim, float]) -> dict[Claim, float]:
        """The claims there are but one's own of before, with when each was first seen so."""
        found = self.look()
        own = None if self._claim is None else self._claim.id
        self._claim_found = any(c.id == own for c in found)
        return {c: seen.get(c, clock.monotonic()) for c in found if c.id != own}

    @contextmanager
    def moving(self, dim: int) -> Iterator[None]:
        """While a new collection is filled, no other process drops the memory."""
        self.hold(dim)
        self._say(MOVE)
        try:
            if any(claim.doing == DROP for claim in self.look()):
                raise MemoryStoreError("another process is dropping this memory; try again")
            yield
        finally:
            with suppress(MemoryStoreError):
                self._say("")

    def _say(self, doing: str) -> None:
        """Put into the claim what is being done, now or with the next beat."""
        if self._claim is not None and self._claim.doing != doing:
            self._claim = self._claim._replace(doing=doing)
            if self.writing:
                self.save()

    def clear(self) -> None:
        """Return when the memory may be dropped: nobody is filling a new collection for it."""
        seen: dict[Claim, float] = {}
        impatient = clock.monotonic() + PATIENCE
        while not self.writing:
            mine = self._put_claim(DROP)
            seen = self._others(seen)
            if not any(c.doing == MOVE and not _is_dead(since) for c, since in seen.items()):
                return
            self.table.remove([mine.id])
            _wait(impatient)

    def save(self) -> None:
        """Show that the writer lives, and keep what it knows."""
        assert self._claim is not None
        began = clock.monotonic()
        self._claim = self._claim._replace(beat=self._claim.beat + 1)
        self.table.replace(self.own_rows(self.table.dim))
        self._until = began + HOLD

    def count_deletion(self) -> None:
        self.hold(self.table.dim)
        self.state = replace(self.state, deletions=self.state.deletions + 1)
        self.save()

    def bury(self, ids: list[int]) -> None:
        """Remove rows for good, and say so in the memory."""
        if ids:
            self.table.bury(ids, self.state.deletions)

    def own_rows(self, dim: int) -> list[Row]:
        """State and claim, for a collection of this dimension."""
        assert self._claim is not None
        return [
            _claim_row(self._claim, dim),
            _row(0, _about(self.state), dim, "state"),
        ]

    def move(self, new: str, dim: int) -> None:
        """Let a collection that was filled take the place of the old one, in this format."""
        before, claim = self.state, self._claim
        assert claim is not None
        born = before.born or secrets.token_hex(8)
        self.state = replace(before, format=FORMAT, born=born)
        self._claim = claim._replace(doing="")
        try:
            self.table.insert(self.own_rows(dim), into=new)
            if not self.writing:
                raise Overtaken("the server of this memory is too slow to write to; try again")
            self.table.switch(new)
        except BaseException:
            # Perhaps it did take its place: before the next write this process looks again.
            self.state, self._claim, self._until = before, claim, 0.0
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
        """The memory was dropped, by this process or by another."""
        self._forget()


def _wait(impatient: float) -> None:
    if clock.monotonic() > impatient:
        raise MemoryStoreError(
            "another process is writing to this memory; try again when it is done"
        )
    clock.sleep(random.uniform(0.02, 0.2))


def _is_dead(since: float) -> bool:
    return clock.monotonic() - since > LEASE


def _claim_row(claim: Claim, dim: int) -> Row:
    doing = {"doing": claim.doing} if claim.doing else {}
    return _row(claim.id, {"beat": claim.beat} | doing, dim)


def _row(id: int, state: dict[str, Any], dim: int, kind: str = "claim") -> Row:
    return blank(id, dim) | {"state": json.dumps(state), "kind": kind}


def _about(state: RowZero) -> dict[str, Any]:
    """The state as JSON; an older memnn that reads format 1 takes no keys that it does not know."""
    about = asdict(state)
    if state.format == 1:
        del about["born"]
    return about


def state_of(text: str) -> RowZero:
    about = own_state(text, "format")
    if about["format"] > FORMAT:
        raise UnreadableMemory(
            f"this memory has format {about['format']} and this version reads up to {FORMAT}; "
            "install a newer memnn"
        )
    known = {field.name for field in fields(RowZero)}
    return RowZero(**{key: value for key, value in about.items() if key in known})
