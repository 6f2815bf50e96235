"""R over facts: the answer is the fact itself, as in the paper, or "I don't know"."""

from __future__ import annotations

from memnn.components import abstain
from memnn.types import Answer, Output


class FactResponse:
    """Return m_ok, if its score passes a threshold chosen on questions held back."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def __call__(self, output: Output) -> Answer:
        if not output.hops:
            unknown = " or ".join(output.missing)
            return abstain(output, f"no fact mentions {unknown}" if unknown else "no fact fits")
        last = output.hops[-1]
        if last.score < self.threshold:
            return abstain(output, "no fact fits well enough")
        return Answer(last.text, last.score, evidence=output.hops)
