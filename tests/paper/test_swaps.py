"""The twenty tasks with other words: each rewriting keeps what is meant."""

from __future__ import annotations

import pytest

from memnn.errors import InputError
from memnn.paper.babi import error_table
from memnn.paper.babi_swapped import AS_IT_IS, COLUMNS, NAMES, ORDER, PERSONS, SWAPS, swaps_of
from memnn.paper.babi_transfer import TRANSFER
from memnn.paper.path_tables import BESIDE, PAPER, PATHS, ROWS, show_both
from memnn.paper.swaps import (
    PEOPLE,
    PLACES,
    THINGS,
    devanagari,
    georgian,
    rewritten,
    unknown_names,
    verb_last,
)
from memnn.types import Question, Statement, Story

NAMED = (*PEOPLE, *PLACES, *THINGS)
STORY = Story(
    (Statement("Mary took the milk.", 1), Question("Where is mary? ", 2, "kitchen", (1,)))
)


@pytest.mark.parametrize(
    ("english", "other"),
    [
        ("Mary went back to the hallway.", "Mary hallway to went back."),
        ("This morning Bill moved to the park.", "This morning Bill park to moved."),
        ("Fred gave the milk to Bill.", "Fred Bill to milk gave."),
        ("The box of chocolates fits inside the box.", "Box of chocolates box inside fits."),
        ("The red square is to the left of the triangle.", "Red square triangle of left to is."),
        ("John is no longer in the office.", "John office in no longer is."),
        ("Is the red square below the triangle?", "Red square triangle below is ka?"),
        ("What is the office north of?", "Office what of north is ka?"),
        ("How do you go from the park to the school?", "You park from school to how go do ka?"),
    ],
)
def test_the_verb_comes_last(english, other):
    assert verb_last(english) == other


def test_a_sentence_of_no_frame_is_an_error():
    with pytest.raises(InputError, match="--data"):
        verb_last("Colourless green ideas sleep furiously")


@pytest.mark.parametrize("swap", [georgian, devanagari, unknown_names(NAMED)])
def test_no_two_words_become_one(swap):
    assert len({swap(name) for name in NAMED}) == len(NAMED)
    assert not {swap(name).lower() for name in NAMED} & {name.lower() for name in NAMED}


def test_names_are_replaced_wherever_they_are():
    (told, asked) = rewritten([STORY], unknown_names(["Mary", "kitchen"]))[0].lines
    name = told.text.split()[0]
    assert name.istitle()
    assert asked.text == f"Where is {name.lower()}? "
    assert asked.answer not in ("kitchen", name)
    assert asked.supports == (1,)


def test_what_is_swapped_where():
    train, test = swaps_of(PERSONS, 1)
    assert train([STORY]) == [STORY] != test([STORY])
    assert [q.answer for q in test([STORY])[0].questions] == ["kitchen"]
    assert [q.answer for q in swaps_of(NAMES, 1)[1]([STORY])[0].questions] != ["kitchen"]
    assert [q.answer for q in swaps_of(NAMES, 20)[1]([STORY])[0].questions] == ["kitchen"]
    train, test = swaps_of(ORDER, 1)
    assert train([STORY]) == test([STORY]) != [STORY]


def test_experiments_that_are_not_the_papers():
    assert SWAPS.extra
    assert TRANSFER.extra
    assert BESIDE.extra
    assert len(SWAPS.cells(3, quick=False)) == 3 * 20 * len(COLUMNS)


def cell(row, column, seed, accuracy):
    return {"row": row, "column": column, "seed": seed, "accuracy": accuracy, "data": "bAbI"}


def test_a_table_of_errors():
    cells = [
        cell("1", AS_IT_IS, 0, 1.0), cell("1", AS_IT_IS, 1, 0.98), cell("2", AS_IT_IS, 0, 0.9),
        cell("1", ORDER, 0, 0.5),
    ]  # fmt: skip
    _, shown = error_table(cells, COLUMNS)
    assert "| task | as it is | verb last |" in shown
    assert "1.00 [0.00, 2.00] | 50.00 |" in shown
    assert "| **mean** | 5.00 | – |" in shown  # of the one seed that has all tasks


def test_which_network_is_better():
    cells = [cell(ROWS[0], by, s, x) for by, x in ((PAPER, 0.9), (PATHS, 1.0)) for s in (0, 1)]
    cells += [cell(ROWS[1], by, s, x) for by in (PAPER, PATHS) for s, x in ((0, 0.9), (1, 0.8))]
    (shown,) = show_both(cells)
    assert "| 90.00 | 100.00 | better |" in shown
    assert "| the same |" in shown
