"""The SGD steps are the gradients of the losses: finite differences on the slow version."""

from __future__ import annotations

import numpy as np
import pytest
import slow

from memnn.features.bags import Bags
from memnn.kernels.chance import below, new_state
from memnn.kernels.train import lesion, train_epoch, train_hop, train_response
from memnn.kernels.write_time import CODES

W, N = 6, 4
X = [0, 3, 3]
MEMORIES = [[1, 2], [2, 4, 5], [0, 5]]
TIMES = [2, 5, 9]
GAMMA, LR = 0.5, 1e-4  # small: the second of two terms is stepped after the first
MODES = ("none", "ordered", "signed", "literal")


def hop_loss(U, mode, supports, t_x, o, i):
    """Appendix C for one negative; `ordered` has the one term that inference meets."""
    given = [MEMORIES[s] for s in supports]

    def s(y, y2):
        return slow.s_Ot(U, W, mode, X, given, t_x, MEMORIES[y], TIMES[y], MEMORIES[y2], TIMES[y2])

    first, second = max(0.0, GAMMA - s(o, i)), max(0.0, GAMMA + s(i, o))
    if mode == "none":
        return first
    if mode == "ordered":
        return first if TIMES[o] > TIMES[i] else second
    return first + second


def numeric_gradient(loss, U, step=1e-6):
    gradient = np.zeros_like(U)
    for place in np.ndindex(U.shape):
        up, down = U.copy(), U.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (loss(up) - loss(down)) / (2 * step)
    return gradient


def bags(texts, times):
    result = Bags()
    for words, time in zip(texts, times, strict=True):
        result.append(words, time)
    return result


def scratch(n=N):
    return (
        np.empty(n, np.float32), np.empty(n, np.float32), np.empty(W, np.float32),
        np.zeros(W, np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("supports", [[], [1], [1, 2]])
@pytest.mark.parametrize("o", [0, 1])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_hop_steps_down_the_gradient(mode, supports, o, seed):
    # Two memories, so that the sampled negative is the other one, whatever the draw.
    U = np.random.default_rng(seed).normal(0, 0.4, (3 * W + 3, N)).astype(np.float32)
    before = U.astype(float)
    t_x = TIMES[supports[-1]] if supports else 20
    s = bags(MEMORIES, TIMES)
    q, d, p, stamp = scratch()
    loss = train_hop(
        U, W, np.array(X), s.ptr, s.words, s.kinds, s.times, np.array(supports, np.int64), t_x, o,
        0, 2, CODES[mode], GAMMA, LR, 50, 20, 0, new_state(1), q, d, p, stamp, 1,
        np.zeros(9, np.int64),
    )  # fmt: skip

    def true_loss(V):
        return hop_loss(V, mode, supports, t_x, o, 1 - o)

    assert loss == pytest.approx(true_loss(before), abs=1e-5)
    step = (U - before) / -LR
    assert step == pytest.approx(numeric_gradient(true_loss, before), abs=4e-3)


@pytest.mark.parametrize("seed", range(5))
def test_the_response_steps_down_the_gradient(seed):
    U = np.random.default_rng(seed).normal(0, 0.4, (2 * W + 2, N)).astype(np.float32)
    before = U.astype(float)
    s = bags(MEMORIES, TIMES)
    q, d, p, stamp = scratch()
    supports, r = [1, 0], 1
    loss = train_response(
        U,
        W,
        np.array(X),
        s.ptr,
        s.words,
        s.kinds,
        np.array(supports),
        r,
        GAMMA,
        LR,
        50,
        new_state(0),
        q,
        d,
        p,
        stamp,
        1,
    )

    def true_loss(V):
        given = [MEMORIES[o] for o in supports]
        s_r, s_other = (slow.s_R(V, W, X, given, c) for c in (r, 1 - r))
        return max(0.0, GAMMA - s_r + s_other)

    assert loss == pytest.approx(true_loss(before), abs=1e-5)
    assert (U - before) / -LR == pytest.approx(numeric_gradient(true_loss, before), abs=4e-3)


def test_an_epoch_is_its_hops_and_its_response():
    """train_epoch adds nothing of its own: the same calls one by one give the same weights."""
    rng = np.random.default_rng(3)
    U_O = rng.normal(0, 0.3, (3 * W + 3, N)).astype(np.float32)
    U_R = rng.normal(0, 0.3, (2 * W + 4, N)).astype(np.float32)
    V_O, V_R = U_O.copy(), U_R.copy()
    s = bags(MEMORIES, TIMES)
    x = bags([X, [1]], [11, 12])
    supports = np.array([[1, 0], [2, 2]])
    q, d, p, stamp = scratch()
    spare = np.zeros(9, np.int64)
    order = np.array([1, 0])
    zero, three = np.zeros(2, np.int64), np.full(2, 3)
    answers = np.array([2, 3])
    losses = train_epoch(
        U_O, U_R, W, s.ptr, s.words, s.kinds, s.times, x.ptr, x.words, x.kinds, x.times,
        zero, three, supports, answers, order, CODES["ordered"], GAMMA, LR, 10, 20, 30, new_state(9),
        q, d, p, stamp, np.zeros(1, np.int64), spare,
    )  # fmt: skip
    state, now = new_state(9), 100
    total_O = total_R = 0.0
    for j in order:
        words, t_x = np.array([X, [1]][j]), x.times[j]
        for h in range(2):
            now += 1
            total_O += train_hop(
                V_O, W, words, s.ptr, s.words, s.kinds, s.times, supports[j, :h], t_x,
                supports[j, h], 0, 3, CODES["ordered"], GAMMA, LR, 10, 20, 30, state,
                q, d, p, stamp, now, spare,
            )  # fmt: skip
            t_x = TIMES[supports[j, h]]
        now += 1
        total_R += train_response(
            V_R, W, words, s.ptr, s.words, s.kinds, supports[j], answers[j], GAMMA, LR, 10, state,
            q, d, p, stamp, now,
        )  # fmt: skip
    assert losses == pytest.approx((total_O, total_R))
    assert np.array_equal(U_O, V_O)
    assert np.array_equal(U_R, V_R)


def test_draws_are_uniform_and_repeatable():
    state = new_state(5)
    draws = [below(state, 10) for _ in range(10_000)]
    again = new_state(5)
    assert draws[:100] == [below(again, 10) for _ in range(100)]
    assert min(draws) == 0
    assert max(draws) == 9
    counts = np.bincount(draws)
    assert np.abs(counts - 1000).max() < 150  # 5 standard deviations


def test_a_lesion_only_takes_words_away():
    state, out = new_state(0), np.zeros(5, np.int64)
    words = np.array([4, 1, 4, 2])
    sizes = set()
    for _ in range(300):
        left = lesion(words, state, out).tolist()
        rest = iter(words.tolist())
        assert all(word in rest for word in left)  # a subsequence
        sizes.add(len(left))
    assert sizes == {0, 1, 2, 3, 4}
