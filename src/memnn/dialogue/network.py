"""§5.3: several networks as one: the input is presented to all, and one answers.

What is told is memory for all: the story network follows who went where, and a network over facts
finds an ordinary sentence among what was told, and looks into the world facts that come with it.
The paper lets the highest score answer, although scores of different networks mean different
things; here each member's finding becomes the probability that it is right (`calibrate`), and where
no probability is high enough, the answer is "I don't know" (`decide`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from memnn.conversations.network import Conversing
from memnn.conversations.search import Finder
from memnn.conversations.when import dated
from memnn.dialogue import model as models
from memnn.dialogue.decide import Decide, HighestScore, MostProbable
from memnn.dialogue.member import Finding, Member, Request
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.ordinary import OrdinaryMember
from memnn.dialogue.slips import did_you_mean, put_right
from memnn.dialogue.story import StoryMember
from memnn.dialogue.told import ToldMember
from memnn.dialogue.world import WorldMember
from memnn.generalization import Append
from memnn.memory import AsOf, Memory, RamMemory, open_memory, resolve_as_of
from memnn.memory.follow import at_one_moment
from memnn.memory.present import present, versions
from memnn.memory.protocol import check_text
from memnn.network import asked
from memnn.text.sentences import Sentences
from memnn.types import Answer, Question, Reason, Slot, Statement


class Ensemble(Conversing):
    """Tell it what happens, ask about that or about the world; the same calls as `MemoryNetwork`.

    `members` and `decide` are those of the model unless others are given. The first member is asked
    first, and where it is sure the others are not. With `world=False` only what was told answers.
    """

    def __init__(
        self,
        model: EnsembleModel,
        memory: Memory | None = None,
        *,
        world: bool = True,
        members: Sequence[Member] | None = None,
        decide: Decide | None = None,
        finder: Finder | None = None,
    ) -> None:
        self.model = model
        self.memory = RamMemory() if memory is None else memory
        self.members = members_of(model, world) if members is None else tuple(members)
        self.decide = decide or MostProbable(model.calibration, model.thresholds)
        self.I, self.G = Sentences(), Append()
        reads = (member.reads for member in self.members if member.reads is not None)
        self.finder = finder or Finder(reads=next(reads, None))

    @classmethod
    def of_the_paper(cls, model: EnsembleModel, memory: Memory | None = None) -> Ensemble:
        """The paper's own: a story network that hears everything and one over the world's facts;
        the highest score answers."""
        members = (
            StoryMember(model.story, sift=False),
            WorldMember(model.facts, model.triples, model.asking),
        )
        return cls(model, memory, members=members, decide=HighestScore())

    def with_memory(self, memory: Memory) -> Ensemble:
        """The same networks on another memory; what was read of the world is shared."""
        return Ensemble(
            self.model, memory, members=self.members, decide=self.decide, finder=self.finder
        )

    def follow(self) -> None:
        super().follow()
        memory = present(self.memory)
        for member in self.members:
            member.follow(memory)

    def respond(self, text: str) -> Iterator[Slot | Answer]:
        """A statement is remembered, a question answered."""
        for x in self.I(text):
            yield self.G(x, self.memory) if isinstance(x, Statement) else self.answer(x)

    def forget(self, id: int) -> None:
        """Delete what was told under this id, and what it replaced."""
        self.memory.delete(versions(self.memory, [id]))

    def flush(self) -> list[Slot | Answer]:
        """As a network's; sentences are never left unfinished."""
        return []

    def ask(self, question: str, *, as_of: AsOf = None) -> Answer:
        """Answer from what was told (until `as_of`) or from the world's facts, or abstain."""
        return self.answer(asked(self.I, question), as_of)

    def answer(self, x: Question, as_of: AsOf = None) -> Answer:
        """As `ask`, for a question that I has read."""
        check_text(x.text)
        return dated(x.text, at_one_moment(self.memory, lambda: self._decide(x, as_of)))

    def _decide(self, x: Question, as_of: AsOf) -> Answer:
        memory = present(self.memory, as_of)
        text, read_as = put_right(x.text, memory, as_of, self.model.words)
        request = self._request(Question(text) if read_as else x, as_of)
        first = self.members[0].find(request, memory)
        enough = self.decide.enough(first) if first is not None else None
        answer = enough or self.decide(self._findings(request, first, memory))
        meant = did_you_mean(text, memory, as_of) if answer.abstained else ""
        if meant:
            answer = replace(answer, reason=f"{answer.reason}; {meant}")
        return replace(answer, read_as=read_as) if read_as else answer

    def findings(self, x: Question, as_of: AsOf = None) -> list[Finding]:
        """The input presented to all: what each member finds, abstaining or not."""

        def find() -> list[Finding]:
            request, memory = self._request(x, as_of), present(self.memory, as_of)
            return self._findings(request, self.members[0].find(request, memory), memory)

        return at_one_moment(self.memory, find)

    def reasons(self, question: str) -> list[Reason]:
        """What each member would say, how probable that is, and what speaks for and against it."""
        text, _ = put_right(question, present(self.memory), None, self.model.words)
        questions = [x for x in self.I(text) if isinstance(x, Question)]
        return [self.decide.reason(f) for x in questions[-1:] for f in self.findings(x)]

    def _findings(self, request: Request, first: Finding | None, memory: Memory) -> list[Finding]:
        found = [first, *(member.find(request, memory) for member in self.members[1:])]
        return [finding for finding in found if finding is not None]

    def _request(self, x: Question, as_of: AsOf) -> Request:
        """All members are asked about the same moment."""
        limit, last_id = resolve_as_of(as_of), self.memory.changes().last_id
        if isinstance(limit, str):
            ids = self.memory.candidates(as_of)
            limit = int(ids[-1]) if len(ids) else 0
        until = last_id if limit is None else min(limit, last_id)
        return Request(x, until, self.model.facts.dictionary)

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder; the memory is not part of it."""
        return self.model.save(folder)


def load(folder: str | Path, memory: str | Memory | None = None, *, world: bool = True) -> Ensemble:
    """An ensemble from its folder, on a memory or the address of one."""
    model = models.load(folder)
    opened = open_memory(memory) if isinstance(memory, str) else memory
    return Ensemble(model, opened, world=world)


def members_of(model: EnsembleModel, world: bool = True) -> tuple[Member, ...]:
    reads = () if model.ordinary is None else (OrdinaryMember(model.ordinary),)
    knows = (world_member(model),) if world else ()
    return (StoryMember(model.story), *reads, ToldMember(model.facts), *knows)


def world_member(model: EnsembleModel) -> WorldMember:
    return WorldMember(model.facts, model.triples, model.asking, model.kinds, model.ranking)
