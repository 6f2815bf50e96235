"""The part of a memory that a story network understands.

Among sentences of every kind a story network goes astray: each word that it never learned may be a
name, and a sentence full of names supports anything. So it is shown what is told as its training
stories tell it, whoever does it and wherever: "my sister went to the shop", but no tax returns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from heapq import merge
from typing import NamedTuple

from memnn.memory import Memory, RamMemory
from memnn.memory.follow import Cache, Following
from memnn.ordinary.hearing import BACK, KIND
from memnn.stories.dictionary import Dictionary
from memnn.stories.invariants import Habits
from memnn.text.english import FUNCTION_WORDS
from memnn.text.tokens import words_1

LEFT_OUT = frozenset(["the", "a", "an", "there"])
SMALL = FUNCTION_WORDS - {
    "my",
    "our",
    "your",
    "his",
    "her",
    "their",
    "i",
    "we",
}
"""Words that are no part of a name, whether the network learned them or not."""


class Sifted(NamedTuple):
    """A memory in two parts; both may have grown since by what was told later."""

    understood: RamMemory
    """A copy of what is of the stories' kind."""
    others: Mapping[str, list[int]]
    """The statements that are not, by their words, in write order."""

    def naming(self, names: Iterable[str], after: int, until: int) -> list[int]:
        """The others after an id and until another that hold all of these words."""
        lists = [self.others.get(name, []) for name in names]
        held = [told[bisect_right(told, after) : bisect_right(told, until)] for told in lists]
        return sorted(set(held[0]).intersection(*held[1:])) if held else []

    def going_on(self, after: int, until: int) -> list[int]:
        """Those that go on about what was told under an id with a pronoun, one after the other."""
        lists = [self.others[word] for word in KIND if word in self.others]
        found: list[int] = []
        for id in merge(*(_between(told, after, until) for told in lists)):
            if id - (found[-1] if found else after) > BACK:
                break
            found.append(id)
        return found


def _between(ids: list[int], after: int, until: int) -> Iterator[int]:
    """One by one: there may be many, and few are wanted."""
    return (ids[at] for at in range(bisect_right(ids, after), bisect_right(ids, until)))


class _Sifting(Cache[Sifted]):
    def __init__(self, understands: Callable[[str], bool]) -> None:
        self._understands = understands
        self._copy, self._others = RamMemory(), dict[str, list[int]]()

    def read_on(self, memory: Memory, after: int) -> int:
        copy, others = self._copy, self._others
        for slot in memory.scan(after):
            after = slot.id
            if self._understands(slot.text):
                copy.write(slot.text, id=slot.id, time=slot.time)
                continue
            for word in {w.removesuffix("'s").removesuffix("’s") for w in words_1(slot.text)}:
                others.setdefault(word, []).append(slot.id)
        return after

    def view(self) -> Sifted:
        return Sifted(self._copy, self._others)


class StoryFilter:
    """Tells what a story network understands from what it does not, in any memory."""

    def __init__(self, dictionary: Dictionary, habits: Habits) -> None:
        self.dictionary = dictionary
        self.kinds = frozenset(map(_shape, (*habits.kinds, *habits.barren)))
        self._sifted = Following(partial(_Sifting, self.understands))

    def __call__(self, memory: Memory) -> Sifted:
        return self._sifted(memory)

    def understands(self, text: str) -> bool:
        """A network that learned no kinds takes everything for its own."""
        if not self.kinds:
            return True
        pattern, names = self.dictionary.pattern(text)
        return _shape(pattern) in self.kinds and SMALL.isdisjoint(names)


@lru_cache(1_000)
def _shape(pattern: str) -> str:
    """A pattern with one gap for a name of several words, without articles or a "there"."""
    words: list[str] = []
    for word in pattern.split():
        if word not in LEFT_OUT and not (word == "_" and words[-1:] == ["_"]):
            words.append(word)
    return " ".join(words)
