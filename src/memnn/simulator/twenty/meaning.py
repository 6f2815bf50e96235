"""What the twenty tasks speak of: facts, questions and answers as values, in no language yet.

The words file has a frame for each class here, by its name; `{…}` in a frame is a field. Going,
getting, dropping and giving are the actions of the simulated world.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, get_args

from memnn.simulator.actions import Drop, Get, Give, Go

# --- facts -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GoTogether:
    first: str
    second: str
    room: str


@dataclass(frozen=True, slots=True)
class GoOn:
    """Those of whom the story just spoke go further, and are named by a pronoun."""

    people: tuple[str, ...]
    room: str


@dataclass(frozen=True, slots=True)
class GoAt:
    actor: str
    room: str
    time: str


@dataclass(frozen=True, slots=True)
class IsIn:
    actor: str
    room: str


@dataclass(frozen=True, slots=True)
class IsNotIn:
    actor: str
    room: str


@dataclass(frozen=True, slots=True)
class IsEither:
    actor: str
    room: str
    other: str


@dataclass(frozen=True, slots=True)
class Lies:
    """A place lies in a direction of another."""

    place: str
    direction: str
    of: str


@dataclass(frozen=True, slots=True)
class Stands:
    """A shape stands on a side of another."""

    shape: str
    side: str
    of: str


@dataclass(frozen=True, slots=True)
class IsA:
    who: str
    kind: str


@dataclass(frozen=True, slots=True)
class Fears:
    kind: str
    feared: str


@dataclass(frozen=True, slots=True)
class HasColour:
    who: str
    colour: str


@dataclass(frozen=True, slots=True)
class Bigger:
    big: str
    small: str


@dataclass(frozen=True, slots=True)
class Feels:
    who: str
    feeling: str


Fact: TypeAlias = (
    Go | Get | Drop | Give | GoTogether | GoOn | GoAt | IsIn | IsNotIn | IsEither
    | Lies | Stands | IsA | Fears | HasColour | Bigger | Feels
)  # fmt: skip

# --- questions -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WherePerson:
    actor: str


@dataclass(frozen=True, slots=True)
class WhereThing:
    thing: str


@dataclass(frozen=True, slots=True)
class PersonBefore:
    actor: str
    room: str


@dataclass(frozen=True, slots=True)
class ThingBefore:
    thing: str
    room: str


@dataclass(frozen=True, slots=True)
class IsThere:
    actor: str
    room: str


@dataclass(frozen=True, slots=True)
class WhatGiven:
    actor: str
    to: str


@dataclass(frozen=True, slots=True)
class WhoGave:
    thing: str


@dataclass(frozen=True, slots=True)
class WhoGaveTo:
    thing: str
    to: str


@dataclass(frozen=True, slots=True)
class WhoReceived:
    thing: str


@dataclass(frozen=True, slots=True)
class GivenToWhom:
    actor: str
    thing: str


@dataclass(frozen=True, slots=True)
class HowManyCarried:
    actor: str


@dataclass(frozen=True, slots=True)
class WhatCarried:
    actor: str


@dataclass(frozen=True, slots=True)
class WhatLies:
    """What lies in this direction of the place?"""

    direction: str
    of: str


@dataclass(frozen=True, slots=True)
class OfWhat:
    """Of what does the place lie in this direction?"""

    place: str
    direction: str


@dataclass(frozen=True, slots=True)
class Route:
    start: str
    goal: str


@dataclass(frozen=True, slots=True)
class DoesStand:
    shape: str
    side: str
    of: str


@dataclass(frozen=True, slots=True)
class WhatFeared:
    who: str


@dataclass(frozen=True, slots=True)
class WhichColour:
    who: str


@dataclass(frozen=True, slots=True)
class IsBigger:
    big: str
    small: str


@dataclass(frozen=True, slots=True)
class WhereNext:
    who: str


@dataclass(frozen=True, slots=True)
class WhyWent:
    who: str
    room: str


@dataclass(frozen=True, slots=True)
class WhyGot:
    who: str
    thing: str


Asking: TypeAlias = (
    WherePerson | WhereThing | PersonBefore | ThingBefore | IsThere | WhatGiven | WhoGave
    | WhoGaveTo | WhoReceived | GivenToWhom | HowManyCarried | WhatCarried | WhatLies | OfWhat
    | Route | DoesStand | WhatFeared | WhichColour | IsBigger | WhereNext | WhyWent | WhyGot
)  # fmt: skip

# --- answers ---------------------------------------------------------------------------------


class Truth(Enum):
    YES = "yes"
    NO = "no"
    MAYBE = "maybe"

    @classmethod
    def of(cls, true: bool) -> Truth:
        return cls.YES if true else cls.NO


@dataclass(frozen=True, slots=True)
class Names:
    """Any number of names in a row; none is "nothing"."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Count:
    number: int


@dataclass(frozen=True, slots=True)
class Way:
    directions: tuple[str, ...]


Reply: TypeAlias = Truth | Names | Count | Way


def name(of: str) -> Names:
    """The answer that is one name."""
    return Names((of,))


MEANINGS: dict[str, type] = {kind.__name__: kind for kind in (*get_args(Fact), *get_args(Asking))}
"""All that is said in words, by the name that the words file has a frame for."""
