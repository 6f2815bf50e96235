"""The network for ordinary language as a member: it hears every sentence."""

from __future__ import annotations

from memnn.dialogue.member import Finding, Member, Request
from memnn.memory import Memory
from memnn.ordinary.answering import OrdinaryPaths, OrdinaryResponse
from memnn.ordinary.model import OrdinaryModel
from memnn.text.written import as_written
from memnn.types import Answer


class OrdinaryMember(Member):
    """It knows how probable its answers are, and what of a question they leave out."""

    name = "ordinary"

    def __init__(self, model: OrdinaryModel) -> None:
        self.model = model
        self.O, self.R = OrdinaryPaths(model), OrdinaryResponse(model)
        self.reads = self.O.among

    def find(self, request: Request, memory: Memory) -> Finding | None:
        if not len(memory):
            return None
        found = self.O(request.question, memory, request.until)
        said = self.R(found)
        text = said.text if said.abstained else _as_told(said)
        answer = Answer(
            text, said.score, said.abstained, said.evidence, said.reason, self.name, (),
            said.probability,
        )  # fmt: skip
        return Finding(
            self.name, answer, dict(found.measures), found.unmatched,
            probability=found.probability, told_of=found.told_of,
        )  # fmt: skip

    def follow(self, memory: Memory) -> None:
        self.O.read(memory)


def _as_told(said: Answer) -> str:
    """The words of an answer, with the signs of a password or code that was told."""
    if not said.evidence:
        return said.text
    return as_written(said.text, said.evidence[-1].text)
