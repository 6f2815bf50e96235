"""Who gave what to whom: task 5."""

from __future__ import annotations

from memnn.simulator.actions import Give
from memnn.simulator.twenty.meaning import (
    Asking,
    GivenToWhom,
    Names,
    WhatGiven,
    WhoGave,
    WhoGaveTo,
    WhoReceived,
    name,
)
from memnn.simulator.twenty.plot import Plot, Scene, alternate
from memnn.simulator.twenty.stage import Stage


def three_arguments(scene: Scene) -> Plot:
    """One of giver, thing and receiver is asked for, of the last time that the thing was given."""
    stage, rng = Stage(scene, "go/get/drop/give"), scene.rng

    def question(give: Give) -> tuple[Asking, Names]:
        match rng.choice(("thing", "giver", "receiver")):
            case "giver":
                ways: list[Asking] = [WhoGave(give.thing), WhoGaveTo(give.thing, give.to)]
                return rng.choice(ways), name(give.actor)
            case "receiver":
                ways = [WhoReceived(give.thing), GivenToWhom(give.actor, give.thing)]
                return rng.choice(ways), name(give.to)
            case _:
                return WhatGiven(give.actor, give.to), name(give.thing)

    def ask() -> bool:
        recent = {id for id, _ in stage.plot.recent(scene.difficulty)}
        gives = [
            (give, id)
            for give, id in stage.gives.values()
            # Whatever was given later between the same two would answer "what", too.
            if id in recent and stage.exchanges[give.actor, give.to] == id
        ]
        if gives:
            give, id = rng.choice(gives)
            stage.plot.ask(*question(give), id)
        return bool(gives)

    alternate(stage.act, ask)
    return stage.plot
