"""The world of the simulation and where everything in it is (Section 5.2, Appendix A).

The world is the truth that questions are answered from. What a reader of the story can know of
it is another matter, and lives in `knowledge`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple

from memnn.errors import InputError

Preposition = Literal["in", "on"]


@dataclass(frozen=True, slots=True)
class Container:
    """A thing that holds things: a basket can be carried, a table stands where it stands."""

    name: str
    preposition: Preposition = "in"
    portable: bool = True


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """Who and what there is; the defaults are the paper's 4 characters, 3 objects and 5 rooms."""

    actors: tuple[str, ...] = ("Joe", "Fred", "Dan", "Mike")
    objects: tuple[str, ...] = ("milk", "football", "apple")
    rooms: tuple[str, ...] = ("kitchen", "office", "bathroom", "bedroom", "garden")
    containers: tuple[Container, ...] = ()
    women: tuple[str, ...] = ()
    """The actors whose pronoun is "she"."""

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for name in (*self.actors, *self.things, *self.rooms):
            if not name.strip():
                raise InputError("a name in a world must not be empty")
            if name.lower() in seen:
                raise InputError(f"the name '{name}' is used twice; names must be unique")
            seen.add(name.lower())
        for name in self.women:
            if name not in self.actors:
                raise InputError(f"'{name}' is listed under women but is not an actor")

    @property
    def things(self) -> tuple[str, ...]:
        """Everything that is neither an actor nor a room: objects, then containers."""
        return (*self.objects, *(container.name for container in self.containers))

    def container(self, name: str) -> Container | None:
        return next((c for c in self.containers if c.name == name), None)

    def pronoun(self, name: str) -> str:
        if name in self.women:
            return "she"
        return "he" if name in self.actors else "it"

    def pronouns(self, name: str) -> frozenset[str]:
        """All that may stand for a name; a capital letter makes a stranger a person."""
        stranger = name not in self.actors and name not in self.things
        if stranger and name[:1].isupper():
            return frozenset({"he", "she"})
        return frozenset({self.pronoun(name)})


PAPER_WORLD = WorldSpec()
FURNISHED_WORLD = WorldSpec(
    containers=(
        Container("basket"),
        Container("box"),
        Container("table", "on", portable=False),
        Container("shelf", "on", portable=False),
    )
)
"""The paper's world with something to put things in and on."""


class Place(NamedTuple):
    """Where a thing is, one step away: it stands in a room, is carried, or is in or on another."""

    kind: Literal["room", "actor", "container"]
    name: str


class World:
    """The state: the room of every actor, the place of every thing, the trail of every actor.

    An actor without a room has not been anywhere yet. A thing without a place is "anywhere":
    whoever reaches for it first finds it where they are, which lets a written story begin
    without a stage set.
    """

    def __init__(self, spec: WorldSpec, places: Mapping[str, Place] | None = None) -> None:
        self.spec = spec
        self._containers = {container.name: container for container in spec.containers}
        self._places: dict[str, Place | None] = {t: (places or {}).get(t) for t in spec.things}
        self._trails: dict[str, list[str]] = {actor: [] for actor in spec.actors}
        # For every actor the index on the trail of the latest visit to each room.
        self._visits: dict[str, dict[str, int]] = {actor: {} for actor in spec.actors}
        self._rooms = frozenset(spec.rooms)

    @classmethod
    def scattered(cls, spec: WorldSpec, rng: Random) -> World:
        """A world whose things start in random rooms."""
        return cls(spec, {thing: Place("room", rng.choice(spec.rooms)) for thing in spec.things})

    def copy(self) -> World:
        """The same state, to try something out."""
        other = World(self.spec)
        other._places = dict(self._places)
        other._trails = {actor: list(trail) for actor, trail in self._trails.items()}
        other._visits = {actor: dict(visits) for actor, visits in self._visits.items()}
        return other

    def has_actor(self, name: str) -> bool:
        return name in self._trails

    def has_thing(self, name: str) -> bool:
        return name in self._places

    def has_room(self, name: str) -> bool:
        return name in self._rooms

    def container(self, name: str) -> Container | None:
        return self._containers.get(name)

    def room_of(self, actor: str) -> str | None:
        trail = self._trails[actor]
        return trail[-1] if trail else None

    def trail(self, actor: str) -> tuple[str, ...]:
        """The rooms an actor has been to, oldest first."""
        return tuple(self._trails[actor])

    def has_been(self, actor: str, room: str) -> bool:
        return room in self._visits[actor]

    def room_before(self, actor: str, room: str) -> str | None:
        """Where the actor was before the latest visit to a room."""
        visit = self._visits[actor].get(room, 0)
        return self._trails[actor][visit - 1] if visit else None

    def rooms_with_a_before(self, actor: str, moves: int | None = None) -> list[str]:
        """The rooms an actor came to from another, of all moves or of the latest few."""
        first = 1 if moves is None else max(1, len(self._trails[actor]) - moves)
        return [room for room, visit in self._visits[actor].items() if visit >= first]

    def place_of(self, thing: str) -> Place | None:
        return self._places[thing]

    def outermost(self, thing: str) -> Place | None:
        """The room or the actor at the end of the chain of containers around a thing."""
        place = self._places[thing]
        while place is not None and place.kind == "container":
            place = self._places[place.name]
        return place

    def where(self, thing: str) -> str | None:
        """The room a thing is in, whoever carries it and whatever it is in."""
        place = self.outermost(thing)
        if place is None or place.kind == "room":
            return None if place is None else place.name
        return self.room_of(place.name)

    def at(self, place: Place) -> list[str]:
        """The things at exactly this place: in a room, in somebody's hands, in a container."""
        return [thing for thing, where in self._places.items() if where == place]

    def stored(self) -> list[tuple[str, str]]:
        """Every thing that is directly in or on a container, with that container."""
        places = self._places.items()
        return [(t, at.name) for t, at in places if at is not None and at.kind == "container"]

    def unplaced(self) -> list[str]:
        """The things that are still anywhere."""
        return [thing for thing, place in self._places.items() if place is None]

    def actors_in(self, room: str) -> list[str]:
        return [actor for actor in self._trails if self.room_of(actor) == room]

    def inside(self, thing: str, container: str) -> bool:
        """Whether a thing is in or on a container, at any depth."""
        return any(place == Place("container", container) for place in self._chain(thing))

    def _chain(self, thing: str) -> Iterator[Place]:
        place = self._places[thing]
        while place is not None:
            yield place
            place = self._places[place.name] if place.kind == "container" else None

    def move_actor(self, actor: str, room: str) -> None:
        trail = self._trails[actor]
        self._visits[actor][room] = len(trail)
        trail.append(room)

    def move_thing(self, thing: str, place: Place) -> None:
        self._places[thing] = place


def listing(names: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *front, last = names
    return f"{', '.join(front)} and {last}" if front else last
