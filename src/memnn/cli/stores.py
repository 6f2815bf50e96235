"""What commands about a store share: opening it, reading their input, showing what it holds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.text import Text

from memnn.cli import screen
from memnn.errors import InputError, MemoryStoreError
from memnn.paths import read_file
from memnn.types import Slot

if TYPE_CHECKING:
    from memnn.memory import Memory, Store

MOST_NAMED = 20
"""Memories that an error lists."""


@contextmanager
def open_memory_at(store: str, name: str, create: bool = False) -> Iterator[Memory]:
    with open_store_at(store, create) as s:
        yield s.memory(name) if create else memory_in(s, store, name)


@contextmanager
def open_store_at(store: str, create: bool = False) -> Iterator[Store]:
    from memnn.memory import open_store

    with open_store(store, create=create) as s:
        if not s.lasts:
            screen.say("':memory:' is empty and ends with this command; a path would last")
        yield s


@contextmanager
def open_lasting(store: str, create: bool = False) -> Iterator[Store]:
    """A store that is still there after this command."""
    from memnn.memory import open_store

    with open_store(store, create=create) as s:
        if not s.lasts:
            raise MemoryStoreError(
                "this needs a persistent store: give a path instead of ':memory:'"
            )
        yield s


def memory_in(s: Store, store: str, name: str) -> Memory:
    """A memory that is there; `main` may be empty."""
    m = s.memory(name)
    if name != "main" and name not in s:
        some = [f"'{one}'" for one in s.names(limit=MOST_NAMED + 1)]
        known = ", ".join([*some[:MOST_NAMED], *(["…"] if some[MOST_NAMED:] else [])]) or "none"
        raise InputError(f"there is no memory '{name}' in {store}; there is: {known}")
    return m


def stdin_text() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the input is not UTF-8 text") from None


def file_text(path: str) -> str:
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {path}: {why}") from None


def show_slots(slots: Iterable[Slot], superseded: Mapping[int, int], json: bool) -> None:
    """What was told, a line each, or as JSON."""
    if json:
        from memnn.as_json import slot_json

        told = [
            slot_json(slot, superseded_by=superseded.get(slot.id))
            | ({"source": slot.source} if slot.source else {})
            for slot in slots
        ]
        screen.print_json({"statements": told})
        return
    for slot in slots:
        line = Text.assemble((f"[{slot.id}] ", "dim"))
        if slot.speaker is not None:
            line.append(f"{slot.speaker}: ", style="bold")
        line.append(slot.text)
        line.append(f"  {slot.said or slot.time}", style="dim")
        if slot.id in superseded:
            line.append(f"  superseded by [{superseded[slot.id]}]", style="dim")
        screen.out.print(line)
