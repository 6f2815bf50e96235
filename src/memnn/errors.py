"""Everything that can go wrong for a user, each with one line that says what to do.

MemnnError
 ├── InputError       bad text, question or argument
 │    ├── FormatError   a data file is not what it should be (names file and line)
 │    └── UnknownName   a name that is not registered (lists the known ones)
 ├── TrainingError    the data cannot be learnt from as asked
 ├── Interrupted      a training was stopped by hand, and can be resumed
 ├── ModelError       a folder that is not a model, is damaged, or is too new
 └── MemoryStoreError a memory that cannot be opened, read or written
      └── DamagedStore  its bytes are not what was written
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class MemnnError(Exception):
    """The root: `except memnn.MemnnError` catches what this package raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets it as it was raised, whatever it was made of."""
        return _as_raised, (type(self), self.args), self.__dict__


class InputError(MemnnError):
    """The caller gave something that cannot be used."""


class FormatError(InputError):
    """A data file is malformed; the message starts with file and line."""

    def __init__(self, source: str, line: int, problem: str) -> None:
        super().__init__(f"{source}:{line}: {problem}")
        self.source, self.line, self.problem = source, line, problem


class UnknownName(InputError):
    """A look-up by name failed; the message lists the names, and says which may be meant."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        super().__init__(f"there is no {kind} '{name}'; {meant}known: {', '.join(names)}")


class TrainingError(MemnnError):
    """The training data does not fit the recipe."""


class Interrupted(MemnnError):
    """A training was stopped by hand; the message says how to go on."""


class ModelError(MemnnError):
    """A model folder cannot be read or written."""


class MemoryStoreError(MemnnError):
    """A memory cannot be opened, read or written."""


class UnreadableMemory(MemoryStoreError):
    """One memory of a store cannot be read; the others can."""


class DamagedStore(MemoryStoreError):
    """A store whose file was changed by something other than this package."""


def _as_raised(kind: type[MemnnError], args: tuple[Any, ...]) -> MemnnError:
    return kind.__new__(kind, *args)
