"""§2 of the paper on one page: a memory m and four components I, G, O and R.

1. Convert x to an internal representation I(x).
2. Update the memory given the new input: m = G(I(x), m).
3. Compute the output given the input and the memory: o = O(I(x), m).
4. Decode the output into a response: r = R(o).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memnn.errors import InputError
from memnn.generalization import Generalization, Store
from memnn.memory import AsOf, Memory, RamMemory
from memnn.memory.protocol import check_text
from memnn.stories import model as models
from memnn.stories.response import Response
from memnn.stories.supports import OutputMap, Supports
from memnn.text.sentences import Input, Sentences
from memnn.text.stream import WordStream
from memnn.types import Answer, Output, Question, Slot, Statement

PATIENCE = 100
"""Deletions by others that a question waits out."""


class MemoryNetwork:
    """Tell it what happens, ask, and it answers with the facts it used."""

    def __init__(
        self,
        *,
        I: Input,  # noqa: E741
        G: Generalization,
        O: OutputMap,  # noqa: E741
        R: Response,
        memory: Memory | None = None,
        model: models.Model | None = None,
    ) -> None:
        self.I, self.G, self.O, self.R = I, G, O, R
        self.memory = RamMemory() if memory is None else memory
        self.model = model

    def respond(self, text: str) -> Iterator[Slot | Answer]:
        """The flow of §2 for any input: a statement is remembered, a question answered."""
        for x in self.I(text):  # 1
            if isinstance(x, Statement):
                yield self.G(x, self.memory)  # 2
            else:
                yield self._answer(x)

    def tell(self, text: str) -> list[Slot]:
        """Remember one or more statements; returns the slots they went to.

        A word stream takes any stretch of text, and a statement is remembered once it has ended.
        """
        streaming = isinstance(self.I, WordStream)
        if streaming:
            check_text(text)
        statements, questions = [], []
        for x in self.I(text):
            if isinstance(x, Question):
                questions.append(x)
            else:
                check_text(x.text)  # nothing is stored before all was checked
                statements.append(x)
        if questions:
            if streaming:  # what came before it was told, perhaps long ago
                for x in statements:
                    self.G(x, self.memory)
            asked = shorten(questions[0].text)
            raise InputError(f"'{asked}' is a question; ask it instead of telling it")
        if not statements and not streaming:
            raise InputError("there is nothing in the text to remember")
        if isinstance(self.G, Store):
            return self.G.all(statements, self.memory)
        return [self.G(x, self.memory) for x in statements]

    def ask(self, question: str, *, as_of: AsOf = None) -> Answer:
        """Answer a question from what was told, until `as_of` (an id or a time) if given."""
        self.flush()
        sentences = list(
            Sentences()(question) if isinstance(self.I, WordStream) else self.I(question)
        )
        if len(sentences) != 1:
            problem = "there is no question" if not sentences else "ask one question at a time"
            raise InputError(f"{problem}: '{shorten(question)}'")
        return self._answer(Question(sentences[0].text), as_of)

    def flush(self) -> list[Slot | Answer]:
        """The end of a word stream: what it still holds is remembered, or answered."""
        if not isinstance(self.I, WordStream):
            return []
        return [
            self.G(x, self.memory) if isinstance(x, Statement) else self._answer(x)
            for x in self.I.flush()
        ]

    def _answer(self, x: Question, as_of: AsOf = None) -> Answer:
        check_text(x.text)
        return self.R(self._supports(x, as_of))  # 4

    def _supports(self, x: Question, as_of: AsOf) -> Output:
        """O looks at the memory several times: if something is deleted meanwhile, it looks anew."""
        for _ in range(PATIENCE):
            deletions = self.memory.deletions
            try:
                o = self.O(x, self.memory, as_of)  # 3
            except InputError:
                if self.memory.deletions == deletions:
                    raise
            else:
                if self.memory.deletions == deletions:
                    return o
        return self.O(x, self.memory, as_of)

    def forget(self, id: int) -> None:
        """Delete what was told under this id."""
        self.memory.delete([id])

    def with_memory(self, memory: Memory) -> MemoryNetwork:
        """The same components on another memory."""
        stream = self.I.fresh() if isinstance(self.I, WordStream) else self.I
        supports = self.O.fresh() if isinstance(self.O, Supports) else self.O
        return MemoryNetwork(
            I=stream, G=self.G, O=supports, R=self.R, memory=memory, model=self.model
        )

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder; the memory is not part of it."""
        if self.model is None:
            raise InputError("this network was put together by hand and has no model to save")
        return models.save(self.model, folder)


def shorten(text: str, length: int = 60) -> str:
    """For messages: one line, not too long."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
