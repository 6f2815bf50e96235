"""Measures by hand: ties in expectation, F1 by a threshold, labels, significance."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memnn.facts.evaluate import (
    FactsEvaluation,
    Ranked,
    evaluate,
    evaluate_labels,
    expected,
    finder,
    outcome,
    sign_test,
)
from memnn.facts.index import in_memory
from memnn.facts.lookup import Found
from memnn.facts.train import best_threshold
from memnn.facts.triples import Asked, Label, Triple


def found(*scores):
    return [Found(place, score) for place, score in enumerate(scores)]


def test_the_first_and_the_second():
    first = outcome(found(0.9, 0.5), 0, 7)
    assert (first.hit1, first.hit10, first.reciprocal) == (1, 1, 1)
    assert (first.score, first.candidates) == (0.9, 7)
    second = outcome(found(0.9, 0.5), 1, 7)
    assert (second.hit1, second.hit10, second.reciprocal) == (0, 1, 0.5)
    assert outcome(found(0.9), None, 7) == Ranked(0, 0, 0, 0.9, 7)
    assert outcome([], 3, 0).score == -math.inf


def test_a_tie_at_the_top_is_half_a_hit():
    for gold in (0, 1):
        tied = outcome(found(0.9, 0.9, 0.5), gold, 3)
        assert (tied.hit1, tied.hit10, tied.reciprocal) == (0.5, 1, 0.75)


def test_a_tie_across_the_tenth_place():
    tied = outcome(found(*[1.0] * 8, *[0.5] * 4), 9, 12)
    assert (tied.hit1, tied.hit10) == (0, 0.5)
    assert tied.reciprocal == pytest.approx((1 / 9 + 1 / 10 + 1 / 11 + 1 / 12) / 4)


@given(st.integers(0, 3), st.integers(1, 5), st.data())
def test_expectations_are_means_over_all_orders(better, tied, data):
    right = data.draw(st.integers(1, tied))
    orders = list(permutations([True] * right + [False] * (tied - right)))
    ranks = [better + 1 + order.index(True) for order in orders]
    mean = [
        sum(map(measure, ranks)) / len(ranks)
        for measure in (lambda r: r == 1, lambda r: r <= 10, lambda r: 1 / r)
    ]
    assert expected(better, tied, right) == pytest.approx(mean)


def test_f1_by_hand():
    """Four questions: answered and right, answered and wrong, tied, and left alone."""
    outcomes = [
        Ranked(1, 1, 1, 0.9, 10), Ranked(0, 1, 0.5, 0.8, 10),
        Ranked(0.5, 1, 0.75, 0.7, 10), Ranked(1, 1, 1, 0.2, 30),
    ]  # fmt: skip
    values = FactsEvaluation(outcomes, seconds=0.4, missing=1).results(threshold=0.5)
    precision, recall = 1.5 / 3, 1.5 / 4
    assert values["f1"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert values["hit@1"] == 2.5 / 4
    assert values["mrr"] == pytest.approx(3.25 / 4)
    assert values["answered"] == 0.75
    assert values["candidates"] == 15
    assert values["ms_per_question"] == pytest.approx(100)
    assert values["missing"] == 1
    assert FactsEvaluation(outcomes).results(threshold=1.0)["f1"] == 0
    assert FactsEvaluation([]).results(0.0)["hit@1"] == 0


def test_the_threshold_with_the_best_f1():
    scored = [(0.9, True), (0.8, True), (0.7, False), (0.6, True), (0.1, False)]
    threshold, f1 = best_threshold(scored, 6)
    assert (threshold, f1) == (0.6, pytest.approx(2 * 3 / (4 + 6)))
    assert best_threshold([], 3) == (0.0, 0.0)
    assert best_threshold([(0.5, True), (0.5, False), (0.5, True)], 3)[0] == 0.5


@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.4]), st.booleans()), max_size=8),
    st.integers(0, 3),
)
def test_no_other_threshold_is_better(scored, silent):
    questions = len(scored) + silent
    threshold, f1 = best_threshold(scored, questions)

    def at(t):
        answered = [right for score, right in scored if score >= t]
        return 2 * sum(answered) / (len(answered) + questions) if questions else 0.0

    assert f1 == pytest.approx(max([at(t) for t, _ in scored], default=0.0))
    if scored:
        assert f1 == pytest.approx(at(threshold))


def test_systems_are_asked_every_question():
    triples = [Triple("a", "b", "c"), Triple("d", "e", "f")]
    asked = [Asked("0", triples[0]), Asked("1", triples[0]), Asked("0", Triple("x", "y", "z"))]
    result = evaluate(
        lambda text: ([Found(int(text), 1.0)], 2), asked, {t: i for i, t in enumerate(triples)}
    )
    assert [o.hit1 for o in result.outcomes] == [1, 0, 0]
    assert result.missing == 1
    assert result.results(0.0)["questions"] == 3


def test_a_network_finds_what_it_learned(facts_model, world):
    index = in_memory(facts_model, world.triples)
    find = finder(facts_model.lookup(), index.reading(facts_model.dictionary))
    values = evaluate(find, world.test, index.places()).results(facts_model.threshold)
    assert values["hit@1"] > 0.8
    assert values["hit@1"] <= values["hit@10"] <= 1


def test_labelled_candidates_are_ranked_alone(facts_model, world):
    index = in_memory(facts_model, world.triples)
    reading = index.reading(facts_model.dictionary)
    lookup = facts_model.lookup()
    asked = world.test[0]
    wrong = [t for t in world.triples if t.relation != asked.gold.relation][:3]
    labels = [Label(asked.question, asked.gold, True)]
    labels += [Label(asked.question, t, False) for t in wrong]
    labels += [Label("Who?", t, False) for t in wrong[:2]]
    labels += [Label("Who?", Triple("not", "in", "there"), True)]
    result = evaluate_labels(lookup, reading, labels, index.places())
    first, second = result.outcomes
    assert (first.hit1, first.candidates) == (1, 4)
    assert (second.hit1, second.reciprocal, second.candidates) == (0, 0, 2)
    assert result.missing == 1
    # A later word of the same person counts.
    changed = [*labels, Label(asked.question, asked.gold, False)]
    assert evaluate_labels(lookup, reading, changed, index.places()).outcomes[0].hit1 == 0


def test_labels_of_equal_facts_count_in_expectation(facts_model):
    twins = [
        Triple("Owl", "wrote", "it"),
        Triple("owl", "wrote", "it"),
        Triple("Owl", "wrote", "It"),
    ]
    index = in_memory(facts_model, twins)
    labels = [Label("Who wrote it?", t, i == 0) for i, t in enumerate(twins)]
    (one,) = evaluate_labels(
        facts_model.lookup(), index.reading(facts_model.dictionary), labels, index.places()
    ).outcomes
    assert one.hit1 == pytest.approx(1 / 3)
    assert one.reciprocal == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def outcomes(hits):
    return [Ranked(hit, 1, 1, 0, 0) for hit in hits]


def test_the_sign_test():
    assert sign_test(outcomes([1, 0]), outcomes([1, 0])) == 1
    assert sign_test(outcomes([1] * 5), outcomes([0] * 5)) == pytest.approx(2 / 32)
    assert sign_test(outcomes([1] * 8 + [0]), outcomes([0] * 8 + [1])) == pytest.approx(20 / 512)
    assert sign_test(outcomes([1, 0]), outcomes([0, 1])) == 1
