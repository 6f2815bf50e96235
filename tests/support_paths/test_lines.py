"""Texts as arrays: every mention knows the one before and after it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from memnn.kernels.path_features import NEVER
from memnn.support_paths.lines import GrowingLines, plain_lines

TEXTS = some.lists(some.lists(some.integers(1, 6), max_size=6), max_size=12)


def text_of(lines, i):
    return lines.words[lines.ptr[i] : lines.ptr[i + 1]].tolist()


@given(TEXTS, some.integers(0, 12))
def test_mentions_are_tied(texts, second_story):
    lines = GrowingLines()
    for i, words in enumerate(texts):
        if i == second_story:
            lines.new_story()
        lines.append(words)
    found = lines.lines()
    assert len(lines) == len(found.ptr) - 1 == len(texts)
    for i, words in enumerate(texts):
        assert text_of(found, i) == words
        story = [j for j in range(len(texts)) if (j < second_story) == (i < second_story)]
        assert found.same[i] == min(j for j in story if texts[j] == words)
        for j, word in enumerate(words, start=int(found.ptr[i])):
            later = [k for k in story if k > i and word in texts[k]]
            earlier = [k for k in story if k < i and word in texts[k]]
            assert found.newer[j] == (min(later) if later else NEVER)
            assert found.older[j] == (max(earlier) if earlier else -1)


@given(TEXTS)
def test_the_past_of_a_view_stays_as_it_is(texts):
    """What comes later is beyond the end of every earlier view, and shows there as beyond."""
    lines, views = GrowingLines(), []
    for words in texts:
        lines.append(words)
        view = lines.lines()
        views.append((view, [array.copy() for array in view]))
    for n, (view, (ptr, words, newer, older, same, places)) in enumerate(views, start=1):
        assert np.array_equal(view.ptr, ptr)
        assert np.array_equal(view.words, words)
        assert np.array_equal(view.older, older)
        assert np.array_equal(view.same, same)
        assert view.places.tolist() == places.tolist() == list(range(n + 1))
        changed = view.newer != newer
        assert (newer[changed] == NEVER).all()
        assert (view.newer[changed] >= n).all()


def test_many_lines_and_long_ones():
    lines = GrowingLines()
    for n in range(3_000):
        lines.append([n, 1] * (1 + n % 3))
    lines.append(list(range(5_000)))
    found = lines.lines()
    assert text_of(found, 2_999) == [2_999, 1] * 3
    assert len(text_of(found, 3_000)) == 5_000


def test_questions_are_not_each_other_s_past():
    lines = plain_lines([[1, 2], [], [1]])
    assert [text_of(lines, i) for i in range(3)] == [[1, 2], [], [1]]
    assert (lines.newer == NEVER).all()
    assert (lines.older == -1).all()
