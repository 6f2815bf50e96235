"""O of a path network: the best path of supports in a beam, as long as the network wants it."""

from __future__ import annotations

import numpy as np

from memnn.components import OutputMap
from memnn.kernels.arrays import Ints
from memnn.kernels.path_evidence import GROUPS, explain_step
from memnn.kernels.path_features import Lines
from memnn.kernels.path_search import Search, find_paths, new_beam, new_work
from memnn.memory import AsOf, Memory
from memnn.memory.follow import Following
from memnn.stories.supports import until
from memnn.support_paths.model import PathModel
from memnn.support_paths.phrases import head
from memnn.support_paths.view import PathReader
from memnn.support_paths.vocabulary import UNKNOWN
from memnn.text.tokens import surface_words
from memnn.types import Comparison, Hop, Output, Question

NO_TRUTH = np.zeros(0, np.int64)


class Paths(OutputMap):
    """A beam over support paths with a learnt stop."""

    def __init__(self, model: PathModel) -> None:
        self.model = model
        recipe = model.recipe
        self.search = Search(model.hops, recipe.beam, recipe.literal, recipe.close)
        self.read = Following(lambda: PathReader(model.vocabulary))
        """The memory as words in order, at one moment."""

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output:
        view = self.read(memory)
        n = until(view.ids, memory, as_of)
        if not n:
            return Output(question, ())
        vocabulary = self.model.vocabulary
        words = vocabulary.split(question.text)
        missing = self.model.silence.missing(words, view.told(words, int(view.ids[n - 1])))
        size = view.words + len(words)
        literal = np.arange(size)
        literal[len(vocabulary) :] = UNKNOWN
        x = np.array(
            [
                vocabulary.identity(word) or self._stranger(view.strangers.get(word), view.words, i)
                for i, word in enumerate(words)
            ],
            np.int64,
        )
        beam, work = new_beam(self.search), new_work(size)
        found, _, _ = find_paths(
            self.model.A, x, literal, view.lines, 0, n, NO_TRUTH, self.search, beam, work
        )
        path = beam.paths[0, : beam.lengths[0]].copy() if found else NO_TRUTH
        hops = self._hops(memory, view.ids, view.lines, x, literal, n, path, size)
        return Output(question, hops, _written(missing, question.text), looked_at=n)

    @staticmethod
    def _stranger(known: int | None, words: int, place: int) -> int:
        """A word of the question that nobody taught: as it was told, else one of its own."""
        return known if known is not None and known < words else words + place

    def _hops(
        self,
        memory: Memory,
        ids: Ints,
        lines: Lines,
        x: Ints,
        literal: Ints,
        n: int,
        path: Ints,
        size: int,
    ) -> tuple[Hop, ...]:
        """Each support with its closest rival at that step, and what made the difference."""
        work = new_work(size)
        steps = []
        for hop in range(len(path)):
            terms = np.zeros((2, len(GROUPS)))
            rival = explain_step(
                terms, self.model.A, x, literal, lines, n, path, hop, self.search, work
            )
            steps.append((int(path[hop]), rival, terms))
        places = [i for support, rival, _ in steps for i in (support, rival) if i >= 0]
        slots = dict(zip(places, memory.read(ids[places].tolist()), strict=True))
        hops = []
        for h, (support, rival, terms) in enumerate(steps, start=1):
            won = None
            if rival >= 0:
                gaps = dict(zip(GROUPS, (terms[0] - terms[1]).tolist(), strict=True))
                time = gaps["write time"]
                content = gaps["words"] + gaps["membership"]
                won = Comparison(slots[rival], float(terms[1].sum()), content, time, gaps)
            hops.append(Hop(h, slots[support], float(terms[0].sum()), won))
        return tuple(hops)


def _written(words: list[str], text: str) -> tuple[str, ...]:
    """Words as a text writes them."""
    ends = {head(word) for word in words}
    return tuple(form for form in surface_words(text) if form.lower() in ends)
