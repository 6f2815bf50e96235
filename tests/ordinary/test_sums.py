"""Numbers that are worked out from signs of words."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memnn.ordinary.sums import MOST, comes_out, number_in, probable, said, value_of

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
