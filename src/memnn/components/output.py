"""O, the output feature map of §2: k hops over the memory (Eq. 2-3, Algorithm 1)."""

from __future__ import annotations

from copy import copy
from itertools import islice
from typing import Protocol

import numpy as np

from memnn.features.bags import Bags
from memnn.features.contexts import Lexicon
from memnn.features.dictionary import Dictionary
from memnn.features.layout import Layout
from memnn.kernels.embed import Floats, Ints
from memnn.kernels.infer import (
    Doubles,
    add_input,
    add_matches,
    find_supports,
    score_bags,
    score_tokens,
)
from memnn.kernels.phi import MM, MX, M, X
from memnn.kernels.write_time import CODES
from memnn.memory import AsOf, Memory
from memnn.recipe import Recipe
from memnn.types import Comparison, Hop, Output, Question


class OutputMap(Protocol):
    """O: finds the memories that support an answer."""

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output: ...


class Supports:
    """The embedding model s_O with write time; each hop keeps the support's closest call."""

    def __init__(self, dictionary: Dictionary, layout: Layout, U_O: Floats, recipe: Recipe) -> None:
        self.dictionary = dictionary
        self.recipe = recipe
        self.mode = CODES[recipe.time]
        self.A = layout.bilinear(U_O)
        self.blocks, self.columns = layout.blocks, layout.columns
        self._view: View | None = None

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output:
        ids = memory.candidates(as_of)
        if not len(ids):
            return Output(question, ())
        view = self.read(memory, len(ids))
        bags, lexicon = view.bags, view.lexicon
        # The question comes after every memory it may see and is never its own candidate.
        t_x = int(ids[-1]) + 1
        question = Question(question.text, t_x)
        tokens = lexicon.tokens(question.text, t_x)
        hops = self.recipe.hops
        found = np.empty((hops, 2), np.int64)
        numbers = np.empty((hops, 3), np.float64)
        n = find_supports(
            self.A, self.blocks, self.columns, np.array(tokens, np.int64),
            bags.ptr, bags.words, bags.kinds[: len(ids)], *lexicon.contexts(),
            self.mode, self.recipe.bow, found, numbers,
        )  # fmt: skip
        return Output(
            question,
            self._hops(memory, ids, found[:n], numbers[:n]),
            view.missing(tokens, int(ids[-1])),
            lexicon,
        )

    def fresh(self) -> Supports:
        """The same parameters for another memory, which gets a view of its own."""
        other = copy(self)
        other._view = None
        return other

    def contents(self, question: str, memory: Memory) -> list[Floats]:
        """The content score of every memory at every hop: what the evidence was chosen from."""
        view = self.read(memory, len(memory))
        bags, contexts = view.bags, view.lexicon.contexts()
        x = np.array(view.lexicon.tokens(question, memory.last_id + 1), np.int64)
        ids = memory.candidates().tolist()
        p = np.zeros(self.A.shape[1], np.float32)
        e = np.empty(len(contexts.rows), np.float32)
        c = np.empty(len(bags.ptr) - 1, np.float32)
        supports: list[Ints] = []
        scores: list[Floats] = []
        add_input(p, self.A, self.blocks, X, x, contexts)
        for hop in self(Question(question), memory).hops:
            seen = np.zeros(len(e), np.int32)
            score_tokens(e, p, self.columns, len(e), contexts)
            add_matches(e, p, self.columns, MX, x, contexts, self.recipe.bow, seen, 1)
            for m in supports:
                add_matches(e, p, self.columns, MM, m, contexts, self.recipe.bow, seen, 2)
            score_bags(c, e, bags.ptr, bags.words)
            scores.append(c[bags.kinds])
            supports.append(bags[ids.index(hop.id)])
            add_input(p, self.A, self.blocks, M, supports[-1], contexts)
        return scores

    def _hops(self, memory: Memory, ids: Ints, found: Ints, numbers: Doubles) -> tuple[Hop, ...]:
        """The kernel's numbers as evidence, in a form that people can read."""
        places = [i for i in found.ravel().tolist() if i >= 0]
        slots = dict(zip(places, memory.read(ids[places].tolist()), strict=True))
        hops = []
        for h, ((t, rival), (c_t, c_rival, by_time)) in enumerate(
            zip(found.tolist(), numbers.tolist(), strict=True), start=1
        ):
            decisive = (
                None
                if rival < 0
                else Comparison(slots[rival], c_rival, content=c_t - c_rival, write_time=by_time)
            )
            hops.append(Hop(h, slots[t], c_t, decisive))
        return tuple(hops)

    def read(self, memory: Memory, n: int) -> View:
        """The memory as bags: a cache that reads on from where it was.

        The contexts of unseen words are those of the story so far; a question about the past
        needs those of that time, and a view of its own.
        """
        if self.recipe.unseen and n < len(memory):
            past = View(memory, self.dictionary, self.recipe)
            past.read_on(n)
            return past
        view = self._view
        if view is None or view.memory is not memory or view.deletions != memory.deletions:
            view = self._view = View(memory, self.dictionary, self.recipe)
        if view.last_id < memory.last_id:
            view.read_on()
        return view


class View:
    """What O has read of one memory."""

    def __init__(self, memory: Memory, dictionary: Dictionary, recipe: Recipe) -> None:
        self.memory = memory
        self.deletions = memory.deletions
        self.last_id = 0
        self.bags = Bags(as_sets=recipe.match or recipe.bow > 0)
        self.lexicon = Lexicon(dictionary, recipe.unseen)
        self.first_mention: dict[int, int] = {}
        """When each token was first told."""

    def read_on(self, most: int | None = None) -> None:
        for slot in islice(self.memory.scan(after=self.last_id), most):
            tokens = self.lexicon.read(slot.text, slot.id)
            self.bags.append(tokens, slot.id)
            for token in tokens:
                self.first_mention.setdefault(token, slot.id)
            self.last_id = slot.id

    def missing(self, tokens: list[int], last_id: int) -> tuple[str, ...]:
        """The names in a question that no memory until `last_id` mentions."""
        first, dictionary = self.first_mention, self.lexicon.dictionary
        return tuple(
            dictionary.answers[token]
            for token in tokens
            if token in dictionary.entity_rows and first.get(token, last_id + 1) > last_id
        )
