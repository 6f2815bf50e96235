"""The last step: from meaning to sentences, the same for every task."""

from __future__ import annotations

import re
from random import Random

from memnn.simulator.twenty.meaning import Asking, Count, Fact, Names, Reply, Truth, Way
from memnn.simulator.twenty.plot import Plot, Posed
from memnn.simulator.twenty.words import TaskWords, filled
from memnn.types import Question, Statement, Story

_CHOICE = re.compile(r"\(([^()]*)\)")


def write(plot: Plot, words: TaskWords, rng: Random, source: str) -> Story:
    """A plot as a story. `rng` chooses among wordings and nothing else."""
    lines: list[Statement | Question] = []
    for id, line in enumerate(plot.lines, start=1):
        if isinstance(line, Posed):
            text = sentence(line.question, words, rng)
            lines.append(Question(text, id, answer_in_words(line.answer, words), line.supports))
        else:
            lines.append(Statement(sentence(line, words, rng), id))
    return Story(tuple(lines), source)


def sentence(meaning: Fact | Asking, words: TaskWords, rng: Random) -> str:
    frame = rng.choice(words.frames[type(meaning).__name__])
    frame = _CHOICE.sub(lambda choice: rng.choice(choice[1].split("|")), frame)
    text = frame.format(**filled(meaning, words))
    return text[:1].upper() + text[1:]


def answer_in_words(answer: Reply, words: TaskWords) -> str:
    """One word, or several with a comma between them."""
    says = words.answers
    match answer:
        case Truth():
            return str(says[answer.value])
        case Count(number):
            numbers = says["numbers"]
            return str(numbers[number]) if number < len(numbers) else str(number)
        case Names(names):
            return str(says["comma"]).join(names or [says["nothing"]])
        case Way(directions):
            return str(says["comma"]).join(says[direction] for direction in directions)
