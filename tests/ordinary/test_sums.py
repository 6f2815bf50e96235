"""Numbers that are worked out from signs of words."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memnn.ordinary.examples import COPY, FIRST_LEARNT
from memnn.ordinary.heard import HeardTexts
from memnn.ordinary.hearing import SCALARS, Hearing
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.response import _runs, respond
from memnn.ordinary.sums import MOST, comes_out, number_in, probable, said, value_of
from memnn.ordinary.words import tokens
from memnn.text.vectors import english

NOBODY = Hearing(english(), np.zeros((0, english().dim + SCALARS), np.float32))
values = st.lists(st.integers(0, MOST), min_size=1, max_size=5)
scores = st.floats(-4, 4, width=32)


def by_all_ways(p, values):
    """Slow and obvious: every way of leaving out, adding and taking away."""
    found = np.zeros(MOST + 1)
    for signs in product(range(3), repeat=len(values)):
        sums = np.cumsum([(0, value, -value)[s] for s, value in zip(signs, values, strict=True)])
        if abs(sums).max() <= MOST and sums[-1] >= 0:
            found[sums[-1]] += np.prod([p[i, s] for i, s in enumerate(signs)])
    return found


@given(st.data())
def test_every_way_to_a_sum_counts(data):
    counts = data.draw(values)
    signs = data.draw(arrays(np.float32, (len(counts), 3), elements=scores))
    p = np.exp(signs.astype(np.float64))
    p /= p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(probable(signs, counts), by_all_ways(p, counts), atol=1e-5)


@pytest.mark.parametrize("seed", [0, 1])
def test_learning_works_out_the_same(seed):
    torch = pytest.importorskip("torch")
    from memnn.ordinary.torch_answers import probable_sums

    rng = np.random.default_rng(seed)
    signs = rng.normal(0, 2, (4, 6, 3)).astype(np.float32)
    counts = rng.integers(0, 30, (4, 6))
    found = probable_sums(torch.softmax(torch.from_numpy(signs), -1), torch.from_numpy(counts))
    for row in range(4):
        np.testing.assert_allclose(
            found[row, MOST:].numpy(), probable(signs[row], counts[row].tolist()), atol=1e-5
        )


def test_what_is_added_and_taken_away():
    """Three boats, one with a hole, and two more."""
    add, leave, take = [0, 9, 0], [9, 0, 0], [0, 0, 9]
    assert probable(np.array([add, leave, add], np.float32), [3, 1, 2]).argmax() == 5
    assert probable(np.array([add, take], np.float32), [6, 2]).argmax() == 4
    assert probable(np.array([add, add, add], np.float32), [1, 1, 1]).argmax() == 3


@pytest.mark.parametrize(
    ("form", "value"),
    [("Three", 3), ("3", 3), ("sixteen", 16), ("twenty-one", 21), ("dozen", 12), ("Anna", 1),
     ("99", 0), ("9" * 5000, 0), ("²", 0), ("10:30", 0), ("$5", 0), ("hundred", 0), ("half", 0)],
)  # fmt: skip
def test_what_a_word_counts(form, value):
    assert value_of(form) == value


def test_numbers_as_answers():
    words = ("Six", "16", "six hundred", "61", "seventy", "couple", "", "²")
    assert [number_in(word) for word in words] == [6, 16, *[None] * 6]
    assert said(3, figures=True) == "3"
    assert [said(number) for number in (0, 12, 13, 60)] == ["zero", "twelve", "13", "60"]


def test_numbers_that_stand_there_by_chance():
    assert comes_out(2, ["Anna", "had", "four", "cups", "and", "broke", "two"])
    assert not comes_out(7, ["The", "meeting", "moved", "from", "room", "5", "to", "room", "7"])
    assert not comes_out(1, ["one", "cat"])


LEARNT = ("yes", "no", *(said(number) for number in range(13)))
TOLD = ["Four cows are in the yard.", "Two more came.", "I had 8 pens, then 3 and 5 more."]


class _Said:
    """A path as it was read, for R alone."""

    def __init__(self, says, signs=None):
        self.say = np.full(FIRST_LEARNT + len(LEARNT), -5.0)
        for answer, score in says.items():
            at = answer if isinstance(answer, int) else FIRST_LEARNT + LEARNT.index(answer)
            self.say[at] = score
        self.inside = np.zeros((3, 12, 3), np.float32)
        self.inside[1, 0] = 9.0
        self.signs = None
        if signs is not None:
            self.signs = np.tile(np.array([9.0, 0.0, 0.0], np.float32), (3, 12, 1))
            for (line, word), sign in signs.items():
                self.signs[line, word] = [0.0, 9.0 * (sign > 0), 9.0 * (sign < 0)]


def spoken(read, path):
    texts = HeardTexts(WordTable({}, english()), NOBODY)
    for text in TOLD:
        texts.hear(tokens(text))
    return respond(read, path, texts.texts, LEARNT)


def test_r_says_a_number_that_was_worked_out():
    both = {(0, 0): 1, (1, 0): 1}
    assert spoken(_Said({"two": 3.0, "four": 2.9}, both), (0, 1)).text == "six"
    assert spoken(_Said({"two": 3.0}, {(0, 0): 1, (1, 0): -1}), (0, 1)).text == "two"
    # In figures where the statements have figures, and beyond what R has learnt to say.
    assert spoken(_Said({"two": 1.0}, {(2, 2): 1, (2, 5): 1, (2, 7): 1}), (2,)).text == "16"


def test_several_numbers_together_are_probable_enough():
    says = {COPY: 2.0, "one": 1.5, "two": 1.5, "three": 1.6}
    assert spoken(_Said(says, {(1, 0): 1}), (1,)).text == "two"
    assert spoken(_Said({COPY: 4.0, "three": 1.6}, {(1, 0): 1}), (1,)).text == "Two"
    assert spoken(_Said({"yes": 4.0, "three": 1.6}, {(1, 0): 1}), (1,)).text == "yes"


def test_r_without_signs_says_the_number_it_has_learnt():
    found = spoken(_Said({"five": 3.0, "six": 1.0}), (0, 1))
    assert found.text == "five"
    assert 0.5 < found.sure < 1.0


@pytest.mark.parametrize(
    ("chosen", "runs"),
    [
        ([1, 1, 0, 1], [(0, 1), (1, 2), (3, 4)]),
        ([0, 1, 1, 1], [(1, 4)]),
        ([1, 0, 0, 0], [(0, 1)]),
        ([0, 0, 0, 0], []),
        ([0, 0, 1, 1], [(2, 4)]),
    ],
)
def test_parts_of_a_list_end_at_a_comma(chosen, runs):
    """Eva, Jack and Senan."""
    assert _runs(np.array(chosen, np.bool_), (True, False, False, False)) == runs
