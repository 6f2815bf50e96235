"""How often a network is right on stories with known answers and supports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from memnn.errors import InputError
from memnn.memory import RamMemory
from memnn.network import Network
from memnn.simulator import is_correct_answer
from memnn.stories.examples import numbered, story_list
from memnn.text.tokens import words_1
from memnn.types import Answer, Question, Statement, Story


@dataclass(frozen=True)
class Evaluation:
    """Fractions from 0 to 1; supports count as right when all are, in reasoning order."""

    questions: int
    accuracy: float
    support_accuracy: float
    abstained: float
    seconds: float

    def to_json(self) -> dict[str, float]:
        return asdict(self)


def is_right(question: Question, answer: Answer, response: str = "word") -> bool:
    """The same answer, capital letters aside. An abstention is never right.

    Sentences of the simulated world are judged by the rule of Appendix F, since every question has
    many true ones. When R returns a memory, that memory must hold the words of the answer.
    """
    said, true = answer.text.strip().lower(), (question.answer or "").strip().lower()
    if answer.abstained:
        return False
    if response == "memory":
        return set(words_1(true)) <= set(words_1(said))
    if said == true:
        return True
    sentence = " " in true or " " in said
    return sentence and is_correct_answer(answer.text, question)


def response_of(network: Network) -> str:
    """What R of a network does; an ensemble answers stories with words."""
    recipe = getattr(getattr(network, "model", None), "recipe", None)
    return str(getattr(recipe, "response", "word"))


def evaluate(
    network: Network,
    stories: Iterable[Story] | Story | str | Path,
    *,
    progress: Callable[[int], None] | None = None,
    on_answer: Callable[[Question, Answer], None] | None = None,
) -> Evaluation:
    """Tell each story to an empty memory, line by line, and ask its questions where they stand.

    Takes a story file, too.
    """
    questions = right = supported = with_supports = abstained = 0
    response = response_of(network)
    start = time.perf_counter()
    for story in network.I.hear(story_list(stories)):
        net = network.with_memory(RamMemory())
        for id, line in numbered(story):
            if isinstance(line, Statement):
                net.G(Statement(line.text, id), net.memory)
                continue
            if line.answer is None:
                continue
            answer = net.answer(Question(line.text))
            questions += 1
            right += is_right(line, answer, response)
            abstained += answer.abstained
            if line.supports:
                with_supports += 1
                found = tuple(hop.support.id for hop in answer.evidence)
                supported += found == tuple(line.supports) and answer.source != "world"
            if on_answer is not None:
                on_answer(line, answer)
        if progress is not None:
            progress(questions)
    if not questions:
        raise InputError("there are no questions to evaluate")
    return Evaluation(
        questions=questions,
        accuracy=right / questions,
        support_accuracy=supported / with_supports if with_supports else 0.0,
        abstained=abstained / questions,
        seconds=round(time.perf_counter() - start, 3),
    )
