"""The kernels of the path network against the slow version, and the steps of training against
finite differences."""

from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
import pytest

from memnn.kernels.path_evidence import GROUPS, path_terms
from memnn.kernels.path_features import (
    MOST_WORDS,
    MOST_X,
    MOST_Y,
    Sums,
    candidate_features,
    input_features,
    kind_of_feature,
    mark_path,
    rival_features,
)
from memnn.kernels.path_reading import (
    MOST_SUPPORTS,
    SupportFeatures,
    SupportSet,
    asked_features,
    copy_features,
    read_supports,
    room_for_supports,
    support_features,
    unread,
)
from memnn.kernels.path_response import (
    MOST_ASKED,
    MOST_COPY,
    MOST_STEPS,
    AnswerScratch,
    Weights,
    say,
)
from memnn.kernels.path_response_train import AnswerLabels, Rates, train_answers
from memnn.kernels.path_search import (
    BeamSettings,
    find_paths,
    new_beam,
    new_work,
    score_steps,
)
from memnn.kernels.path_sums import PAIRS
from memnn.kernels.path_train import CellTable, PathLabels, hide_words, train_paths
from memnn.kernels.rng import new_state
from memnn.support_paths.lines import GrowingLines, plain_lines
from tests.kernels.slow_paths import SlowAnswer, SlowPaths, SlowReading, number

WORDS = 40
NOBODY = np.zeros(0, np.int64)


def told(memories, before=()):
    """Statements of a story, after those of another one."""
    lines = GrowingLines()
    for each in before:
        lines.append(each)
    lines.new_story()
    for each in memories:
        lines.append(each)
    return lines.lines()


def ints(words):
    return np.array(words, np.int64)


def literals(hidden=()):
    literal = np.arange(WORDS)
    literal[list(hidden)] = 0
    return literal


def counted(pairs):
    """Features that occur several times: the order in which they are found does not matter."""
    found = {}
    for feature, value in pairs:
        found.setdefault(int(feature), []).append(round(float(value), 9))
    return {feature: sorted(values) for feature, values in found.items()}


def a_table(seed, bits=12, spread=0.1):
    return np.random.default_rng(seed).normal(0, spread, 1 << bits).astype(np.float32)


def random_text(rng, most=7, words=12):
    return rng.integers(1, words, rng.integers(1, most)).tolist()


def random_case(seed, memories=5):
    """A question, a story with words in common, and words to hide."""
    rng = np.random.default_rng(seed)
    story = [random_text(rng) for _ in range(memories)]
    return random_text(rng), story, set(rng.integers(1, 12, 3).tolist())


# Φ and the scores of O


@pytest.mark.parametrize("path", [(), (2,), (0, 3), (4, 1, 2)], ids=str)
@pytest.mark.parametrize("timed", [True, False], ids=["timed", "words"])
@pytest.mark.parametrize("seed", range(4))
def test_features_of_a_step(seed, timed, path):
    asked, story, hidden = random_case(seed)
    slow = SlowPaths(a_table(0), story, asked, hidden, timed=timed)
    before = [[1, 2, 3], [4, 5]]
    lines, first, end = told(story, before), len(before), len(before) + len(story)
    rows = ints([first + y for y in path])
    last = int(rows[-1]) if path else -1
    work, literal = new_work(WORDS), literals(hidden)
    n = input_features(work.x, ints(asked), literal, lines, last, len(path))
    assert sorted(work.x[:n].tolist()) == sorted(map(number, slow.phi_x(path)))
    mark_path(work.marks, ints(asked), lines, rows, len(path), True)
    for y in set(range(len(story))) - set(path):
        n = candidate_features(
            work.y, work.values, first + y, lines, work.marks, literal, end, last, slow.weight,
            timed,
        )  # fmt: skip
        true = slow.phi_y(y, path)
        assert counted(zip(work.y[:n], work.values[:n], strict=True)) == counted(
            (number(feature), value) for feature, value, _ in true
        )
        if not timed:
            continue
        groups = kind_of_feature(first + y, lines, work.marks, end, last, n)
        assert {(int(f), GROUPS[g]) for f, g in zip(work.y[:n], groups, strict=True)} == {
            (number(feature), group) for feature, _, group in true
        }
    mark_path(work.marks, ints(asked), lines, rows, len(path), False)
    assert not work.marks.any()


@pytest.mark.parametrize("path", [(), (2,), (0, 3), (4, 1, 2)], ids=str)
@pytest.mark.parametrize("close", [0.1, 2.0, 50.0])
@pytest.mark.parametrize("timed", [True, False], ids=["timed", "words"])
@pytest.mark.parametrize("seed", range(4))
def test_scores_of_a_step(seed, timed, close, path):
    asked, story, hidden = random_case(seed, memories=6)
    A = a_table(seed, spread=0.3)
    slow = SlowPaths(A, story, asked, hidden, close=close, timed=timed)
    before = [[1, 2], [3]]
    first, end = len(before), len(before) + len(story)
    scores, newer, older = np.empty(7), np.zeros(6, np.int64), np.zeros(6, np.int64)
    score_steps(
        scores, newer, older, A, ints(asked), literals(hidden), told(story, before), first, end,
        ints([first + y for y in path]), len(path), BeamSettings(4, 2, slow.weight, close, timed),
        new_work(WORDS),
    )  # fmt: skip
    for y in range(len(story)):
        if y in path:
            assert scores[y] < -1e17
            continue
        assert (newer[y], older[y]) == slow.rivals(y, path)
        assert scores[y] == pytest.approx(slow.score(y, path), abs=1e-5)
    assert scores[-1] == pytest.approx(slow.stop(path) if path else -1e18, abs=1e-5)


@pytest.mark.parametrize("far", [1, 2, 4])
def test_age_is_tamed(far):
    """In the sums of a step as in the features that evidence is made of."""
    asked, story, _ = random_case(far, memories=7)
    A, search = 30 * a_table(far, spread=0.3), BeamSettings(2, 5, 0.5, 2.0, far=float(far))
    slow = SlowPaths(A, story, asked, far=far)
    beam, work, lines, x = new_beam(search), new_work(WORDS), told(story), ints(asked)
    H, _, _ = find_paths(A, x, literals(), lines, 0, 7, NOBODY, search, beam, work)
    terms = np.zeros((H, 3, len(GROUPS)))
    path_terms(terms, A, x, literals(), lines, 7, beam, np.arange(H), search, work)
    for h in range(H):
        path = tuple(beam.paths[h, : beam.lengths[h]].tolist())
        assert beam.scores[h] == pytest.approx(slow.score_path(path), abs=1e-3)
        assert terms[h].sum() == pytest.approx(beam.scores[h], abs=1e-6)


def test_rivals_are_counted_up_to_three():
    """Six memories that say the same: all are as good, on either side of the last support."""
    story = [[1, 2]] * 9
    slow = SlowPaths(np.zeros(1 << 8, np.float32), story, [1])
    scores, newer, older = np.empty(10), np.zeros(9, np.int64), np.zeros(9, np.int64)
    score_steps(
        scores, newer, older, slow.A, ints([1]), literals(), told(story), 0, 9, ints([3]), 1,
        BeamSettings(2, 2, 0.5, 2.0), new_work(WORDS),
    )  # fmt: skip
    assert newer.tolist()[:3] == [2, 1, 0]
    assert older.tolist()[:3] == [0, 1, 2]
    assert newer.tolist()[4:] == [3, 3, 2, 1, 0]
    assert older.tolist()[4:] == [0, 1, 2, 3, 3]
    assert all((newer[y], older[y]) == slow.rivals(y, (3,)) for y in range(9) if y != 3)


# The beam


def search_for(A, story, asked, width, most, hidden=(), truth=NOBODY, before=()):
    search = BeamSettings(most, width, 0.5, 2.0)
    beam, first = new_beam(search), len(before)
    H, true, steps = find_paths(
        A, ints(asked), literals(hidden), told(story, before), first, first + len(story), truth,
        search, beam, new_work(WORDS),
    )  # fmt: skip
    found = [
        (tuple(beam.paths[h, : beam.lengths[h]] - first), bool(beam.done[h])) for h in range(H)
    ]
    return found, beam.scores[:H].tolist(), true, steps


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_what_trying_every_path_finds(seed, most):
    asked, story, hidden = random_case(seed, memories=4)
    A = a_table(seed, spread=0.3)
    every = SlowPaths(A, story, asked, hidden).all_paths(most)
    found, scores, _, _ = search_for(A, story, asked, 100, most, hidden, before=[[1], [2, 3]])
    assert all(stopped for _, stopped in found)
    assert scores == pytest.approx([score for score, _ in every], abs=1e-4)
    assert found[0][0] == every[0][1]
    assert {path for path, _ in found} == {path for _, path in every}


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_a_narrow_beam_keeps_the_best(seed, width):
    """Against a truth, too: the search ends where the true path is not among them."""
    asked, story, _ = random_case(seed, memories=4)
    A = a_table(seed, spread=0.3)
    slow = SlowPaths(A, story, asked)
    fell = 0
    for truth in [(0,), (1, 2), (3, 0, 1)]:
        beam, stayed = slow.beam(width, 3, truth)
        found, _, true, steps = search_for(A, story, asked, width, 3, truth=ints(truth))
        if stayed:
            assert (found, steps) == (beam, len(truth) + 1)
            assert found[true] == (truth, True)
        else:
            assert true == -1
            assert found == beam[:-1]
            assert beam[-1] == (truth[:steps], steps > len(truth))
            fell += 1
    assert fell > 0


@pytest.mark.parametrize("seed", range(4))
def test_the_terms_of_a_path_sum_up_to_its_score(seed):
    asked, story, hidden = random_case(seed, memories=4)
    A, search = a_table(seed, spread=0.3), BeamSettings(3, 5, 0.5, 2.0)
    slow = SlowPaths(A, story, asked, hidden)
    beam, work, lines = new_beam(search), new_work(WORDS), told(story)
    x, literal = ints(asked), literals(hidden)
    H, _, _ = find_paths(A, x, literal, lines, 0, 4, NOBODY, search, beam, work)
    every = np.zeros((H, 4, len(GROUPS)))
    path_terms(every, A, x, literal, lines, 4, beam, np.arange(H), search, work)
    for h, terms in enumerate(every):
        assert terms.sum() == pytest.approx(beam.scores[h], abs=1e-6)
        path = tuple(beam.paths[h, : beam.lengths[h]].tolist())
        for hop, y in enumerate(path):
            true = slow.terms(y, path[:hop])
            assert dict(zip(GROUPS, terms[hop], strict=True)) == pytest.approx(true, abs=1e-5)
        assert terms[len(path)].tolist() == pytest.approx([0, 0, 0, slow.stop(path)], abs=1e-5)
        assert not terms[len(path) + 1 :].any()
    assert not work.marks.any()


def test_one_desk_for_many_questions():
    """Sums are kept from step to step and from question to question: never those of another."""
    rng = np.random.default_rng(5)
    search, work = BeamSettings(3, 4, 0.5, 2.0), new_work(WORDS)
    for seed in range(30):
        A = a_table(seed, spread=0.3)
        texts = [random_text(rng, most=9, words=WORDS) for _ in range(5)]
        story = [texts[i] for i in rng.integers(0, len(texts), 12)]  # some are told again
        asked, hidden = random_text(rng), rng.integers(1, WORDS, 3).tolist()
        lines, literal = told(story, before=[[1, 2]]), literals(hidden)
        found = []
        for each in (work, new_work(WORDS)):
            beam = new_beam(search)
            H, _, _ = find_paths(A, ints(asked), literal, lines, 1, 13, NOBODY, search, beam, each)
            found.append((beam.paths[:H].tolist(), beam.scores[:H].tolist()))
        assert found[0] == found[1]
        slow = SlowPaths(A, story, asked, set(hidden))
        for path, length, score in zip(
            beam.paths[:H], beam.lengths[:H], beam.scores[:H], strict=True
        ):
            assert score == pytest.approx(
                slow.score_path(tuple((path[:length] - 1).tolist())), abs=1e-4
            )


def test_pairs_that_share_a_place():
    """More pairs of neighbours than there are places: they drive each other out."""
    rng, words = np.random.default_rng(0), 400
    story = [rng.permutation(words)[:MOST_WORDS].tolist() for _ in range(120)]
    assert len({pair for text in story for pair in pairwise(text)}) > PAIRS
    A, search = a_table(3, bits=16), BeamSettings(3, 6, 0.5, 2.0)
    beam, work, lines = new_beam(search), new_work(words), told(story)
    x, literal, n = ints([1, 2, 3]), np.arange(words), len(story)
    H, _, _ = find_paths(A, x, literal, lines, 0, n, NOBODY, search, beam, work)
    terms = np.zeros((H, 4, len(GROUPS)))
    path_terms(terms, A, x, literal, lines, n, beam, np.arange(H), search, work)
    assert terms.sum(axis=(1, 2)).tolist() == pytest.approx(beam.scores[:H].tolist(), abs=1e-6)


def test_one_memory_and_none():
    A = a_table(1)
    assert search_for(A, [[1, 2]], [1], 6, 3)[0] == [((0,), True)]
    assert search_for(A, [], [1], 6, 3)[0] == []


# Training O


def labels_of(asked, story, truths):
    ends = np.cumsum([0, *map(len, truths)])
    return PathLabels(
        plain_lines([asked] * len(truths)), np.zeros(len(truths), np.int64),
        np.full(len(truths), len(story)), ints(ends), ints([y for truth in truths for y in truth]),
    )  # fmt: skip


def test_a_true_path_that_is_overtaken_after_its_stop_has_no_more_steps():
    """It stops early, stays in the beam, and falls out when longer paths have gained on it."""
    overtaken = 0
    for seed in range(40):
        A, story = a_table(seed, spread=0.5), [[n % 7 + 1, n % 5 + 9] for n in range(9)]
        search = BeamSettings(4, 3, 0.5, 2.0)
        for first in range(len(story)):
            _, row, steps = find_paths(
                A, ints([1, 9]), literals(), told(story), 0, len(story), ints([first]), search,
                new_beam(search), new_work(WORDS),
            )  # fmt: skip
            assert steps <= 2
            overtaken += row < 0 and steps == 2
    assert overtaken > 0


STEADY = np.float32(1e8)
"""AdaGrad's sums of squares, so large that no gradient changes them: steps are lr / 10,000."""


def train_O(A, asked, story, truth, width, most, timed=True):
    """The change of A in one step, as plain gradient descent with a rate of 1."""
    search = BeamSettings(most, width, 0.5, 2.0, timed)
    table = CellTable(A.copy(), np.full_like(A, STEADY))
    loss = train_paths(
        table, told(story), labels_of(asked, story, [truth]), ints([0]), 1e4, 0.0, search,
        new_beam(search), new_work(WORDS), literals(), new_state(0),
    )  # fmt: skip
    assert (table.squares == STEADY).all()
    return loss, table.weights.astype(float) - A


def some_cells(change, rng, n=15):
    """Cells that were stepped on, the largest steps among them, and some that were not."""
    touched = np.flatnonzero(change)
    largest = touched[np.argsort(-np.abs(change[touched]))[: n // 3]]
    return {*largest.tolist(), *rng.choice(touched, n).tolist(), *rng.integers(0, len(change), 3)}


@pytest.mark.parametrize(
    ("truth", "width", "most"),
    [((1,), 50, 2), ((2, 0), 50, 2), ((0, 1), 3, 2), ((2, 1), 1, 2), ((2, 0, 1), 2, 3)],
)
@pytest.mark.parametrize("timed", [True, False], ids=["timed", "words"])
@pytest.mark.parametrize("seed", range(3))
def test_a_path_steps_down_the_gradient(seed, timed, truth, width, most):
    """A wide beam holds every path; from a narrow one the truth falls, and its beginning counts."""
    asked, story, _ = random_case(seed, memories=3)
    A = a_table(seed, spread=0.005)
    beam, _ = SlowPaths(A, story, asked, timed=timed).beam(width, most, truth)

    def loss(weights):
        return SlowPaths(weights, story, asked, timed=timed).loss(beam, truth)

    found, change = train_O(A, asked, story, truth, width, most, timed)
    assert found == pytest.approx(loss(A), abs=1e-5)
    if len(beam) == 1:  # no other path is left
        assert not change.any()
        return
    for c in some_cells(change, np.random.default_rng(seed)):
        up, down = A.astype(float), A.astype(float)
        up[c] += 1e-4
        down[c] -= 1e-4
        gradient = (loss(up) - loss(down)) / 2e-4
        assert change[c] == pytest.approx(-gradient, abs=1e-3)


def test_adagrad_scales_the_steps():
    """Each cell's step is lr · g / √(what its squares began with + g²), for its first g."""
    asked, story, _ = random_case(0, memories=3)
    A = a_table(0, bits=22, spread=0.02)  # so large that hardly a cell is met twice
    _, plain = train_O(A, asked, story, (1,), 50, 1)
    search = BeamSettings(1, 50, 0.5, 2.0)
    table = CellTable(A.copy(), np.full_like(A, 1e-2))
    train_paths(
        table, told(story), labels_of(asked, story, [(1,)]), ints([0]), 0.1, 0.0, search,
        new_beam(search), new_work(WORDS), literals(), new_state(0),
    )  # fmt: skip
    squares = table.squares - np.float32(1e-2)
    once = np.flatnonzero(np.isclose(squares, plain**2, rtol=1e-3, atol=1e-7) & (plain != 0))
    assert len(once) > 50
    wanted = 0.1 * plain[once] / np.sqrt(table.squares[once])
    assert (table.weights - A)[once] == pytest.approx(wanted, abs=1e-4)


def test_training_finds_the_path_of_every_question():
    """Questions about one word each: after a few epochs the true path is the best one."""
    story = [[1, 5], [2, 6], [3, 7], [1, 8]]
    asked = [[10, 1], [10, 2], [10, 3], [11, 1]]
    truths = [(3,), (1,), (2,), (3, 0)]
    labels = labels_of(asked[0], story, truths)._replace(questions=plain_lines(asked))
    search = BeamSettings(2, 6, 0.5, 2.0)
    beam, work, literal = new_beam(search), new_work(WORDS), literals()
    table = CellTable(np.zeros(1 << 14, np.float32), np.full(1 << 14, 1e-2, np.float32))
    losses = [
        train_paths(
            table, told(story), labels, ints(range(4)), 0.02, 0.0, search, beam, work, literal,
            new_state(0),
        )
        for _ in range(30)
    ]  # fmt: skip
    assert losses[-1] < 0.1 * losses[0]
    for question, truth in zip(asked, truths, strict=True):
        assert search_for(table.weights, story, question, 6, 2)[0][0][0] == truth


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_words_are_hidden_at_the_rate(rate):
    literal, state = np.arange(1000), new_state(3)
    hidden = []
    for _ in range(200):
        hide_words(literal, rate, state)
        assert ((literal == 0) | (literal == np.arange(1000))).all()
        hidden.append((literal[1:] == 0).mean())
    # The chance is drawn between 0 and twice the rate; beyond 1 it is certain.
    assert np.mean(hidden) == pytest.approx(rate if rate <= 0.5 else 0.75, abs=0.05)
    assert hidden == [0] * 200 if rate == 0 else np.std(hidden) > 0.03


# R


def reading_of(supports, asked):
    lines = plain_lines(supports)
    n = len(supports)
    reading = SupportSet(
        np.arange(n), np.zeros(n, np.int64), np.zeros(WORDS, np.int64), np.zeros(WORDS, np.int64)
    )
    read_supports(reading, ints(asked), lines)
    return reading, lines


def scratch_of(dim):
    sums = Sums(
        np.zeros(1 << 10, np.uint64), np.zeros(1 << 10, np.int64), np.zeros(1 << 10),
        np.zeros(1, np.int64),
    )  # fmt: skip
    return AnswerScratch(
        np.zeros(MOST_ASKED, np.uint64), np.zeros(MOST_ASKED), np.zeros(MOST_COPY, np.uint64),
        np.zeros(MOST_COPY), sums, np.zeros(dim), np.zeros(dim),
    )  # fmt: skip


def all_marks(reading, lines, asked):
    from memnn.kernels.path_reading import mark_support

    marks = np.zeros(len(reading.told) * MOST_WORDS, np.int64)
    for i in range(len(reading.told)):
        mark_support(marks[i * MOST_WORDS :], reading, i, ints(asked), lines)
    return marks


CASES = [
    ([[1, 2, 3]], [1]),
    ([[1, 2, 3], [4, 2, 5]], [4, 9, 1]),
    ([[1, 2, 3], [4, 2, 1], [3, 5, 6]], [9, 6, 4, 1, 9]),
    ([[1, 1, 2], [2, 2, 1]], [1, 2, 1]),
    ([[1, 2]] * 4, [1, 3]),
    ([[1, 2, 3], [3, 4, 5], [5, 6, 7], [7, 8, 9], [9, 10, 11]], [1, 11, 5, 12]),
    ([list(range(1, 15)), [3, 20]], [20, 3, 1]),
    ([[1, 2], [3, 4]], []),
]


def cases():
    rng = np.random.default_rng(5)
    more = [([random_text(rng) for _ in range(n)], random_text(rng)) for n in (1, 2, 3, 4, 6, 8)]
    return CASES + more


@pytest.mark.parametrize(("supports", "asked"), cases())
@pytest.mark.parametrize("hidden", [(), (1, 4, 7)])
def test_what_r_reads(supports, asked, hidden):
    slow = SlowReading(supports, asked, set(hidden))
    reading, lines = reading_of(supports, asked)
    literal = literals(hidden)
    assert reading.rank.tolist() == slow.ranks()
    marks = all_marks(reading, lines, asked)
    for i, words in enumerate(supports):
        assert marks[i * MOST_WORDS :][: len(words)].tolist() == slow.marks(i)
    out, values = np.zeros(MOST_ASKED, np.uint64), np.zeros(MOST_ASKED)
    n = asked_features(out, values, reading, ints(asked), literal, slow.weight)
    assert counted(zip(out[:n], values[:n], strict=True)) == counted(
        (number(f), value) for f, value in slow.phi_asked()
    )
    told = room_for_supports(reading, lines, DIM)
    support_features(told, reading, ints(asked), literal, lines, slow.weight)
    for start, end, phi in zip([0, *told.ends[:-1]], told.ends, slow.phi_by_support(), strict=True):
        assert counted(
            zip(told.features[start:end], told.values[start:end], strict=True)
        ) == counted((number(f), value) for f, value in phi)
    out, values = np.zeros(MOST_COPY, np.uint64), np.zeros(MOST_COPY)
    for word in {w for words in supports for w in words}:
        n = copy_features(out, values, word, reading, marks, literal, lines)
        assert counted(zip(out[:n], values[:n], strict=True)) == counted(
            (number(f), value) for f, value in slow.phi_copy(word)
        )
    unread(reading, ints(asked), lines)
    assert not reading.seen.any()
    assert not reading.asked.any()


DIM, ANSWERS = 3, 6
ANSWER_OF = {3: 2, 5: 3, 8: 4, 20: 5}
"""Words that are answers; row 5's word stands in no support."""


def answer_table():
    table = np.ones(WORDS, np.int64)
    table[list(ANSWER_OF)] = list(ANSWER_OF.values())
    return table


def weights_of(seed, spread=0.1):
    rng = np.random.default_rng(seed)
    return Weights(
        rng.normal(0, spread, (1 << 14, DIM)).astype(np.float32),
        rng.normal(0, spread, (3, ANSWERS, DIM)).astype(np.float32),
        rng.normal(0, spread, 1 << 16).astype(np.float32),
    )


@pytest.mark.parametrize(("supports", "asked"), cases())
@pytest.mark.parametrize("seed", range(3))
def test_an_answer_is_the_most_probable_word_at_each_step(supports, asked, seed):
    weights = weights_of(seed, spread=0.4)
    slow = SlowAnswer(SlowReading(supports, asked), *weights, ANSWER_OF)
    reading, lines = reading_of(supports, asked)
    said = np.zeros(4, np.int64)
    n, certainty = say(
        said, ints(asked), lines, literals(), weights, answer_table(), reading, scratch_of(DIM),
        0.3, 0.2,
    )  # fmt: skip
    words, true = slow.say(4)
    assert said[:n].tolist() == [w if w in slow.places else -w[1] for w in words]
    assert certainty == pytest.approx(true, abs=1e-3)


def rates_of(embeddings=0.0, copies=0.0, order=0.0):
    return Rates(embeddings, copies, order, 0.0, 0.3, 0.2, 0.0)


ETA = 1e-3
"""What is added for a gradient of 1: small, since the second word is learnt after the first."""
RATE = ETA * 1e4


def train_R(weights, supports, asked, rows, rates):
    """The changes of R's weights in one step, as plain gradient descent with a rate of 1."""
    now = Weights(*(table.copy() for table in weights))
    squares = Weights(*(np.full_like(table, STEADY) for table in weights))
    said = AnswerLabels(ints([0, len(rows)]), ints(rows), answer_table())
    loss = train_answers(
        now, squares, plain_lines(supports),
        labels_of(asked, supports, [tuple(range(len(supports)))]), said, ints([0]), rates,
        np.zeros(WORDS, np.int64), np.zeros(WORDS, np.int64), scratch_of(DIM), literals(),
        new_state(0),
    )  # fmt: skip
    changes = [(new.astype(float) - old) / ETA for new, old in zip(now, weights, strict=True)]
    return loss, Weights(*changes)


def down(loss, table, place, step=1e-3):
    """Minus the gradient of a loss at one place of a table."""
    there = table.astype(float)
    old = there[place]
    there[place] = old + step
    more = loss(there)
    there[place] = old - step
    return (loss(there) - more) / (2 * step)


R_CASES = [
    ([[1, 2, 3]], [9, 1], [2]),
    ([[1, 2, 3], [4, 2, 5]], [9, 4], [3, 2]),
    ([[1, 2, 3], [4, 2, 5], [1, 8]], [9, 1, 4], [5]),
    ([[1, 2, 3], [4, 2, 5]], [9], [4, 4]),
]


@pytest.mark.parametrize(("supports", "asked", "rows"), R_CASES)
@pytest.mark.parametrize("seed", range(2))
def test_embeddings_step_down_the_gradient(supports, asked, rows, seed):
    weights = weights_of(seed)
    loss, change = train_R(weights, supports, asked, rows, rates_of(embeddings=RATE))
    reading = SlowReading(supports, asked)
    slow = SlowAnswer(reading, *weights, ANSWER_OF)
    assert loss == pytest.approx(slow.loss(rows), abs=2e-2)
    assert not change.copies.any()

    def of_answers(answers):
        return SlowAnswer(
            reading, weights.features, answers, weights.copies, ANSWER_OF, contents=slow.contents
        ).loss(rows)

    for place in np.ndindex(weights.answers.shape):
        assert change.answers[place] == pytest.approx(
            down(of_answers, weights.answers, place), abs=5e-3
        )

    def of_features(features):
        return SlowAnswer(
            reading, features, weights.answers, weights.copies, ANSWER_OF, contents=slow.contents
        ).loss(rows)

    # A feature of small value takes small steps: one that is often there must not drown the rest.
    value_of = {}
    for step in range(len(rows) + 1):
        for f, value in reading.phi_supports():
            value_of.setdefault(slow_row(f, 2 + step), set()).add(value)
        value_of.setdefault(slow_row((66, step, 0), 1), set()).add(1.0)
    for f, value in reading.phi_asked():
        value_of.setdefault(slow_row(f, 1), set()).add(value)
    alone = {row: values.pop() for row, values in value_of.items() if len(values) == 1}
    assert len(alone) > 0.9 * len(value_of)
    assert set(np.flatnonzero(change.features.any(axis=1))) <= set(value_of)
    rng = np.random.default_rng(seed)
    for row in rng.choice(sorted(alone), 12):
        for d in range(DIM):
            gradient = down(of_features, weights.features, (row, d), 1e-5)  # between bends
            wanted = alone[row] / slow.scale * gradient
            assert change.features[row, d] == pytest.approx(wanted, abs=5e-3)


def slow_row(feature, salt):
    from tests.kernels.slow_paths import cell

    return cell(number(feature), salt, 1 << 14)


@pytest.mark.parametrize(("supports", "asked", "rows"), R_CASES)
def test_what_is_copied_steps_down_the_gradient(supports, asked, rows):
    """By its own yes or no, whatever the embeddings say."""
    weights = weights_of(1)
    _, change = train_R(weights, supports, asked, rows, rates_of(copies=RATE))
    assert not change.features.any()
    assert not change.answers.any()

    def loss(copies):
        reading = SlowReading(supports, asked)
        return SlowAnswer(
            reading, weights.features, weights.answers, copies, ANSWER_OF
        ).content_loss(rows)

    for c in some_cells(change.copies, np.random.default_rng(0), 12):
        assert change.copies[c] == pytest.approx(down(loss, weights.copies, c), abs=5e-3)


@pytest.mark.parametrize(("supports", "asked", "rows"), R_CASES)
def test_whose_turn_it_is_steps_down_the_gradient(supports, asked, rows):
    """With embeddings that all but stand still, and what is copied as it is."""
    weights = weights_of(2)
    reading = SlowReading(supports, asked)
    contents = SlowAnswer(reading, *weights, ANSWER_OF).contents
    _, change = train_R(weights, supports, asked, rows, rates_of(embeddings=1e-9, order=RATE))

    def loss(copies):
        return SlowAnswer(
            reading, weights.features, weights.answers, copies, ANSWER_OF, contents=contents
        ).loss(rows)

    for c in some_cells(change.copies, np.random.default_rng(0), 12):
        assert change.copies[c] == pytest.approx(down(loss, weights.copies, c), abs=2e-2)


# Inside their arrays, whatever comes


GUARD = 64


def guarded(size, dtype, fill):
    """An array with a fence behind it, and the fence."""
    whole = np.full(size + GUARD, fill, dtype)
    return whole[:size], whole[size:]


def fenced_work():
    """Work as `new_work` makes it, and what must stay as it is."""
    plain = new_work(WORDS)
    x, after_x = guarded(MOST_X, np.uint64, 7)
    y, after_y = guarded(MOST_Y, np.uint64, 7)
    values, after_values = guarded(MOST_Y, np.float64, 7)
    return plain._replace(x=x, y=y, values=values), (after_x, after_y, after_values)


LONG = list(range(1, WORDS)) * 130
"""More than five thousand words, in the question, too: every feature there is."""
EXTREMES = {
    "long statements": ([LONG, LONG, LONG[::-1]], LONG),
    "as long as is read": ([LONG[:MOST_WORDS]] * 3, LONG[:MOST_WORDS]),
    "no question": ([[1, 2], [3], [4]], []),
    "no words": ([[], [], []], []),
    "one word again and again": ([[1] * 60] * 3, [1] * 60),
    "one memory": ([LONG], LONG),
    "a hundred memories": ([[n % 39 + 1, 5] for n in range(100)], [5, 6]),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_o_stays_inside_its_arrays(name):
    story, asked = EXTREMES[name]
    work, fences = fenced_work()
    most = min(len(story), 30)
    search = BeamSettings(most, 6, 0.5, 2.0)
    beam = new_beam(search)
    table = CellTable(a_table(0), np.full(1 << 12, 1e-2, np.float32))
    lines = told(story)
    H, _, _ = find_paths(
        table.weights, ints(asked), literals(), lines, 0, len(story), NOBODY, search, beam, work
    )
    assert 1 <= H <= 6
    assert (beam.lengths[:H] >= 1).all()
    assert (beam.lengths[:H] <= most).all()
    truth = tuple(range(most))[::-1]
    loss = train_paths(
        table, lines, labels_of(asked, story, [truth]), ints([0]), 0.02, 0.1, search, beam, work,
        literals(), new_state(0),
    )  # fmt: skip
    assert np.isfinite(loss)
    assert np.isfinite(table.weights).all()
    assert not work.marks.any()
    assert all((fence == 7).all() for fence in fences)


def test_the_room_for_features_is_enough_and_not_far_too_much():
    """The most that there can be: every word in the question, first and last mention at once."""
    story = [[], LONG[:MOST_WORDS]]
    work, _ = fenced_work()
    lines, asked = told(story), ints(LONG)
    n = input_features(work.x, asked, literals(), lines, 1, 1)
    assert MOST_X // 2 < n <= MOST_X
    mark_path(work.marks, asked, lines, ints([0]), 1, True)
    n = candidate_features(work.y, work.values, 1, lines, work.marks, literals(), 2, 0, 0.5, True)
    n = rival_features(work.y, work.values, n, 1, 0, 3, 3)
    assert MOST_Y // 2 < n <= MOST_Y


MANY = {
    **{name: case for name, case in EXTREMES.items() if name != "a hundred memories"},
    "thirty supports": ([[n % 39 + 1, 5] for n in range(30)], [5, 6]),
    "more than can be told apart": ([[n % 39 + 1, 5] for n in range(120)], [5, 6, 39]),
    "longest supports": ([LONG] * MOST_SUPPORTS, LONG),
}


@pytest.mark.parametrize("name", MANY)
def test_r_stays_inside_its_arrays(name):
    supports, asked = MANY[name]
    reading, lines = reading_of(supports, asked)
    assert 0 <= reading.rank.min() <= reading.rank.max() <= 2
    plain = scratch_of(DIM)
    pieces = [
        guarded(MOST_ASKED, np.uint64, 7), guarded(MOST_ASKED, np.float64, 7),
        guarded(MOST_COPY, np.uint64, 7), guarded(MOST_COPY, np.float64, 7),
    ]  # fmt: skip
    scratch = AnswerScratch(*(piece for piece, _ in pieces), plain.sums, plain.q, plain.m)
    weights = weights_of(0)
    room = room_for_supports(reading, lines, DIM)
    (out, after_out), (values, after_values), (ends, after_ends) = (
        guarded(len(room.features), np.uint64, 7), guarded(len(room.values), np.float64, 7),
        guarded(len(supports) + 1, np.int64, 7),
    )  # fmt: skip
    fenced = SupportFeatures(out, values, ends, room.parts)
    support_features(fenced, reading, ints(asked), literals(), lines, 0.3)
    said = np.zeros(MOST_STEPS, np.int64)
    n, certainty = say(
        said, ints(asked), lines, literals(), weights, answer_table(), reading, scratch, 0.3, 0.2
    )
    assert 0 < n <= MOST_STEPS
    assert certainty <= 0
    unread(reading, ints(asked), lines)
    assert not reading.seen.any()
    assert not reading.asked.any()
    loss, change = train_R(weights, supports, asked, [2, 3], rates_of(RATE, RATE, RATE))
    assert np.isfinite(loss)
    assert all(np.isfinite(table).all() for table in change)
    fences = [fence for _, fence in pieces] + [after_out, after_values, after_ends]
    assert all((fence == 7).all() for fence in fences)


def test_the_certainty_is_that_of_what_was_said():
    """A word that must be said is said with p = 1, and p of two equal words is a half."""
    weights = Weights(*(np.zeros_like(table) for table in weights_of(0)))
    reading, lines = reading_of([[1]], [1])
    said = np.zeros(1, np.int64)
    n, certainty = say(
        said, ints([1]), lines, literals(), weights._replace(answers=np.zeros((3, 2, DIM), "f4")),
        np.ones(WORDS, np.int64), reading, scratch_of(DIM), 0.3, 0.2,
    )  # fmt: skip
    assert (n, said[0], certainty) == (1, 1, 0.0)
    unread(reading, ints([1]), lines)
    reading, lines = reading_of([[1, 2]], [9])
    _, certainty = say(
        said, ints([9]), lines, literals(), weights._replace(answers=np.zeros((3, 2, DIM), "f4")),
        np.ones(WORDS, np.int64), reading, scratch_of(DIM), 0.3, 0.2,
    )  # fmt: skip
    assert certainty == pytest.approx(log(1 / 2))
