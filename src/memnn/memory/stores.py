"""A store: a place for named memories, and where to open one.

A memory begins with the first thing written to it; to open and read one leaves no trace. `drop` is
the one way to delete a whole memory: its name goes, whoever still holds it finds it empty, and what
is told to it then is a new memory, with ids from 1.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.protocol import Memory


class Info(NamedTuple):
    """What there is to say about a memory in a store."""

    statements: int
    bytes: int | None
    """Of all files of the store; None where it has none of its own."""
    model: str | None
    """Whose vectors are cached."""
    vectors: int
    names: list[str]


@dataclass(frozen=True)
class Findings:
    """What is wrong, and what was wrong and is mended; each a line for people."""

    problems: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems


class Store(Protocol):
    """Named memories in one place, for any number of threads.

    `testing.check_store` proves an implementation. Inherit from this class: what has a body here
    is a default.
    """

    @property
    def lasts(self) -> bool:
        """Whether it outlives the process; a call may then take as long as a disk does."""
        return True

    def memory(self, name: str = "main") -> Memory:
        """The memory of this name; it is closed with the store."""

    def single(self, name: str = "main") -> Memory:
        """The memory of this name, for whoever needs no other: closing it closes the store.

        By default closing a memory is enough, as where a store itself holds nothing open.
        """
        return self.memory(name)

    def sizes(self, after: str = "", limit: int | None = None) -> dict[str, int | None]:
        """How many statements are in each memory, by name in order; none is opened for it.

        A page of them: those whose names come after one, at most so many. A memory that cannot be
        read (damaged, or of a newer version) has None: it says what is wrong when it is opened.
        """

    def names(self, after: str = "", limit: int | None = None) -> list[str]:
        """The names alone, in order, a page as in `sizes`."""
        return list(self.sizes(after, limit))

    def count(self) -> int:
        """How many memories there are."""
        return len(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def drop(self, name: str) -> None:
        """Delete a whole memory, its name included; an error if there is none."""

    def compact(self) -> None:
        """Remove the bytes of what was deleted, or ask the engine that keeps them to."""
        return

    def size(self) -> int | None:
        """Bytes of all its files; None where it has none of its own."""
        return None

    def verify(self, *, repair: bool = False) -> Findings:
        """Compare everything with its checksums; `repair` makes anew what can be."""
        raise MemoryStoreError("only a store at a path has checksums to verify")

    def info(self, name: str = "main") -> Info:
        """How much there is in a memory, and in the store."""
        names = self.sizes()
        return Info(names.get(name) or 0, self.size(), None, 0, list(names))

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def no_such(name: str, where: str | os.PathLike[str]) -> InputError:
    """What every store says about a memory that cannot be dropped."""
    return InputError(f"there is no memory '{name}' in {os.fspath(where)}")
