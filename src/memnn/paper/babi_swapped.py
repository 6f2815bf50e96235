"""The twenty tasks again, with unknown names, in another word order and in other scripts.

The names are replaced in the test stories alone; the order and the script in the whole data set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memnn.paper.babi import EACH, FEW, TOPIC, about, error_table, stories
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.swaps import (
    PEOPLE,
    PLACES,
    THINGS,
    Rewrite,
    devanagari,
    georgian,
    rewritten,
    unknown_names,
    verb_last,
)
from memnn.stories.evaluate import evaluate
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit
from memnn.types import Story

AS_IT_IS = "as it is"
PERSONS, NAMES = "unknown people", "unknown people, places, things"
ORDER, GEORGIAN, DEVANAGARI = "verb last", "Georgian letters", "Devanagari letters"
COLUMNS = [AS_IT_IS, PERSONS, NAMES, ORDER, GEORGIAN, DEVANAGARI]
MEANT = 20
"""Places and things of this task mean something: the tired go to the bedroom."""

Swap = Callable[[list[Story]], list[Story]]


def swaps_of(column: str, task: int) -> tuple[Swap, Swap]:
    """What happens to the training stories, and to the test stories."""

    def by(text: Rewrite, answer: Rewrite | None = None) -> Swap:
        return lambda told: rewritten(told, text, answer)

    def same(told: list[Story]) -> list[Story]:
        return told

    if column in (PERSONS, NAMES):
        all_of_them = column == NAMES and task != MEANT
        names = [*PEOPLE, *PLACES, *THINGS] if all_of_them else PEOPLE
        return same, by(unknown_names(names))
    whole = {
        AS_IT_IS: same,
        ORDER: by(verb_last, str),
        GEORGIAN: by(georgian),
        DEVANAGARI: by(devanagari),
    }[column]
    return whole, whole


def measure_swap(cell: Cell, size: Size) -> Values:
    task = int(cell.row)
    train, test = (
        swap(stories(task, part, cell.seed, size))
        for part, swap in zip(("train", "test"), swaps_of(cell.column, task), strict=True)
    )
    result = evaluate(network(fit(train, PathRecipe(seed=cell.seed))), test)
    return {
        "accuracy": result.accuracy,
        "supports": result.support_accuracy,
        "abstained": result.abstained,
        "data": about(size),
    }


def show_swaps(cells: list[dict[str, Any]]) -> list[str]:
    return error_table(cells, COLUMNS)


SWAPS = Experiment(
    "babi-swaps",
    "The twenty bAbI tasks with other words for the same",
    EACH,
    COLUMNS,
    measure_swap,
    show=show_swaps,
    quick_rows=FEW,
    extra=True,
    topic=TOPIC,
    notes=[
        "Unknown names stand in the test stories alone: training never saw one of them. In task 20 "
        "only people are replaced, since it is what places and things are for that is asked.",
        "Verb last: postpositions, no articles, a particle for questions "
        "(“Mary bathroom to moved”); Georgian and Devanagari: a letter for a letter, in "
        "Devanagari with vowels as signs on consonants. Training and test stories alike.",
    ],
)
