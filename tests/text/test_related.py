"""Words of one meaning drawn together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memnn.errors import InputError
from memnn.text import related
from memnn.text.related import FULL, STEPS, RelatedWords, drawn_together, related_english
from memnn.text.vectors import SIZES, WordVectors, english


def some_vectors(words, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-127, 128, (words, 4)).astype(np.int8)
    codes[:, 0] = np.where(codes[:, 0] == 0, 1, codes[:, 0])
    names = tuple(f"w{n}" for n in range(words))
    return WordVectors(names, codes, np.ones(words, np.float16), np.zeros((words, SIZES), np.int16))


def drawn_slowly(vectors, pairs):
    own = [vectors.of(word).astype(np.float64) for word in vectors.words]
    relatives = [[] for _ in own]
    for first, second, weight in zip(*pairs, strict=True):
        relatives[first].append((int(second), weight / FULL))
        relatives[second].append((int(first), weight / FULL))
    now = own
    for _ in range(STEPS):
        after = []
        for vector, its in zip(own, relatives, strict=True):
            total = max(1.0, sum(weight for _, weight in its))
            moved = vector + sum((weight / total * now[other] for other, weight in its), 0.0)
            after.append(moved / np.linalg.norm(moved))
        now = after
    return now


@given(
    st.integers(2, 7), st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))), st.integers(1, 255)
)
def test_words_move_as_the_slow_twin_says(words, joined, weight):
    vectors = some_vectors(words, weight)
    joined = sorted((a, b) for a, b in joined if a < b < words)
    first, second = np.array(joined, np.uint16).reshape(-1, 2).T
    pairs = RelatedWords(first, second, np.full(len(joined), weight, np.uint8))
    found = drawn_together(vectors, pairs)
    for word, wanted in zip(vectors.words, drawn_slowly(vectors, pairs), strict=True):
        np.testing.assert_allclose(found.of(word), wanted, atol=0.03)  # a byte a number


def test_more_words_than_are_moved_at_once(monkeypatch):
    vectors = some_vectors(9)
    pairs = RelatedWords(
        np.array([0, 1, 5], np.uint16), np.array([3, 8, 7], np.uint16), np.full(3, 200, np.uint8)
    )
    whole = drawn_together(vectors, pairs)
    monkeypatch.setattr(related, "AT_ONCE", 2)
    np.testing.assert_array_equal(drawn_together(vectors, pairs).codes, whole.codes)


@pytest.fixture
def package(monkeypatch, tmp_path):
    """A package whose pairs lie in a folder of ours."""
    monkeypatch.setattr(related, "files", lambda _: tmp_path)
    monkeypatch.setattr(related, "_drawn", [])
    return tmp_path / related.FILE


def test_without_the_pairs_vectors_are_as_they_are(package):
    assert related_english() is english()


def test_a_damaged_file_of_pairs(package):
    package.write_bytes(b"PK not pairs")
    with pytest.raises(InputError, match="does not hold pairs of words"):
        related_english()


def test_pairs_of_other_vectors(package):
    none = np.zeros(0, np.uint16)
    np.savez(package, first=none, second=none, weight=none, words=np.uint32(1))
    with pytest.raises(InputError, match="belongs to other word vectors"):
        related_english()


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
