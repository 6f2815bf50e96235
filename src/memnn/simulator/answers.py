"""Answers as sentences, and the rule that judges them (Section 5.2, Appendix F)."""

from __future__ import annotations

import re

from memnn.simulator.world import PAPER_WORLD, WorldSpec
from memnn.types import Question

HEDGES = ("I think", "I believe")
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_FILLERS = frozenset(["i", "think", "believe", "in", "at", "the", "is", "was", "now"])


def place_sentences(room: str, subject: str, pronoun: str, verb: str) -> list[str]:
    """Every way to say that somebody or something is, or was, in a room."""
    place = f"in the {room}"
    bodies = [
        room,
        f"the {room}",
        place,
        f"{subject} {verb} {place}",
        f"{pronoun} {verb} {place}",
    ]
    before = [f"{hedge} {body}" for body in bodies for hedge in HEDGES]
    behind = [f"{body} {hedge}" for body in bodies for hedge in HEDGES]
    return bodies + before + behind


def _normal(text: str) -> str:
    """Lower-case words with single spaces around each; "living_room" is "living room"."""
    words = _WORD.findall(text.lower())
    return f" {' '.join(words)} "


def _named(text: str, names: tuple[str, ...]) -> set[str]:
    """The names that occur in a normalised text, longer names hiding the shorter ones in them."""
    found = set()
    for name in sorted(names, key=len, reverse=True):
        phrase = _normal(name)
        if phrase in text:
            found.add(name)
            text = text.replace(phrase, " | ")
    return found


def is_correct_sentence(
    sentence: str, *, subject: str, location: str, spec: WorldSpec = PAPER_WORLD
) -> bool:
    """Appendix F: the right location; optionally the right subject or its pronoun; no other.

    Besides these only hedges and the words of "is in the" may occur, so that nobody unknown, no
    negation and no second place slips in.
    """
    text = _normal(sentence)
    place = _normal(location)
    if place not in text:
        return False
    if location not in _named(text, tuple(dict.fromkeys((*spec.rooms, location)))):
        return False
    rest = text.replace(place, " ").replace(_normal(subject), " ").split()
    allowed = _FILLERS | spec.pronouns(subject)
    return all(word in allowed for word in rest)


_SUBJECT = re.compile(
    r"where (?:is|was) (?:the )?(?P<subject>.+?)(?: now| before .+)?\s*\?*\s*$", re.IGNORECASE
)


def is_correct_answer(sentence: str, question: Question, spec: WorldSpec = PAPER_WORLD) -> bool:
    """The same rule for a question as it stands in a story, whose answer is any true sentence."""
    asked = _SUBJECT.match(question.text.strip())
    if asked is None or question.answer is None:
        return False
    locations = _named(_normal(question.answer), spec.rooms)
    if len(locations) != 1:
        return False
    spoken = _normal(asked["subject"])
    names = (*spec.actors, *spec.things)
    subject = next((name for name in names if _normal(name) == spoken), asked["subject"])
    return is_correct_sentence(sentence, subject=subject, location=locations.pop(), spec=spec)
