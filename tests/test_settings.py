"""Settings are said once: what a field carries is what Python, JSON and defaults go by."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

import pytest

import memnn
from memnn.errors import InputError, ModelError, UnknownName
from memnn.facts import model as facts_models
from memnn.facts.hashes import lookup_with
from memnn.facts.index import in_memory
from memnn.facts.recipe import CAP, HASHES, ONE_IN, FactsRecipe, HashSettings
from memnn.kernels.write_time import CODES
from memnn.paper.baselines.language import BaselineSettings
from memnn.settings import BaseSettings, about, same_as, setting
from memnn.stories.recipe import RESPONSE_NAMES, TIME_MODES, Recipe
from memnn.stories.responses import RESPONSES
from memnn.stories.train_recurrent import ResponseSettings
from memnn.stories.train_segmenter import SegmenterSettings

CLASSES = [
    Recipe, FactsRecipe, HashSettings, ResponseSettings, SegmenterSettings, BaselineSettings,
]  # fmt: skip
RECIPES = [Recipe, FactsRecipe]


def outside(settings):
    """Every limit of every field, and a value just beyond it."""
    for field in fields(settings):
        limits = about(field).range
        if limits is not None:
            least, most = limits
            step = 1 if "int" in str(field.type) else 1e-9
            yield field.name, least - step
            yield field.name, most * 2
            yield field.name, float("nan") if step != 1 else most + 1


def inside(settings):
    for field in fields(settings):
        for value in about(field).range or ():
            yield field.name, int(value) if "int" in str(field.type) else value


@pytest.mark.parametrize("settings", CLASSES)
def test_every_field_says_what_it_is_and_every_number_has_a_range(settings):
    for field in fields(settings):
        said = about(field)
        assert said.help.endswith("."), field.name
        numeric = str(field.type).removesuffix(" | None") in ("int", "float")
        assert (said.range is not None) == numeric, field.name
        assert bool(said.unset) == (field.default is None), field.name
    settings()  # defaults are in their own ranges


@pytest.mark.parametrize("settings", CLASSES)
def test_limits_may_be_reached_and_not_passed(settings):
    for name, value in inside(settings):
        assert getattr(settings(**{name: value}), name) == value
    for name, value in outside(settings):
        with pytest.raises(InputError, match=f"^{name} must be between"):
            settings(**{name: value})


@pytest.mark.parametrize("settings", CLASSES)
def test_there_and_back_as_json(settings):
    changed = settings(**dict(inside(settings)))
    again = settings.from_json(json.loads(json.dumps(changed.to_json())))
    assert again == changed
    assert settings.from_json({}) == settings(), "what an older version did not write"
    assert settings.from_json({"invented": 1}) == settings(), "what a newer one wrote, too"


@pytest.mark.parametrize("settings", RECIPES)
def test_a_model_folder_is_held_to_the_same_ranges(settings, trained, facts_model, tmp_path):
    model, load = (
        (trained.model, memnn.load) if settings is Recipe else (facts_model, facts_models.load)
    )
    folder = model.save(tmp_path / "model")
    file = folder / "model.json"
    written = json.loads(file.read_text())
    for name, value in outside(settings):
        with pytest.raises(InputError) as said:
            settings(**{name: value})
        # JSON has no NaN, but Python's reader takes it.
        file.write_text(json.dumps({**written, "recipe": {**written["recipe"], name: value}}))
        with pytest.raises(ModelError) as read:
            load(folder)
        assert str(said.value) in str(read.value)
    file.write_text(json.dumps({**written, "recipe": {**written["recipe"], "hops": "two"}}))
    with pytest.raises(ModelError, match="hops must be a whole number, not str"):
        load(folder)


def test_names_are_those_that_exist():
    assert set(TIME_MODES) == set(CODES)
    assert set(RESPONSE_NAMES) == set(RESPONSES)
    for settings, name, kind in (
        (Recipe, "time", "time mode"),
        (Recipe, "response", "response"),
        (HashSettings, "hash", "hash"),
    ):
        with pytest.raises(UnknownName, match=f"^there is no {kind} 'other'; known: "):
            settings(**{name: "other"})


def test_every_name_of_a_hash_is_one_of_its_own(facts_model, world):
    index = in_memory(facts_model, world.triples)
    made = [lookup_with(facts_model, index, name) for name in HASHES]
    assert len({type(lookup.hash) for lookup in made}) == len(HASHES)


def test_the_cap_is_what_its_help_says():
    assert HashSettings().cap_for(10) == CAP
    assert HashSettings().cap_for(10**7) == 10**7 // ONE_IN
    assert HashSettings(cap=30).cap_for(10**7) == 30
    (cap,) = (field for field in fields(HashSettings) if field.name == "cap")
    assert f"{CAP:,}" in about(cap).unset
    assert f"one in {ONE_IN} " in about(cap).unset


def test_r_as_rnn_has_the_recipe_s_size_and_epochs():
    assert ResponseSettings().hidden == Recipe().response_size
    assert ResponseSettings().epochs == Recipe().response_epochs
    assert about(ResponseSettings.__dataclass_fields__["hidden"]) == about(
        Recipe.__dataclass_fields__["response_size"]
    )


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_a_recipe_sets_the_size_of_r(cell):
    pytest.importorskip("torch")
    recipe = Recipe(epochs=1, response=cell, response_size=7, response_epochs=2)
    net = memnn.train(memnn.simulate(statements=40, questions=20), recipe)
    assert net.model.R_settings["hidden"] == 7
    other = Recipe(epochs=1, response=cell, response_size=7, response_epochs=3)
    assert memnn.train(memnn.simulate(statements=40, questions=20), other).model.id != net.model.id


def test_matching_is_the_default_for_facts():
    assert FactsRecipe().match
    assert not Recipe().match


def test_help_says_choices_and_ranges_that_matter():
    @dataclass(frozen=True)
    class Tea(BaseSettings):
        cups: int = setting(2, "How many.", range=(1, 9))
        sugar: float = setting(0.5, "Spoons.", range=(0, 10**6))
        kind: str = setting("green", "Which.", choices={"green": "mild", "black": ""})
        more: int = same_as(Recipe, "hops")

    texts = [about(field).text for field in fields(Tea)]
    assert texts[:3] == ["How many (1 to 9).", "Spoons.", "Which. green: mild; black."]
    assert Tea().more == Recipe().hops
    with pytest.raises(InputError, match="more must be between 1 and 100"):
        Tea(more=101)
