"""Algorithm 1 and the k hops against the slow version, and the evidence they leave."""

from __future__ import annotations

import numpy as np
import pytest
import slow
from hypothesis import given, settings
from hypothesis import strategies as st

from memnn.features.bags import Bags
from memnn.features.bilinear import bilinear
from memnn.kernels.infer import find_supports, rank
from memnn.kernels.write_time import CODES, phi_t

W = 7
MODES = ("none", "ordered", "signed", "literal")
bag = st.lists(st.integers(0, W - 1), max_size=6)


def infer(U, mode, x, memories, times, hops):
    bags = Bags()
    for words, time in zip(memories, times, strict=True):
        bags.append(words, time)
    A = bilinear(U, 2 * W)
    found, numbers = np.empty((hops, 2), np.int64), np.empty((hops, 3))
    n = find_supports(
        A, np.array(x, np.int64), bags.ptr, bags.words, bags.kinds, CODES[mode], found, numbers
    )
    supports = found[:n, 0].tolist()
    return supports + supports[-1:] * (hops - n), found[:n], numbers[:n]


def random_U(seed, rows=3 * W + 3, n=5):
    # Integers: sums are exact in float32, so that ties are ties in both versions.
    return np.random.default_rng(seed).integers(-3, 4, (rows, n)).astype(np.float32)


@given(
    seed=st.integers(0, 10_000),
    mode=st.sampled_from(MODES),
    x=bag,
    memories=st.lists(bag, min_size=1, max_size=12),
    hops=st.integers(1, 4),
    gaps=st.data(),
)
@settings(max_examples=300, deadline=None)
def test_hops_equal_the_slow_version(seed, mode, x, memories, hops, gaps):
    steps = gaps.draw(st.lists(st.integers(1, 5), min_size=len(memories), max_size=len(memories)))
    times = np.cumsum(steps).tolist()
    U = random_U(seed)
    t_x = times[-1] + 1
    fast, _, _ = infer(U, mode, x, memories, times, hops)
    assert fast == slow.find_supports(U.astype(float), W, mode, x, t_x, memories, times, hops)


@given(
    seed=st.integers(0, 10_000),
    mode=st.sampled_from(MODES),
    x=bag,
    memories=st.lists(bag, min_size=2, max_size=10),
)
@settings(max_examples=200, deadline=None)
def test_decisive_comparison_adds_up_to_the_triple_score(seed, mode, x, memories):
    """content + write time = ± s_Ot(winner, rival), and no comparison of the winner was closer."""
    times = list(range(1, len(memories) + 1))
    U, t_x = random_U(seed), len(memories) + 1
    supports, found, numbers = infer(U, mode, x, memories, times, 1)
    (t, rival), (c_t, c_rival, by_time) = found[0], numbers[0]
    assert t == supports[0]

    def margin(other):
        """What the winner had over another memory, in the order in which they met."""
        newer, older = max(t, other), min(t, other)
        s = slow.s_Ot(
            U.astype(float), W, mode, x, [], t_x,
            memories[newer], times[newer], memories[older], times[older],
        )  # fmt: skip
        return s if t == newer else -s

    assert (c_t - c_rival) + by_time == pytest.approx(margin(rival))
    assert margin(rival) >= 0
    beaten = slow.beaten_by_winner(U.astype(float), W, mode, x, [], t_x, memories, times)
    assert margin(rival) == pytest.approx(min(margin(i) for i in beaten))


@given(seed=st.integers(0, 10_000), x=bag, m=bag)
@settings(max_examples=100, deadline=None)
def test_ranking_equals_the_slow_version(seed, x, m):
    answers = 9
    U = random_U(seed, rows=2 * W + answers)
    p = np.empty(answers, np.float32)
    best = rank(bilinear(U, 2 * W), np.array(x, np.int64), np.array(m, np.int64), p)
    true = [slow.s_R(U.astype(float), W, x, [m], r) for r in range(answers)]
    assert p.tolist() == true
    assert best == int(np.argmax(true))


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.sampled_from(MODES))
def test_time_features(t_x, t_y, t_y2, mode):
    assert list(phi_t(CODES[mode], t_x, t_y, t_y2)) == [
        float(f) for f in slow.phi_time(mode, t_x, t_y, t_y2)
    ]


@given(st.lists(st.integers(1, 50), min_size=2, max_size=8, unique=True))
def test_read_literally_no_time_feature_fires_at_the_first_hop(times):
    """Why the paper's words cannot be meant: in Algorithm 1 y is newer than y', x than both."""
    times.sort()
    t_x = times[-1] + 1
    for t, t_y2 in enumerate(times):
        for t_y in times[t + 1 :]:
            assert phi_t(CODES["literal"], t_x, t_y, t_y2) == (0.0, 0.0, 0.0)
            assert phi_t(CODES["ordered"], t_x, t_y, t_y2) == (0.0, 0.0, 1.0)
