"""What O has read of one memory: its statements as bags, and the words of the story."""

from __future__ import annotations

from typing import NamedTuple

from memnn.kernels.arrays import Ints, Kinds
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.stories.bags import Bags
from memnn.stories.contexts import LEFT_OUT, Lexicon, LexiconReader
from memnn.stories.dictionary import Dictionary
from memnn.stories.recipe import Recipe
from memnn.text.pages import MANY, TOKENISER, Page


class StoryView(NamedTuple):
    """A memory at one moment; all arrays may have grown beyond it since."""

    ids: Ints  # (N,) in write order
    kinds: Kinds  # (N,) the bag of each
    ptr: Ints  # (bags + 1,)
    words: Ints
    lexicon: Lexicon
    mentioned: Mentions

    @property
    def last_id(self) -> int:
        return int(self.ids[-1]) if len(self.ids) else 0

    def bag(self, place: int) -> Ints:
        """The words of a statement by its place in write order."""
        kind = self.kinds[place]
        return self.words[self.ptr[kind] : self.ptr[kind + 1]]


class Mentions(dict[int, int]):
    """When each token was first told."""

    def missing(self, tokens: list[int], last_id: int, dictionary: Dictionary) -> tuple[str, ...]:
        """The names in a question that no memory until `last_id` mentions."""
        return tuple(
            dictionary.answers[token]
            for token in tokens
            if token in dictionary.entity_rows and self.get(token, last_id + 1) > last_id
        )


class StatementReader:
    """Reads statements one by one or, where there are many, in pages; what it keeps is up to
    those who inherit from it."""

    def __init__(self, dictionary: Dictionary, recipe: Recipe) -> None:
        self.lexicon = LexiconReader(dictionary, recipe.unseen)
        self.mentioned = Mentions()
        self._in_pages = dictionary.tokeniser == TOKENISER and not dictionary.indices

    def read_on(self, memory: Memory, after: int) -> int:
        for ids, texts in memory.pages(after):
            if len(ids) >= MANY and self._in_pages:
                self._read_page(ids, Page(texts))
            else:
                for id, text in zip(ids.tolist(), texts.split("\0")[:-1], strict=True):
                    self._read(id, text)
            after = int(ids[-1])
        return after

    def _read(self, id: int, text: str) -> None:
        tokens = self.lexicon.read(text, id)
        self.take(tokens, id)
        for token in tokens:
            self.mentioned.setdefault(token, id)

    def _read_page(self, ids: Ints, page: Page) -> None:
        """Leaves behind what reading one by one would have."""
        ptr, tokens, distinct = self.lexicon.read_page(page, ids)
        self.take_page(ptr, tokens, ids)
        for token, id in zip(distinct.tolist(), ids[page.first_text].tolist(), strict=True):
            if token != LEFT_OUT:
                self.mentioned.setdefault(token, id)

    def take(self, tokens: list[int], id: int) -> None:
        """Keep what is needed of a statement besides its words."""

    def take_page(self, ptr: Ints, tokens: Ints, ids: Ints) -> None:
        """The same for many: statement i has tokens[ptr[i]:ptr[i + 1]]."""


class StoryReader(StatementReader, Cache[StoryView]):
    """Keeps every statement as a bag, for the full walk."""

    def __init__(self, dictionary: Dictionary, recipe: Recipe) -> None:
        super().__init__(dictionary, recipe)
        self._bags = Bags(as_sets=recipe.as_sets)

    def take(self, tokens: list[int], id: int) -> None:
        self._bags.append(tokens, id)

    def take_page(self, ptr: Ints, tokens: Ints, ids: Ints) -> None:
        self._bags.extend(ptr, tokens, ids)

    def view(self) -> StoryView:
        bags = self._bags
        return StoryView(
            bags.times, bags.kinds, bags.ptr, bags.words, self.lexicon.now(), self.mentioned
        )
