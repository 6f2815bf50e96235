"""A network that needs no training: it answers with what was told last."""

from __future__ import annotations

from memnn import MemoryNetwork
from memnn.components import DONT_KNOW, OutputMap
from memnn.generalization import Append
from memnn.text.sentences import Sentences
from memnn.types import Answer, Hop, Output


class NewestFirst(OutputMap):
    def __call__(self, question, memory, as_of=None):
        return Output(question, tuple(Hop(1, slot, 1.0) for slot in memory.newest(1)))


def told(output):
    if not output.hops:
        return Answer(DONT_KNOW, 0.0, abstained=True)
    return Answer(output.hops[-1].text, 1.0, evidence=output.hops)


def simple_network() -> MemoryNetwork:
    return MemoryNetwork(I=Sentences(), G=Append(), O=NewestFirst(), R=told)
