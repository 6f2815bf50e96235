"""R of a path network: an answer of any form, said word by word."""

from __future__ import annotations

import numpy as np

from memnn.components import Response, abstain
from memnn.kernels.path_reading import SupportSet
from memnn.kernels.path_response import (
    MOST_STEPS,
    OTHER,
    AnswerScratch,
    new_scratch,
    read_and_say,
)
from memnn.memory.follow import PerThread
from memnn.support_paths.lines import plain_lines
from memnn.support_paths.model import PathModel
from memnn.support_paths.phrases import head
from memnn.support_paths.vocabulary import UNKNOWN, joined
from memnn.types import Answer, Output


class Composed(Response):
    """Words learnt or copied, until the end; the supports count as a set."""

    def __init__(self, model: PathModel) -> None:
        self.model = model
        self._local = PerThread()

    def _scratch(self) -> AnswerScratch:
        """One thread's."""
        scratch: AnswerScratch | None = getattr(self._local, "scratch", None)
        if scratch is None:
            scratch = self._local.scratch = new_scratch(self.model.recipe.dim)
        return scratch

    def __call__(self, output: Output) -> Answer:
        if not output.hops:
            return abstain(output, "I have not been told anything yet")
        if output.missing:
            return abstain(output, f"nothing I was told mentions {' or '.join(output.missing)}")
        model, recipe = self.model, self.model.recipe
        vocabulary = model.vocabulary
        strangers: dict[str, int] = {}

        def identity(word: str) -> int:
            known = vocabulary.identity(word)
            return known or strangers.setdefault(word, len(vocabulary) + len(strangers))

        in_order = sorted(output.hops, key=lambda hop: hop.id)
        told = [[identity(w) for w in vocabulary.split(hop.text)] for hop in in_order]
        asked = [identity(w) for w in vocabulary.split(output.question.text)]
        words = len(vocabulary) + len(strangers)
        literal = np.arange(words)
        literal[len(vocabulary) :] = UNKNOWN
        x, lines = np.array(asked, np.int64), plain_lines(told)
        reading = SupportSet(
            np.arange(len(told)), np.zeros(len(told), np.int64), np.zeros(words, np.int64),
            np.zeros(words, np.int64),
        )  # fmt: skip
        said = np.zeros(MOST_STEPS, np.int64)
        n, certainty = read_and_say(
            said, x, lines, literal, model.R, vocabulary.answer_of, reading,
            self._scratch(), recipe.literal_answers, recipe.scale,
        )  # fmt: skip
        new = {id: word for word, id in strangers.items()}
        parts = [
            vocabulary.answers[-word - OTHER - 1]
            if word < 0
            else vocabulary.said(word)
            if word < len(vocabulary)
            else self._as_written(new[word], output)
            for word in said[:n].tolist()
        ]
        return Answer(joined(parts), float(np.exp(certainty)), evidence=output.hops)

    def _as_written(self, word: str, output: Output) -> str:
        """A word that was never learnt, as the supports write it."""
        end = head(word)
        for hop in output.hops:
            for form in self.model.vocabulary.written(hop.text):
                if form.lower() == end:
                    return form
        return end
