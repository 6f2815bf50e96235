"""Words of one meaning drawn together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memnn.kernels.drawing import draw_together
from memnn.text.related import RelatedWords, drawn_together, related_english
from memnn.text.vectors import SIZES, WordVectors, english


def drawn_slowly(own, starts, others, weights, steps):
    now = own.copy()
    for _ in range(steps):
        after = []
        for i, vector in enumerate(own):
            found = vector.astype(np.float64)
            relatives = range(starts[i], starts[i + 1])
            total = max(1.0, sum(float(weights[e]) for e in relatives))
            for e in relatives:
                found = found + float(weights[e]) / total * now[others[e]]
            after.append(found / max(np.linalg.norm(found), 1e-6))
        now = np.array(after)
    return now


@given(
    st.integers(1, 6), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))), st.integers(0, 3)
)
def test_the_kernel_does_what_the_slow_twin_does(words, pairs, steps):
    rng = np.random.default_rng(words)
    own = rng.normal(size=(words, 4)).astype(np.float32)
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    relatives = [[b for a, b in pairs if a == i and b < words] for i in range(words)]
    starts = np.cumsum([0, *map(len, relatives)])
    others = np.array([b for each in relatives for b in each], np.int64)
    weights = rng.random(len(others)).astype(np.float32)
    found = draw_together(own, starts, others, weights, steps)
    wanted = drawn_slowly(own, starts, others, weights, steps)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_places_outside_are_passed_over():
    own = np.eye(2, dtype=np.float32)
    starts = np.array([-3, 5, 9])
    others, weights = np.array([7, -1]), np.ones(3, np.float32)
    np.testing.assert_array_equal(draw_together(own, starts, others, weights, 2), own)


@pytest.mark.parametrize(
    ("one", "other"),
    [("physician", "doctor"), ("fixed", "repaired"), ("occupation", "job"), ("sofa", "furniture")],
)
def test_words_of_one_meaning_are_nearer_than_before(one, other):
    before, after = english(), related_english()
    assert after.of(one) @ after.of(other) > before.of(one) @ before.of(other) + 0.05


def test_words_without_relatives_stay_where_they_are():
    vectors = WordVectors(
        ("a", "b", "c"), np.array([[127, 0], [0, 127], [90, 90]], np.int8),
        np.ones(3, np.float16), np.zeros((3, SIZES), np.int16),
    )  # fmt: skip
    pairs = RelatedWords(
        np.array([0], np.uint16), np.array([1], np.uint16), np.array([255], np.uint8)
    )
    found = drawn_together(vectors, pairs)
    np.testing.assert_allclose(found.of("c"), vectors.of("c"), atol=0.01)
    assert found.of("a") @ found.of("b") > 0.5
    assert found.words == vectors.words
