"""seg(c), its loss and its scan against the equations of §3.2 and Appendix B written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memnn.kernels.rng import new_state
from memnn.kernels.segment import (
    ASKS,
    ENDS,
    ENDS_QUESTION,
    MARK,
    NO_ROW,
    SEGMENT,
    SENTENCE,
    UNKNOWN,
    WORD,
    embed_segment,
    find_breaks,
    new_scan,
    step_segment,
    train_segments,
    word_scores,
    worsen,
)

V, N = 6, 4
ROWS = {"bag": V, "bag and last word": 2 * V}


def phi_seg(rows, c):
    """The bag of c and, with a second block, its last word."""
    v = np.zeros(rows)
    for w in c:
        v[w] += 1
    if rows > V:
        v[V + c[-1]] += 1
    return v


def slow_seg(U_S, W_seg, c):
    return W_seg @ U_S.T @ phi_seg(len(U_S), c)


def slow_loss(U_S, W_seg, c, y, gamma):
    return max(0.0, gamma - y * slow_seg(U_S, W_seg, c))


def slow_breaks(scores, threshold, rows, lengths, longest):
    """Every seg(c) from scratch; (ends of segments, what is pending)."""
    ends, start = [], 0

    def fires(c):
        c = [w for w in c if w != NO_ROW]
        return bool(c) and float(scores @ phi_seg(len(scores), c)) > threshold

    for i, w in enumerate(rows):
        c = rows[start:i]
        runs_on = w == NO_ROW or fires([*c, w])
        looks_ahead = len(scores) > V
        if c and (
            sum(lengths[start : i + 1]) > longest or (looks_ahead and fires(c) and not runs_on)
        ):
            ends.append(i)
            start = i
        if not looks_ahead and fires(rows[start : i + 1]):
            ends.append(i + 1)
            start = i + 1
    return ends, rows[start:]


def scan(scores, rows, signs=None, lengths=None, longest=1000, chunks=(), threshold=0.0, lead=1):
    """The kernel over chunks; positions counted from the start of the stream."""
    signs = [WORD] * len(rows) if signs is None else signs
    lengths = [1] * len(rows) if lengths is None else lengths
    total, state = new_scan()
    found, read, pending = [], 0, 0
    for stop in [*sorted(chunks), len(rows)]:
        part = slice(read, stop)
        new = [np.array(a[part], np.int64) for a in (rows, signs, lengths)]
        ends, kinds = (
            np.empty(2 * len(new[0]) + 2, np.int64),
            np.empty(2 * len(new[0]) + 2, np.int64),
        )
        n = find_breaks(scores, V, threshold, *new, longest, lead, total, state, ends, kinds)
        first = read - pending
        found += [(first + end, kind) for end, kind in zip(ends[:n], kinds[:n], strict=True)]
        read = stop
        pending = read - (found[-1][0] if found else 0)
    return found


def test_a_scan_reads_every_token_once():
    """Counted in the kernel's source: also where nothing ends, its work grows with the text."""

    class Counted(list):
        reads = 0

        def __getitem__(self, place):
            self.reads += 1
            return super().__getitem__(place)

    n = 500
    rows, signs, lengths = Counted([1] * n), Counted([WORD] * n), Counted([1] * n)
    ends, kinds = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2, np.int64)
    found = find_breaks.py_func(
        np.zeros(2 * V), V, 1e9, rows, signs, lengths, 100, 1, *new_scan(), ends, kinds
    )
    assert ends[:found].tolist() == [100, 200, 300, 400]
    assert (rows.reads, signs.reads) == (n, n)
    assert lengths.reads <= 2 * n


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("y", [1, -1])
@pytest.mark.parametrize("seed", range(4))
def test_a_step_goes_down_the_gradient(rows, y, seed):
    rng = np.random.default_rng(seed)
    U_S = rng.normal(0, 0.5, (rows, N)).astype(np.float32)
    W_seg = rng.normal(0, 0.5, N).astype(np.float32)
    U, W = U_S.astype(float), W_seg.astype(float)
    c, gamma, lr, h = [1, 3, 3, 0], 3.0, 1e-3, 1e-6
    loss = step_segment(U_S, W_seg, V, np.array(c), y, gamma, lr, np.empty(N, np.float32))
    assert loss == pytest.approx(slow_loss(U, W, c, y, gamma), abs=1e-5)
    for array, stepped in ((U, U_S), (W, W_seg)):
        for place in np.ndindex(array.shape):
            array[place] += h
            up = slow_loss(U, W, c, y, gamma)
            array[place] -= 2 * h
            gradient = (up - slow_loss(U, W, c, y, gamma)) / (2 * h)
            array[place] += h
            assert (array[place] - stepped[place]) / lr == pytest.approx(gradient, abs=4e-3)


def test_no_step_beyond_the_margin():
    U_S, W_seg = np.ones((V, N), np.float32), np.ones(N, np.float32)
    before = U_S.copy(), W_seg.copy()
    assert step_segment(U_S, W_seg, V, np.array([1]), 1, 0.1, 0.1, np.empty(N, np.float32)) == 0.0
    assert np.array_equal(U_S, before[0])
    assert np.array_equal(W_seg, before[1])


@given(st.lists(st.integers(0, V - 1), min_size=1, max_size=9), st.sampled_from([V, 2 * V]))
@settings(max_examples=60, deadline=None)
def test_scores_of_words_add_up_to_seg(c, rows):
    rng = np.random.default_rng(len(c))
    U_S = rng.integers(-3, 4, (rows, N)).astype(np.float32)
    W_seg = rng.integers(-3, 4, N).astype(np.float32)
    v, scores = np.empty(N, np.float32), np.empty(rows)
    embed_segment(v, U_S, V, np.array(c))
    word_scores(U_S, W_seg, scores)
    seg = slow_seg(U_S.astype(float), W_seg.astype(float), c)
    assert W_seg @ v == seg
    assert scores @ phi_seg(rows, c) == seg


def test_an_epoch_is_its_steps():
    rng = np.random.default_rng(1)
    U_S = rng.normal(0, 0.3, (2 * V, N)).astype(np.float32)
    W_seg = rng.normal(0, 0.3, N).astype(np.float32)
    U, W, v = U_S.copy(), W_seg.copy(), np.empty(N, np.float32)
    words, start, end = np.array([1, 2, 3, 4]), np.array([0, 0, 2]), np.array([2, 4, 4])
    label, order, none = np.array([-1, 1, -1]), np.array([2, 0, 1]), np.zeros(V, np.int64)
    loss = train_segments(
        U_S, W_seg, V, words, start, end, label, np.zeros(3, np.int64), order, 0.5, 0.1, 0, none, 0,
        new_state(0), np.empty(4, np.int64), v,
    )  # fmt: skip
    each = [step_segment(U, W, V, words[start[j] : end[j]], label[j], 0.5, 0.1, v) for j in order]
    assert loss == pytest.approx(sum(each))
    assert np.array_equal(U_S, U)
    assert np.array_equal(W_seg, W)


def test_worsened_segments_keep_what_tells_whole_from_unfinished():
    state, spare = new_state(0), np.empty(5, np.int64)
    c, chance = np.array([1, 2, 3, 4, 5]), np.array([0, 1000, 1000, 0, 1000, 1000])
    seen, lengths = set(), set()
    for _ in range(300):
        left = worsen(c, 0, chance, 300, state, spare).tolist()
        assert left[-1] in (5, UNKNOWN)
        lengths.add(len(left))
        seen.update(left)
        assert worsen(c, 1, chance, 300, state, spare)[-1] == 5  # one too many stays what it is
    assert seen == {0, 1, 2, 3, 4, 5}
    assert max(lengths) == 5
    assert min(lengths) < 3
    for _ in range(50):
        assert worsen(c, 0, 0 * chance, 0, state, spare).tolist() == c.tolist()


stream = st.lists(st.tuples(st.integers(NO_ROW, V - 1), st.integers(1, 4)), max_size=40)


@given(
    stream,
    st.sampled_from([V, 2 * V]),
    st.integers(0, 10_000),
    st.integers(4, 30),
    st.integers(-1, 2),
    st.data(),
)
@settings(max_examples=300, deadline=None)
def test_breaks_equal_the_slow_version_in_any_chunks(words, size, seed, longest, threshold, data):
    scores = np.random.default_rng(seed).integers(-3, 4, size).astype(float)
    rows, lengths = [w for w, _ in words], [n for _, n in words]
    chunks = data.draw(st.lists(st.integers(0, len(rows)), max_size=6))
    found = scan(scores, rows, None, lengths, longest, chunks, threshold)
    ends, _ = slow_breaks(scores, threshold, rows, lengths, longest)
    assert [end for end, _ in found] == ends
    assert all(kind == SEGMENT for _, kind in found)


@given(stream, st.sampled_from([V, 2 * V]), st.integers(0, 999), st.data())
@settings(max_examples=200, deadline=None)
def test_questions_too_are_the_same_in_any_chunks(words, size, seed, data):
    scores = np.random.default_rng(seed).integers(-3, 4, size).astype(float)
    rows = [w for w, _ in words]
    sign = st.sampled_from([WORD, ASKS, MARK, ENDS, ENDS_QUESTION])
    signs = data.draw(st.lists(sign, min_size=len(rows), max_size=len(rows)))
    chunks = data.draw(st.lists(st.integers(0, len(rows)), max_size=6))
    lengths = [n for _, n in words]
    whole = scan(scores, rows, signs, lengths, 12)
    assert scan(scores, rows, signs, lengths, 12, chunks) == whole
    ends = [end for end, _ in whole]
    assert ends == sorted(set(ends))  # no piece is empty
    for i, sign in enumerate(signs):
        assert sign != ENDS_QUESTION or (i + 1, SENTENCE) in whole


def test_what_a_question_is():
    """Word 1 is no fact, word 2 makes one whole; scores of last words are nought."""
    scores = np.array([0, -1, 2, 0, 0, 0] + [0] * V, float)
    fact = [(1, WORD), (2, WORD)]
    ask = [(1, ASKS), (1, WORD), (NO_ROW, ENDS_QUESTION)]

    def pieces(*words):
        return scan(scores, [w for w, _ in words], [sign for _, sign in words])

    assert pieces(*ask) == [(3, SENTENCE)]
    assert pieces(*fact, *ask) == [(2, SEGMENT), (5, SENTENCE)]
    # An unfinished statement ends where the question begins, however that is known.
    assert pieces((1, WORD), (1, WORD), *ask) == [(2, SEGMENT), (5, SENTENCE)]
    assert pieces((1, WORD), (1, WORD), (NO_ROW, ENDS), (1, ASKS)) == [(3, SEGMENT)]
    # "and where is joe?" is one question; a question without its mark ends with the sentence.
    assert pieces((1, WORD), *ask) == [(4, SENTENCE)]
    assert pieces((1, ASKS), (1, WORD), (NO_ROW, ENDS), *fact) == [(3, SENTENCE)]
    assert pieces((1, WORD), (1, WORD), (1, WORD), (NO_ROW, ENDS_QUESTION)) == [(4, SENTENCE)]
