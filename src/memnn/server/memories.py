"""Named memories on one store, and what may happen to one of them at the same time.

Questions are answered in microseconds, so they are answered where they arrive, in the event loop;
one that takes longer (a large memory read for the first time, a question about the past) goes to a
thread. Writing to a store that lasts waits for the disk, and goes to a thread too: while it waits,
others are answered, and several writers share one commit. Writing to RAM waits for nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from threading import Lock
from time import thread_time
from typing import TypeVar

from memnn.errors import InputError
from memnn.memory import AsOf, RamMemory
from memnn.memory.protocol import check_text
from memnn.server.reading import Direct, Mirror, Network, Reader, is_ram, streams
from memnn.server.stores import RamStore, open_store
from memnn.text.sentences import Sentences
from memnn.types import Answer, Question, Slot

T = TypeVar("T")

NAME = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$"
NAME_RULE = "the name of a memory has 1 to 64 letters, digits, '_', '-' or '.', and no '.' in front"
READERS = 8
WRITERS = 64  # threads: as many statements as can share one commit
QUICK = 0.002  # seconds of the processor: what may keep everybody else waiting
NEWS = 100  # statements told since the last question that may be read on the way to an answer


class Missing(InputError):
    """What was named is not there."""


class Threads:
    """For what would keep the event loop waiting; writers do not queue behind slow questions."""

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="memnn-reader")
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="memnn-writer")

    async def read(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, call)

    async def write(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writers, call)

    def join(self) -> None:
        self._writers.shutdown(wait=True)
        self._readers.shutdown(wait=True)


class Named:
    """One memory, and the network that reads it."""

    def __init__(self, net: Network, threads: Threads) -> None:
        self.net = net
        self.memory = net.memory
        self._threads = threads
        self._reader: Reader = Direct(net) if is_ram(self.memory) or streams(net) else Mirror(net)
        self._reading = Lock()  # what the network has read of the memory is one thing
        # A store that lasts lets its writers share commits; others have one at a time.
        self._writing: AbstractContextManager[object] = (
            Lock() if is_ram(self.memory) or streams(net) else nullcontext()
        )
        self._streams = streams(net)  # then a question ends what was told, and is a write
        self._quick = False

    async def tell(self, text: str) -> list[Slot]:
        """Remember what the text states; returns once it is as durable as the store is."""
        check_text(text)
        return await self._where_it_waits(lambda: self._tell(text))

    async def ask(self, text: str, as_of: AsOf = None) -> Answer:
        """Answer from what was told, until `as_of` if given. A line break ends no question."""
        text = " ".join(check_text(text).split())
        if as_of is None and self._quick and self._reading.acquire(blocking=False):
            try:
                if self._reader.news() < NEWS:
                    return self._ask(text, None)
            finally:
                self._reading.release()
        return await self._threads.read(lambda: self._ask_in_turn(text, as_of))

    async def say(self, text: str) -> tuple[list[Slot], list[tuple[str, Answer]]]:
        """Tell the statements and ask the questions of a text, in its order."""
        check_text(text)
        told: list[Slot] = []
        answers: list[tuple[str, Answer]] = []
        statements: list[str] = []
        sentences = list(Sentences()(text))
        if not sentences:
            raise InputError("there is nothing in the text to remember or to answer")
        for x in sentences:
            if isinstance(x, Question):
                if statements:
                    told += await self.tell("\n".join(statements))
                    statements = []
                answers.append((x.text, await self.ask(x.text)))
            else:
                statements.append(x.text)
        if statements:
            told += await self.tell("\n".join(statements))
        return told, answers

    async def forget(self, *ids: int) -> None:
        """Delete these statements, or none if one of them is not there."""
        await self._threads.write(lambda: self._forget(ids))

    async def page(self, after: int, limit: int) -> list[Slot]:
        """At most `limit` statements after an id, in write order."""
        return await self._where_it_waits(lambda: list(islice(self.memory.scan(after), limit)))

    def _tell(self, text: str) -> list[Slot]:
        with self._writing:
            return self.net.tell(text)

    def _ask_in_turn(self, text: str, as_of: AsOf) -> Answer:
        with self._reading, self._writing if self._streams else nullcontext():
            return self._ask(text, as_of)

    def _ask(self, text: str, as_of: AsOf) -> Answer:
        start = thread_time()
        answer = self._reader.ask(text, as_of)
        if as_of is None:
            self._quick = thread_time() - start < QUICK and not self._streams
        return answer

    def _forget(self, ids: tuple[int, ...]) -> None:
        with self._reading, self._writing:
            try:
                self.memory.delete(ids)
            except InputError as error:
                raise Missing(str(error)) from None

    async def _where_it_waits(self, call: Callable[[], T]) -> T:
        return call() if is_ram(self.memory) else await self._threads.write(call)


class Memories:
    """The named memories of one store; one comes to be with the first statement told to it."""

    def __init__(self, net: Network, where: str = ":memory:") -> None:
        self.net = net
        self.store = open_store(where)
        self._open: dict[str, Named] = {}
        self._deleted: set[str] = set()
        self._threads = Threads()

    async def names(self) -> list[str]:
        return await self._there(self.store.names)

    async def sizes(self) -> dict[str, int]:
        """The statements in each memory."""
        return await self._there(
            lambda: {name: len(self._named(name).memory) for name in self.store.names()}
        )

    async def to_write(self, name: str) -> Named:
        """The memory of this name, a new one if there was none."""
        named = self._open.get(check_name(name))
        self._deleted.discard(name)
        return await self._there(lambda: self._named(name)) if named is None else named

    async def to_read(self, name: str) -> Named:
        """The memory of this name; one that nobody told anything is empty, and is not kept."""
        named = self._open.get(check_name(name))
        if named is None and name in await self.names():
            named = await self._there(lambda: self._named(name))
        if named is not None:
            return named
        if name in self._deleted:
            raise Missing(f"the memory '{name}' was deleted; tell it something to begin anew")
        return Named(self.net.with_memory(RamMemory()), self._threads)

    async def delete(self, name: str) -> None:
        """Forget a memory with all that was told to it."""
        if check_name(name) not in await self.names():
            raise Missing(f"there is no memory '{name}'")
        await self._there(lambda: self.store.drop(name))
        self._open.pop(name, None)
        self._deleted.add(name)

    def close(self) -> None:
        """Wait for what is being written, then close."""
        self._threads.join()
        self.store.close()

    def _named(self, name: str) -> Named:
        """The one object for a memory, whichever thread is first to want it."""
        if name not in self._open:
            net = self.net.with_memory(self.store.memory(name))
            self._open.setdefault(name, Named(net, self._threads))
        return self._open[name]

    async def _there(self, call: Callable[[], T]) -> T:
        if isinstance(self.store, RamStore):
            return call()
        return await self._threads.write(call)


def check_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise InputError(NAME_RULE)
    return name
