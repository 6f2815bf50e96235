"""The nine actions: what forbids them, what they change, and what can be done when."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memnn.errors import InputError, UnknownName
from memnn.simulator.actions import (
    ACTION_SETS,
    Action,
    Drop,
    Examine,
    Get,
    GetFrom,
    Give,
    Go,
    Inventory,
    Look,
    Put,
    apply,
    refusal,
    valid_actions,
)
from memnn.simulator.world import FURNISHED_WORLD, PAPER_WORLD, Container, Place, World, WorldSpec


@pytest.fixture
def world() -> World:
    """Joe and Fred in the kitchen, Dan in the office, Mike nowhere yet."""
    kitchen, office = Place("room", "kitchen"), Place("room", "office")
    places = dict.fromkeys(("milk", "apple", "basket", "box", "table"), kitchen)
    world = World(FURNISHED_WORLD, {**places, "football": office, "shelf": office})
    for actor, room in (("Joe", "kitchen"), ("Fred", "kitchen"), ("Dan", "office")):
        apply(world, Go(actor, room))
    return world


def test_the_default_world_is_the_papers() -> None:
    assert len(PAPER_WORLD.actors) == 4
    assert len(PAPER_WORLD.objects) == 3
    assert len(PAPER_WORLD.rooms) == 5
    assert PAPER_WORLD.containers == ()


@pytest.mark.parametrize(
    ("before", "action", "reason"),
    [
        ([], Go("Joe", "kitchen"), "Joe is already in the kitchen"),
        ([], Go("Joe", "moon"), "there is no room called moon"),
        ([], Go("Bill", "kitchen"), "there is no actor called Bill"),
        ([], Get("Joe", "unicorn"), "there is nothing called unicorn"),
        ([], Get("Mike", "milk"), "Mike has not been anywhere yet"),
        ([], Look("Mike"), "Mike has not been anywhere yet"),
        ([], Get("Joe", "football"), "the football is not here"),
        ([Get("Fred", "milk")], Get("Joe", "milk"), "Fred has the milk"),
        ([Get("Joe", "milk")], Get("Joe", "milk"), "Joe already has the milk"),
        ([], Get("Joe", "table"), "the table cannot be moved"),
        ([], Drop("Joe", "milk"), "Joe does not have the milk"),
        ([Get("Fred", "milk")], Drop("Joe", "milk"), "Joe does not have the milk"),
        ([Get("Joe", "milk")], Give("Joe", "milk", "Dan"), "Dan is not in the kitchen"),
        ([Get("Joe", "milk")], Give("Joe", "milk", "Mike"), "Mike is not in the kitchen"),
        ([Get("Joe", "milk")], Give("Joe", "milk", "Bill"), "there is no actor called Bill"),
        (
            [Get("Joe", "milk")],
            Give("Joe", "milk", "Joe"),
            "Joe cannot give something to the giver",
        ),
        ([], Give("Joe", "milk", "Fred"), "Joe does not have the milk"),
        ([], Put("Joe", "milk", "basket"), "Joe does not have the milk"),
        ([Get("Joe", "milk")], Put("Joe", "milk", "apple"), "the apple cannot hold anything"),
        ([Get("Joe", "milk")], Put("Joe", "milk", "shelf"), "the shelf is not here"),
        (
            [Get("Joe", "basket")],
            Put("Joe", "basket", "basket"),
            "the basket cannot go into itself",
        ),
        (
            [Get("Joe", "milk"), Get("Fred", "basket")],
            Put("Joe", "milk", "basket"),
            "Fred has the basket",
        ),
        (
            [Get("Joe", "box"), Put("Joe", "box", "basket"), Get("Joe", "basket")],
            Put("Joe", "basket", "box"),
            "the basket cannot go into the box, which is in the basket",
        ),
        (
            [Get("Joe", "milk"), Put("Joe", "milk", "table")],
            Get("Fred", "milk"),
            "the milk is on the table",
        ),
        (
            [Get("Dan", "football"), Put("Dan", "football", "shelf")],
            Get("Joe", "football"),
            "the football is not here",
        ),
        ([], GetFrom("Joe", "milk", "basket"), "the milk is not in the basket"),
        ([], GetFrom("Joe", "milk", "shelf"), "the shelf is not here"),
        ([], GetFrom("Joe", "milk", "apple"), "the apple cannot hold anything"),
        ([], Examine("Joe", "football"), "the football is not here"),
    ],
)
def test_refusals_say_why(world: World, before: list[Action], action: Action, reason: str) -> None:
    for done in before:
        apply(world, done)
    assert refusal(world, action) == reason
    with pytest.raises(InputError, match=reason):
        apply(world, action)


def test_actions_change_the_world(world: World) -> None:
    apply(world, Get("Joe", "milk"))
    assert world.place_of("milk") == Place("actor", "Joe")
    apply(world, Give("Joe", "milk", "Fred"))
    assert world.place_of("milk") == Place("actor", "Fred")
    apply(world, Get("Joe", "basket"))
    apply(world, Drop("Fred", "milk"))
    apply(world, Get("Joe", "milk"))
    apply(world, Put("Joe", "milk", "basket"))
    apply(world, Go("Joe", "garden"))
    assert world.where("milk") == "garden"
    apply(world, GetFrom("Joe", "milk", "basket"))
    assert world.place_of("milk") == Place("actor", "Joe")
    apply(world, Drop("Joe", "milk"))
    assert world.place_of("milk") == Place("room", "garden")


def test_the_trail_answers_before(world: World) -> None:
    for room in ("office", "kitchen", "garden"):
        apply(world, Go("Joe", room))
    assert world.trail("Joe") == ("kitchen", "office", "kitchen", "garden")
    assert world.room_before("Joe", "kitchen") == "office"
    assert world.room_before("Joe", "office") == "kitchen"
    assert world.room_before("Joe", "bathroom") is None
    assert world.room_before("Dan", "office") is None
    assert set(world.rooms_with_a_before("Joe")) == {"kitchen", "office", "garden"}
    assert world.rooms_with_a_before("Joe", 1) == ["garden"]
    assert world.rooms_with_a_before("Mike") == []


def test_looking_reports_in_words_and_changes_nothing(world: World) -> None:
    apply(world, Get("Joe", "milk"))
    apply(world, Get("Fred", "apple"))
    apply(world, Put("Fred", "apple", "basket"))
    before = {thing: world.place_of(thing) for thing in world.spec.things}
    assert apply(world, Look("Joe")) == (
        "Joe is in the kitchen with Fred; the basket, the box and the table are here"
    )
    assert apply(world, Look("Dan")) == (
        "Dan is in the office; the football and the shelf are here"
    )
    assert apply(world, Inventory("Joe")) == "Joe is carrying the milk"
    assert apply(world, Inventory("Mike")) == "Mike is carrying nothing"
    assert apply(world, Examine("Joe", "basket")) == "The basket holds the apple"
    assert apply(world, Examine("Joe", "box")) == "The box is empty"
    assert apply(world, Examine("Joe", "apple")) == "The apple is in the basket"
    assert apply(world, Examine("Fred", "milk")) == "Joe has the milk"
    assert {thing: world.place_of(thing) for thing in world.spec.things} == before


def test_a_thing_that_is_anywhere_is_found_by_who_wants_it_first() -> None:
    world = World(FURNISHED_WORLD)
    apply(world, Go("Joe", "garden"))
    assert world.where("milk") is None
    apply(world, Get("Joe", "milk"))
    apply(world, Put("Joe", "milk", "table"))
    assert world.where("table") == world.where("milk") == "garden"
    apply(world, GetFrom("Joe", "apple", "table"))
    assert world.place_of("apple") == Place("actor", "Joe")


def test_an_actor_who_has_not_been_anywhere_can_only_go_and_take_stock(world: World) -> None:
    assert set(valid_actions(world, "Mike")) == {Go, Inventory}
    assert set(valid_actions(world, "Mike", "go/get/drop")) == {Go}
    assert len(valid_actions(world, "Mike")[Go]) == 5
    assert len(valid_actions(world, "Joe")[Go]) == 4


def test_an_unknown_action_set_lists_the_known(world: World) -> None:
    with pytest.raises(UnknownName, match="go/get/drop"):
        valid_actions(world, "Joe", "fly")


@pytest.mark.parametrize(
    "bad",
    [
        {"objects": ("milk", "Milk")},
        {"objects": ("joe",)},
        {"containers": (Container("kitchen"),)},
        {"women": ("Ann",)},
        {"rooms": ("kitchen", " ")},
    ],
)
def test_names_are_distinct_and_real(bad: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(InputError):
        WorldSpec(**bad)  # type: ignore[arg-type]


def _everything_imaginable(world: World, actor: str) -> set[Action]:
    spec = world.spec
    holders = [container.name for container in spec.containers]
    return {
        Look(actor),
        Inventory(actor),
        *(Go(actor, room) for room in spec.rooms),
        *(make(actor, thing) for make in (Get, Drop, Examine) for thing in spec.things),
        *(Give(actor, thing, to) for thing in spec.things for to in spec.actors),
        *(make(actor, t, c) for make in (GetFrom, Put) for t in spec.things for c in holders),
    }


@given(seed=st.integers(0, 10**6), anywhere=st.booleans())
@settings(max_examples=25, deadline=None)
def test_valid_actions_are_exactly_those_not_refused(seed: int, anywhere: bool) -> None:
    rng = Random(seed)
    world = World(FURNISHED_WORLD) if anywhere else World.scattered(FURNISHED_WORLD, rng)
    for _ in range(60):
        actor = rng.choice(world.spec.actors)
        valid = valid_actions(world, actor)
        listed = [action for actions in valid.values() for action in actions]
        imaginable = _everything_imaginable(world, actor)
        assert len(listed) == len(set(listed))
        assert set(listed) == {a for a in imaginable if refusal(world, a) is None}
        assert list(valid) == [kind for kind in ACTION_SETS["everything"] if kind in valid]
        apply(world, rng.choice(listed))


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_nothing_is_ever_inside_itself_and_furniture_stays(seed: int) -> None:
    rng = Random(seed)
    world = World.scattered(FURNISHED_WORLD, rng)
    table = world.where("table")
    for _ in range(200):
        valid = valid_actions(world, rng.choice(world.spec.actors))
        apply(world, rng.choice(valid[rng.choice(list(valid))]))
        assert not any(world.inside(thing, thing) for thing in world.spec.things)
    assert world.where("table") == table
