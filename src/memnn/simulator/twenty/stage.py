"""The stage of the tasks that move people and things: a world, and what a reader knows of it.

People and things start in rooms that the story does not tell. Every fact about them remembers its
id, so the supports of an answer are the facts it is read from.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memnn.simulator.actions import Action, ActionType, Drop, Get, Give, Go, apply, valid_actions
from memnn.simulator.twenty.plot import Plot, Scene
from memnn.simulator.world import World, WorldSpec

_GOING = 0.6
"""How often somebody goes somewhere although something else could be done."""
_GIVING = 4
"""How much rather people give than get or drop: it takes company, so it is seldom possible."""


@dataclass(frozen=True, slots=True)
class Visit:
    room: str
    id: int


@dataclass(slots=True)
class Carrying:
    """What became of a thing since it was last taken: who has or had it, and where it went."""

    actor: str
    id: int
    """The get, give or drop told last."""
    held: bool = True
    trail: list[Visit] = field(default_factory=list)
    """Where it was carried to."""
    left_at: Visit | None = None
    """Where it was left, if the story tells where that was."""


class Stage:
    """A world in which people act at random; each act is told and remembered."""

    def __init__(self, scene: Scene, among: str = "go") -> None:
        words, self._rng = scene.words, scene.rng
        spec = WorldSpec(words.people, words.things, words.places)
        self.plot = Plot()
        self.world = World.scattered(spec, self._rng)
        for actor in spec.actors:
            self.world.move_actor(actor, self._rng.choice(spec.rooms))
        self._among = among
        self.visits: dict[str, Visit] = {}
        """Where everybody is, as far as it was told."""
        self.carried: dict[str, Carrying] = {}
        self.gives: dict[str, tuple[Give, int]] = {}
        """How every thing was last given."""
        self.exchanges: dict[tuple[str, str], int] = {}
        """When somebody last gave anything to somebody."""
        self.handled: dict[str, list[tuple[Get | Give | Drop, int]]] = {}
        """What passed through everybody's hands, in order."""

    def room_of(self, actor: str) -> str:
        room = self.world.room_of(actor)
        assert room is not None, "everybody starts in a room"
        return room

    def elsewhere(self, *rooms: str) -> str:
        """Any room but these."""
        return self._rng.choice([room for room in self.world.spec.rooms if room not in rooms])

    def act(self) -> bool:
        """Somebody goes somewhere, or does something else that anybody can do now."""
        people = self.world.spec.actors
        doable: dict[ActionType, list[Action]] = {}
        if self._rng.random() >= _GOING:
            for actor in people:
                for kind, actions in valid_actions(self.world, actor, self._among).items():
                    if kind is not Go:
                        doable.setdefault(kind, []).extend(actions)
        if doable:
            weights = [_GIVING if kind is Give else 1 for kind in doable]
            (kind,) = self._rng.choices(list(doable), weights)
            self.tell(self._rng.choice(doable[kind]))
        else:
            actor = self._rng.choice(people)
            self.tell(Go(actor, self.elsewhere(self.room_of(actor))))
        return True

    def tell(self, action: Action) -> None:
        apply(self.world, action)
        match action:
            case Go(actor, room):
                self._went(actor, Visit(room, self.plot.tell(action)))
            case Get(actor, thing):
                id = self.plot.tell(action)
                self.carried[thing] = Carrying(actor, id)
                self.handled.setdefault(actor, []).append((action, id))
            case Drop(actor, thing):
                id = self.plot.tell(action)
                carrying = self.carried[thing]
                carrying.held, carrying.id = False, id
                carrying.left_at = self.visits.get(actor)
                self.handled.setdefault(actor, []).append((action, id))
            case Give(actor, thing, to):
                id = self.plot.tell(action)
                self.carried[thing] = Carrying(to, id)
                self.gives[thing] = (action, id)
                self.exchanges[actor, to] = id
                for person in (actor, to):
                    self.handled.setdefault(person, []).append((action, id))

    def _went(self, actor: str, visit: Visit) -> None:
        self.visits[actor] = visit
        for carrying in self.carried.values():
            if carrying.held and carrying.actor == actor:
                carrying.trail.append(visit)
