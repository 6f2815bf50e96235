"""Scores, patterns, the best of many, posting lists and the training step, against slow twins."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memnn.facts import reading
from memnn.facts.bags import REPEATED, ROLE, flat, question_values, scales, words_of
from memnn.facts.lookup import new_work
from memnn.facts.reading import Reading, post_facts
from memnn.facts.scanning import scan
from memnn.kernels.arrays import floats
from memnn.kernels.facts_bounds import (
    STRETCH,
    bound_words,
    in_bytes,
    in_steps,
    most_gained,
)
from memnn.kernels.facts_columns import in_columns, passing
from memnn.kernels.facts_packed import Facts
from memnn.kernels.facts_scan import (
    LEAST,
    ask,
    best_of,
    collect,
    embed_facts,
    forget,
)
from memnn.kernels.facts_scores import pattern
from memnn.kernels.facts_seen import new_table, unseen
from memnn.kernels.facts_train import Questions, RankSettings, train_facts
from memnn.kernels.jit import bare
from memnn.kernels.phi import Y
from memnn.kernels.prefetch import fetch, fetch_row
from memnn.kernels.rng import new_state
from memnn.layout import Layout
from tests.kernels.slow_facts import SlowFacts

W, NEW, DIM = 7, 3, 4
"""Words with an embedding ("?" is the first), words without, dimensions."""
TYPICAL = 2.0
LAYOUTS = [
    Layout(W, W, supports=False),
    Layout(W, W, patterns=True, supports=False),
    Layout(W, W, match=True, supports=True),
    Layout(W, W, match=True, patterns=True, supports=True),
]

words = st.integers(1, W + NEW - 1)
part = st.lists(words, max_size=3)
fact = st.tuples(part, part, part).filter(lambda parts: any(parts))
question = st.lists(words, min_size=1, max_size=4, unique=True)


def packed(fact):
    """As `Words.parts` packs them."""
    entries, seen = [], set()
    for role, part in enumerate(fact):
        for w in dict.fromkeys(part):
            entries.append(w | role << ROLE | (w in seen) << REPEATED)
            seen.add(w)
    return entries


def weights(seed=0):
    rng = np.random.default_rng(seed)
    idf = rng.uniform(0.5, 3.0, W + NEW).astype(np.float32)
    idf[0] = 0
    return idf


def made(facts, idf):
    ptr, entries = flat([packed(fact) for fact in facts], np.uint32)
    return Facts(ptr, entries, scales(ptr, entries, idf, TYPICAL))


def random_U(layout, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((layout.D, DIM)).astype(np.float32)


def best(layout, U, idf, facts, asked, support, bow, k, how):
    rows = np.array([0, *asked], np.int64)
    s = new_work(W + NEW, DIM, 64)
    ids, scores = np.full(k, -1, np.int32), np.full(k, -np.inf, np.float32)
    blocks = layout.blocks
    ask(U, blocks, W, rows, question_values(rows, idf), facts, idf, support, s)
    n = len(facts.ptr) - 1
    if how != "of":
        first = int(blocks[Y])
        read = Reading(None, facts, post_facts(facts, W + NEW), idf)
        if how == "grown":  # half of the facts are newer than the columns
            older = Facts(facts.ptr[: n // 2 + 1], facts.entries, facts.scale[: n // 2])
            read.laid._columns = in_columns(older, W)
            assert len(read.columns(W).order) == n // 2
        words = [*asked, *(words_of(read.entries(support)).tolist() if support >= 0 else ())]
        unembedded = read.holding([w for w in words if w >= W], n)
        seeds = np.unique([*unembedded, *range(0, n, 2)]).astype(np.int32)
        scan(
            U, in_bytes(U[first : first + W]), blocks, bow, read, n, np.array(words), seeds, s,
            1, ids, scores,
        )  # fmt: skip
    else:
        places = np.arange(n, dtype=np.int32)
        best_of(U, blocks, W, facts, places, floats(0), idf, bow, s, ids, scores)
    forget(rows, facts, support, s)
    assert not s.in_x.any(), "marks are taken back"
    assert not s.in_m.any()
    return ids, scores


@settings(deadline=None, max_examples=60)
@given(
    st.lists(fact, min_size=1, max_size=6),
    question,
    st.integers(0, len(LAYOUTS) - 1),
    st.sampled_from([0.0, 0.3]),
    st.integers(1, 4),
    st.data(),
)
def test_the_best_are_the_best_of_the_slow_version(told, asked, which, bow, k, data):
    layout = LAYOUTS[which]
    support = data.draw(st.integers(-1, len(told) - 1)) if layout.supports else -1
    idf, U = weights(), random_U(layout)
    facts = made(told, idf)
    slow = SlowFacts(U, layout, idf, TYPICAL, bow)
    _, scores = slow.ranked(asked, told, None if support < 0 else told[support])
    ways = ("bounds", "grown", "of")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "NEWER", 1)
        found = {how: best(layout, U, idf, facts, asked, support, bow, k, how) for how in ways}
    expected = sorted(scores, reverse=True)[:k]
    for ids, got in found.values():
        n = min(k, len(told))
        np.testing.assert_allclose(got[:n], expected, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose([scores[i] for i in ids[:n]], expected, rtol=1e-4, atol=1e-4)
        assert (ids[n:] == -1).all()
        assert len(set(ids[:n].tolist())) == n, "no fact twice"
    for ways in zip(*found.values(), strict=True):
        assert len({str(way.tolist()) for way in ways}) == 1, "nothing is lost by looking at few"


def test_of_equal_facts_the_newer_goes_first(monkeypatch):
    monkeypatch.setattr(reading, "NEWER", 1)
    layout, idf = LAYOUTS[0], weights()
    facts = made([([1], [2], [3])] * 5, idf)
    for how in ("bounds", "grown", "of"):
        ids, scores = best(layout, random_U(layout), idf, facts, [1], -1, 0.3, 3, how)
        assert ids.tolist() == [4, 3, 2]
        assert len(set(scores.tolist())) == 1


@pytest.mark.parametrize("spread", [1e-6, 1.0, 1e4])
def test_bounds_are_close_and_never_too_low(spread):
    rng = np.random.default_rng(0)
    U = (rng.standard_normal((500, 64)) * spread * rng.exponential(size=(500, 1))).astype(
        np.float32
    )
    U[7] = 0.0
    idf = rng.uniform(0.0, 9.0, 500).astype(np.float32)
    for seed in range(20):
        q = np.random.default_rng(seed).standard_normal(64).astype(np.float32)
        most = np.zeros(501, np.float32)
        for first, last in ((0, 200), (200, 500)):
            bound_words(in_bytes(U), q, idf, first, last, most)
        true = idf * (U.astype(np.float64) @ q.astype(np.float64))
        assert (most[:500] >= true).all()
        assert np.median(most[:500] - true) < 0.1 * np.std(true)


@given(st.lists(fact, min_size=1, max_size=9), st.sets(st.integers(1, W - 1)), st.floats(-2, 4))
@settings(deadline=None, max_examples=40)
def test_all_that_may_reach_it_pass(told, asked, least):
    told = told * (2 * STRETCH // len(told))  # more than fit at once
    facts, most = made(told, weights()), np.linspace(-1, 1, W + 1, dtype=np.float32)
    most[W] = 0.0
    bounds = in_steps(most, np.array(sorted(asked), np.int64))
    gained = np.array([0.0, 0.1, 0.3, 0.7], np.float32)
    out, most_of, found, first = np.empty(STRETCH, np.int32), floats(STRETCH), {}, 0
    columns, end = in_columns(facts, W), len(told) - 1
    while first < len(told):
        n, first = passing(columns, first, len(told), end, bounds, gained, least, out, most_of)
        found |= dict(zip(out[:n].tolist(), most_of[:n].tolist(), strict=True))
    sums = [sum(most[min(w, W)] for w in {w for p in f for w in p}) for f in told]
    marked = [sum(len(set(p) & asked) for p in f) for f in told]
    totals = np.array(sums) * facts.scale + gained[np.minimum(marked, 3)]
    sure = np.abs(totals - least) > 0.01
    wanted = np.flatnonzero((totals >= least) & sure).tolist()
    assert sorted(f for f in found if sure[f]) == [f for f in wanted if f < end]
    assert all(abs(most - totals[f]) < 0.01 for f, most in found.items())


def test_what_patterns_are_worth_at_most():
    patterns = np.full((2, 27), -1.0, np.float32)
    patterns[0, 1], patterns[0, 3 + 9], patterns[0, 26] = 0.25, 1.0, 0.5
    assert most_gained(patterns).tolist() == [0.0, 0.25, 1.0, 1.0]
    patterns[1, 18] = 2.0
    assert most_gained(patterns).tolist() == [0.0, 2.25, 3.0, 3.0]
    assert most_gained(patterns[:0]).tolist() == [0.0] * 4


def test_pointers_and_words_that_lead_nowhere():
    """Whatever a file says, nothing outside the arrays is read."""
    rng, bounds = np.random.default_rng(0), in_steps(np.ones(3, np.float32), np.zeros(1, np.int64))
    for _ in range(200):
        ptr = rng.integers(-5, 30, 6)
        entries = rng.integers(0, 2**32, 20, dtype=np.uint32)
        facts = Facts(ptr, entries, rng.standard_normal(5).astype(np.float32))
        out, gained = np.empty(STRETCH, np.int32), np.zeros(4, np.float32)
        columns = in_columns(facts, 2)
        assert passing(columns, 0, 5, 5, bounds, gained, -np.inf, out, floats(STRETCH)) == (5, 5)


@given(fact, st.sets(words))
@settings(deadline=None)
def test_patterns(told, marked):
    idf = weights()
    facts = made([told], idf)
    marks = np.zeros(W + NEW, np.float32)
    marks[list(marked)] = 0.5
    slow = SlowFacts(np.zeros((LAYOUTS[0].D, 1)), LAYOUTS[0], idf)
    assert pattern(facts.ptr, facts.entries, 0, marks) == slow.pattern(told, marked)


def test_patterns_by_hand():
    idf = weights()
    facts = made([([1, 2], [3], [4, 5, 6])], idf)
    for marked, digits in [
        ([], (0, 0, 0)), ([1, 2], (2, 0, 0)), ([1], (1, 0, 0)), ([3, 5], (0, 2, 1)),
        ([1, 2, 3, 4, 5, 6], (2, 2, 2)),
    ]:  # fmt: skip
        marks = np.zeros(W + NEW, np.float32)
        marks[marked] = 1
        c = pattern(facts.ptr, facts.entries, 0, marks)
        assert c == 9 * digits[0] + 3 * digits[1] + digits[2]


@given(st.lists(fact, max_size=6), st.lists(words, max_size=4, unique=True), st.integers(0, 6))
@settings(deadline=None)
def test_posting_lists_and_what_is_collected_from_them(told, opened, end):
    facts = made(told, weights())
    postings = post_facts(facts, W + NEW)
    for w in range(W + NEW):
        listed = postings.facts[postings.ptr[w] : postings.ptr[w + 1]].tolist()
        assert listed == [i for i, f in enumerate(told) if any(w in part for part in f)]
    layout, idf, s = LAYOUTS[0], weights(), new_work(W + NEW, DIM, 64)
    U, rows = random_U(layout), np.array([0, *opened], np.int64)
    ask(U, layout.blocks, W, rows, question_values(rows, idf), facts, idf, -1, s)
    holding = {i for i, f in enumerate(told) if i < end and any(set(p) & set(opened) for p in f)}
    coarse = Reading(None, facts, postings, idf).coarse
    guess = {}
    for most in (1, 2, 8):
        ids, guesses = np.empty(2 * most, np.int32), np.empty(2 * most, np.float32)
        kept, n = collect(
            U, layout.blocks, W, idf, 0.3, rows[1:], postings, 0, end, coarse, s, ids, guesses,
            most,
        )  # fmt: skip
        assert n == len(holding)
        assert kept == min(n, most)
        for f in holding:
            held = {w for p in told[f] for w in p} & set(opened)
            guess[f] = sum(max(s.e[w], LEAST) for w in held) * coarse[f]
        best = sorted(guess.values(), reverse=True)[:most]
        assert sorted(guesses[:kept].tolist(), reverse=True) == pytest.approx(best, rel=1e-4)
        assert [guess[f] for f in ids[:kept].tolist()] == pytest.approx(guesses[:kept], rel=1e-4)


def test_vectors_are_the_embeddings_of_facts():
    layout, idf = LAYOUTS[0], weights()
    told = [([1], [2], [W + 1]), ([3, 4], [], [3])]
    facts, U = made(told, idf), random_U(layout)
    out = np.empty((1, DIM), np.float32)
    slow = SlowFacts(U, layout, idf, TYPICAL)
    for f in range(2):
        embed_facts(U, int(layout.blocks[Y]), W, facts, f, idf, out)
        expected = slow.U.T @ slow.phi_y(told[f], [], None)
        np.testing.assert_allclose(out[0], expected, rtol=1e-5, atol=1e-6)


# One step of training: of two facts the other one is the only negative there is

TOLD = [([1, 2], [3], [4]), ([2], [3, 5], [6])]


def trained(layout, U, support, lr, bow=0.2, margin=50.0):
    idf = weights()[:W]
    facts = made(TOLD, idf)
    rows = np.array([0, 1, 3, 6])
    asked = Questions(
        np.array([0, 4]), rows, question_values(rows, idf),
        np.array([0]), np.array([support]), np.array([0]),
    )  # fmt: skip
    after, G = U.copy(), np.zeros(len(U), np.float32)
    loss, violations = train_facts(
        after, G, layout.blocks, idf, facts, asked, post_facts(facts, W), np.array([0]),
        RankSettings(margin, lr, 50, bow), new_state(0), new_work(W, DIM, 64),
    )  # fmt: skip
    return after, G, loss, violations


def slow_loss(layout, U, support, bow=0.2, margin=50.0):
    slow = SlowFacts(U, layout, weights()[:W], TYPICAL, bow)
    given = None if support < 0 else TOLD[support]
    asked = [1, 3, 6]
    return margin - slow.score(asked, TOLD[0], given) + slow.score(asked, TOLD[1], given)


@pytest.mark.parametrize(
    ("layout", "support"), [*product(LAYOUTS[2:], [-1, 0, 1]), *product(LAYOUTS[:2], [-1])]
)
def test_a_step_goes_down_the_gradient_of_the_loss(layout, support):
    """Row-wise Adagrad: a row's first step is its gradient over the root of its mean square."""
    U = random_U(layout) * 0.5
    lr = 1e-4
    after, G, loss, violations = trained(layout, U, support, lr)
    assert violations == 1
    assert loss == pytest.approx(slow_loss(layout, U, support), rel=1e-4)
    gradient = np.zeros(U.shape)
    for row, d in np.ndindex(U.shape):
        high, low = U.astype(float), U.astype(float)
        high[row, d] += 1e-3
        low[row, d] -= 1e-3
        gradient[row, d] = (
            slow_loss(layout, high, support) - slow_loss(layout, low, support)
        ) / 2e-3
    moved = (after.astype(float) - U) / lr
    touched = np.abs(gradient).max(axis=1) > 1e-6
    assert touched.sum() >= 8
    for row in np.flatnonzero(touched):
        np.testing.assert_allclose(
            _direction(-moved[row]), _direction(gradient[row]), atol=2e-2, err_msg=str(row)
        )
    assert not moved[~touched].any(), "other rows stay as they were"
    assert not G[~touched].any()


def _direction(v):
    return v / np.linalg.norm(v)


def test_without_a_violation_nothing_moves():
    layout = LAYOUTS[3]
    U = random_U(layout)
    after, G, loss, violations = trained(layout, U, -1, 0.1, margin=-1000.0)
    assert (after == U).all()
    assert not G.any()
    assert (loss, violations) == (0.0, 0)


def test_adagrad_sums_mean_squares():
    layout = LAYOUTS[0]
    U = random_U(layout)
    after, G, _, _ = trained(layout, U, -1, 0.01)
    # Word 1 stands in the gold fact alone: its row Y gets value · q.
    idf = weights()[:W]
    slow = SlowFacts(U, layout, idf, TYPICAL)
    q = slow.U.T @ slow.phi_x([1, 3, 6], None)
    value = slow.weights_y(TOLD[0])[1]
    row = int(layout.blocks[Y]) + 1
    size = value**2 * (q @ q) / DIM
    assert G[row] == pytest.approx(size, rel=1e-4)
    np.testing.assert_allclose(
        after[row], U[row] + 0.01 * value * q / np.sqrt(size), rtol=1e-3, atol=1e-4
    )


def test_training_twice_gives_the_same_bits():
    runs = [trained(LAYOUTS[3], random_U(LAYOUTS[3]), 1, 0.01)[0] for _ in range(2)]
    assert runs[0].tobytes() == runs[1].tobytes()


@pytest.mark.parametrize("tries", [1, 2, 3, 50])
def test_many_examples_at_once_are_the_same_as_one_after_the_other(tries):
    """Facts are drawn ahead, and taken back where the one before ends the example."""
    rng, layout, idf = np.random.default_rng(0), LAYOUTS[3], weights()[:W]
    told = [tuple(rng.integers(1, W, rng.integers(1, 3)).tolist() for _ in "sro") for _ in "x" * 9]
    facts = made(told, idf)
    bags = [[0, *rng.permutation(np.arange(1, W))[: rng.integers(0, 4)]] for _ in range(30)]
    asked = Questions(
        *flat(bags, np.int64), np.concatenate([question_values(np.array(b), idf) for b in bags]),
        np.arange(30), rng.integers(-1, 9, 30), rng.integers(0, 9, 30),
    )  # fmt: skip
    order, results = rng.permutation(30), []
    for parts in ([order], np.split(order, 30), [order[:7], order[7:]]):
        U, state, work = random_U(layout) * 0.1, new_state(5), new_work(W, DIM, 64)
        G, violations = np.zeros(len(U), np.float32), 0
        for part in parts:
            violations += train_facts(
                U, G, layout.blocks, idf, facts, asked, post_facts(facts, W), part,
                RankSettings(0.1, 0.1, tries, 0.2), state, work,
            )[1]  # fmt: skip
        results.append((U.tobytes(), G.tobytes(), state.tobytes(), violations))
    assert results[0] == results[1] == results[2]
    assert 5 < results[0][3] < 30


def test_fetching_ahead_changes_nothing_wherever_it_points():
    U = np.ones((3, 20), np.float32)

    @bare
    def all_over(U):
        for row in range(-(10**12), 10**12, 10**10):
            fetch_row(U, row)
            fetch(U, row)
        return U[2, 19]

    assert all_over(U) == 1
    assert (U == 1).all()


def test_a_question_without_words_teaches_nothing():
    idf = weights()[:W]
    layout = LAYOUTS[0]
    facts = made(TOLD, idf)
    U = random_U(layout)
    asked = Questions(
        np.array([0, 1]), np.array([0]), np.ones(1, np.float32),
        np.array([0]), np.array([-1]), np.array([0]),
    )  # fmt: skip
    loss, violations = train_facts(
        U, np.zeros(len(U), np.float32), layout.blocks, idf, facts, asked, post_facts(facts, W),
        np.array([0]), RankSettings(1.0, 0.1, 5, 0.0), new_state(0), new_work(W, DIM, 64),
    )  # fmt: skip
    assert (loss, violations) == (0.0, 0)


@given(st.lists(st.lists(st.integers(1, 40), max_size=30), max_size=5))
@settings(deadline=None)
def test_what_was_seen_before(chunks):
    table, seen = new_table(4), set()
    for chunk in chunks:
        hashes = np.array([value << 40 | 1 for value in chunk], np.uint64)
        table, new = unseen(table, hashes)
        for value, is_new in zip(chunk, new.tolist(), strict=True):
            assert is_new == (value not in seen)
            seen.add(value)
    assert int(table[-1]) == len(seen)
