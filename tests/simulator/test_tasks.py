"""Describing and obeying."""

from __future__ import annotations

import pytest

from memnn.errors import UnknownName
from memnn.simulator import (
    FURNISHED_WORLD,
    Knowledge,
    Outcome,
    Place,
    World,
    WorldSpec,
    describe,
    obey,
)
from memnn.simulator.actions import Action, Drop, Examine, Get, GetFrom, Give, Go, Look, Put, apply

SPEC = WorldSpec(actors=("Joe", "John", "Ann"), containers=FURNISHED_WORLD.containers)


@pytest.fixture
def world() -> World:
    """Joe in the kitchen with the milk and the furniture, John in the office, Ann unseen."""
    world = World(SPEC, {thing: Place("room", "kitchen") for thing in SPEC.things})
    world.move_thing("football", Place("room", "garden"))
    apply(world, Go("Joe", "kitchen"))
    apply(world, Go("John", "office"))
    return world


def test_describe_says_what_was_done_last() -> None:
    knowledge = Knowledge()
    assert describe(knowledge, "Joe", SPEC) is None
    done: list[Action] = [Go("Joe", "kitchen"), Get("Joe", "milk"), Go("Ann", "office")]
    for id, action in enumerate(done, start=1):
        knowledge.learn(action, id)
    question = describe(knowledge, "Joe", SPEC)
    assert question is not None
    assert question.text == "What did Joe just do?"
    assert question.answer == "Joe picked up the milk"
    assert question.supports == (2,)


@pytest.mark.parametrize(
    ("request_", "actions"),
    [
        ("Please pick up the milk", [Get("Joe", "milk")]),
        ("please pick the milk up!", [Get("Joe", "milk")]),
        ("grab milk", [Get("Joe", "milk")]),
        ("Please go back to the garden.", [Go("Joe", "garden")]),
        ("journey to the office", [Go("Joe", "office")]),
        (
            "Take the milk and then put it on the table",
            [Get("Joe", "milk"), Put("Joe", "milk", "table")],
        ),
        (
            "Get the milk, place it in the basket, take it from the basket, put down the milk",
            [
                Get("Joe", "milk"),
                Put("Joe", "milk", "basket"),
                GetFrom("Joe", "milk", "basket"),
                Drop("Joe", "milk"),
            ],
        ),
        ("get the milk and leave it there", [Get("Joe", "milk"), Drop("Joe", "milk")]),
        (
            "Please get the milk, find John and give him the milk",
            [Get("Joe", "milk"), Go("Joe", "office"), Give("Joe", "milk", "John")],
        ),
        (
            "get the milk, go to John, hand it to him",
            [Get("Joe", "milk"), Go("Joe", "office"), Give("Joe", "milk", "John")],
        ),
        ("find the football and take it", [Go("Joe", "garden"), Get("Joe", "football")]),
        ("find the milk", []),
        ("look around", [Look("Joe")]),
        ("look at the basket", [Examine("Joe", "basket")]),
    ],
)
def test_obeying(world: World, request_: str, actions: list[Action]) -> None:
    outcome = obey(world, "Joe", request_)
    assert outcome.refusal is None
    assert list(outcome.actions) == actions
    assert len(outcome.words) == len(actions)


def test_the_papers_request(world: World) -> None:
    apply(world, Get("Joe", "milk"))
    outcome = obey(world, "Joe", "Please find John and give him the milk")
    assert outcome.words == ("Joe went to the office", "Joe gave the milk to John")
    assert world.place_of("milk") == Place("actor", "John")
    assert world.room_of("Joe") == "office"


def test_looking_answers_with_what_is_seen(world: World) -> None:
    assert obey(world, "Joe", "Please take an inventory").words == ("Joe is carrying nothing",)
    assert obey(world, "Joe", "examine the basket").words == ("The basket is empty",)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ("Please pick up the football", "the football is not here"),
        ("Please drop the milk", "Joe does not have the milk"),
        ("Please go to the kitchen", "Joe is already in the kitchen"),
        ("Please go to the moon", "there is no room called moon"),
        ("Please find Ann", "nobody knows where Ann is"),
        ("Please find Sauron", "there is nothing called Sauron"),
        ("pick up the unicorn", "there is nothing called unicorn"),
        ("pick up the milk and give it to Sauron", "there is no actor called Sauron"),
        ("pick up the milk and give it to John", "John is not in the kitchen"),
        ("pick up the milk and put it in the table", "things go on the table"),
        ("pick up it", "it is not clear what 'it' is"),
        ("get the milk and give him the milk", "it is not clear who 'him' is"),
        ("get the basket and put it in the basket", "the basket cannot go into itself"),
        ("dance", "it is not clear what 'dance' means"),
        ("please", "nothing was asked for"),
    ],
)
def test_a_request_is_refused_as_a_whole(world: World, request_: str, reason: str) -> None:
    places = {thing: world.place_of(thing) for thing in SPEC.things}
    outcome = obey(world, "Joe", request_)
    assert outcome == Outcome(refusal=reason)
    assert {thing: world.place_of(thing) for thing in SPEC.things} == places
    assert world.trail("Joe") == ("kitchen",)


def test_only_actors_obey(world: World) -> None:
    with pytest.raises(UnknownName, match="John"):
        obey(world, "Sauron", "drop the milk")
