"""Findings to probabilities: few examples are few, and what is unlike all others is doubted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memnn.dialogue.calibrate import calibrate
from memnn.errors import TrainingError

NAMES = ["score", "margin", "kind"]


def findings(n: int, seed: int) -> list[dict[str, float]]:
    """As those of a story network: two numbers that vary, and one that never did."""
    rng = np.random.default_rng(seed)
    score, margin = rng.normal(0.6, 0.1, n), rng.normal(0.3, 0.1, n)
    return [{"score": s, "margin": m, "kind": 1.0} for s, m in zip(score, margin, strict=True)]


@pytest.mark.parametrize("seed", range(10))
def test_one_wrong_example_of_many_does_not_swing_it(seed):
    """Counted as two equal halves, one of 240 turned 0.996 into 0.5."""
    found = findings(241, seed)
    p = calibrate([(features, i > 0) for i, features in enumerate(found)], NAMES)
    sure = [p(features) for features in found[1:]]
    assert np.median(sure) > 0.95
    assert np.quantile(sure, 0.1) > 0.9
    assert p({"score": 0.6, "margin": 0.3, "kind": 1.0}) > 0.95


def test_a_few_wrong_examples_count_for_what_they_are_worth():
    found = findings(250, 0)
    usual = {"score": 0.6, "margin": 0.3, "kind": 1.0}
    sure = []
    for wrong in (0, 1, 5, 25):
        p = calibrate([(features, i >= wrong) for i, features in enumerate(found)], NAMES)
        sure.append(p(usual))
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > 0.99
    assert sure[-1] > 0.6


def test_the_probability_depends_on_the_features_though_all_were_right():
    found = findings(240, 0)
    p = calibrate([(features, True) for features in found], NAMES)
    assert min(map(p, found)) > 0.95
    usual = {"score": 0.6, "margin": 0.3, "kind": 1.0}
    assert p(usual) > 0.99
    assert p(usual | {"score": 0.0}) < 0.9
    assert p(usual | {"margin": -0.4}) < 0.9
    assert p(usual | {"kind": 0.0}) < 0.9
    sure = [p(usual | {"score": score}) for score in np.linspace(0.55, 0.0, 12)]
    assert sure == sorted(sure, reverse=True)


def test_nothing_is_likely_where_nothing_was_right():
    p = calibrate([(features, False) for features in findings(100, 0)], NAMES)
    for score in (-1.0, 0.6, 2.0):
        assert p({"score": score, "margin": 0.3, "kind": 1.0}) < 0.05


def test_right_and_wrong_count_alike_where_there_is_enough_of_both():
    """One in four is right; where the features say nothing, that is as good as a half."""
    examples = [({"a": float(i % 2)}, i % 4 == 0) for i in range(400)]
    examples += [({"a": float(i % 2)}, i % 4 == 1) for i in range(400)]
    p = calibrate(examples, ["a"])
    assert p({"a": 0.0}) == pytest.approx(0.5, abs=0.02)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-1e3, 1e3), st.sampled_from([0.0, 1.0]), st.booleans()),
        min_size=1,
        max_size=40,
    )
)
def test_it_is_a_probability_for_any_examples(rows):
    examples = [({"a": a, "b": b}, right) for a, b, right in rows]
    p = calibrate(examples, ["a", "b"])
    for features, _ in examples:
        assert 0 <= p(features) <= 1
    if any(right for *_, right in rows):
        assert max(p(features) for features, _ in examples) > 0.15


def test_probabilities_follow_the_features():
    examples = [({"a": i / 50, "b": float(i % 3)}, i > 25) for i in range(50)]
    p = calibrate(examples, ["a", "b"])
    assert p({"a": 0.0, "b": 0.0}) < 0.3
    assert p({"a": 1.0, "b": 0.0}) > 0.7
    rising = [p({"a": a, "b": 1.0}) for a in np.linspace(0, 1, 20)]
    assert rising == sorted(rising)


def test_two_features_may_count_only_together():
    """As an exclusive or, which no sum of the two could tell."""
    examples = [({"a": float(a), "b": float(b)}, a != b) for a in (0, 1) for b in (0, 1)] * 20
    p = calibrate(examples, ["a", "b"])
    for features, right in examples[:4]:
        assert (p(features) > 0.5) == right


def test_parts_add_up_to_what_is_decided():
    examples = [({"a": i / 50, "b": float(i % 3)}, i > 25) for i in range(50)]
    p = calibrate(examples, ["a", "b"])
    for features, _ in examples[::7]:
        total = sum(p.parts(features).values()) + p.pairs[-1, -1]
        assert 1 / (1 + np.exp(-total)) == pytest.approx(p(features))


def test_calibration_of_little():
    with pytest.raises(TrainingError, match="nothing to calibrate on"):
        calibrate([], ["a"])
    always = calibrate([({"a": 1.0}, True)] * 8, ["a"])
    assert always({"a": 1.0}) == pytest.approx(0.9, abs=0.001)
    assert always({"a": 0.0}) < 0.6
    good = calibrate([({"a": i}, i > 20) for i in range(50)], ["a"])
    wrong = ({"pairs": np.ones((1, 1))}, {"scale": np.zeros(1)}, {"mean": np.full(1, np.nan)})
    for part in wrong:
        with pytest.raises(ValueError, match="calibration"):
            replace(good, **part)
