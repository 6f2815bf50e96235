"""The two tasks Appendix A looks forward to: describing what was done, and doing what is said."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

from memnn.errors import UnknownName
from memnn.simulator import grammar
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
    refusal,
)
from memnn.simulator.forms import NAME, Form
from memnn.simulator.knowledge import Knowledge
from memnn.simulator.questions import Moment, StoryQuestion
from memnn.simulator.world import World, WorldSpec
from memnn.types import Question


@dataclass(frozen=True, slots=True)
class JustDid(StoryQuestion):
    """ "What did Joe just do?", answered in plain words."""

    actor: str
    form: ClassVar[Form | None] = Form(
        "what did joe just do?", rf"what (?:did )?{NAME}(?: just do| do)?\s*\??", ("actor",)
    )

    @classmethod
    def about(cls, action: Action, moment: Moment) -> Self:
        return cls(action.actor)

    def in_words(self, the: Callable[[str], str], now: str) -> str:
        return f"What did {self.actor} just do?"

    def answer(self, world: World, knowledge: Knowledge) -> str | None:
        did = knowledge.last_action(self.actor)
        return None if did is None else grammar.say(did[0], world.spec)

    def supports(self, knowledge: Knowledge) -> tuple[int, ...] | None:
        did = knowledge.last_action(self.actor)
        return None if did is None else (did[1],)


def describe(knowledge: Knowledge, actor: str, spec: WorldSpec) -> Question | None:
    """What an actor just did, as a question with its answer; None for who has done nothing."""
    did = knowledge.last_action(actor)
    if did is None:
        return None
    action, id = did
    text = grammar.ask_in_words(JustDid(actor))
    return Question(text, answer=grammar.say(action, spec), supports=(id,))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request: the actions carried out, or the reason it was refused.

    A request is carried out as a whole or not at all. `words` says each action in plain words,
    and for an act of looking what was seen.
    """

    actions: tuple[Action, ...] = ()
    words: tuple[str, ...] = ()
    refusal: str | None = None


class _Refused(Exception):
    """Carries the reason up to `obey`."""


def obey(world: World, actor: str, request: str) -> Outcome:
    """Do what a request says: "Please find John and give him the milk"."""
    if not world.has_actor(actor):
        raise UnknownName("actor", actor, world.spec.actors)
    trial = world.copy()
    listener = _Listener(trial, actor)
    actions: list[Action] = []
    words: list[str] = []
    try:
        for clause in _clauses(request):
            for action in listener.understand(clause):
                if (reason := refusal(trial, action)) is not None:
                    raise _Refused(reason)
                words.append(apply(trial, action) or grammar.say(action, world.spec))
                actions.append(action)
    except _Refused as refused:
        return Outcome(refusal=str(refused))
    for action in actions:
        apply(world, action)
    return Outcome(tuple(actions), tuple(words))


def _clauses(request: str) -> list[str]:
    """The single requests in a compound one."""
    text = re.sub(r"\bplease\b,?", " ", request, flags=re.IGNORECASE)
    parts = re.split(r"[;,.!]|\band\b|\bthen\b", text, flags=re.IGNORECASE)
    clauses = [" ".join(part.split()) for part in parts]
    if not any(clauses):
        raise _Refused("nothing was asked for")
    return [clause for clause in clauses if clause]


def _any_of(*groups: tuple[grammar.Verb, ...]) -> str:
    """A pattern for any of the verbs as requests, longer ones first ("go back to" before "go")."""
    bases = sorted({verb.base for group in groups for verb in group}, key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, bases))})"


_GO = _any_of(grammar.GO, (grammar.GO_BACK,))
_GET = _any_of(grammar.GET, grammar.GET_FROM)
_DROP = _any_of(grammar.DROP)
_GIVE = _any_of(grammar.GIVE)
_PUT = _any_of(grammar.PUT)
_LOOK = _any_of(grammar.LOOK)
_INVENTORY = _any_of(grammar.INVENTORY)
_EXAMINE = _any_of(grammar.EXAMINE)

_PRONOUNS_FOR_ACTORS = ("him", "her", "them")


class _Listener:
    """Turns clauses into actions, and remembers who and what was spoken of for "him" and "it"."""

    def __init__(self, world: World, actor: str) -> None:
        self._world = world
        self._me = actor
        self._last_actor: str | None = None
        self._last_thing: str | None = None

    def understand(self, clause: str) -> list[Action]:
        """The actions a clause asks for: none if it is already so."""
        for pattern, act in self._forms():
            match = re.fullmatch(pattern, clause, flags=re.IGNORECASE)
            if match is not None:
                return act(*match.groups())
        raise _Refused(f"it is not clear what '{clause}' means")

    def _forms(self) -> list[tuple[str, Callable[..., list[Action]]]]:
        """What can be asked for, special forms before the general ones they look like."""
        me, thing = self._me, self._thing
        return [
            (r"(?:find|look for|go to find) (.+)", self._find),
            (_LOOK + "|look", lambda: [Look(me)]),
            (
                _INVENTORY + r"|inventory|(?:say|tell) what you (?:have|carry|are carrying)",
                lambda: [Inventory(me)],
            ),
            (_EXAMINE + " (.+)", lambda x: [Examine(me, thing(x))]),
            (rf"(?:{_GO}|go) (.+)", self._go),
            (rf"{_GET} (.+) from (.+)", lambda x, c: [GetFrom(me, thing(x), self._holder(c))]),
            (rf"{_GET} (.+)|pick (.+) up", lambda x, y: [Get(me, thing(x or y))]),
            (
                rf"{_DROP} (.+?)(?: here| there)?|put (.+) down",
                lambda x, y: [Drop(me, thing(x or y))],
            ),
            (rf"{_PUT} (.+) (in|on|into|onto) (.+)", self._put),
            (rf"{_GIVE} (.+) to (.+)", lambda x, to: [Give(me, thing(x), self._actor(to))]),
            (rf"{_GIVE} (\S+) (.+)", lambda to, x: [Give(me, thing(x), self._actor(to))]),
        ]

    def _put(self, thing: str, preposition: str, container: str) -> list[Action]:
        put = Put(self._me, self._thing(thing), self._holder(container))
        known = self._world.container(put.container)
        if known is not None and not preposition.lower().startswith(known.preposition):
            raise _Refused(f"things go {known.preposition} the {put.container}")
        return [put]

    def _go(self, name: str) -> list[Action]:
        room = self._named(name, self._world.spec.rooms)
        # "go to Fred" is to find him; only an unknown name is a missing room.
        if room is not None:
            return [Go(self._me, room)]
        if self._is_someone_or_something(name):
            return self._find(name)
        raise _Refused(f"there is no room called {_bare(name)}")

    def _find(self, name: str) -> list[Action]:
        """Go to where somebody or something is, unless that is here."""
        spec = self._world.spec
        if self._named(name, spec.actors) or _bare(name).lower() in _PRONOUNS_FOR_ACTORS:
            who = self._actor(name)
            room = self._world.room_of(who)
        else:
            thing = self._thing(name)
            who, room = f"the {thing}", self._world.where(thing)
        if room is None:
            raise _Refused(f"nobody knows where {who} is")
        return [] if room == self._world.room_of(self._me) else [Go(self._me, room)]

    def _is_someone_or_something(self, name: str) -> bool:
        spec = self._world.spec
        pronouns = (*_PRONOUNS_FOR_ACTORS, "it")
        return self._named(name, (*spec.actors, *spec.things, *pronouns)) is not None

    def _actor(self, name: str) -> str:
        if _bare(name).lower() in _PRONOUNS_FOR_ACTORS:
            if self._last_actor is None:
                raise _Refused(f"it is not clear who '{name}' is")
            return self._last_actor
        found = self._named(name, self._world.spec.actors)
        if found is None:
            raise _Refused(f"there is no actor called {_bare(name)}")
        self._last_actor = found
        return found

    def _thing(self, name: str) -> str:
        if _bare(name).lower() == "it":
            if self._last_thing is None:
                raise _Refused("it is not clear what 'it' is")
            return self._last_thing
        found = self._named(name, self._world.spec.things)
        if found is None:
            raise _Refused(f"there is nothing called {_bare(name)}")
        self._last_thing = found
        return found

    def _holder(self, name: str) -> str:
        """A container beside a thing: the thing stays what "it" is."""
        spoken_of = self._last_thing
        container = self._thing(name)
        self._last_thing = spoken_of
        return container

    def _named(self, name: str, names: tuple[str, ...]) -> str | None:
        return next((known for known in names if known.lower() == _bare(name).lower()), None)


def _bare(name: str) -> str:
    """A name without its article."""
    return re.sub(r"^(?:the|a|an) ", "", name.strip(), flags=re.IGNORECASE)
