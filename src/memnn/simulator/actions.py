"""The nine actions of Appendix A, what forbids each, what each changes, and who can do what now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from memnn.errors import InputError, UnknownName
from memnn.simulator.world import Place, World, listing


@dataclass(frozen=True, slots=True)
class Go:
    actor: str
    room: str


@dataclass(frozen=True, slots=True)
class Get:
    actor: str
    thing: str


@dataclass(frozen=True, slots=True)
class GetFrom:
    actor: str
    thing: str
    container: str


@dataclass(frozen=True, slots=True)
class Put:
    """Put a thing in or on a container; which of the two is the container's nature."""

    actor: str
    thing: str
    container: str


@dataclass(frozen=True, slots=True)
class Give:
    actor: str
    thing: str
    to: str


@dataclass(frozen=True, slots=True)
class Drop:
    actor: str
    thing: str


@dataclass(frozen=True, slots=True)
class Look:
    actor: str


@dataclass(frozen=True, slots=True)
class Inventory:
    actor: str


@dataclass(frozen=True, slots=True)
class Examine:
    actor: str
    thing: str


Action: TypeAlias = Go | Get | GetFrom | Put | Give | Drop | Look | Inventory | Examine
ActionType: TypeAlias = type[Action]

ACTION_SETS: dict[str, tuple[ActionType, ...]] = {
    "go": (Go,),
    "go/get/drop": (Go, Get, Drop),
    "go/get/drop/give": (Go, Get, Drop, Give),
    "everything": (Go, Get, GetFrom, Put, Give, Drop, Look, Inventory, Examine),
}


def things_of(action: Action) -> tuple[str, ...]:
    """The things an action mentions, the one acted on first."""
    match action:
        case Get(_, thing) | Give(_, thing, _) | Drop(_, thing) | Examine(_, thing):
            return (thing,)
        case GetFrom(_, thing, container) | Put(_, thing, container):
            return (thing, container)
        case Go() | Look() | Inventory():
            return ()


# --- constraints ---------------------------------------------------------------------------


def refusal(world: World, action: Action) -> str | None:
    """Why the action cannot be done now, in one sentence; None when it can."""
    if (unknown := _unknown_name(world, action)) is not None:
        return unknown
    actor = action.actor
    here = world.room_of(actor)
    match action:
        case Go(_, room):
            return f"{actor} is already in the {room}" if room == here else None
        case Inventory():
            return None
    if here is None:
        return f"{actor} has not been anywhere yet"
    match action:
        case Get(_, thing):
            return _cannot_get(world, actor, here, thing)
        case GetFrom(_, thing, container):
            return _cannot_get_from(world, actor, here, thing, container)
        case Put(_, thing, container):
            return _lacks(world, actor, thing) or _cannot_hold(world, actor, here, thing, container)
        case Give(_, thing, to):
            if to == actor:
                return f"{actor} cannot give something to the giver"
            if (lack := _lacks(world, actor, thing)) is not None:
                return lack
            return None if world.room_of(to) == here else f"{to} is not in the {here}"
        case Drop(_, thing):
            return _lacks(world, actor, thing)
        case Examine(_, thing):
            return None if world.where(thing) == here else f"the {thing} is not here"
        case Look():
            return None


def _unknown_name(world: World, action: Action) -> str | None:
    if not world.has_actor(action.actor):
        return f"there is no actor called {action.actor}"
    if isinstance(action, Go):
        return None if world.has_room(action.room) else f"there is no room called {action.room}"
    for thing in things_of(action):
        if not world.has_thing(thing):
            return f"there is nothing called {thing}"
    if isinstance(action, Give) and not world.has_actor(action.to):
        return f"there is no actor called {action.to}"
    return None


def _fixed(world: World, thing: str) -> str | None:
    container = world.container(thing)
    if container is None or container.portable:
        return None
    return f"the {thing} cannot be moved"


def _where_it_is(world: World, actor: str, thing: str, place: Place) -> str:
    """Why something that is at `place` is not there for the taking."""
    if place.kind == "actor":
        return (
            f"{actor} already has the {thing}"
            if place.name == actor
            else (f"{place.name} has the {thing}")
        )
    if place.kind == "container":
        return f"the {thing} is {_preposition(world, place.name)} the {place.name}"
    return f"the {thing} is not here"


def _preposition(world: World, container: str) -> str:
    known = world.container(container)
    return "in" if known is None else known.preposition


def _cannot_get(world: World, actor: str, here: str, thing: str) -> str | None:
    place = world.place_of(thing)
    if place is None or (place.kind == "room" and place.name == here):
        return _fixed(world, thing)
    if place.kind == "container" and world.where(thing) != here:
        return f"the {thing} is not here"
    return _where_it_is(world, actor, thing, place)


def _out_of_reach(world: World, actor: str, here: str, container: str) -> str | None:
    if world.container(container) is None:
        return f"the {container} cannot hold anything"
    place = world.outermost(container)
    if place is None or place == Place("room", here) or place == Place("actor", actor):
        return None
    if place.kind == "actor":
        return f"{place.name} has the {container}"
    return f"the {container} is not here"


def _cannot_get_from(world: World, actor: str, here: str, thing: str, container: str) -> str | None:
    if (reason := _out_of_reach(world, actor, here, container)) is not None:
        return reason
    place = world.place_of(thing)
    # A thing that is anywhere may well be in this container, but not in itself.
    found = (place is None and thing != container) or place == Place("container", container)
    if not found:
        return f"the {thing} is not {_preposition(world, container)} the {container}"
    return _fixed(world, thing)


def _lacks(world: World, actor: str, thing: str) -> str | None:
    if world.place_of(thing) == Place("actor", actor):
        return None
    return f"{actor} does not have the {thing}"


def _cannot_hold(world: World, actor: str, here: str, thing: str, container: str) -> str | None:
    into = "into" if _preposition(world, container) == "in" else "onto"
    if container == thing:
        return f"the {thing} cannot go {into} itself"
    if (reason := _out_of_reach(world, actor, here, container)) is not None:
        return reason
    if world.inside(container, thing):
        return (
            f"the {thing} cannot go {into} the {container}, "
            f"which is {_preposition(world, thing)} the {thing}"
        )
    return None


# --- effects -------------------------------------------------------------------------------


def apply(world: World, action: Action) -> str | None:
    """Do the action, or raise InputError with the reason; looking returns its report in words."""
    if (reason := refusal(world, action)) is not None:
        raise InputError(reason)
    actor = action.actor
    match action:
        case Go(_, room):
            world.move_actor(actor, room)
        case Get(_, thing):
            world.move_thing(thing, Place("actor", actor))
        case GetFrom(_, thing, container):
            _settle(world, actor, container)
            world.move_thing(thing, Place("actor", actor))
        case Put(_, thing, container):
            _settle(world, actor, container)
            world.move_thing(thing, Place("container", container))
        case Give(_, thing, to):
            world.move_thing(thing, Place("actor", to))
        case Drop(_, thing):
            world.move_thing(thing, Place("room", _room(world, actor)))
        case Look() | Inventory() | Examine():
            return report(world, action)
    return None


def _room(world: World, actor: str) -> str:
    room = world.room_of(actor)
    assert room is not None, "an actor who acts has been somewhere"
    return room


def _settle(world: World, actor: str, container: str) -> None:
    """A container that was anywhere turns out to stand where it is first used."""
    if world.place_of(container) is None:
        world.move_thing(container, Place("room", _room(world, actor)))


def report(world: World, action: Look | Inventory | Examine) -> str:
    """What looking tells: never a change of the world, never a supporting fact."""
    match action:
        case Look(actor):
            return _report_look(world, actor)
        case Inventory(actor):
            carried = world.at(Place("actor", actor))
            return f"{actor} is carrying {_the_things(carried) or 'nothing'}"
        case Examine(_, thing):
            return _report_examine(world, thing)


def _the_things(names: list[str]) -> str:
    return listing(f"the {name}" for name in names) if names else ""


def _report_look(world: World, actor: str) -> str:
    room = _room(world, actor)
    company = [other for other in world.actors_in(room) if other != actor]
    words = f"{actor} is in the {room}" + (f" with {listing(company)}" if company else "")
    things = world.at(Place("room", room))
    if things:
        words += f"; {_the_things(things)} {'is' if len(things) == 1 else 'are'} here"
    return words


def _report_examine(world: World, thing: str) -> str:
    if world.container(thing) is not None:
        contents = world.at(Place("container", thing))
        return f"The {thing} " + (f"holds {_the_things(contents)}" if contents else "is empty")
    place = world.place_of(thing)
    if place is not None and place.kind == "actor":
        return f"{place.name} has the {thing}"
    if place is not None and place.kind == "container":
        return f"The {thing} is {_preposition(world, place.name)} the {place.name}"
    return f"The {thing} is here"


# --- what can be done now ------------------------------------------------------------------


def _candidates(world: World, actor: str, kind: ActionType) -> Iterator[Action]:
    """The actions of a kind worth trying: few, but every valid one is among them."""
    spec = world.spec
    room = world.room_of(actor)
    mine = world.at(Place("actor", actor))
    if kind is Go:
        yield from (Go(actor, room) for room in spec.rooms)
    elif kind is Inventory:
        yield Inventory(actor)
    elif room is None:
        return
    elif kind is Look:
        yield Look(actor)
    elif kind is Get:
        lying = world.at(Place("room", room))
        yield from (Get(actor, thing) for thing in lying + world.unplaced())
    elif kind is Drop:
        yield from (Drop(actor, thing) for thing in mine)
    elif kind is Examine:
        yield from (Examine(actor, thing) for thing in spec.things)
    elif kind is Give:
        yield from (Give(actor, thing, to) for thing in mine for to in spec.actors)
    elif kind is Put:
        yield from (Put(actor, thing, c.name) for thing in mine for c in spec.containers)
    elif kind is GetFrom:
        loose = [(thing, c.name) for thing in world.unplaced() for c in spec.containers]
        yield from (GetFrom(actor, thing, name) for thing, name in world.stored() + loose)


def valid_actions(
    world: World, actor: str, among: str = "everything"
) -> dict[ActionType, list[Action]]:
    """What the actor can do now, by type; types with nothing to do are left out."""
    if among not in ACTION_SETS:
        raise UnknownName("action set", among, ACTION_SETS)
    valid: dict[ActionType, list[Action]] = {}
    for kind in ACTION_SETS[among]:
        actions = [a for a in _candidates(world, actor, kind) if refusal(world, a) is None]
        if actions:
            valid[kind] = actions
    return valid
