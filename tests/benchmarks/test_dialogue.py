"""What the dialogue benchmark says of probabilities is true."""

from __future__ import annotations

import random

import pytest
from benchmarks.dialogue import Asked, reliability


def test_honest_probabilities_lie_on_the_diagonal():
    chance = random.Random(0)
    sure = [chance.random() for _ in range(20_000)]
    bins = reliability([Asked(p, chance.random() < p, True) for p in sure])
    assert sum(each["questions"] for each in bins) == len(sure)
    for each in bins:
        assert each["from"] <= each["predicted"] <= each["to"]
        assert each["observed"] == pytest.approx(each["predicted"], abs=0.03)


def test_every_probability_has_its_range():
    bins = reliability([Asked(p, True, True) for p in (0.0, 0.05, 0.5, 1.0)])
    assert [each["questions"] for each in bins] == [1, 1, 1, 1]
    assert reliability([]) == []
