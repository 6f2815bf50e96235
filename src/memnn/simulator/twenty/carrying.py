"""People who carry things about: tasks 2, 3, 7 and 8."""

from __future__ import annotations

from memnn.simulator.actions import Drop, Get, Give
from memnn.simulator.twenty.meaning import (
    Count,
    HowManyCarried,
    Names,
    ThingBefore,
    WhatCarried,
    WhereThing,
    name,
)
from memnn.simulator.twenty.plot import Plot, Scene, alternate
from memnn.simulator.twenty.stage import Carrying, Stage, Visit


def _handled_lately(stage: Stage, scene: Scene) -> list[tuple[str, Carrying]]:
    """Things whose latest get, give or drop is recent."""
    recent = {id for id, _ in stage.plot.recent(scene.difficulty)}
    return [(thing, c) for thing, c in stage.carried.items() if c.id in recent]


def where_is_it(scene: Scene) -> Plot:
    """Supports: what happened to the thing last, then where that person went.

    A thing still held is asked about once it was carried somewhere: before, one could do without
    the get.
    """
    stage = Stage(scene, "go/get/drop")

    def whereabouts(carrying: Carrying) -> Visit | None:
        if not carrying.held:
            return carrying.left_at
        return carrying.trail[-1] if carrying.trail else None

    def ask() -> bool:
        known = [
            (thing, carrying.id, visit)
            for thing, carrying in _handled_lately(stage, scene)
            if (visit := whereabouts(carrying)) is not None
        ]
        if known:
            thing, id, visit = scene.rng.choice(known)
            stage.plot.ask(WhereThing(thing), name(visit.room), id, visit.id)
        return bool(known)

    alternate(stage.act, ask)
    return stage.plot


def where_was_it(scene: Scene) -> Plot:
    """Supports: what happened to the thing last, the latest go to the room, the go before.

    Both goes are of one carrying, by one person.
    """
    stage = Stage(scene, "go/get/drop")

    def latest(trail: list[Visit]) -> list[tuple[Visit, Visit]]:
        """The latest visit to every room with the visit before it, if there is one."""
        last = {visit.room: place for place, visit in enumerate(trail)}
        return [(trail[place], trail[place - 1]) for place in last.values() if place]

    def ask() -> bool:
        known = [
            (thing, carrying)
            for thing, carrying in _handled_lately(stage, scene)
            if len(carrying.trail) > 1
        ]
        if known:
            thing, carrying = scene.rng.choice(known)
            there, before = scene.rng.choice(latest(carrying.trail))
            question = ThingBefore(thing, there.room)
            stage.plot.ask(question, name(before.room), carrying.id, there.id, before.id)
        return bool(known)

    alternate(stage.act, ask)
    return stage.plot


def _who_handled(stage: Stage, scene: Scene) -> str | None:
    """Whoever did a recent get, give or drop."""
    facts = [fact for _, fact in stage.plot.recent(scene.difficulty)]
    who = [fact.actor for fact in facts if isinstance(fact, Get | Give | Drop)]
    return scene.rng.choice(who) if who else None


def how_many(scene: Scene) -> Plot:
    """Supports: all that passed through these hands, in order."""
    stage = Stage(scene, "go/get/drop/give")

    def ask() -> bool:
        actor = _who_handled(stage, scene)
        if actor is not None:
            held = sum(c.held and c.actor == actor for c in stage.carried.values())
            ids = [id for _, id in stage.handled[actor]]
            stage.plot.ask(HowManyCarried(actor), Count(held), *ids)
        return actor is not None

    alternate(stage.act, ask)
    return stage.plot


def what(scene: Scene) -> Plot:
    """The list and its supports go thing by thing, in the order these hands first had them."""
    stage = Stage(scene, "go/get/drop")

    def ask() -> bool:
        actor = _who_handled(stage, scene)
        if actor is not None:
            ids: dict[str, list[int]] = {}
            for action, id in stage.handled[actor]:
                ids.setdefault(action.thing, []).append(id)
            held = tuple(t for t in ids if (c := stage.carried[t]).held and c.actor == actor)
            supports = [id for thing in ids for id in ids[thing]]
            stage.plot.ask(WhatCarried(actor), Names(held), *supports)
        return actor is not None

    alternate(stage.act, ask)
    return stage.plot
