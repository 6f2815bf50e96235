"""Algorithm 1 and the k hops against the slow version, and the evidence they leave."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memnn.kernels.phi import Contexts
from memnn.kernels.story_infer import find_supports, rank
from memnn.kernels.write_time import CODES, phi_t
from memnn.layout import Layout
from memnn.stories.bags import Bags
from tests.kernels.slow_stories import Slow, phi_time

W, UNSEEN = 6, 2  # tokens 0-5 are in the dictionary, 6 and 7 are not
MODES = ("none", "ordered", "signed", "literal")
ANSWERS = W + 3
word_bag = st.sets(st.integers(0, W - 1), max_size=4)
bag = st.sets(st.integers(0, W + UNSEEN - 1), max_size=5).map(sorted)


@st.composite
def scorers(draw, *, time=True):
    """A slow scorer with small whole numbers as weights, so that near-ties are rare."""
    unseen, match = draw(st.booleans()), draw(st.booleans())
    layout = Layout(W, W if time else ANSWERS, unseen, match, time=time)
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    U = rng.integers(-3, 4, (layout.D, 5)).astype(np.float32)
    contexts = {W + j: (draw(word_bag), draw(word_bag)) for j in range(UNSEEN)} if unseen else {}
    bow = draw(st.sampled_from([0.0, 0.5])) if time else 0.0
    return Slow(U, layout, draw(st.sampled_from(MODES)), bow, contexts)


def as_arrays(scorer):
    rows = np.full(W + len(scorer.contexts), -1, np.int64)
    rows[W:] = np.arange(len(scorer.contexts))
    bags = [sorted(side) for token in sorted(scorer.contexts) for side in scorer.contexts[token]]
    ptr = np.concatenate([[0], np.cumsum([len(b) for b in bags], dtype=np.int64)]).astype(np.int64)
    return Contexts(rows, ptr, np.array([w for b in bags for w in b], np.int64))


def known(scorer, tokens):
    """A model without unseen words leaves them out."""
    return [t for t in tokens if t < W or scorer.contexts]


def infer(scorer, x, memories, hops):
    bags = Bags(as_sets=True)
    for i, words in enumerate(memories):
        bags.append(words, i)
    layout = scorer.layout
    found, numbers = np.empty((hops, 2), np.int64), np.empty((hops, 3))
    n = find_supports(
        layout.bilinear(scorer.U.astype(np.float32)), layout.blocks, layout.columns,
        np.array(x, np.int64), bags.ptr, bags.words, bags.kinds, *as_arrays(scorer),
        CODES[scorer.mode], scorer.bow, found, numbers,
    )  # fmt: skip
    return found[:n], numbers[:n]


def near_tie(scorer, x, memories, times, hops):
    """Whether rounding could decide: some comparison on the way is almost zero but not zero."""
    t_x, supports = times[-1] + 1, []
    for _ in range(hops):
        given_ = [memories[i] for i in supports]
        scores = [
            scorer.s_Ot(x, given_, t_x, memories[i], times[i], memories[t], times[t])
            for i in range(len(memories))
            for t in range(i)
        ]
        if any(abs(s) < 1e-2 for s in scores):
            return True
        o, _ = scorer.walk(x, given_, t_x, memories, times)
        supports.append(o)
        t_x = times[o]
    return False


@given(scorers(), bag, st.lists(bag, min_size=1, max_size=9), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_hops_equal_the_slow_version(scorer, x, memories, hops, gap):
    x, memories = known(scorer, x), [known(scorer, m) for m in memories]
    times = [gap * (i + 1) for i in range(len(memories))]
    found, _ = infer(scorer, x, memories, hops)
    # Equal memories tie exactly in one version and almost in the other.
    assume(len({tuple(m) for m in memories}) == len(memories))
    assume(not near_tie(scorer, x, memories, times, hops))
    assert found[:, 0].tolist() == scorer.find_supports(x, times[-1] + 1, memories, times, hops)


@given(scorers(), bag, st.lists(bag, min_size=2, max_size=9, unique_by=tuple))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_the_decisive_comparison_is_the_closest_and_adds_up(scorer, x, memories):
    """content + write time = ± s_Ot(winner, rival), and no comparison of the winner was closer."""
    x, memories = known(scorer, x), [known(scorer, m) for m in memories]
    times = list(range(1, len(memories) + 1))
    t_x = len(memories) + 1
    found, numbers = infer(scorer, x, memories, 1)
    (t, rival), (c_t, c_rival, by_time) = found[0], numbers[0]
    winner, met = scorer.walk(x, [], t_x, memories, times)
    assume(not near_tie(scorer, x, memories, times, 1))

    def margin(other):
        """What the winner had over another memory, in the order in which they met."""
        newer, older = max(t, other), min(t, other)
        s = scorer.s_Ot(x, [], t_x, memories[newer], times[newer], memories[older], times[older])
        return s if t == newer else -s

    assert t == winner
    assert (c_t - c_rival) + by_time == pytest.approx(margin(rival), abs=1e-2)
    assert margin(rival) == pytest.approx(min(margin(i) for i in met), abs=1e-2)


@given(scorers(time=False), bag, bag)
@settings(max_examples=200, deadline=None)
def test_ranking_equals_the_slow_version(scorer, x, m):
    x, m = known(scorer, x), known(scorer, m)
    layout, contexts = scorer.layout, as_arrays(scorer)
    e = np.empty(ANSWERS + len(scorer.contexts), np.float32)
    best = rank(
        layout.bilinear(scorer.U.astype(np.float32)), layout.blocks, layout.columns, W, ANSWERS,
        np.array(x, np.int64), np.array(m, np.int64), *contexts, e,
    )  # fmt: skip
    true = [unit_or_word(scorer, x, m, r) for r in range(ANSWERS)]
    true += [scorer.s_R(x, [m], t) for t in sorted(scorer.contexts)]
    assert e == pytest.approx(true, abs=1e-2)
    assert e[best] == max(e)


def unit_or_word(scorer, x, m, r):
    """Candidates from |W| on are answers of several words, whatever tokens have their number."""
    if r < W:
        return scorer.s_R(x, [m], r)
    y = np.zeros(scorer.layout.D)
    y[scorer.at["Y"] + r] = 1
    return scorer.phi_x(x, [m]) @ scorer.U @ scorer.U.T @ y


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.sampled_from(MODES))
def test_time_features(t_x, t_y, t_y2, mode):
    assert list(phi_t(CODES[mode], t_x, t_y, t_y2)) == [
        float(f) for f in phi_time(mode, t_x, t_y, t_y2)
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
