"""Training on facts: what is learned, and that a seed decides it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from memnn.errors import InputError, ModelError, TrainingError
from memnn.facts.evaluate import evaluate, finder
from memnn.facts.index import in_memory
from memnn.facts.joins import joined
from memnn.facts.model import load, save
from memnn.facts.recipe import FactsRecipe
from memnn.facts.templates import pseudo_questions, two_hop_question
from memnn.facts.train import fit
from memnn.facts.triples import Asked, Triple
from memnn.memory import RamMemory
from memnn.types import Question

SMALL = FactsRecipe(dim=64, epochs=3, match=False)


def hit1(model, world, questions, **how):
    index = in_memory(model, world.triples)
    find = finder(model.lookup(**how), index.reading(model.dictionary))
    return evaluate(find, questions, index.places()).results(0.0)["hit@1"]


def test_the_same_seed_gives_the_same_model(world):
    runs = [fit(world.triples, world.train, recipe=SMALL) for _ in range(2)]
    assert runs[0].id == runs[1].id
    assert runs[0].threshold == runs[1].threshold
    assert fit(world.triples, world.train, recipe=replace(SMALL, seed=1)).id != runs[0].id


TRAIN = """
from memnn.facts.recipe import FactsRecipe
from memnn.paper.toy import toy
from memnn.facts.train import fit
world = toy(10)
print(fit(world.triples, world.train, recipe=FactsRecipe(dim=8, epochs=1, match=False)).id)
"""


def test_in_every_process():
    """The order of a set of words is another one in every process."""
    ids = {
        subprocess.run(
            [sys.executable, "-c", TRAIN],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(ids) == 1


def test_two_threads_learn_as_well(world):
    model = fit(world.triples, world.train, recipe=SMALL, threads=2)
    assert hit1(model, world, world.test) > 0.8
    fit(world.triples[:9], recipe=replace(SMALL, epochs=1, seed=2**63 - 1), threads=3)


def test_triples_alone_are_enough(world):
    model = fit(world.triples, recipe=SMALL)
    assert model.card["questions"] == 0
    assert model.threshold > 0
    everything = world.test + world.valid
    shared = [q for q in everything if q.gold.relation.split()[0] in q.question.split()]
    assert len(shared) > 5
    assert hit1(model, world, shared) > 0.7


def test_questions_teach_words_that_no_triple_has(world):
    """ "Who is the author of" shares no word with "wrote"."""
    recipe = replace(SMALL, dim=32, epochs=6, repeat=10)
    with_questions = fit(world.triples, world.train, recipe=recipe)
    without = fit(world.triples, recipe=recipe)
    both = [hit1(model, world, world.test + world.valid) for model in (without, with_questions)]
    assert both[1] > both[0]


def test_paraphrases_are_a_second_task(world):
    pairs = [(f"who is the author of {t.object}", f"who wrote {t.object}") for t in world.triples]
    model = fit(world.triples, paraphrases=pairs, recipe=SMALL)
    assert model.card["paraphrases"] == len(pairs)
    assert "author" in model.dictionary.row
    assert fit(world.triples, paraphrases=pairs, recipe=SMALL).id == model.id


def test_progress_is_told(world):
    told = []
    fit(world.triples, recipe=SMALL, progress=told.append)
    assert [p.epoch for p in told][-1] == SMALL.epochs
    assert told[-1].done == told[-1].examples
    assert all(p.per_second > 0 for p in told)


def test_the_loss_goes_down(world):
    epochs = {}
    fit(
        world.triples,
        recipe=replace(SMALL, epochs=5),
        progress=lambda p: epochs.update({p.epoch: p.loss}),
    )
    assert epochs[5] < epochs[1]


def test_questions_about_other_triples_are_left_out(world):
    lost = Asked("Who?", Triple("not", "in", "there"))
    model = fit(world.triples, [*world.train, lost], recipe=replace(SMALL, epochs=1))
    assert model.card["questions"] + model.card["held_back_questions"] == len(world.train)


@pytest.mark.parametrize("rows", [[], [Triple("a", "b", "c")], [Triple("a", "b", "c")] * 5])
def test_too_little_to_learn_from(rows):
    with pytest.raises(TrainingError, match="fewer than two"):
        fit(rows)


def test_settings_that_make_no_sense():
    for changed in ({"hops": 3}, {"hops": 0}, {"dim": 0}, {"lr": float("nan")}, {"bow": -1.0}):
        with pytest.raises(InputError):
            FactsRecipe(**changed)
    with pytest.raises(TrainingError, match="share an entity"):
        fit([Triple("a", "b", "c"), Triple("d", "e", "f")], recipe=replace(SMALL, hops=2))


def test_pseudo_questions_name_what_they_ask_about():
    rng = random.Random(0)
    triple = Triple("Milne", "was born in", "London")
    for _ in range(50):
        about_object, about_subject = pseudo_questions(triple, rng)
        assert about_object.endswith("?")
        assert "London" not in about_object
        assert "Milne" not in about_subject
        said = set(about_object.rstrip("?").split())
        assert said & {"Milne", "was", "born", "in"}


def test_what_something_is_may_be_asked_for_by_its_name_alone():
    rng = random.Random(0)
    asked = {
        pseudo_questions(Triple("Ewing", "is a city in", "Kentucky"), rng)[0]: 0 for _ in range(99)
    }
    assert {"what is Ewing?", "who is Ewing?"} < set(asked)
    asked = {pseudo_questions(Triple("Ewing", "is in", "Kentucky"), rng)[0]: 0 for _ in range(99)}
    assert "what is Ewing?" not in asked
    assert "who is Ewing?" not in asked


def test_words_of_questions_that_differ_from_a_fact_by_an_s_are_its_words(world):
    facts = [*world.triples[:20], Triple("Liggin", "was born in", "Guthrie")]
    model = fit(
        facts, [Asked("where was Liggins born", facts[-1])] * 2, recipe=FactsRecipe(epochs=1)
    )
    assert model.dictionary.forms["liggins"] == "liggin"
    assert "liggins" not in model.dictionary.row


def test_joined_triples_share_what_the_question_does_not_name():
    rows = [
        Triple("Milne", "wrote", "Pooh"), Triple("Milne", "was born in", "London"),
        Triple("Owl", "lives in", "a tree"),
    ]  # fmt: skip
    pairs = joined(rows, random.Random(0))
    assert set(pairs) == {(0, 1), (1, 0)}
    for _ in range(20):
        text = two_hop_question(rows[0], rows[1], random.Random(1))
        assert "Milne" not in text
        assert "London" not in text


@pytest.fixture(scope="module")
def two_hops(world):
    return fit(world.triples, recipe=FactsRecipe(hops=2, dim=64, epochs=20, match=True))


def test_two_hops_find_two_facts(two_hops, world):
    """Accuracy of the last support over questions made anew, against a network with one hop."""
    rng = random.Random(99)
    rows = world.triples
    pairs = [
        (a, b)
        for a, b in joined(rows, rng)
        if rows[a].relation == "wrote" and rows[b].relation in ("was born in", "works as")
    ]
    index = in_memory(two_hops, rows)
    one = fit(rows, recipe=FactsRecipe(dim=64, epochs=20, match=True))
    flat = in_memory(one, rows)
    right = alone = 0
    for a, b in pairs:
        text = two_hop_question(rows[a], rows[b], rng)
        hops = two_hops.lookup()(Question(text), index).hops
        right += [hop.id for hop in hops] == [a + 1, b + 1]
        (hop,) = one.lookup()(Question(text), flat).hops
        alone += hop.id == b + 1
    assert len(pairs) > 10
    assert right > 0.25 * len(pairs)
    assert alone < right


def test_one_fact_is_enough_for_many_questions(two_hops, world):
    """The same support again means stop."""
    index = in_memory(two_hops, world.triples)
    lengths = [
        len(two_hops.lookup()(Question(" ".join(t[:2])), index).hops) for t in world.triples[:40]
    ]
    assert lengths.count(1) > 20


def test_two_hops_over_told_sentences(two_hops):
    memory = RamMemory()
    memory.write_many(["Milne wrote Pooh", "Milne was born in Kilburn", "Owl was born in a tree"])
    hops = two_hops.lookup()(Question("Where was the one that wrote Pooh born?"), memory).hops
    assert hops[0].id == 1


def test_a_folder_keeps_everything(facts_model, tmp_path):
    save(facts_model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.id == facts_model.id
    assert again.recipe == facts_model.recipe
    assert again.threshold == facts_model.threshold
    assert again.dictionary.words == facts_model.dictionary.words
    assert again.dictionary.forms == facts_model.dictionary.forms
    np.testing.assert_array_equal(again.U_O, facts_model.U_O)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"words": [', '"words": [ "again",'),
        ('"threshold"', '"level"'),
        ('"lemmas-1"', '"lemmas-9"'),
        ('"hops": 1', '"hops": 7'),
        ('"dim": 64', '"dim": 17'),
        ('"forms": {', '"forms": 5, "x": {'),
        ('"kind": "facts"', '"kind": "story"'),
    ],
)
def test_a_damaged_folder(facts_model, tmp_path, old, new):
    save(facts_model, tmp_path / "model")
    path = tmp_path / "model" / "model.json"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(ModelError) as caught:
        load(tmp_path / "model")
    assert "\n" not in str(caught.value)
