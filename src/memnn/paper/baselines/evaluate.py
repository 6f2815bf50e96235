"""How often a baseline is right: one-word answers (Tables 3 and 5) or sentences (Table 6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from memnn.errors import InputError
from memnn.paper.baselines.language import Baseline
from memnn.simulator import PAPER_WORLD, WorldSpec, is_correct_answer
from memnn.text.tokens import words_1
from memnn.types import Question, Story


@dataclass(frozen=True)
class BaselineEvaluation:
    """`accuracy` is a fraction from 0 to 1."""

    questions: int
    accuracy: float
    seconds: float

    def to_json(self) -> dict[str, float]:
        return asdict(self)


def evaluate_baseline(
    baseline: Baseline,
    stories: Iterable[Story],
    *,
    sentences: bool = False,
    spec: WorldSpec | None = None,
    on_answer: Callable[[Question, str], None] | None = None,
) -> BaselineEvaluation:
    """Read each story from a blank state; with `sentences` the rule of Appendix F decides."""
    questions = right = 0
    start = time.perf_counter()
    for story in stories:
        for question, said in baseline.respond(story):
            questions += 1
            right += (
                is_correct_answer(said, question, spec or PAPER_WORLD)
                if sentences
                else words_1(said) == words_1(question.answer or "")
            )
            if on_answer is not None:
                on_answer(question, said)
    if not questions:
        raise InputError("there are no questions to evaluate")
    return BaselineEvaluation(
        questions=questions,
        accuracy=right / questions,
        seconds=round(time.perf_counter() - start, 3),
    )
