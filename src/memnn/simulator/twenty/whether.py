"""Is somebody in a room: tasks 6, 9 and 10."""

from __future__ import annotations

from collections.abc import Callable

from memnn.simulator.actions import Go
from memnn.simulator.twenty.meaning import Fact, IsEither, IsIn, IsNotIn, IsThere, Truth
from memnn.simulator.twenty.plot import Plot, Scene, alternate
from memnn.simulator.twenty.stage import Stage


def yes_or_no(scene: Scene) -> Plot:
    """Support: the latest go of the person asked about, which is a recent one."""
    stage, rng = Stage(scene, "go/get/drop"), scene.rng

    def ask() -> bool:
        recent = [fact for _, fact in stage.plot.recent(scene.difficulty)]
        known = [fact.actor for fact in recent if isinstance(fact, Go)]
        if known:
            actor = rng.choice(known)
            visit = stage.visits[actor]
            true = rng.random() < 0.5
            room = visit.room if true else stage.elsewhere(visit.room)
            stage.plot.ask(IsThere(actor, room), Truth.of(true), visit.id)
        return bool(known)

    alternate(stage.act, ask)
    return stage.plot


def _told_halves(scene: Scene, half_told: Callable[[Stage, str, str, str], Fact]) -> Plot:
    """Everybody moves about; half of the moves are told as goes, the others in another way.

    `half_told` says a move of a person from one room to another. Only what is told last of a
    person answers questions about them.
    """
    stage, rng = Stage(scene), scene.rng
    told: list[str] = []
    last: dict[str, tuple[Fact, int]] = {}

    def act() -> bool:
        actor = rng.choice(scene.words.people)
        here = stage.room_of(actor)
        room = stage.elsewhere(here)
        stage.world.move_actor(actor, room)
        fact = Go(actor, room) if rng.random() < 0.5 else half_told(stage, actor, here, room)
        last[actor] = (fact, stage.plot.tell(fact))
        told.append(actor)
        return True

    def ask() -> bool:
        fact, id = last[rng.choice(told[-scene.difficulty :])]
        inside = rng.random() < 0.5
        match fact:
            case Go(actor, room) | IsIn(actor, room):
                asked = room if inside else stage.elsewhere(room)
                answer = Truth.of(inside)
            case IsNotIn(actor, room):
                asked, answer = room, Truth.NO
            case IsEither(actor, room, other):
                asked = rng.choice((room, other)) if inside else stage.elsewhere(room, other)
                answer = Truth.MAYBE if inside else Truth.NO
            case _:
                return False
        stage.plot.ask(IsThere(actor, asked), answer, id)
        return True

    alternate(act, ask)
    return stage.plot


def negation(scene: Scene) -> Plot:
    """Some moves are told by where somebody is now, some by where they no longer are."""

    def half_told(stage: Stage, actor: str, here: str, room: str) -> Fact:
        return scene.rng.choice((IsIn(actor, room), IsNotIn(actor, here)))

    return _told_halves(scene, half_told)


def indefinite(scene: Scene) -> Plot:
    """Some moves are told with certainty, some leave two rooms."""

    def half_told(stage: Stage, actor: str, here: str, room: str) -> Fact:
        rooms = [room, stage.elsewhere(room)]
        scene.rng.shuffle(rooms)
        return scene.rng.choice((IsIn(actor, room), IsEither(actor, *rooms)))

    return _told_halves(scene, half_told)
