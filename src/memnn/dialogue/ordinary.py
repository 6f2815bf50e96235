"""The network for ordinary language as a member: it hears every sentence."""

from __future__ import annotations

from memnn.dialogue.member import Finding, Member, Request
from memnn.memory import Memory
from memnn.ordinary.answering import OrdinaryPaths, OrdinaryResponse
from memnn.ordinary.model import OrdinaryModel
from memnn.types import Answer


class OrdinaryMember(Member):
    """It knows how probable its answers are, and what of a question they leave out."""

    name = "story"

    def __init__(self, model: OrdinaryModel) -> None:
        self.model = model
        self.O, self.R = OrdinaryPaths(model), OrdinaryResponse(model)

    def find(self, request: Request, memory: Memory) -> Finding | None:
        if not len(memory):
            return None
        found = self.O(request.question, memory, request.until)
        said = self.R(found)
        if said.abstained:
            return Finding(self.name, said, {}, found.unmatched)
        answer = Answer(
            said.text, said.score, False, said.evidence, "", self.name, (), said.probability
        )
        features = {"probability": found.probability, **dict(found.measures)}
        return Finding(self.name, answer, features, found.unmatched)
