"""What a reader can know agrees with the world, and follows from the supports alone."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memnn.simulator.actions import (
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
)
from memnn.simulator.knowledge import Knowledge, Known
from memnn.simulator.questions import Where, WhereActor, WhereBefore, WhereObject
from memnn.simulator.story import random_action
from memnn.simulator.world import FURNISHED_WORLD, PAPER_WORLD, World


def read(*actions: Action) -> Knowledge:
    knowledge = Knowledge()
    for id, action in enumerate(actions, start=1):
        knowledge.learn(action, id)
    return knowledge


KITCHEN, OFFICE, GARDEN = (Go("Joe", room) for room in ("kitchen", "office", "garden"))


def test_where_is_an_actor() -> None:
    assert read(KITCHEN, Go("Fred", "garden"), OFFICE).where_actor("Joe") == Known("office", (3,))
    assert read(KITCHEN).where_actor("Fred") is None


def test_where_was_an_actor_before() -> None:
    reader = read(KITCHEN, OFFICE, KITCHEN, GARDEN)
    assert reader.where_before("Joe", "kitchen") == Known("office", (3, 2))
    assert reader.where_before("Joe", "office") == Known("kitchen", (2, 1))
    assert reader.where_before("Joe", "garden") == Known("kitchen", (4, 3))
    assert reader.where_before("Joe", "bathroom") is None
    assert read(KITCHEN).where_before("Joe", "kitchen") is None


def test_a_thing_got_is_where_its_carrier_went_last_even_afterwards() -> None:
    assert read(KITCHEN, Get("Joe", "milk")).where_thing("milk") == Known("kitchen", (2, 1))
    assert read(KITCHEN, Get("Joe", "milk"), OFFICE).where_thing("milk") == Known("office", (2, 3))


def test_a_thing_dropped_is_where_the_dropper_was_then() -> None:
    reader = read(KITCHEN, Get("Joe", "milk"), OFFICE, Drop("Joe", "milk"), GARDEN)
    assert reader.where_thing("milk") == Known("office", (4, 3))


def test_a_thing_given_is_with_the_receiver() -> None:
    actions = (KITCHEN, Go("Fred", "kitchen"), Get("Joe", "milk"), Give("Joe", "milk", "Fred"))
    assert read(*actions).where_thing("milk") == Known("kitchen", (4, 2))
    assert read(*actions, Go("Fred", "garden"), OFFICE).where_thing("milk") == Known(
        "garden", (4, 5)
    )


def test_a_thing_put_on_unmoved_furniture_is_where_the_putter_was() -> None:
    reader = read(KITCHEN, Get("Joe", "milk"), OFFICE, Put("Joe", "milk", "table"), GARDEN)
    assert reader.where_thing("milk") == Known("office", (4, 3))
    assert reader.where_thing("table") == Known("office", (4, 3))


def test_what_others_put_there_later_does_not_replace_the_support() -> None:
    reader = read(
        KITCHEN,
        Go("Fred", "kitchen"),
        Put("Joe", "milk", "table"),
        Put("Fred", "apple", "table"),
    )
    assert reader.where_thing("milk") == Known("kitchen", (3, 1))
    assert reader.where_thing("table") == Known("kitchen", (4, 2))


def test_a_thing_put_in_a_carried_container_travels_with_it() -> None:
    actions = (KITCHEN, Get("Joe", "basket"), Get("Joe", "milk"), Put("Joe", "milk", "basket"))
    assert read(*actions, OFFICE).where_thing("milk") == Known("office", (4, 2, 5))
    dropped = (*actions, OFFICE, Drop("Joe", "basket"), GARDEN)
    assert read(*dropped).where_thing("milk") == Known("office", (4, 6, 5))


def test_a_chain_through_two_containers() -> None:
    reader = read(
        KITCHEN,
        Get("Joe", "milk"),
        Put("Joe", "milk", "basket"),
        Get("Joe", "basket"),
        OFFICE,
        Put("Joe", "basket", "table"),
        GARDEN,
    )
    assert reader.where_thing("milk") == Known("office", (3, 6, 5))


def test_taking_something_from_a_container_tells_where_the_container_is() -> None:
    reader = read(KITCHEN, GetFrom("Joe", "milk", "shelf"), OFFICE)
    assert reader.where_thing("shelf") == Known("kitchen", (2, 1))
    assert reader.where_thing("milk") == Known("office", (2, 3))


@pytest.mark.parametrize("look", [Look("Joe"), Inventory("Joe"), Examine("Joe", "apple")])
def test_looking_teaches_no_place(look: Action) -> None:
    reader = read(KITCHEN, look)
    assert reader.where_thing("apple") is None
    assert reader.where_actor("Joe") == Known("kitchen", (1,))
    assert reader.last_action("Joe") == (look, 2)


def known(knowledge: Knowledge, question: Where) -> Known | None:
    match question:
        case WhereActor(actor):
            return knowledge.where_actor(actor)
        case WhereObject(thing):
            return knowledge.where_thing(thing)
        case WhereBefore(actor, room):
            return knowledge.where_before(actor, room)


def all_questions(world: World) -> list[Where]:
    spec = world.spec
    return [
        *(WhereActor(actor) for actor in spec.actors),
        *(WhereObject(thing) for thing in spec.things),
        *(WhereBefore(actor, room) for actor in spec.actors for room in spec.rooms),
    ]


def replay(told: dict[int, Action], ids: tuple[int, ...]) -> Knowledge:
    knowledge = Knowledge()
    for id in sorted(ids):
        knowledge.learn(told[id], id)
    return knowledge


@given(
    seed=st.integers(0, 10**6),
    among=st.sampled_from(["go", "go/get/drop", "everything"]),
    anywhere=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_knowledge_agrees_with_the_world_and_supports_suffice(
    seed: int, among: str, anywhere: bool
) -> None:
    rng = Random(seed)
    world = World(FURNISHED_WORLD) if anywhere else World.scattered(FURNISHED_WORLD, rng)
    knowledge, told = Knowledge(), dict[int, Action]()
    for id in range(1, 81):
        told[id] = random_action(world, among, rng)
        apply(world, told[id])
        knowledge.learn(told[id], id)
        if id % 4:
            continue
        for question in all_questions(world):
            fact = known(knowledge, question)
            if fact is None:
                continue
            assert fact.room == question.answer(world, knowledge)
            assert len(set(fact.supports)) == len(fact.supports)
            assert not any(isinstance(told[s], Look | Inventory | Examine) for s in fact.supports)
            assert known(replay(told, fact.supports), question) == fact


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_everything_that_was_moved_is_known_and_no_support_is_idle(seed: int) -> None:
    rng = Random(seed)
    world = World.scattered(PAPER_WORLD, rng)
    knowledge, told = Knowledge(), dict[int, Action]()
    for id in range(1, 61):
        told[id] = random_action(world, "go/get/drop", rng)
        apply(world, told[id])
        knowledge.learn(told[id], id)
    moved = {action.thing for action in told.values() if isinstance(action, Get | Drop)}
    for question in all_questions(world):
        fact = known(knowledge, question)
        if isinstance(question, WhereObject):
            assert (fact is not None) == (question.thing in moved)
        else:
            assert (fact is not None) == (question.answer(world, knowledge) is not None)
        for idle in fact.supports if fact else ():
            rest = tuple(s for s in fact.supports if s != idle) if fact else ()
            assert known(replay(told, rest), question) is None
