"""Stories in ordinary language: what happens, how it is told, and what is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from memnn.errors import InputError
from memnn.simulator.ordinary import (
    about_counts,
    about_places,
    about_things,
    about_values,
    counting,
    having,
    moving,
)  # fmt: skip
from memnn.simulator.ordinary.asking import Asker, Wondering
from memnn.simulator.ordinary.grammar import pick
from memnn.simulator.ordinary.language import HoldOut, Language, load
from memnn.simulator.ordinary.meaning import Annotated, AskedLine
from memnn.simulator.ordinary.stage import Scenery
from memnn.simulator.ordinary.telling import Narrator
from memnn.simulator.ordinary.telling_of import attribute, deed, relate
from memnn.simulator.ordinary.unsupported import unsupported
from memnn.types import Question, Statement, Story

UNSUPPORTED = 0.2
"""How many of the questions nothing told answers."""
_TRIES = 25
_LENGTHS = (2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 10, 12, 15, 20, 30)
_MOST_QUESTIONS = 4
_PORTRAIT_LENGTHS = (4, 6, 6, 8, 8, 10, 12, 15, 18)
_MOST_OF_A_PORTRAIT = 7

Event = Callable[[Scenery], bool]
_PORTRAIT: tuple[tuple[Event, int], ...] = ((attribute, 12), (moving.idle, 1))
"""Much of one person, or of two: what is newer is mostly about something else of the same one."""
_STYLES: tuple[tuple[tuple[Event, int], ...], ...] = (
    *(_PORTRAIT,) * 5,
    ((moving.move, 8), (moving.idle, 1), (moving.aside, 1)),
    ((moving.move, 6), (moving.company, 1), (moving.aside, 1), (relate, 1)),
    ((moving.move, 5), (moving.group, 3), (moving.regroup, 3), (moving.company, 1)),
    ((moving.move, 5), (having.take, 3), (having.drop, 2), (having.several, 2), (having.give, 1)),
    ((having.take, 3), (having.give, 5), (moving.move, 2), (having.lose, 1), (having.both, 1)),
    ((having.put, 4), (having.carry, 3), (having.lie, 1), (moving.move, 1)),
    ((having.put, 3), (having.lie, 2), (having.take, 1), (moving.idle, 1)),
    ((attribute, 8), (moving.idle, 1)),
    ((attribute, 8), (moving.idle, 1)),
    ((attribute, 6), (moving.idle, 1), (relate, 1)),
    ((attribute, 8), (deed, 1)),
    ((attribute, 6), (moving.move, 2), (moving.aside, 1), (moving.idle, 1), (relate, 1)),
    ((attribute, 4), (having.take, 2), (having.give, 1), (moving.move, 2), (moving.idle, 2)),
    ((moving.move, 5), (moving.leave, 2), (moving.either, 2), (moving.aside, 2)),
    ((having.several, 4), (moving.move, 3), (having.drop, 2), (having.carry, 1), (having.both, 2)),
    ((deed, 6), (attribute, 2), (moving.idle, 1)),
    ((deed, 8), (moving.idle, 1)),
    ((moving.timed, 6), (moving.idle, 1), (attribute, 1)),
    ((counting.amount, 8), (moving.idle, 1)),
    ((counting.amount, 6), (moving.idle, 1), (moving.move, 2)),
    ((having.pack, 4), (having.take, 2), (having.give, 1), (having.lose, 2), (having.put, 1)),
)  # fmt: skip
"""What stories are about: events and how often they happen."""

_ASKING: tuple[tuple[Callable[[Asker], Wondering | None], int], ...] = (
    (about_places.where_person, 3),
    (about_places.before, 1),
    (about_places.whether_at, 1),
    (about_places.who_at, 1),
    (about_places.with_whom, 3),
    (about_places.timed, 4),
    (about_places.why_went, 4),
    (about_places.who_is, 2),
    (about_things.where_thing, 6),
    (about_things.who_has, 2),
    (about_things.what_has, 3),
    (about_things.whether_has, 1),
    (about_things.gave, 4),
    (about_things.inside, 4),
    (about_values.value, 8),
    (about_values.stopped, 2),
    (about_values.deed, 4),
    (about_counts.amount, 10),
    (about_counts.whether, 4),
    (about_counts.two, 6),
)
"""What is asked, and how much rather: what few stories tell of is asked wherever it can be."""
_WAYS = tuple(way for way, weight in _ASKING for _ in range(weight))


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
    teller = Narrator(words, rng)
    stage = Scenery(teller, rng)
    asker = Asker(stage)
    style = pick(rng, _STYLES)
    events = [event for event, weight in style for _ in range(weight)]
    length, questions = pick(rng, _LENGTHS), rng.randint(1, _MOST_QUESTIONS)
    if style is _PORTRAIT:
        stage.sits(rng.choice((1, 1, 2)))
        length, questions = pick(rng, _PORTRAIT_LENGTHS), rng.randint(2, _MOST_OF_A_PORTRAIT)
    elif rng.random() < 0.7:
        count = min(len(words.attributes), rng.randint(1, 4))
        stage.attributes = rng.sample(stage.attributes, count)
    asked: list[AskedLine] = []
    lines: list[Statement | Question] = []
    wanted = min(most, questions)
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


def _tell(lines: list[Statement | Question], teller: Narrator) -> None:
    told = teller.told[-1]
    lines.append(Statement(told.text, told.id))


def _ask(asker: Asker, asked: list[AskedLine], lines: list[Statement | Question]) -> None:
    """One more question, if there is one that was not asked yet."""
    lack = asker.rng.random() < UNSUPPORTED
    ask = unsupported(asker) if lack else _supported(asker)
    if (
        ask is None
        or not asker.can(ask)
        or any(ask.meaning == each.meaning and ask.answer for each in asked)
    ):
        return
    question = asker.word(ask)
    asked.append(question)
    lines.append(question.question)
    asker.teller.pause()


def _supported(asker: Asker) -> Wondering | None:
    for _ in range(_TRIES):
        ask = pick(asker.rng, _WAYS)(asker)
        if ask is not None:
            return ask
    return None
