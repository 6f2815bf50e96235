"""Stories of one task, or of several in given shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random

from memnn.errors import InputError
from memnn.simulator.story import MOST
from memnn.simulator.twenty.tasks import TASKS
from memnn.simulator.twenty.wording import write
from memnn.simulator.twenty.words import Vocabulary
from memnn.types import Question, Story

QUESTIONS = 1000
"""How many questions each task has unless told otherwise, as in bAbI."""
_HEAVIEST = 1_000_000


def read_mixture(text: str) -> dict[int, int]:
    """ "7", "1,2,3", "all", or with weights "1:3,7,19": each task with its share."""
    shares: dict[int, int] = {}
    if text.strip().lower() == "all":
        return dict.fromkeys(TASKS, 1)
    for part in text.split(","):
        task, _, weight = part.partition(":")
        try:
            number, share = int(task), int(weight or "1")
        except ValueError:
            raise InputError(f"'{part.strip()}' is not a task; write 7, all, or 1:3,7,19") from None
        if number in shares:
            raise InputError(f"task {number} is named twice; give it a weight, as in {number}:2")
        shares[number] = share
    return shares


def simulate_tasks(
    tasks: str | int | Mapping[int, int] = "all",
    *,
    questions: int | None = None,
    seed: int = 0,
    difficulty: int = 5,
    words: Vocabulary | None = None,
) -> list[Story]:
    """Stories of the twenty tasks, exactly as many questions as asked for.

    `tasks` is a number, "all", or tasks with weights ("1:3,7,19" or `{1: 3, 7: 1, 19: 1}`), which
    share the questions in proportion; without `questions`, 1,000 for each. A task's stories do not
    depend on what else is in the mixture, nor on how many there are. `difficulty` is how many
    statements back what is asked about may lie, in tasks where people move.
    """
    shares = dict(tasks) if isinstance(tasks, Mapping) else read_mixture(str(tasks))
    counts = _counts(shares, questions)
    _check_whole("seed", seed, -MOST, MOST)
    _check_whole("difficulty", difficulty, 1, MOST)
    vocabulary = words or Vocabulary()
    stories: list[Story] = []
    for number, count in counts.items():
        stories += _of_task(number, count, seed, difficulty, vocabulary)
    if len(counts) > 1:
        Random(f"{seed} order").shuffle(stories)
    return stories


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InputError(f"{name} is a whole number from {least:,} to {most:,}, not {value!r}")


def _counts(shares: Mapping[int, int], questions: int | None) -> dict[int, int]:
    """How many questions each task gets: in proportion, exact in total, the rest to the first."""
    if not shares:
        raise InputError("name a task: 7, all, or 1:3,7,19")
    for number, share in shares.items():
        if number not in TASKS:
            raise InputError(f"there is no task {number}; choose from 1 to {len(TASKS)}, or all")
        _check_whole(f"the weight of task {number}", share, 1, _HEAVIEST)
    if questions is None:
        questions = QUESTIONS * len(shares)
    _check_whole("questions", questions, 1, MOST)
    total = sum(shares.values())
    exact = {number: Fraction(questions * share, total) for number, share in shares.items()}
    counts = {number: int(part) for number, part in exact.items()}
    rest = sorted(exact, key=lambda number: counts[number] - exact[number])
    for number in rest[: questions - sum(counts.values())]:
        counts[number] += 1
    return counts


def _of_task(
    number: int, questions: int, seed: int, difficulty: int, vocabulary: Vocabulary
) -> Iterator[Story]:
    task, words = TASKS[number], vocabulary.of_task(number)
    task.check(words)
    index = 0
    while questions:
        plot = task.plot(words, Random(f"{seed} {number} {index} meaning"), difficulty)
        rng = Random(f"{seed} {number} {index} wording")
        story = _cut(write(plot, words, rng, f"task {number}, seed {seed}"), questions)
        questions -= sum(1 for _ in story.questions)
        index += 1
        yield story


def _cut(story: Story, questions: int) -> Story:
    """The story up to this many questions."""
    ends = [place for place, line in enumerate(story.lines, 1) if isinstance(line, Question)]
    if len(ends) <= questions:
        return story
    return Story(story.lines[: ends[questions - 1]], story.source, story.first_line)
