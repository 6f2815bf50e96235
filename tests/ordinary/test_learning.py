"""How learning goes over the questions."""

from __future__ import annotations

import pytest

from memnn.ordinary.examples import encode
from memnn.ordinary.lexicon import WordTable
from memnn.simulator.ordinary import stories
from memnn.text.vectors import english

torch = pytest.importorskip("torch")
learning = pytest.importorskip("memnn.ordinary.learning")


@pytest.fixture(scope="module")
def examples(hearing):
    return encode(stories(seed=0, questions=200), WordTable({}, english()), hearing, {}, 4)


def words(example):
    passage = example.lines.passage
    return int(passage.there.sum()) + passage.shape[2]


@pytest.mark.parametrize("count", [1, 30, 1_000, 10_000])
def test_the_learning_rate_rises_stays_and_falls(count):
    rates = [learning._rate(step, count) for step in range(count)]
    assert all(0.0 < rate <= 1.0 for rate in rates)
    if count > 1:
        assert rates[-1] < 0.1
        assert max(rates) == 1.0
        top = rates.index(1.0)
        assert rates[: top + 1] == sorted(rates[: top + 1])
        assert rates[top:] == sorted(rates[top:], reverse=True)


def test_batches_are_bounded_by_pairs_of_words(examples, monkeypatch):
    monkeypatch.setattr(learning, "MOST_PAIRS", 20_000)
    ordered = sorted(examples, key=lambda e: e.lines.size)
    batches = learning._cut(ordered, 8)
    assert [e for batch in batches for e in batch] == ordered
    assert all(len(batch) <= 8 for batch in batches)
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(map(words, batch)) ** 2 <= 20_000


def test_questions_about_something_else_name_what_no_statement_has(examples):
    import numpy as np

    found = learning._others(examples, np.random.default_rng(0))
    assert found
    for example, swapped in found:
        mine, its = example.lines.passage.question.stems, swapped.question.stems
        (changed,) = np.flatnonzero(mine != its)
        assert not (swapped.stems == its[changed]).any()
        assert not (swapped.means == its[changed]).any()
        assert not swapped.same[:, :, changed].any()
