"""The same calls for `async` code: each runs in a thread, so that the event loop goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from memnn.types import Answer, FoundSlot, Lesson, Slot


class AsyncTwins:
    """Arguments and results are those of the calls without the a.

    >>> import asyncio, memnn
    >>> async def talk():
    ...     net = memnn.open()
    ...     await net.atell("Joe went to the kitchen.")
    ...     return await net.aask("Where is Joe?")
    >>> asyncio.run(talk()).text
    'kitchen'
    """

    tell: Callable[..., list[Slot]]
    ask: Callable[..., Answer]
    search: Callable[..., list[FoundSlot]]
    update: Callable[..., Slot]
    teach: Callable[..., Lesson]
    forget: Callable[..., None]

    async def atell(self, *told: Any, **how: Any) -> list[Slot]:
        return await asyncio.to_thread(self.tell, *told, **how)

    async def aask(self, question: str, **how: Any) -> Answer:
        return await asyncio.to_thread(self.ask, question, **how)

    async def asearch(self, question: str, *k: int, **how: Any) -> list[FoundSlot]:
        return await asyncio.to_thread(self.search, question, *k, **how)

    async def aupdate(self, id: int, text: str, **how: Any) -> Slot:
        return await asyncio.to_thread(self.update, id, text, **how)

    async def ateach(self, question: str, *ids: Any, **how: Any) -> Lesson:
        return await asyncio.to_thread(self.teach, question, *ids, **how)

    async def aforget(self, id: int) -> None:
        await asyncio.to_thread(self.forget, id)
