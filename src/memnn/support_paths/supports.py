"""O of a path network: the best path of supports in a beam, as long as the network wants it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import add, sub
from typing import NamedTuple

import numpy as np

from memnn.components import OutputMap
from memnn.kernels.arrays import Ints
from memnn.kernels.path_evidence import GROUPS, path_terms
from memnn.kernels.path_features import NEVER
from memnn.kernels.path_search import (
    Beam,
    BeamSettings,
    BeamWork,
    find_paths,
    new_beam,
    new_work,
)
from memnn.memory import AsOf, Memory
from memnn.memory.follow import Following, PerThread
from memnn.stories.supports import until
from memnn.support_paths.model import PathModel
from memnn.support_paths.phrases import head
from memnn.support_paths.view import PathReader, PathView
from memnn.support_paths.vocabulary import UNKNOWN
from memnn.types import Comparison, Hop, Output, Question

NO_TRUTH = np.zeros(0, np.int64)
BEYOND = 2
"""From this many times the age of anything in training on, age grows as its logarithm does: what
was learnt of it in short stories would outweigh everything else in a long memory."""

Steps = list[list[float]]
"""The terms of each step of a path, by group."""
Terms = Callable[[list[int]], list[Steps]]
Hops = tuple[Hop, ...]


class Desk(NamedTuple):
    """What one thread searches with; it is as before after each search."""

    literal: Ints
    """Words as they are read: what was never learnt is unknown."""
    beam: Beam
    work: BeamWork


class Paths(OutputMap):
    """A beam over support paths with a learnt stop."""

    indexed = False
    """Whether it needs to know where words are mentioned."""

    def __init__(self, model: PathModel) -> None:
        self.model = model
        recipe = model.recipe
        far = float(NEVER if model.longest is None else BEYOND * model.longest)
        self.search = BeamSettings(model.hops, recipe.beam, recipe.literal, recipe.close, far=far)
        self.read = Following(partial(PathReader, model.vocabulary, self.indexed))
        """The memory as words in order, at one moment."""
        self._local = PerThread()

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output:
        view = self.read(memory)
        n = until(view.ids, memory, as_of)
        if not n:
            return Output(question, ())
        vocabulary = self.model.vocabulary
        words = vocabulary.split(question.text)
        missing = self.model.silence.missing(words, view.told(words, int(view.ids[n - 1])))
        x = np.array(
            [
                vocabulary.identity(word) or self._stranger(view.strangers.get(word), view.words, i)
                for i, word in enumerate(words)
            ],
            np.int64,
        )
        desk = self._desk(view.words + len(words))
        found, looked_at = self._find(view, n, x, desk)
        literal, beam, work = desk
        lengths = beam.lengths[:found].tolist()
        paths = [beam.paths[row, :length].tolist() for row, length in enumerate(lengths)]

        def terms(rows: list[int]) -> list[Steps]:
            found = np.zeros((len(rows), self.model.hops + 1, len(GROUPS)))
            path_terms(
                found, self.model.A, x, literal, view.lines, n, beam, np.array(rows), self.search,
                work,
            )  # fmt: skip
            return found.tolist()

        hops = _hops(memory, view.ids, paths, terms)
        return Output(
            question, hops, _written(missing, vocabulary.written(question.text)),
            looked_at=looked_at,
        )  # fmt: skip

    def _find(self, view: PathView, n: int, x: Ints, desk: Desk) -> tuple[int, int]:
        """Fill the beam with paths over the first n memories; how many, and what was looked at."""
        literal, beam, work = desk
        found, _, _ = find_paths(
            self.model.A, x, literal, view.lines, 0, n, NO_TRUTH, self.search, beam, work
        )
        return found, n

    def _desk(self, words: int) -> Desk:
        """One thread's, for identities below `words`."""
        desk: Desk | None = getattr(self._local, "desk", None)
        if desk is None or len(desk.literal) < words:
            known, size = len(self.model.vocabulary), 2 * words
            literal = np.full(size, UNKNOWN, np.int64)
            literal[:known] = np.arange(known)
            work = new_work(known, remember=True)._replace(marks=np.zeros(size, np.int64))
            desk = self._local.desk = Desk(literal, new_beam(self.search), work)
        return desk

    @staticmethod
    def _stranger(known: int | None, words: int, place: int) -> int:
        """A word of the question that nobody taught: as it was told, else one of its own."""
        return known if known is not None and known < words else words + place


def _hops(memory: Memory, ids: Ints, paths: list[list[int]], terms: Terms) -> Hops:
    """Each support of the first path, and the path that was nearly taken instead of it.

    A step is right for what follows from it, so whole paths are compared: the best one, from
    this support on, with the best of those that went the same way until here.
    """
    path = paths[0]
    rivals = [_rival(paths, hop) for hop in range(len(path))]
    places = path + [paths[row][hop] for hop, row in enumerate(rivals) if row]
    slots = dict(zip(places, memory.read(ids[places].tolist()), strict=True))
    best, *others = terms([0, *filter(None, rivals)])
    hops = []
    for hop, (place, row) in enumerate(zip(path, rivals, strict=True)):
        won = None
        if row:
            other = _rest(others.pop(0), hop)
            gaps = dict(zip(GROUPS, map(sub, _rest(best, hop), other), strict=True))
            time = gaps["write time"]
            won = Comparison(
                slots[paths[row][hop]], reduce(add, other), sum(gaps.values()) - time, time, gaps
            )
        hops.append(Hop(hop + 1, slots[place], reduce(add, best[hop]), won))
    return tuple(hops)


def _rest(steps: Steps, hop: int) -> list[float]:
    """The terms of a path from this step on."""
    return [reduce(add, group) for group in zip(*steps[hop:], strict=True)]


def _rival(paths: list[list[int]], hop: int) -> int:
    """The best path that chose another support at this step; 0 where there is none."""
    best = paths[0]
    for row, path in enumerate(paths):
        if path[:hop] == best[:hop] and len(path) > hop and path[hop] != best[hop]:
            return row
    return 0


def _written(words: list[str], forms: list[str]) -> tuple[str, ...]:
    """Words as a text writes them, from all that it writes."""
    if not words:
        return ()
    ends = {head(word) for word in words}
    return tuple(form for form in forms if form.lower() in ends)
