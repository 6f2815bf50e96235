"""What every network does with a conversation: take turns in, find them, update them, be taught."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self

from memnn.components import Generalization, Input
from memnn.conversations.learning import Learnt
from memnn.conversations.search import Filter, Finder, Moment
from memnn.conversations.telling import Told, read_items, statements_of, turn_about
from memnn.conversations.twins import AsyncTwins
from memnn.conversations.updating import updated
from memnn.errors import InputError
from memnn.memory import AsOf, Memory
from memnn.memory.shelves import SEALED
from memnn.types import Lesson, Slot, Statement, Turn
from memnn.types.found import FoundSlots


class Conversing(AsyncTwins):
    """For networks to inherit: they have a memory, I and G, and a finder.

    A network closes its memory at the end of a `with`, and every call that may take long has an
    `async` twin: `aask`, `atell` and so on.
    """

    memory: Memory
    I: Input  # noqa: E741
    G: Generalization
    finder: Finder

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.memory!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the memory; what was told to a store that lasts is there already."""
        self.memory.close()

    def tell(
        self,
        text: str | Sequence[Told],
        speaker: str | None = None,
        said: str | datetime | None = None,
        session: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> list[Slot]:
        """Remember one or more statements; returns the slots they went to.

        With a speaker, a time, a session or metadata the text is a turn: one slot, kept whole,
        questions included. A list of texts and mappings (`text` and any of these) is remembered
        as a whole, or not at all if one of them is refused.

        >>> import memnn
        >>> net = memnn.open()
        >>> net.tell("Joe went to the kitchen. Joe took the milk.")
        [Slot(1, 'Joe went to the kitchen.'), Slot(2, 'Joe took the milk.')]
        >>> net.tell("Shall we go? I have the tickets.", speaker="Ann")
        [Slot(3, 'Shall we go? I have the tickets.', speaker='Ann')]
        """
        slots = self._told(text, speaker, said, session, meta)
        if slots and self.memory.keeps_parts:
            stretches = slots[-1].id // SEALED - (slots[0].id - 1) // SEALED
            if stretches:
                self.follow()
        return slots

    def follow(self) -> None:
        """Read on in the memory, which keeps what was read: so the next process need not.

        `tell` does it now and then where a memory is far away.
        """
        self.finder.follow(self.memory)

    def _told(
        self,
        text: str | Sequence[Told],
        speaker: str | None,
        said: str | datetime | None,
        session: str | None,
        meta: Mapping[str, Any] | None,
    ) -> list[Slot]:
        if isinstance(text, str):
            return self._tell(text, turn_about(speaker, said, session, meta))
        if not isinstance(text, Sequence):
            raise InputError(f"a text must be a str, not {type(text).__name__}")
        items = read_items(text, speaker, said, session, meta)
        if self.I.streams:  # which holds back what has not ended
            return [slot for told, turn in items for slot in self._tell(told, turn)]
        statements: list[Statement] = []
        for number, (told, turn) in enumerate(items, start=1):
            try:
                statements += statements_of(self.I, told, turn)
            except InputError as error:
                raise InputError(f"item {number}: {error}") from None
        return self.G.all(statements, self.memory)

    def _tell(self, text: str, turn: Turn | None = None) -> list[Slot]:
        """One text: its statements, or a turn."""
        return self.G.all(statements_of(self.I, text, turn), self.memory)

    def search(
        self,
        question: str,
        k: int = 10,
        *,
        as_of: AsOf = None,
        since: Moment = None,
        until: Moment = None,
        speaker: str | None = None,
        meta: Mapping[str, Any] | None = None,
        history: bool = False,
        neighbours: int = 0,
    ) -> FoundSlots:
        """The k memories that fit a question best, the best first; of equal ones the newest.
        The list has a `probability` that anything told answers the question.

        `as_of` looks at the past. `since` and `until` (dates or RFC 3339 times, inclusive) are of
        the time said, or of writing where none is. `meta` holds the values wanted. What was
        superseded is only found with `history`. With `neighbours`, each also shows so many
        memories before and after it.

        >>> import memnn
        >>> net = memnn.open()
        >>> slots = net.tell(["I moved to Oslo.", "I have a cat."], speaker="Ann")
        >>> net.search("Where did Ann move to?", k=1)[0].text
        'I moved to Oslo.'
        """
        which = Filter(as_of, since, until, speaker, meta, history)
        return self.finder(self.memory, question, k, which, neighbours)

    def update(
        self,
        id: int,
        text: str,
        speaker: str | None = None,
        said: str | datetime | None = None,
        session: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Slot:
        """Write a text that supersedes what was told under an id.

        The old slot is seen only as of a moment before, and with `history`. The new one has its
        speaker, time said, session and metadata unless others are given.

        >>> import memnn
        >>> net = memnn.open()
        >>> slots = net.tell("The key lies in the drawer.")
        >>> net.update(1, "The key lies under the mat.").to_dict()["supersedes"]
        1
        """
        given = turn_about(speaker, said, session, meta)
        (slot,) = self.G.all([updated(self.memory, id, text, given)], self.memory)
        return slot

    def teach(self, question: str, ids: Iterable[int] = (), as_of: int | None = None) -> Lesson:
        """Keep which memories answer a question: none of them, if no ids are given.

        It holds for the memory as it is now, or was at the id `as_of`, and goes when one of these
        memories is deleted.

        >>> import memnn
        >>> net = memnn.open()
        >>> slots = net.tell("Ann lives in Oslo.")
        >>> net.teach("Where does Ann live?", [1]).ids
        (1,)
        """
        named = list(ids)
        self.memory.read(named)  # one that is not there is named as such
        return self.memory.teach(question, named, as_of)

    def learn(self) -> Learnt:
        """Fit search to what was taught, on top of the shipped weights; the memory keeps it.

        It is used from then on, but only if it ranked lessons that were held back better. A
        deletion ends it: learn again from the lessons that are left.
        """
        return self.finder.learn(self.memory)

    def unlearn(self) -> None:
        """Search with the shipped weights again; what was taught stays."""
        self.finder.unlearn(self.memory)
