"""R, the response of §2: from [x, m_o1, m_o2, ...] to an answer."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from memnn.features.bilinear import bilinear
from memnn.features.dictionary import Dictionary
from memnn.kernels.embed import Floats
from memnn.kernels.infer import rank
from memnn.types import Answer, Output

DONT_KNOW = "I don't know"


class Response(Protocol):
    """R: decodes the output into an answer."""

    def __call__(self, output: Output) -> Answer: ...


def abstain(output: Output, reason: str) -> Answer:
    """An answer too: it says why there is none."""
    return Answer(DONT_KNOW, 0.0, abstained=True, evidence=output.hops, reason=reason)


class MemoryResponse:
    """The simplest R: return m_ok, the sentence that was told."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary

    def __call__(self, output: Output) -> Answer:
        problem = unsupported(output, self.dictionary)
        if problem:
            return abstain(output, problem)
        last = output.hops[-1]
        return Answer(last.support.text, last.score, evidence=output.hops)


class WordResponse:
    """Eq. 4: rank every word and every answer unit seen in training with s_R."""

    def __init__(self, dictionary: Dictionary, U_R: Floats, hops: int) -> None:
        self.dictionary = dictionary
        self.hops = hops
        self.A = bilinear(U_R, 2 * len(dictionary))  # (2|W|, answers)

    def __call__(self, output: Output) -> Answer:
        problem = unsupported(output, self.dictionary)
        if not problem:
            new = self.dictionary.unknown(output.hops[-1].support.text)
            if new:
                problem = f"the supporting fact has words I never learned: {', '.join(new)}"
        if problem:
            return abstain(output, problem)
        rows = self.dictionary.rows
        m: list[int] = []
        for hop in output.hops:
            m += rows(hop.support.text, hop.support.id)
            last = hop.support
        for _ in range(self.hops - len(output.hops)):
            m += rows(last.text, last.id)  # as in training: after the stop the last one repeats
        x = np.array(rows(output.question.text, output.question.id), np.int64)
        p = np.empty(self.A.shape[1], np.float32)
        best = rank(self.A, x, np.array(m, np.int64), p)
        return Answer(self.dictionary.answers[best], float(p[best]), evidence=output.hops)


def unsupported(output: Output, dictionary: Dictionary) -> str:
    """Why nothing supports an answer, or nothing at all."""
    if not output.hops:
        return "I have not been told anything yet"
    new = dictionary.unknown(output.question.text)
    if new:
        return f"the question has words I never learned: {', '.join(new)}"
    if output.missing:
        return f"nothing I was told mentions {' or '.join(output.missing)}"
    return ""
