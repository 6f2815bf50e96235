"""The named memories of one store: opened when they are used, let go when others are.

A memory begins with the first statement told to it; a statement that was refused, a question and a
look leave nothing behind. All memories share one network. Only the event loop changes what is open.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from memnn.conversations.small_talk import TalkReply
from memnn.conversations.telling import Told
from memnn.errors import InputError
from memnn.memory import AsOf, RamMemory, open_store
from memnn.memory import copy as copying
from memnn.network import Network
from memnn.server.session import Missing, NameTaken, Search, Session, Threads
from memnn.types import Answer, Slot

T = TypeVar("T")

NAME = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$"
NAME_RULE = "the name of a memory has 1 to 64 letters, digits, '_', '-' or '.', and no '.' in front"
MOST_OPEN = 1_000  # memories; of the others what was read of them is not kept
MOST_DELETED = 10_000  # names that are remembered as deleted


class Memories:
    """What is told and asked by name; one session for each memory that is in use."""

    def __init__(self, net: Network, where: str = ":memory:") -> None:
        self.net = net
        self.store = open_store(where)
        self._open: dict[str, Session] = {}  # the one used last is the last
        self._deleted: dict[str, None] = {}
        self._threads = Threads()

    async def count(self) -> int:
        """How many memories there are."""
        return await self._there(self.store.count)

    async def sizes(self, after: str = "", limit: int | None = None) -> dict[str, int | None]:
        """The statements in each memory, by name; a page as in `Store.sizes`."""
        return await self._there(lambda: self.store.sizes(after, limit))

    async def tell(self, name: str, text: str) -> list[Slot]:
        """As a session's; with the first statement a memory begins."""
        session = await self._enter(check_name(name))
        try:
            slots = await session.tell(text)
            self._begin(name, session)
            return slots
        finally:
            self._leave(name, session)

    async def remember(
        self, name: str, told: str | Sequence[Told], about: Mapping[str, Any]
    ) -> tuple[list[Slot], dict[int, int]]:
        """As a session's; with the first statement a memory begins."""
        session = await self._enter(check_name(name))
        try:
            slots, same = await session.remember(told, about)
            self._begin(name, session)
            return slots, same
        finally:
            self._leave(name, session)

    async def converse(
        self, name: str, text: str, as_of: AsOf = None
    ) -> tuple[list[Slot], list[tuple[str, Answer]], list[TalkReply]]:
        """As a session's; a memory that is only asked or talked to does not begin."""
        session = await self._enter(check_name(name))
        try:
            slots, answers, replies = await session.converse(text, as_of)
            if slots or self.net.I.streams:  # a stream holds what has not ended
                self._begin(name, session)
            return slots, answers, replies
        finally:
            self._leave(name, session)

    async def ask(self, name: str, text: str, as_of: AsOf = None) -> Answer:
        """As a session's, of a memory that may not have begun."""
        session = await self._look(name)
        try:
            answer = await session.ask(text, as_of)
            if not any(hop.source != "world" for hop in answer.evidence):
                await self._check_there(name, session)
            return answer
        finally:
            self._leave(name, session)

    async def page(self, name: str, after: int, limit: int) -> list[Slot]:
        """The statements after an id, at most so many."""
        return (await self.listed(name, after=after, limit=limit))[0]

    async def listed(self, name: str, **which: Any) -> tuple[list[Slot], Mapping[int, int]]:
        """As a session's, of a memory that may not have begun."""
        session = await self._look(name)
        try:
            slots, superseded = await session.listed(**which)
            if not slots:
                await self._check_there(name, session)
            return slots, superseded
        finally:
            self._leave(name, session)

    async def search(self, name: str, text: str, **how: Any) -> Search:
        """As a session's, of a memory that may not have begun."""
        session = await self._look(name)
        try:
            found = await session.search(text, how)
            if not found[0]:
                await self._check_there(name, session)
            return found
        finally:
            self._leave(name, session)

    async def use(self, name: str, call: Callable[[Session], Awaitable[T]]) -> T:
        """What a call says of a session, of a memory that may not have begun."""
        session = await self._look(name)
        try:
            return await call(session)
        finally:
            self._leave(name, session)

    async def forget(self, name: str, *ids: int) -> list[int]:
        """As a session's."""
        return await self.use(name, lambda session: session.forget(*ids))

    async def delete(self, name: str) -> None:
        """Forget a memory with all that was told to it."""
        if not await self._has(check_name(name)):
            raise Missing(f"there is no memory '{name}'")
        try:
            await self._there(lambda: self.store.drop(name))
        except InputError:  # another was faster
            raise Missing(f"there is no memory '{name}'") from None
        self._drop(name)

    async def copy(self, name: str, to: str, move: bool = False) -> int:
        """Copy a memory to a new name, ids, times and lessons kept; how many statements.

        With `move` the old one is deleted then. What was told to it while it was copied is copied,
        too; only what is told in the last moment goes with it.
        """
        if not await self._has(check_name(name)):
            raise Missing(f"there is no memory '{name}'")
        if await self._has(check_name(to)):
            raise NameTaken(f"there is a memory '{to}' already; choose another name")
        source, target = self.store.memory(name), self.store.memory(to)
        written = await self._threads.write(lambda: copying.copy(source, target))
        while move and (more := await self._threads.write(lambda: copying.copy(source, target))):
            written += more
        if move:
            await self.delete(name)
        return written

    def close(self) -> None:
        """Wait for what is being written, then close."""
        self._threads.join()
        self.store.close()

    async def _enter(self, name: str) -> Session:
        """The one session of a memory; whoever enters it leaves it."""
        session = self._open.pop(name, None)
        if session is None:
            new = await self._there(lambda: Session(self._network(name), self._threads))
            session = self._open.pop(name, new)
            if session is not new:  # another was first
                self._end(new)
        self._open[name] = session
        session.users += 1
        return session

    def _network(self, name: str) -> Network:
        return self.net.with_memory(self.store.memory(name))

    def _leave(self, name: str, session: Session) -> None:
        session.users -= 1
        if session.users:
            return
        if self._open.get(name) is not session:  # deleted meanwhile, or never kept
            self._end(session)
        elif not session.begun:
            self._let_go(name)

    def _begin(self, name: str, session: Session) -> None:
        """Keep a session from now on, and let go of what was not used for the longest time."""
        session.begun = True
        self._deleted.pop(name, None)
        excess = len(self._open) - MOST_OPEN
        if excess > 0 and not self.net.I.streams:
            unused = (n for n, other in self._open.items() if not other.users and n != name)
            for oldest in list(islice(unused, excess)):
                self._let_go(oldest)

    def _let_go(self, name: str) -> None:
        self._end(self._open.pop(name))

    def _end(self, session: Session) -> None:
        if self.store.lasts:
            self._threads.later(session.memory.close)

    async def _look(self, name: str) -> Session:
        """A session to read in; that of a memory which nobody told anything is not kept."""
        if check_name(name) in self._open:
            return await self._enter(name)
        if await self._has(name):
            session = await self._enter(name)
            self._begin(name, session)
            return session
        if name in self._deleted:
            raise Missing(_deleted(name))
        session = Session(self.net.with_memory(RamMemory()), self._threads)
        session.users += 1
        return session

    async def _check_there(self, name: str, session: Session) -> None:
        """Another process may have deleted a memory that is open here."""
        if self._open.get(name) is session and session.begun and not await session.holds():
            self._drop(name)
            raise Missing(_deleted(name))

    def _drop(self, name: str) -> None:
        session = self._open.pop(name, None)
        if session is not None and not session.users:
            self._end(session)
        self._deleted[name] = None
        if len(self._deleted) > MOST_DELETED:
            del self._deleted[next(iter(self._deleted))]

    async def _has(self, name: str) -> bool:
        return await self._there(lambda: name in self.store)

    async def _there(self, call: Callable[[], T]) -> T:
        return await self._threads.write(call) if self.store.lasts else call()


def check_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise InputError(NAME_RULE)
    return name


def _deleted(name: str) -> str:
    return f"the memory '{name}' was deleted; tell it something to begin anew"
