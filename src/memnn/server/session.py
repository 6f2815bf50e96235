"""One memory in use, and what may happen to it at the same time.

Questions are answered in microseconds, so they are answered where they arrive, in the event loop;
one that takes longer (a large memory read for the first time, a question about the past) goes to a
thread. Writing to a store that lasts waits for the disk, and goes to a thread too: while it waits,
others are answered, and several writers share one commit. Writing to RAM waits for nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import thread_time
from typing import Any, TypeVar

from memnn.as_json import ChangesJson, told_json
from memnn.components import DONT_KNOW
from memnn.conversations.intents import FORGET, NO_TALK, Intent
from memnn.conversations.learning import carry
from memnn.conversations.listing import News, changed, duplicates, listed
from memnn.conversations.small_talk import SmallTalk, TalkReply
from memnn.conversations.telling import Told
from memnn.errors import InputError
from memnn.memory import AsOf
from memnn.memory.present import superseded, versions
from memnn.memory.protocol import check_text
from memnn.network import Network
from memnn.server.reading import Direct, Reader, Snapshot
from memnn.text.sentences import Sentences
from memnn.types import Answer, Lesson, Question, Slot
from memnn.types.found import FoundSlots

T = TypeVar("T")

Search = tuple[FoundSlots, Mapping[int, int]]
"""What was found, and what was superseded by what."""
MOST_COMPARED = 100
"""Statements told at once that are compared with earlier ones."""
READERS = 8
WRITERS = 64  # threads: as many statements as can share one commit
QUICK = 0.002  # seconds of the processor: what may keep everybody else waiting
NEWS = 100  # statements told since the last question that may be read on the way to an answer
LONG = 1_000  # characters: from here on even reading a text keeps others waiting
MOST_QUESTIONS = 100  # in one message
MOST_SHOWN = 2_500  # statements in the reply to one search, with their neighbours
FULL = 1_000_000  # characters of answers to one message
NOT_ANSWERED = "this reply is full; ask this question by itself"


class Missing(InputError):
    """What was asked for is not there."""


class NameTaken(InputError):
    """A name that something else has."""


class TooLong(InputError):
    """More than is taken at once."""


class Threads:
    """For what would keep the event loop waiting; writers do not queue behind slow questions."""

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="memnn-reader")
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="memnn-writer")

    async def read(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, call)

    async def write(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writers, call)

    def later(self, call: Callable[[], object]) -> None:
        """Something that nobody waits for."""
        self._writers.submit(call)

    def join(self) -> None:
        self._writers.shutdown(wait=True)
        self._readers.shutdown(wait=True)


def check_shown(k: int, neighbours: int) -> None:
    """Each alone may be large, but not both: a reply would have hundreds of megabytes."""
    if k * (1 + 2 * neighbours) > MOST_SHOWN:
        raise InputError(
            f"{k:,} statements with {neighbours} neighbours on each side are more than "
            f"{MOST_SHOWN:,}; ask for fewer"
        )


class Session:
    """One memory, and the network that reads it."""

    def __init__(self, net: Network, threads: Threads) -> None:
        self.net = net
        self.memory = net.memory
        self._threads = threads
        copied = self.memory.lasts and not net.I.streams
        self._reader: Reader = Snapshot(net) if copied else Direct(net)
        self._quick = False
        self._small_talk = SmallTalk()
        self.users = 0
        """Requests that are using it now."""
        self.begun = False
        """Whether something was told to this memory: else it is let go when nobody uses it."""

    async def tell(self, text: str) -> list[Slot]:
        """Remember what the text states; returns once it is as durable as the store is."""
        self._small_talk.follows(None)
        if self.memory.lasts or len(text) > LONG:
            return await self._threads.write(lambda: self.net.tell(text))
        return self.net.tell(text)

    async def remember(
        self, told: str | Sequence[Told], about: Mapping[str, Any]
    ) -> tuple[list[Slot], dict[int, int]]:
        """As `tell`, for turns and lists as well; and what of it was told before."""

        def remember() -> tuple[list[Slot], dict[int, int]]:
            self._small_talk.follows(None)  # a correction is of what was said in a conversation
            slots = self.net.tell(told, **about)
            return slots, duplicates(self.memory, slots) if len(slots) <= MOST_COMPARED else {}

        if self.memory.lasts or not isinstance(told, str) or len(told) > LONG:
            return await self._threads.write(remember)
        return remember()

    async def update(self, id: int, text: str, about: Mapping[str, Any]) -> Slot:
        """Write what supersedes a statement."""
        await self.one(id)
        self._small_talk.follows(None)
        return await self._threads.write(lambda: self.net.update(id, text, **about))

    async def one(self, id: int) -> tuple[Slot, Mapping[int, int]]:
        """A statement by its id, and what was superseded by what."""
        (slot,), by = await self.some([id])
        return slot, by

    async def some(self, ids: Sequence[int]) -> tuple[list[Slot], Mapping[int, int]]:
        """Statements by their ids."""
        return await self._threads.write(lambda: (self._read(ids), superseded(self.memory)))

    async def listed(self, **which: Any) -> tuple[list[Slot], Mapping[int, int]]:
        """A page of what was told, see `listed`."""

        def read() -> tuple[list[Slot], Mapping[int, int]]:
            return listed(self.memory, **which), superseded(self.memory)

        return await self._threads.write(read) if self.memory.lasts else read()

    async def changed(self, after: int, deletions: int | None, limit: int) -> News:
        return await self._threads.write(lambda: changed(self.memory, after, deletions, limit))

    async def search(self, text: str, how: Mapping[str, Any]) -> Search:
        """What fits a question best."""
        check_shown(how["k"], how["neighbours"])

        def find() -> Search:
            net = self._reader.network()
            if net.memory is not self.memory:
                carry(self.memory, net.memory)
            return net.search(text, **how), superseded(self.memory)

        return await self._threads.read(find)

    async def teach(self, question: str, ids: Sequence[int], as_of: int | None) -> Lesson:
        """Keep what answers a question."""

        def teach() -> Lesson:
            last = self.memory.last_id
            if not last:
                raise Missing("a lesson needs something to refer to; tell this memory something")
            if as_of is not None and as_of > last:
                raise Missing(f"the moment of a lesson must be an id from 0 to {last}")
            self._read(ids)
            return self.net.teach(question, ids, as_of)

        return await self._threads.write(teach)

    async def lessons(self) -> Sequence[Lesson]:
        return await self._threads.write(self.memory.lessons)

    async def ask(self, text: str, as_of: AsOf = None) -> Answer:
        """Answer from what was told, until `as_of` if given. A line break ends no question."""
        text = " ".join(check_text(text).split())
        if as_of is None and self._quick and len(text) <= LONG:
            net, unread = self._reader.look()
            if net is not None or (unread is not None and unread < NEWS):
                return self._ask(text, None, net)
        return await self._threads.read(lambda: self._ask(text, as_of))

    async def say(
        self, text: str, as_of: AsOf = None
    ) -> tuple[list[Slot], list[tuple[str, Answer]]]:
        """Tell the statements and ask the questions of a text, in its order; `as_of` is of these.

        Questions are few enough and answers short enough that nobody else waits for long.
        """
        sentences = list(Sentences()(check_text(text)))
        if not sentences:
            raise InputError("the text holds nothing to remember or answer")
        asked = sum(isinstance(x, Question) for x in sentences)
        if asked > MOST_QUESTIONS:
            raise TooLong(
                f"the text has {asked:,} questions, and {MOST_QUESTIONS} are answered at once; "
                "send it in parts"
            )
        told: list[Slot] = []
        answers: list[tuple[str, Answer]] = []
        statements: list[str] = []
        room = FULL
        for x in sentences:
            if not isinstance(x, Question):
                statements.append(x.text)
                continue
            if statements:
                told += await self.tell("\n".join(statements))
                statements = []
            answer = await self.ask(x.text, as_of) if room > 0 else _unanswered()
            answers.append((x.text, answer))
            room -= _length(answer)
            await asyncio.sleep(0)  # others may be waiting
        if statements:
            told += await self.tell("\n".join(statements))
        return told, answers

    async def converse(
        self, text: str, as_of: AsOf = None
    ) -> tuple[list[Slot], list[tuple[str, Answer]], list[TalkReply]]:
        """As `say`, but small talk gets replies instead of being told or asked."""
        parts = [(text, NO_TALK)]
        if not self.net.I.streams:
            parts = await self._threads.read(lambda: list(self._small_talk.hears(check_text(text))))
        told: list[Slot] = []
        answers: list[tuple[str, Answer]] = []
        replies: list[TalkReply] = []
        for part, intent in parts:
            if self._small_talk.takes(intent):
                replies.append(await self._threads.write(partial(self._talk, part, intent, as_of)))
                continue
            slots, answered = await self.say(part, as_of)
            told, answers = told + slots, answers + answered
            self._small_talk.follows(_last(part, slots, answered, as_of))
        gone = {slot.id for reply in replies if reply.intent == FORGET for slot in reply.slots}
        return [slot for slot in told if slot.id not in gone], answers, replies

    async def forget(self, *ids: int) -> list[int]:
        """Delete these statements with what they replaced, or none if one of them is not there."""
        return await self._threads.write(lambda: self._forget(ids))

    async def holds(self) -> bool:
        """Whether anything was ever told to the memory; not so if it was deleted since."""

        def look() -> bool:
            return self.memory.last_id > 0

        return look() if self._quick else await self._threads.read(look)

    def _ask(self, text: str, as_of: AsOf, net: Network | None = None) -> Answer:
        start = thread_time()
        net = self._reader.network() if net is None else net
        answer = net.ask(text, as_of=as_of)
        if as_of is None:
            self._quick = thread_time() - start < QUICK and not self.net.I.streams
        return answer

    def _talk(self, text: str, intent: Intent, as_of: AsOf) -> TalkReply:
        return self._small_talk(self._reader.network(), self.memory, text, intent, as_of)

    def _read(self, ids: Sequence[int]) -> list[Slot]:
        try:
            return self.memory.read(ids)
        except InputError as error:
            raise Missing(str(error)) from None

    def _forget(self, ids: tuple[int, ...]) -> list[int]:
        try:
            gone = versions(self.memory, ids)
            self._small_talk.follows(None)  # an answer may rest on what is gone
            self.memory.delete(gone)
            return gone
        except InputError as error:
            raise Missing(str(error)) from None


def _last(
    said: str, slots: Sequence[Slot], answered: Sequence[tuple[str, Answer]], as_of: AsOf
) -> Answer | Slot | None:
    """What was told or answered last; what was asked about the past is no matter of now."""
    if answered and (not slots or isinstance(list(Sentences()(said))[-1], Question)):
        return answered[-1][1] if as_of is None else None
    return slots[-1] if slots else None


def changes_json(news: News) -> ChangesJson:
    return {
        **told_json(news.slots, superseded=news.superseded),
        "last_id": news.last_id,
        "deletions": news.deletions,
        "more": news.more,
        "kept": news.kept,
    }


def _unanswered() -> Answer:
    return Answer(DONT_KNOW, 0.0, abstained=True, reason=NOT_ANSWERED)


def _length(answer: Answer) -> int:
    """About how many characters it takes to send an answer: its texts are what may be long."""
    texts = [answer.text, answer.reason, *(other.text for other in answer.others)]
    for hop in answer.evidence:
        texts.append(hop.text)
        if hop.decisive is not None:
            texts.append(hop.decisive.against.text)
    return sum(map(len, texts))
