"""Making an ensemble: what is held back, when to abstain, and that a seed says it all."""

from __future__ import annotations

import random

import memnn
from memnn.dialogue import train as dialogue
from memnn.dialogue.calibrate import calibrate
from memnn.dialogue.decide import SURE
from memnn.dialogue.examples import Example
from memnn.dialogue.wordings import wordings, world
from memnn.facts.recipe import FactsRecipe
from memnn.stories.train import fit


def test_the_same_seed_gives_the_same_calibration():
    story = fit(memnn.simulate(statements=300, questions=120), memnn.Recipe(epochs=2))
    some = world()[::40]
    recipe = FactsRecipe(match=True, english=True, repeat=1, epochs=2)
    first, second = (dialogue.ensemble(story, some, recipe) for _ in range(2))
    assert (first.id, first.thresholds) == (second.id, second.thresholds)


def test_the_threshold_declines_no_more_than_its_share():
    examples = [Example({"a": i / 100}, i > 3, True) for i in range(100)]
    examples += [Example({"a": 0.0}, False, False)] * 50
    p = calibrate([each[:2] for each in examples], ["a"])
    for share in (0.0, 0.02, 0.1):
        threshold = dialogue.choose_threshold(examples, p, share)
        declined = sum(p(each.features) < threshold for each in examples if each.answerable)
        assert declined <= share * 100


def test_a_wording_held_back_is_not_trained_on():
    seen, held = dialogue.split(wordings(), random.Random(0))
    texts = [{text for each in ways.values() for text in each} for ways in (seen, held)]
    assert not texts[0] & texts[1]
    assert len(texts[1]) > 50


def test_the_story_network_is_calibrated_on_questions_that_it_can_answer(small):
    """Its threshold comes from them, and one that it passes easily does not decline."""
    assert small.card["right"]["story"] >= 0.95 * small.card["calibrated_on"]["story"]
    assert 0.5 < small.thresholds["story"] <= SURE
