"""O, the output feature map of §2: k hops over the memory (Eq. 2-3, Algorithm 1)."""

from __future__ import annotations

from copy import copy
from typing import Protocol

import numpy as np

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
from memnn.memory import AsOf, Memory
from memnn.memory.protocol import pages
from memnn.stories.bags import Bags
from memnn.stories.contexts import LEFT_OUT, Lexicon
from memnn.stories.dictionary import Dictionary
from memnn.stories.recipe import Recipe
from memnn.stories.superseding import Superseding
from memnn.text.pages import MANY, TOKENISER, Page
from memnn.types import Comparison, Hop, Output, Question


class OutputMap(Protocol):
    """O: finds the memories that support an answer."""

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output: ...


class Supports:
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
        self._view: View | None = None

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output:
        ids = memory.candidates(as_of)
        if not len(ids):
            return Output(question, ())
        last = int(ids[-1])
        view = self.read(memory)
        bags, lexicon = view.bags, view.lexicon_at(last)
        # The question comes after every memory it may see and is never its own candidate.
        question = Question(question.text, last + 1)
        tokens = lexicon.tokens(question.text, last + 1)
        kinds = bags.kinds[: len(ids)]
        ptr = bags.ptr[: int(kinds.max()) + 2]  # kinds are numbered as they came: the past's alone
        if self.superseding is not None:
            standing = self.superseding.standing(question.text, memory, ids, last)
            ids, kinds = ids[standing], kinds[standing]
        hops = self.recipe.hops
        found = np.empty((hops, 2), np.int64)
        numbers = np.empty((hops, 3), np.float64)
        n = find_supports(
            self.A, self.blocks, self.columns, np.array(tokens, np.int64),
            ptr, bags.words, kinds, *lexicon.contexts(),
            self.mode, self.recipe.bow, found, numbers,
        )  # fmt: skip
        return Output(
            question,
            self._hops(memory, ids, found[:n], numbers[:n]),
            view.missing(tokens, last),
            lexicon,
            looked_at=len(ids),
        )

    def fresh(self) -> Supports:
        """The same parameters for another memory, which gets a view of its own."""
        other = copy(self)
        other._view = None
        return other

    def contents(self, question: str, memory: Memory) -> list[Floats]:
        """The content score of every memory at every hop: what the evidence was chosen from."""
        view = self.read(memory)
        bags, contexts = view.bags, view.lexicon.contexts()
        x = np.array(view.lexicon.tokens(question, memory.last_id + 1), np.int64)
        ids = memory.candidates().tolist()
        c = np.empty(len(bags.ptr) - 1, np.float32)
        p = self._asked(x, contexts)
        supports: list[Ints] = []
        scores: list[Floats] = []
        for hop in self(Question(question), memory).hops:
            score_bags(c, self._scores(p, x, supports, contexts), bags.ptr, bags.words)
            scores.append(c[bags.kinds])
            supports.append(bags[ids.index(hop.id)])
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
            decisive = (
                None
                if rival < 0
                else Comparison(slots[rival], c_rival, content=c_t - c_rival, write_time=by_time)
            )
            hops.append(Hop(h, slots[t], c_t, decisive))
        return tuple(hops)

    def read(self, memory: Memory) -> View:
        """The memory as bags: a cache that reads on from where it was."""
        view = self._view
        if view is None or view.memory is not memory or view.deletions != memory.deletions:
            view = self._view = View(memory, self.dictionary, self.recipe)
        view.read_on()
        return view


class View:
    """What O has read of one memory."""

    def __init__(self, memory: Memory, dictionary: Dictionary, recipe: Recipe) -> None:
        self.memory = memory
        self.deletions = memory.deletions
        self.first_id = self.last_id = 0
        self.bags = Bags(as_sets=recipe.match or recipe.bow > 0)
        self.lexicon = Lexicon(dictionary, recipe.unseen)
        self.first_mention: dict[int, int] = {}
        """When each token was first told."""

    def read_on(self) -> None:
        if self.last_id == self.memory.last_id:
            return
        for ids, texts in pages(self.memory, self.last_id):
            if len(ids) >= MANY and self._in_pages:
                self._read_page(ids, Page(texts))
            else:
                for id, text in zip(ids.tolist(), texts.split("\0")[:-1], strict=True):
                    self._read(id, text)
            self.last_id = int(ids[-1])
            self.first_id = self.first_id or int(ids[0])

    def _read(self, id: int, text: str) -> None:
        tokens = self.lexicon.read(text, id)
        self.take(tokens, id)
        for token in tokens:
            self.first_mention.setdefault(token, id)

    def _read_page(self, ids: Ints, page: Page) -> None:
        """Leaves behind what reading one by one would have."""
        ptr, tokens, distinct = self.lexicon.read_page(page, ids)
        self.take_page(ptr, tokens, ids)
        for token, id in zip(distinct.tolist(), ids[page.first_text].tolist(), strict=True):
            if token != LEFT_OUT:
                self.first_mention.setdefault(token, id)

    @property
    def _in_pages(self) -> bool:
        dictionary = self.lexicon.dictionary
        return dictionary.tokeniser == TOKENISER and not dictionary.indices

    def take(self, tokens: list[int], id: int) -> None:
        """What is kept of a statement besides its words."""
        self.bags.append(tokens, id)

    def take_page(self, ptr: Ints, tokens: Ints, ids: Ints) -> None:
        self.bags.extend(ptr, tokens, ids)

    def lexicon_at(self, last: int) -> Lexicon:
        """The contexts of unseen words are those of the story until then."""
        past = self.lexicon.unseen and last < self.last_id
        return self.lexicon.until(last) if past else self.lexicon

    def missing(self, tokens: list[int], last_id: int) -> tuple[str, ...]:
        """The names in a question that no memory until `last_id` mentions."""
        first, dictionary = self.first_mention, self.lexicon.dictionary
        return tuple(
            dictionary.answers[token]
            for token in tokens
            if token in dictionary.entity_rows and first.get(token, last_id + 1) > last_id
        )
