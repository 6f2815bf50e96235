"""The named memories of one store, and what may happen to each of them at the same time.

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
from itertools import islice
from time import thread_time
from typing import TypeVar

from memnn.errors import InputError
from memnn.memory import AsOf, RamMemory, open_store
from memnn.memory.protocol import check_text
from memnn.network import Network
from memnn.server.reading import Direct, Reader, Snapshot
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


class Session:
    """One memory, and the network that reads it."""

    def __init__(self, net: Network, threads: Threads) -> None:
        self.net = net
        self.memory = net.memory
        self._threads = threads
        copied = self.memory.lasts and not net.I.streams
        self._reader: Reader = Snapshot(net) if copied else Direct(net)
        self._quick = False

    async def tell(self, text: str) -> list[Slot]:
        """Remember what the text states; returns once it is as durable as the store is."""
        return await self._where_it_waits(lambda: self.net.tell(text))

    async def ask(self, text: str, as_of: AsOf = None) -> Answer:
        """Answer from what was told, until `as_of` if given. A line break ends no question."""
        text = " ".join(check_text(text).split())
        if as_of is None and self._quick:
            unread = self._reader.unread()
            if unread is not None and unread < NEWS:
                return self._ask(text, None)
        return await self._threads.read(lambda: self._ask(text, as_of))

    async def say(self, text: str) -> tuple[list[Slot], list[tuple[str, Answer]]]:
        """Tell the statements and ask the questions of a text, in its order."""
        check_text(text)
        told: list[Slot] = []
        answers: list[tuple[str, Answer]] = []
        statements: list[str] = []
        sentences = list(Sentences()(text))
        if not sentences:
            raise InputError("the text holds nothing to remember or answer")
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

    def _ask(self, text: str, as_of: AsOf) -> Answer:
        start = thread_time()
        answer = self._reader.ask(text, as_of)
        if as_of is None:
            self._quick = thread_time() - start < QUICK and not self.net.I.streams
        return answer

    def _forget(self, ids: tuple[int, ...]) -> None:
        try:
            self.memory.delete(ids)
        except InputError as error:
            raise Missing(str(error)) from None

    async def _where_it_waits(self, call: Callable[[], T]) -> T:
        return await self._threads.write(call) if self.memory.lasts else call()


class Memories:
    """The named memories of one store; each begins with the first statement told to it."""

    def __init__(self, net: Network, where: str = ":memory:") -> None:
        self.net = net
        self.store = open_store(where)
        self._open: dict[str, Session] = {}
        self._deleted: set[str] = set()
        self._threads = Threads()

    async def names(self) -> list[str]:
        return await self._there(self.store.names)

    async def sizes(self) -> dict[str, int]:
        """The statements in each memory."""
        return await self._there(self.store.sizes)

    async def to_write(self, name: str) -> Session:
        """The memory of this name, a new one if there was none."""
        session = self._open.get(check_name(name))
        self._deleted.discard(name)
        return await self._there(lambda: self._named(name)) if session is None else session

    async def to_read(self, name: str) -> Session:
        """The memory of this name; one that nobody told anything is empty, and is not kept."""
        session = self._open.get(check_name(name))
        if session is None and await self._has(name):
            session = await self._there(lambda: self._named(name))
        if session is not None:
            return session
        if name in self._deleted:
            raise Missing(f"the memory '{name}' was deleted; tell it something to begin anew")
        return Session(self.net.with_memory(RamMemory()), self._threads)

    async def delete(self, name: str) -> None:
        """Forget a memory with all that was told to it."""
        if not await self._has(check_name(name)):
            raise Missing(f"there is no memory '{name}'")
        await self._there(lambda: self.store.drop(name))
        self._open.pop(name, None)
        self._deleted.add(name)

    def close(self) -> None:
        """Wait for what is being written, then close."""
        self._threads.join()
        self.store.close()

    def _named(self, name: str) -> Session:
        """The one object for a memory, whichever thread is first to want it."""
        if name not in self._open:
            net = self.net.with_memory(self.store.memory(name))
            self._open.setdefault(name, Session(net, self._threads))
        return self._open[name]

    async def _has(self, name: str) -> bool:
        return await self._there(lambda: name in self.store)

    async def _there(self, call: Callable[[], T]) -> T:
        return await self._threads.write(call) if self.store.lasts else call()


def check_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise InputError(NAME_RULE)
    return name
