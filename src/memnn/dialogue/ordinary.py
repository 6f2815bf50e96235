"""The network for ordinary language as a member: it hears every sentence."""

from __future__ import annotations

from memnn.dialogue.member import Finding, Member, Request
from memnn.memory import Memory
from memnn.ordinary.answering import OrdinaryPaths, OrdinaryResponse
from memnn.ordinary.model import OrdinaryModel
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
        answer = Answer(
            said.text, said.score, said.abstained, said.evidence, said.reason, self.name, (),
            said.probability,
        )  # fmt: skip
        return Finding(
            self.name, answer, dict(found.measures), found.unmatched,
            probability=found.probability, told_of=found.told_of,
        )  # fmt: skip
