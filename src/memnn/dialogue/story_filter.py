"""The part of a memory that a story network understands.

Among sentences of every kind a story network goes astray: each word that it never learned may be a
name, and a sentence full of names supports anything. So it is shown what is told as its training
stories tell it, whoever does it and wherever: "my sister went to the shop", but no tax returns.
"""

from __future__ import annotations

import threading

from memnn.memory import Memory, RamMemory
from memnn.stories.dictionary import Dictionary
from memnn.stories.invariants import Habits
from memnn.text.english import FUNCTION_WORDS

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
    "he",
    "she",
    "they",
}
"""Words that are no part of a name, whether the network learned them or not."""


class Hearing:
    """A copy of what is of the stories' kind, which reads on as the memory grows."""

    def __init__(self, memory: Memory, dictionary: Dictionary, habits: Habits) -> None:
        self.memory, self.dictionary = memory, dictionary
        self.kinds = frozenset(map(_shape, (*habits.kinds, *habits.barren)))
        self._lock = threading.Lock()
        self._start()

    def _start(self) -> None:
        self._deletions = self.memory.deletions
        self._last_id = 0
        self.copy = RamMemory()

    def read(self) -> RamMemory:
        with self._lock:
            if self._deletions != self.memory.deletions:
                self._start()
            if self._last_id < self.memory.last_id:
                for slot in self.memory.scan(after=self._last_id):
                    self._last_id = slot.id
                    if self.understands(slot.text):
                        self.copy.write(slot.text, id=slot.id, time=slot.time)
            return self.copy

    def understands(self, text: str) -> bool:
        """A network that learned no kinds takes everything for its own."""
        if not self.kinds:
            return True
        pattern, names = self.dictionary.pattern(text)
        return _shape(pattern) in self.kinds and SMALL.isdisjoint(names)


def _shape(pattern: str) -> str:
    """A pattern with one gap for a name of several words, without articles or a "there"."""
    words: list[str] = []
    for word in pattern.split():
        if word not in LEFT_OUT and not (word == "_" and words[-1:] == ["_"]):
            words.append(word)
    return " ".join(words)
