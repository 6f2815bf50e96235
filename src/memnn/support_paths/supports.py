"""O of a path network: the best path of supports in a beam, as long as the network wants it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from memnn.components import OutputMap
from memnn.kernels.arrays import Ints
from memnn.kernels.path_evidence import GROUPS, path_terms
from memnn.kernels.path_features import Doubles
from memnn.kernels.path_search import Beam, BeamSettings, find_paths, new_beam, new_work
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

Terms = Callable[[int], Doubles]
Hops = tuple[Hop, ...]


class Paths(OutputMap):
    """A beam over support paths with a learnt stop."""

    def __init__(self, model: PathModel) -> None:
        self.model = model
        recipe = model.recipe
        self.search = BeamSettings(model.hops, recipe.beam, recipe.literal, recipe.close)
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

        def terms(row: int) -> Doubles:
            found = np.zeros((self.model.hops + 1, len(GROUPS)))
            path_terms(found, self.model.A, x, literal, view.lines, n, beam, row, self.search, work)
            return found

        hops = self._hops(memory, view.ids, beam, found, terms)
        return Output(question, hops, _written(missing, question.text), looked_at=n)

    @staticmethod
    def _stranger(known: int | None, words: int, place: int) -> int:
        """A word of the question that nobody taught: as it was told, else one of its own."""
        return known if known is not None and known < words else words + place

    def _hops(self, memory: Memory, ids: Ints, beam: Beam, found: int, terms: Terms) -> Hops:
        """Each support, and the path that was nearly taken instead of it.

        A step is right for what follows from it, so whole paths are compared: the best one, from
        this support on, with the best of those that went the same way until here.
        """
        path = beam.paths[0, : beam.lengths[0]]
        rivals = [_rival(beam, found, hop) for hop in range(len(path))]
        places = [int(place) for place in path]
        places += [int(beam.paths[row, hop]) for hop, row in enumerate(rivals) if row]
        slots = dict(zip(places, memory.read(ids[places].tolist()), strict=True))
        best = terms(0)
        hops = []
        for hop, (place, row) in enumerate(zip(path.tolist(), rivals, strict=True)):
            won = None
            if row:
                other = terms(row)[hop:].sum(axis=0)
                gaps = dict(zip(GROUPS, (best[hop:].sum(axis=0) - other).tolist(), strict=True))
                time = gaps["write time"]
                won = Comparison(
                    slots[int(beam.paths[row, hop])], float(other.sum()),
                    sum(gaps.values()) - time, time, gaps,
                )  # fmt: skip
            hops.append(Hop(hop + 1, slots[place], float(best[hop].sum()), won))
        return tuple(hops)


def _rival(beam: Beam, found: int, hop: int) -> int:
    """The best path that chose another support at this step; 0 where the beam has none."""
    for row in range(1, found):
        same = beam.lengths[row] > hop and (beam.paths[row, :hop] == beam.paths[0, :hop]).all()
        if same and beam.paths[row, hop] != beam.paths[0, hop]:
            return row
    return 0


def _written(words: list[str], text: str) -> tuple[str, ...]:
    """Words as a text writes them."""
    ends = {head(word) for word in words}
    return tuple(form for form in surface_words(text) if form.lower() in ends)
