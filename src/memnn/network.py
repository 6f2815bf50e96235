"""§2 of the paper on one page: a memory m and four components I, G, O and R.

1. Convert x to an internal representation I(x).
2. Update the memory given the new input: m = G(I(x), m).
3. Compute the output given the input and the memory: o = O(I(x), m).
4. Decode the output into a response: r = R(o).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import Any, Protocol, Self

from memnn.components import Generalization, Input, OutputMap, Response
from memnn.conversations.learning import Learnt
from memnn.conversations.network import Conversing
from memnn.conversations.search import Finder, Moment
from memnn.conversations.telling import Told, is_question, shorten, statements_of
from memnn.conversations.when import dated
from memnn.errors import InputError
from memnn.memory import AsOf, Memory, RamMemory
from memnn.memory.follow import at_one_moment
from memnn.memory.present import present, versions
from memnn.memory.protocol import check_text
from memnn.text.sentences import Sentences
from memnn.types import Answer, Lesson, Question, Reason, Slot, Statement, Turn
from memnn.types.found import FoundSlots


class Network(Protocol):
    """What can be told and asked, from any thread; `testing.check_network` proves one."""

    @property
    def memory(self) -> Memory:
        """Where what it is told is kept."""

    @property
    def I(self) -> Input:  # noqa: E743
        """How it reads text."""

    @property
    def G(self) -> Generalization:
        """How it writes what it is told."""

    def respond(self, text: str) -> Iterator[Slot | Answer]:
        """A statement is remembered, a question answered."""

    def tell(
        self,
        text: str | Sequence[Told],
        speaker: str | None = None,
        said: str | datetime | None = None,
        session: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> list[Slot]:
        """Remember statements, or a turn if anything is said of it; returns their slots."""

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
        """The k memories that fit a question best, the best first."""

    def update(
        self,
        id: int,
        text: str,
        speaker: str | None = None,
        said: str | datetime | None = None,
        session: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Slot:
        """Write a text that supersedes what was told under an id."""

    def teach(self, question: str, ids: Iterable[int] = (), as_of: int | None = None) -> Lesson:
        """Keep which memories answer a question; none of them, if no ids are given."""

    def learn(self) -> Learnt:
        """Fit search to what was taught; the memory keeps it."""

    def unlearn(self) -> None:
        """Search as before anything was learnt."""

    def ask(self, question: str, *, as_of: AsOf = None) -> Answer:
        """Answer a question from what was told, until `as_of` (an id or a time) if given."""

    def answer(self, x: Question, as_of: AsOf = None) -> Answer:
        """As `ask`, for a question that I has read."""

    def reasons(self, question: str) -> list[Reason]:
        """What each network of an ensemble would say, and why; a single one has no others."""

    def forget(self, id: int) -> None:
        """Delete what was told under this id, and what it replaced."""

    def flush(self) -> list[Slot | Answer]:
        """The input ends: what a stream still holds is remembered, or answered."""

    def with_memory(self, memory: Memory) -> Self:
        """The same network on another memory."""

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder; the memory is not part of it."""

    def close(self) -> None:
        """Close the memory."""
        self.memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Savable(Protocol):
    """A model that knows how to write its folder."""

    def save(self, folder: str | Path) -> Path: ...


class MemoryNetwork(Conversing):
    """Tell it what happens, ask, and it answers with the facts it used."""

    def __init__(
        self,
        *,
        I: Input,  # noqa: E741
        G: Generalization,
        O: OutputMap,  # noqa: E741
        R: Response,
        memory: Memory | None = None,
        model: Savable | None = None,
        finder: Finder | None = None,
    ) -> None:
        self.I, self.G, self.O, self.R = I, G, O, R
        self.memory = RamMemory() if memory is None else memory
        self.model = model
        self.finder = finder or Finder()
        self._stream: AbstractContextManager[object] = RLock() if I.streams else nullcontext()

    def __getstate__(self) -> dict[str, Any]:
        """The parts and the memory, for another process; a lock belongs to this one."""
        return {name: part for name, part in vars(self).items() if name != "_stream"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _stream=RLock() if state["I"].streams else nullcontext())

    def respond(self, text: str) -> Iterator[Slot | Answer]:
        """The flow of §2 for any input: a statement is remembered, a question answered."""
        with self._stream:
            said = list(self.I(text)) if self.I.streams else self.I(text)  # 1
        return map(self._respond, said)

    def _respond(self, x: Statement | Question) -> Slot | Answer:
        return self.G(x, self.memory) if isinstance(x, Statement) else self.answer(x)  # 2

    def _tell(self, text: str, turn: Turn | None = None) -> list[Slot]:
        """One text. A word stream takes any stretch of it, and remembers a statement once that has
        ended; a turn is whole."""
        if not self.I.streams:
            return self.G.all(statements_of(self.I, text, turn), self.memory)
        check_text(text)
        with self._stream:
            if turn is not None:
                self.flush()
                return self.G.all([Statement(text, turn=turn)], self.memory)
            statements: list[Statement] = []
            for x in self.I(text):
                if isinstance(x, Question):  # what came before it was told, perhaps long ago
                    self.G.all(statements, self.memory)
                    raise is_question(x)
                statements.append(x)
            return self.G.all(statements, self.memory)

    def ask(self, question: str, *, as_of: AsOf = None) -> Answer:
        """Answer a question from what was told, until `as_of` (an id or a time) if given."""
        self.flush()
        return self.answer(asked(Sentences() if self.I.streams else self.I, question), as_of)

    def flush(self) -> list[Slot | Answer]:
        """The end of a word stream: what it still holds is remembered, or answered."""
        with self._stream:
            return [self._respond(x) for x in self.I.flush()]

    def answer(self, x: Question, as_of: AsOf = None) -> Answer:
        """Steps 3 and 4 for a question that I has read."""
        check_text(x.text)
        o = at_one_moment(self.memory, lambda: self.O(x, present(self.memory, as_of), as_of))  # 3
        return dated(x.text, self.R(o))  # 4

    def reasons(self, question: str) -> list[Reason]:
        """None: there is one network, and its answer shows its evidence."""
        return []

    def follow(self) -> None:
        super().follow()
        self.O.follow(present(self.memory))

    def forget(self, id: int) -> None:
        """Delete what was told under this id, and what it replaced."""
        self.memory.delete(versions(self.memory, [id]))

    def with_memory(self, memory: Memory) -> MemoryNetwork:
        """The same components on another memory."""
        return MemoryNetwork(
            I=self.I.fresh(), G=self.G, O=self.O, R=self.R,
            memory=memory, model=self.model, finder=self.finder,
        )  # fmt: skip

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder; the memory is not part of it."""
        if self.model is None:
            raise InputError("this network was assembled by hand and has no model to save")
        return self.model.save(folder)


def told(I: Input, text: str) -> list[Statement]:  # noqa: E741
    """The statements of a text; a question among them is an error, and so is nothing at all."""
    return statements_of(I, text, None)


def asked(I: Input, text: str) -> Question:  # noqa: E741
    """The one question of a text, whatever it looks like."""
    sentences = list(I(text))
    if len(sentences) != 1:
        problem = "there is no question" if not sentences else "ask one question at a time"
        raise InputError(f"{problem}: '{shorten(text)}'")
    return Question(sentences[0].text)
