"""The story network as a member: it follows who went where, among sentences of every kind."""

from __future__ import annotations

from functools import cached_property, reduce

import numpy as np

from memnn.dialogue.member import Finding, Member, Request
from memnn.dialogue.story_filter import Sifted, StoryFilter
from memnn.memory import Memory
from memnn.network import MemoryNetwork
from memnn.stories import network as networks
from memnn.stories.model import Model
from memnn.text.english import FUNCTION_WORDS
from memnn.types import Answer, Slot

LARGEST_COPY = 20_000
"""Up to this many statements, those that the story network understands are copied for it."""
NO_NAMES = FUNCTION_WORDS - {"i", "you", "he", "she", "we", "they"}
"""Small words, except those that may stand for somebody who was told of."""
MOST_READ = 1_000
"""How many newer statements about somebody are read in a large memory."""


class StoryMember(Member):
    """Without `sift` it hears everything, as in the paper."""

    name = "story"

    def __init__(self, model: Model, *, sift: bool = True) -> None:
        self.model, self.sift = model, sift
        self.filter = StoryFilter(model.dictionary, model.habits)
        self._walk = networks.network(model, organised=False)

    @cached_property
    def _look(self) -> MemoryNetwork:
        """A memory that lasts and is not copied may be large: it is read in parts."""
        return networks.network(self.model, organised=True)

    def find(self, request: Request, memory: Memory) -> Finding | None:
        sifted = self.filter(memory) if self.sift and len(memory) <= LARGEST_COPY else None
        story = memory if sifted is None else sifted.understood
        if not len(story):
            return None
        net = self._look if story.lasts else self._walk
        said = self._answer(net, request, story)
        if self.sift and not all(self.filter.understands(hop.text) for hop in said.evidence):
            return None  # a huge memory was not sifted, and this is none of its stories
        # Not `replace`, which takes longer than the rest.
        answer = Answer(
            said.text, said.score, said.abstained, said.evidence, said.reason, self.name
        )
        if said.abstained:
            return Finding(self.name, answer, {})
        doubts = self._doubts(request, answer, memory, sifted) if self.sift else ()
        return Finding(
            self.name, answer, self._features(request, answer), doubts=doubts,
            goes_on=frozenset() if sifted is None else _goes_on(request, answer, sifted),
        )  # fmt: skip

    def follow(self, memory: Memory) -> None:
        if len(memory) > LARGEST_COPY:
            self._look.O.follow(memory)

    def _answer(self, net: MemoryNetwork, request: Request, story: Memory) -> Answer:
        return net.R(net.O(request.question, story, request.until))

    def _features(self, request: Request, answer: Answer) -> dict[str, float]:
        """How much this is like the stories that the network was trained on."""
        dictionary, habits = self.model.dictionary, self.model.habits
        margins = [hop.decisive.margin for hop in answer.evidence if hop.decisive]
        patterns = [dictionary.pattern(hop.text)[0] for hop in answer.evidence]
        asked = dictionary.pattern(request.question.text)[0].split()
        return {
            "score": answer.score,
            "margin": min(margins, default=1.0),
            "kind": float(patterns[-1] in habits.kinds),
            "open": float(asked.count("_")),
        }

    def _doubts(
        self, request: Request, answer: Answer, memory: Memory, sifted: Sifted | None
    ) -> tuple[Slot, ...]:
        """What was told of the same after the evidence, and not understood: it may say otherwise.

        A support is found by the names that it shares with the question or the support before it.
        Of these, something newer may have been told: until now, or until the support before it,
        where that came later ("Joe left the milk": where was Joe then?).
        """
        said = frozenset(self.model.dictionary.tokenise(answer.text))
        names, before = self._names(request.question.text), None
        doubts: set[int] = set()
        for hop in answer.evidence:
            told = self._names(hop.text)
            subjects = (names & told or names) - said
            until = before if before is not None and hop.id < before else request.until
            if subjects:
                doubts.update(
                    self._read_through(subjects, hop.id, until, memory)
                    if sifted is None
                    else sifted.naming(subjects, hop.id, until)
                )
            names, before = told, hop.id
        return tuple(memory.read(sorted(doubts))) if doubts else ()

    def _names(self, text: str) -> frozenset[str]:
        return self.model.dictionary.names(text) - NO_NAMES

    def _read_through(
        self, names: frozenset[str], after: int, until: int, memory: Memory
    ) -> list[int]:
        """The newer statements that name all of these and are not of the stories' kind."""
        lists = [memory.candidates(until, [name]) for name in names]
        ids = reduce(np.intersect1d, lists)
        newer = ids[ids > after][-MOST_READ:].tolist()
        return [s.id for s in memory.read(newer) if not self.filter.understands(s.text)]


def _goes_on(request: Request, answer: Answer, sifted: Sifted) -> frozenset[int]:
    """What was told after each support with a pronoun: it may be about the same."""
    return frozenset(id for hop in answer.evidence for id in sifted.going_on(hop.id, request.until))
