"""The beam over some statements of a memory, and sums that are kept from question to question."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.kernels import path_features as F
from memnn.kernels.path_among import extend_among, gather_lines, worth_of_words
from memnn.kernels.path_search import (
    BeamSettings,
    begin_paths,
    find_paths,
    new_beam,
    new_work,
)
from memnn.kernels.path_sums import MOST_MET, ROWS
from tests.kernels.slow_paths import SlowPaths, cell, number
from tests.kernels.test_paths import (
    NOBODY,
    WORDS,
    a_table,
    ints,
    literals,
    random_text,
    told,
)


class SomePaths(SlowPaths):
    """The slow version, where some statements can be chosen and the others are only there."""

    rows: tuple[int, ...] = ()

    def rivals(self, y, path):
        free = [i for i in self.rows if i not in path]
        if path:
            free = [i for i in free if (i > path[-1]) == (y > path[-1])]
        as_good = [i for i in free if self.content(i, path) > self.content(y, path) - self.close]
        return min(sum(i > y for i in as_good), 3), min(sum(i < y for i in as_good), 3)

    def beam_over(self, width, steps):
        """The best paths after each step, whose rows are given: `steps` is a list of rows."""
        scored = {((), False): 0.0}
        for self.rows in steps:
            new = {}
            for (path, stopped), score in scored.items():
                if stopped:
                    new[path, True] = score
                    continue
                if path:
                    new[path, True] = score + self.stop(path)
                if len(path) < len(steps) - 1:
                    for y in set(self.rows) - set(path):
                        new[(*path, y), False] = score + self.score(y, path)
            best = sorted(new.items(), key=lambda each: each[1], reverse=True)[:width]
            scored = dict(best)
        return scored


def random_story(rng, n):
    texts = [random_text(rng, most=8, words=14) for _ in range(n // 2)]
    return [texts[i] for i in rng.integers(0, len(texts), n)]


def search_among(A, story, asked, steps, width, end, hidden=(), work=None):
    search = BeamSettings(len(steps) - 1, width, 0.5, 2.0)
    beam, work = new_beam(search), work or new_work(WORDS)
    lines, H = told(story), begin_paths(beam, work)
    for rows in steps:
        more = extend_among(
            A, ints(asked), literals(hidden), lines, end, ints(rows), len(steps) - 1, search, beam,
            H, work,
        )  # fmt: skip
        if more < 0:
            break
        H = more
    return [
        (tuple(beam.paths[h, : beam.lengths[h]].tolist()), bool(beam.done[h]), beam.scores[h])
        for h in range(H)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_some_statements_stand_where_they_stood(seed):
    """Age, distance and mentions are those of the whole story, rivals those that can be chosen."""
    rng = np.random.default_rng(seed)
    story, asked = random_story(rng, 12), random_text(rng)
    hidden = set(rng.integers(1, 12, 2).tolist())
    A = a_table(seed, spread=0.3)
    end = 11  # the last one is not seen yet
    slow = SomePaths(A, story[:end], asked, hidden)
    rows = sorted(rng.permutation(end)[:6].tolist())
    more = sorted({*rows, *rng.permutation(end)[:3].tolist()})
    steps = [rows, more, more]
    true = slow.beam_over(4, steps)
    found = search_among(A, story, asked, steps, 4, end, hidden)
    assert [(path, done) for path, done, _ in found] == list(true)
    assert [score for *_, score in found] == pytest.approx(list(true.values()), abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_all_statements_are_the_full_search(seed):
    rng = np.random.default_rng(seed)
    story, asked = random_story(rng, 14), random_text(rng)
    A, search = a_table(seed, spread=0.3), BeamSettings(3, 5, 0.5, 2.0)
    beam = new_beam(search)
    H, _, _ = find_paths(
        A, ints(asked), literals(), told(story), 0, 14, NOBODY, search, beam, new_work(WORDS)
    )
    found = search_among(A, story, asked, [range(14)] * 4, 5, 14)
    assert [path for path, *_ in found] == [
        tuple(beam.paths[h, : beam.lengths[h]].tolist()) for h in range(H)
    ]
    assert [score for *_, score in found] == beam.scores[:H].tolist()


def test_gathered_texts_are_read_once():
    story = [[1, 2], [3], [1, 2], [3, 4], [3], [1, 2]]
    some = gather_lines(told(story), ints([1, 2, 4, 5]), 6)
    assert some.ptr.tolist() == [0, 1, 3, 4, 6]
    assert some.words.tolist() == [3, 1, 2, 3, 1, 2]
    assert some.same.tolist() == [0, 1, 0, 1]
    assert some.places.tolist() == [1, 2, 4, 5, 6]
    assert some.older.tolist() == [-1, 0, 0, 3, 2, 2]


@pytest.mark.parametrize("path", [(), (3,), (3, 7)])
@pytest.mark.parametrize("remember", [False, True])
def test_what_words_are_worth(path, remember):
    """As in a text of this word alone: literally, and by its membership."""
    rng = np.random.default_rng(len(path))
    story, asked, A = random_story(rng, 12), random_text(rng), a_table(2, spread=0.3)
    slow, found = SlowPaths(A, story, asked), np.zeros(WORDS)
    work, lines = new_work(WORDS, remember), told(story)
    for _ in range(2):  # what is kept from the first changes nothing
        begin_paths(new_beam(BeamSettings(3, 5, 0.5, 2.0)), work)
        worth_of_words(
            found, A, ints(asked), literals(), lines, ints([*path, 0]), len(path), work
        )  # fmt: skip
    for w in range(1, WORDS):
        features = [(F.WORD, w, 0), (F.BOTH, w, slow.mark(w, path))]
        true = sum(
            A[cell(number(x), number(y), len(A))] for x in slow.phi_x(path) for y in features
        )
        assert found[w] == pytest.approx(true, abs=1e-4)
    assert not work.marks.any()


def question(rng, words, most=7):
    return rng.integers(1, words, rng.integers(1, most)).tolist()


@pytest.mark.parametrize(("words", "memories"), [(12, 10), (400, 60)])
def test_sums_that_are_kept_are_the_same_to_the_last_bit(words, memories):
    """Many questions at one desk, until there is no more room and it begins anew: as each alone."""
    rng = np.random.default_rng(words)
    A, search = a_table(1, bits=16, spread=0.3), BeamSettings(3, 5, 0.5, 2.0)
    kept, literal, most = new_work(words, remember=True), np.arange(words), 0
    began_anew = 0
    for _ in range(40):
        story = [question(rng, words, 12) for _ in range(memories)]
        asked, found = question(rng, words), []
        for work in (kept, new_work(words)):
            beam = new_beam(search)
            H, _, _ = find_paths(
                A, ints(asked), literal, told(story), 0, memories, NOBODY, search, beam, work
            )
            found.append((beam.paths[:H].tolist(), beam.scores[:H].tolist()))
        assert found[0] == found[1]
        began_anew += kept.sums.clock[2] < most
        most = kept.sums.clock[2]
        assert kept.sums.clock[2] <= MOST_MET
        assert kept.sums.clock[4] < ROWS
    assert not kept.marks.any()
    assert began_anew > 0 or words < 100


def test_more_features_than_there_is_room_for():
    """Long texts and a long question: what has no row is summed up as it is met."""
    rng, words = np.random.default_rng(0), 600
    A, search = a_table(2, bits=16), BeamSettings(4, 6, 0.5, 2.0)
    story = [rng.permutation(words - 1)[:48] + 1 for _ in range(30)]
    lines = told([text.tolist() for text in story])
    found = []
    for work in (new_work(words, remember=True), new_work(words)):
        for asked in (story[0], story[1], story[2]):
            beam = new_beam(search)
            H, _, _ = find_paths(
                A, asked, np.arange(words), lines, 0, 30, NOBODY, search, beam, work
            )
        found.append((beam.paths[:H].tolist(), beam.scores[:H].tolist()))
    assert found[0] == found[1]
