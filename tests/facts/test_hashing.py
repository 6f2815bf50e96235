"""§3.3: which buckets a question opens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memnn.facts.cluster_hash import ClusterHash, cluster_words
from memnn.facts.word_hash import WordHash

FREQUENCY = np.array([0, 5, 50, 500, 2, 0])


@pytest.mark.parametrize(
    ("words", "opened"),
    [
        ([1, 2, 3], [1, 2]),
        ([3], [3]),  # nothing rarer: the rarest is opened nevertheless
        ([0, 5], []),
        ([0, 4], [4]),
        ([], []),
    ],
)
def test_word_hash_opens_rare_words(words, opened):
    hash = WordHash(FREQUENCY, cap=50)
    assert hash(np.array(words, np.int64)).tolist() == opened


def test_of_frequent_words_the_rarest_is_opened():
    assert WordHash(FREQUENCY, cap=1)(np.array([3, 2, 1])).tolist() == [1]


def test_cluster_hash_opens_the_clusters_of_rare_words():
    clusters = np.array([0, 1, 1, 1, 0], np.int32)  # word 5 has no embedding
    frequency = np.array([9, 5, 50, 500, 2, 3])
    hash = ClusterHash(clusters, frequency, cap=50)
    assert hash(np.array([1])).tolist() == [1, 2], "frequent members stay closed"
    assert hash(np.array([4, 5])).tolist() == [0, 4, 5], "a new word is a cluster of its own"
    assert hash(np.array([3])).tolist() == [1, 2, 3], "all are frequent: the rarest, and its like"
    assert hash(np.array([], np.int64)).tolist() == []


def test_a_word_of_questions_alone_opens_its_cluster():
    hash = ClusterHash(np.array([0, 1, 1, 0], np.int32), np.array([4, 0, 7, 4]), cap=50)
    opened = hash(np.array([1]))
    assert 2 in opened
    assert not {0, 3} & set(opened.tolist())


@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=8),
    st.integers(1, 20),
    st.data(),
)
@settings(deadline=None)
def test_cluster_hash_opens_all_that_word_hash_does(frequency, cap, data):
    n = len(frequency)
    clusters = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=n - 1, max_size=n - 1)), np.int32
    )
    words = np.array(data.draw(st.lists(st.integers(0, n - 1), unique=True)), np.int64)
    counts = np.array(frequency)
    by_word = WordHash(counts, cap)(words)
    by_cluster = ClusterHash(clusters, counts, cap)(words)
    assert set(by_word.tolist()) <= set(by_cluster.tolist())
    assert len(set(by_cluster.tolist())) == len(by_cluster)


def test_clusters_are_of_directions_and_follow_the_seed():
    rng = np.random.default_rng(0)
    centres = np.eye(8, dtype=np.float32)[:3]
    vectors = np.concatenate([c + 0.01 * rng.standard_normal((20, 8)) for c in centres])
    vectors = (vectors * rng.uniform(0.5, 5, (60, 1))).astype(np.float32)
    found = cluster_words(vectors, 3, seed=1)
    for start in (0, 20, 40):
        assert len(set(found[start : start + 20].tolist())) == 1, "length does not count"
    assert len(set(found.tolist())) == 3
    assert cluster_words(vectors, 3, seed=1).tolist() == found.tolist()


def test_fewer_words_than_clusters():
    assert len(cluster_words(np.eye(3, dtype=np.float32), 1000)) == 3
    assert cluster_words(np.zeros((1, 4), np.float32), 5).tolist() == [0]
