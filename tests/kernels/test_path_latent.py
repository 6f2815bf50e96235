"""Paths for questions without supports: probabilities against the slow version, and what is
drawn."""

from __future__ import annotations

from collections import Counter
from math import exp

import numpy as np
import pytest

from memnn.kernels.path_latent import (
    LEAST,
    Guesses,
    Judge,
    draw,
    draw_connected,
    draw_explained,
    log_answer,
    log_mentioned,
    score_shared,
)
from memnn.kernels.path_response_train import AnswerLabels
from memnn.kernels.path_search import BeamSettings, find_paths, new_beam, new_work
from memnn.kernels.rng import new_state
from memnn.support_paths.lines import plain_lines
from tests.kernels.slow_paths import SlowAnswer, SlowReading
from tests.kernels.test_paths import (
    ANSWER_OF,
    DIM,
    EXTREMES,
    NOBODY,
    R_CASES,
    WORDS,
    a_table,
    answer_table,
    ints,
    labels_of,
    literals,
    scratch_of,
    told,
    weights_of,
)

STORY = [[1, 2, 3], [4, 2, 5], [1, 6, 5], [7, 8, 9], [4, 6, 3]]
ASKED = [9, 1]


def reader():
    return Judge(
        scratch_of(DIM), np.zeros(WORDS, np.int64), np.zeros(WORDS, np.int64), literals(), 0.3, 0.2
    )


def said_of(*answers):
    ends = np.cumsum([0, *map(len, answers)])
    rows = [row for answer in answers for row in answer]
    return AnswerLabels(ints(ends), ints(rows), answer_table())


def nothing_found(questions, most):
    return Guesses(
        np.full((questions, most), -1, np.int64), np.zeros(questions, np.int64),
        np.zeros(questions),
    )  # fmt: skip


@pytest.mark.parametrize(("supports", "asked", "rows"), R_CASES)
@pytest.mark.parametrize("seed", range(3))
def test_the_probability_of_an_answer(supports, asked, rows, seed):
    weights, by = weights_of(seed, spread=0.3), reader()
    slow = SlowAnswer(SlowReading(supports, asked), *weights, ANSWER_OF)
    found = log_answer(
        weights, plain_lines(supports), ints(asked), np.arange(len(supports)), said_of(rows), 0, by
    )
    assert found == pytest.approx(max(-slow.loss(rows), LEAST), abs=1e-3)
    assert not by.seen.any(), "the notes are as they were"
    assert not by.asked.any()


def test_draws_are_in_proportion():
    scores = np.log(np.array([0.1, 0.6, 0.3]))
    state = new_state(3)
    drawn = Counter(draw(scores, state) for _ in range(20_000))
    assert [drawn[k] / 20_000 for k in range(3)] == pytest.approx([0.1, 0.6, 0.3], abs=0.015)


def test_what_cannot_be_chosen_is_never_drawn():
    state = new_state(0)
    assert {draw(np.array([-1e18, 0.0, -1e18]), state) for _ in range(1_000)} == {1}


def test_shared_words_count_by_their_rarity():
    lines, marks = told(STORY), np.zeros(WORDS, np.int64)
    rarity, scores = np.zeros(WORDS), np.empty(len(STORY))
    rarity[[1, 9, 6]] = 2.0, 3.0, 0.5
    score_shared(scores, rarity, ints(ASKED), lines, 0, len(STORY), NOBODY, 0, marks)
    assert scores.tolist() == [2, 0, 2, 3, 0]
    score_shared(scores, rarity, ints(ASKED), lines, 0, len(STORY), ints([2]), 1, marks)
    assert scores[[0, 1, 3, 4]].tolist() == [2, 0, 3, 0.5]
    assert scores[2] < -1e9, "it is in the path"
    assert not marks.any()


@pytest.mark.parametrize("hops", [1, 2, 3, 9])
def test_chains_are_as_long_as_asked_and_never_repeat(hops):
    lines, found, by = told(STORY), nothing_found(50, 9), reader()
    labels = labels_of(ASKED, STORY, [[0]] * 50)
    draw_connected(
        found, weights_of(0), lines, labels, said_of(*[[2]] * 50), np.arange(50), hops, 8, True,
        np.ones(WORDS), np.zeros(WORDS, np.int64), by, new_state(1),
    )  # fmt: skip
    assert set(found.lengths.tolist()) == {min(hops, len(STORY))}
    for path in found.paths[:, : min(hops, len(STORY))].tolist():
        assert len(set(path)) == len(path)
        assert set(path) <= set(range(len(STORY)))


def test_chains_that_explain_the_answer_are_drawn_more_often():
    weights, n = weights_of(4, spread=0.6), 2_000
    lines, said = told(STORY), said_of(*[[2]] * n)
    found, by = nothing_found(n, 1), reader()
    draw_connected(
        found, weights, lines, labels_of(ASKED, STORY, [[0]] * n), said, np.arange(n), 1, 100,
        True, np.zeros(WORDS), np.zeros(WORDS, np.int64), by, new_state(1),
    )  # fmt: skip
    p = [exp(log_answer(weights, lines, ints(ASKED), ints([y]), said, 0, by)) for y in range(5)]
    share = np.bincount(found.paths[:, 0], minlength=5) / n
    assert share == pytest.approx(np.array(p) / sum(p), abs=0.03)


@pytest.mark.parametrize(
    ("path", "rows", "there"),
    [([0], [2], True), ([1], [2], False), ([1, 2], [3, 2], True), ([1, 2], [3, 2, 4], False)],
)
def test_an_answer_may_be_mentioned(path, rows, there):
    """Each of its parts, in any of the supports: with answers 2, 3 and 4 for words 1, 2 and 7."""
    words = np.ones(8, np.int64)
    words[[1, 2, 7]] = 2, 3, 4
    said = said_of(rows)._replace(answer_of=words)  # and words beyond are none
    found = log_mentioned(told(STORY), ints(path), said, 0)
    assert found == (0.0 if there else LEAST)


def test_before_anything_is_learnt_chains_mention_the_answer():
    n, words = 200, np.ones(WORDS, np.int64)
    words[8] = 2
    found, said = nothing_found(n, 1), said_of(*[[2]] * n)._replace(answer_of=words)
    draw_connected(
        found, weights_of(0), told(STORY), labels_of(ASKED, STORY, [[0]] * n), said, np.arange(n),
        1, 32, False, np.zeros(WORDS), np.zeros(WORDS, np.int64), reader(), new_state(1),
    )  # fmt: skip
    assert np.mean(found.paths[:, 0] == 3) > 0.98, "the only one with word 8"


@pytest.mark.parametrize("exact", [True, False])
def test_paths_of_the_beam_are_drawn_by_both_probabilities(exact):
    A, weights, n = a_table(5), weights_of(5, spread=0.6), 4_000
    lines, said, by = told(STORY), said_of(*[[2]] * n), reader()
    search, work = BeamSettings(2, 6, 0.5, 2.0), new_work(WORDS)
    beam, found = new_beam(search), nothing_found(n, 2)
    draw_explained(
        found, A, weights, lines, labels_of(ASKED, STORY, [[0]] * n), said, np.arange(n), exact,
        1.5, search, beam, work, by, new_state(2),
    )  # fmt: skip
    H, _, _ = find_paths(
        A, ints(ASKED), literals(), lines, 0, len(STORY), NOBODY, search, beam, work
    )
    odds, logs = {}, []
    for h in range(H):
        path = beam.paths[h, : beam.lengths[h]]
        if len(path) == 2 or not exact:
            logs.append(log_answer(weights, lines, ints(ASKED), path, said, 0, by))
            odds[tuple(path.tolist())] = exp(1.5 * (beam.scores[h] + logs[-1]))
    drawn = Counter(tuple(found.paths[i, : found.lengths[i]].tolist()) for i in range(n))
    assert set(drawn) <= set(odds)
    for path, odd in odds.items():
        assert drawn[path] / n == pytest.approx(odd / sum(odds.values()), abs=0.03)
    assert found.surest == pytest.approx(np.full(n, logs[0]))


@pytest.mark.parametrize("name", EXTREMES)
def test_whatever_comes(name):
    story, asked = EXTREMES[name]
    lines, by, weights = told(story), reader(), weights_of(0)
    labels, said = labels_of(asked, story, [[0]]), said_of([2, 3])
    found = nothing_found(1, 3)
    draw_connected(
        found, weights, lines, labels, said, np.arange(1), 3, 4, True, np.ones(WORDS),
        np.zeros(WORDS, np.int64), by, new_state(0),
    )  # fmt: skip
    assert found.lengths[0] == min(3, len(story))
    search = BeamSettings(3, 4, 0.5, 2.0)
    draw_explained(
        found, a_table(0), weights, lines, labels, said, np.arange(1), False, 1.0, search,
        new_beam(search), new_work(WORDS), by, new_state(0),
    )  # fmt: skip
    assert 1 <= found.lengths[0] <= min(3, len(story))
    assert np.isfinite(found.surest[0])
