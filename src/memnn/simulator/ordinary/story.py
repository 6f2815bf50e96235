"""Stories in ordinary language: what happens, how it is told, and what is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from memnn.errors import InputError
from memnn.simulator.ordinary.asking import Asker
from memnn.simulator.ordinary.events import Event, Stage
from memnn.simulator.ordinary.grammar import pick
from memnn.simulator.ordinary.language import HoldOut, Language, load
from memnn.simulator.ordinary.meaning import Annotated, Asked
from memnn.simulator.ordinary.telling import Teller
from memnn.simulator.ordinary.unsupported import unsupported
from memnn.types import Question, Statement, Story

UNSUPPORTED = 0.22
"""How many of the questions nothing told answers."""
_LENGTHS = (2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 10, 12, 15, 20, 30)
_MOST_QUESTIONS = 4

_STYLES: tuple[tuple[tuple[Event, int], ...], ...] = (
    ((Stage.move, 8), (Stage.idle, 1), (Stage.aside, 1)),
    ((Stage.move, 5), (Stage.group, 3), (Stage.regroup, 3), (Stage.company, 1), (Stage.idle, 1)),
    ((Stage.move, 5), (Stage.take, 3), (Stage.drop, 2), (Stage.several, 2), (Stage.give, 1), (Stage.idle, 1)),
    ((Stage.take, 3), (Stage.give, 5), (Stage.move, 2), (Stage.lose, 1), (Stage.drop, 1)),
    ((Stage.put, 4), (Stage.carry, 3), (Stage.lie, 1), (Stage.move, 1)),
    ((Stage.attribute, 8), (Stage.idle, 1)),
    ((Stage.attribute, 6), (Stage.move, 2), (Stage.aside, 1), (Stage.idle, 1)),
    ((Stage.attribute, 4), (Stage.take, 2), (Stage.give, 1), (Stage.move, 2), (Stage.idle, 2)),
    ((Stage.move, 5), (Stage.leave, 2), (Stage.either, 2), (Stage.aside, 2)),
    ((Stage.several, 4), (Stage.move, 3), (Stage.drop, 2), (Stage.carry, 1), (Stage.aside, 1)),
)  # fmt: skip
"""What stories are about: events and how often they happen."""


def stories(
    *,
    seed: int = 0,
    questions: int = 1000,
    language: str | Path = "english",
    hold_out: HoldOut | str | None = None,
) -> list[Story]:
    """Stories with this many questions; the same seed gives the same ones.

    `hold_out` leaves a third of all wordings out ("frames", "questions", "names" or "everything");
    `HoldOut(..., only=True)` makes stories of that third alone.
    """
    return [each.story for each in annotated(
        seed=seed, questions=questions, language=language, hold_out=hold_out
    )]  # fmt: skip


def annotated(
    *,
    seed: int = 0,
    questions: int = 1000,
    language: str | Path = "english",
    hold_out: HoldOut | str | None = None,
) -> Iterator[Annotated]:
    """The same stories with what their lines mean, what pronouns stand for, and kinds."""
    if not isinstance(questions, int) or questions < 1:
        raise InputError(f"questions is a whole number from 1, not {questions!r}")
    chosen = HoldOut(hold_out) if isinstance(hold_out, str) else hold_out
    words = load(language, chosen)
    index = 0
    while questions > 0:
        story = _story(words, Random(f"{seed} {index}"), f"ordinary, seed {seed}", questions)
        index += 1
        questions -= len(story.asked)
        if story.asked:
            yield story


def _story(words: Language, rng: Random, source: str, most: int) -> Annotated:
    teller = Teller(words, rng)
    stage = Stage(teller, rng)
    asker = Asker(stage)
    style = pick(rng, _STYLES)
    events = [event for event, weight in style for _ in range(weight)]
    if rng.random() < 0.7:
        count = min(len(words.attributes), rng.randint(1, 4))
        stage.chosen = rng.sample(list(words.attributes), count)
    length = pick(rng, _LENGTHS)
    asked: list[Asked] = []
    lines: list[Statement | Question] = []
    wanted = min(most, rng.randint(1, _MOST_QUESTIONS))
    tries = 0
    while len(teller.told) < length and tries < length * 5:
        tries += 1
        if not pick(rng, events)(stage):
            continue
        _tell(lines, teller)
        if len(asked) < wanted - 1 and rng.random() < 0.08:
            _ask(asker, asked, lines)
    for _ in range(wanted * 2):
        if len(asked) < wanted:
            _ask(asker, asked, lines)
    return Annotated(Story(tuple(lines), source), tuple(teller.told), tuple(asked))


def _tell(lines: list[Statement | Question], teller: Teller) -> None:
    told = teller.told[-1]
    lines.append(Statement(told.text, told.id))


def _ask(asker: Asker, asked: list[Asked], lines: list[Statement | Question]) -> None:
    """One more question, if there is one that was not asked yet."""
    lack = asker.rng.random() < UNSUPPORTED
    ask = unsupported(asker) if lack else asker.supported()
    if ask is None or any(ask.meaning == each.meaning and ask.answer for each in asked):
        return
    question = asker.word(ask)
    asked.append(question)
    lines.append(question.question)
    asker.teller.pause()
