"""O, the output feature map of §2: k hops over the memory (Eq. 2-3, Algorithm 1)."""

from __future__ import annotations

from functools import partial

import numpy as np

from memnn.components import OutputMap
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.phi import MM, MX, Contexts, M, X
from memnn.kernels.story_infer import (
    Doubles,
    add_input,
    add_matches,
    find_supports,
    score_bags,
    score_tokens,
)
from memnn.kernels.write_time import CODES
from memnn.layout import Layout
from memnn.memory import AsOf, Memory, resolve_as_of
from memnn.memory.follow import Following
from memnn.stories.dictionary import Dictionary
from memnn.stories.recipe import Recipe
from memnn.stories.superseding import Superseding
from memnn.stories.view import StoryReader
from memnn.types import Comparison, Hop, Output, Question


class Supports(OutputMap):
    """The embedding model s_O with write time; each hop keeps the support's closest call."""

    def __init__(
        self,
        dictionary: Dictionary,
        layout: Layout,
        U_O: Floats,
        recipe: Recipe,
        superseding: Superseding | None = None,
    ) -> None:
        self.dictionary = dictionary
        self.recipe = recipe
        self.superseding = superseding
        self.mode = CODES[recipe.time]
        self.A = layout.bilinear(U_O)
        self.blocks, self.columns = layout.blocks, layout.columns
        self.read = Following(partial(StoryReader, dictionary, recipe))
        """The memory as bags, at one moment."""

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output:
        view = self.read(memory)
        n = until(view.ids, memory, as_of)
        if not n:
            return Output(question, ())
        ids, last = view.ids[:n], int(view.ids[n - 1])
        lexicon = view.lexicon
        if lexicon.unseen and n < len(view.ids):  # contexts are those of the story until then
            lexicon = self.read.use(memory, lambda reader: reader.lexicon.until(last))
        # The question comes after every memory it may see and is never its own candidate.
        question = Question(question.text, last + 1)
        tokens = lexicon.tokens(question.text, last + 1)
        kinds = view.kinds[:n]
        ptr = view.ptr[: int(kinds.max()) + 2]  # kinds are numbered as they came: the past's alone
        if self.superseding is not None:
            standing = self.superseding.standing(question.text, memory, ids, last)
            ids, kinds = ids[standing], kinds[standing]
        hops = self.recipe.hops
        found = np.empty((hops, 2), np.int64)
        numbers = np.empty((hops, 3), np.float64)
        n = find_supports(
            self.A, self.blocks, self.columns, np.array(tokens, np.int64),
            ptr, view.words, kinds, *lexicon.contexts(),
            self.mode, self.recipe.bow, found, numbers,
        )  # fmt: skip
        return Output(
            question,
            self._hops(memory, ids, found[:n], numbers[:n]),
            view.mentioned.missing(tokens, last, self.dictionary),
            lexicon,
            looked_at=len(ids),
        )

    def contents(self, question: str, memory: Memory) -> list[Floats]:
        """The content score of every memory at every hop: what the evidence was chosen from."""
        view = self.read(memory)
        contexts = view.lexicon.contexts()
        x = np.array(view.lexicon.tokens(question, view.last_id + 1), np.int64)
        ids = view.ids.tolist()
        c = np.empty(len(view.ptr) - 1, np.float32)
        p = self._asked(x, contexts)
        supports: list[Ints] = []
        scores: list[Floats] = []
        for hop in self(Question(question), memory, view.last_id).hops:
            score_bags(c, self._scores(p, x, supports, contexts), view.ptr, view.words)
            scores.append(c[view.kinds])
            supports.append(view.bag(ids.index(hop.id)))
            add_input(p, self.A, self.blocks, M, supports[-1], contexts)
        return scores

    def _asked(self, x: Ints, contexts: Contexts) -> Floats:
        """p, the score of every feature, given the question."""
        p = np.zeros(self.A.shape[1], np.float32)
        add_input(p, self.A, self.blocks, X, x, contexts)
        return p

    def _scores(self, p: Floats, x: Ints, supports: list[Ints], contexts: Contexts) -> Floats:
        """e, the score of every token as part of a memory, given the question and supports."""
        e = np.empty(len(contexts.rows), np.float32)
        seen = np.zeros(len(e), np.int32)
        score_tokens(e, p, self.columns, len(e), contexts)
        add_matches(e, p, self.columns, MX, x, contexts, self.recipe.bow, seen, 1)
        for m in supports:
            add_matches(e, p, self.columns, MM, m, contexts, self.recipe.bow, seen, 2)
        return e

    def _hops(self, memory: Memory, ids: Ints, found: Ints, numbers: Doubles) -> tuple[Hop, ...]:
        """The kernel's numbers as evidence, in a form that people can read."""
        places = [i for i in found.ravel().tolist() if i >= 0]
        slots = dict(zip(places, memory.read(ids[places].tolist()), strict=True))
        hops = []
        for h, ((t, rival), (c_t, c_rival, by_time)) in enumerate(
            zip(found.tolist(), numbers.tolist(), strict=True), start=1
        ):
            decisive = None
            if rival >= 0:
                terms = {"words": c_t - c_rival, "write time": by_time}
                decisive = Comparison(slots[rival], c_rival, c_t - c_rival, by_time, terms)
            hops.append(Hop(h, slots[t], c_t, decisive))
        return tuple(hops)


def until(ids: Ints, memory: Memory, as_of: AsOf) -> int:
    """How many of these memories, in write order, were told until `as_of`."""
    limit = resolve_as_of(as_of)
    if limit is None:
        return len(ids)
    if isinstance(limit, str):
        told = memory.candidates(as_of)
        limit = int(told[-1]) if len(told) else 0
    return int(ids.searchsorted(limit, side="right"))
