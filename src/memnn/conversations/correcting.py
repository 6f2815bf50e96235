"""Corrections in one's own words: "No, it's Bristol" after an answer, or after what was just told.

The words that were wrong are known: they are the answer, or what is of one kind with the right ones
in the last statement ("I live in Leeds." "Sorry, I meant Bristol."). The statement is written
again with the right ones in their place, and supersedes the old.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memnn.text.english import AUXILIARIES, FUNCTION_WORDS
from memnn.text.tokens import words_1
from memnn.text.vectors import english
from memnn.types import Answer, Slot

_WORD = re.compile(r"\S+")


class Doubted(NamedTuple):
    """A statement, and which words of it may be wrong."""

    id: int
    text: str
    words: str


def doubted_by(answer: Answer) -> Doubted | None:
    """What an answer rests on, if that is one statement that was told; over several hops nobody
    knows which is wrong."""
    if answer.abstained or len(answer.evidence) != 1 or answer.evidence[0].source == "world":
        return None
    (hop,) = answer.evidence
    return Doubted(hop.id, hop.text, answer.text)


def alike(slot: Slot, right: str) -> Doubted | None:
    """The one word of a statement that is of the same kind as the last of the right ones."""
    kind = _kind(words_1(right)[-1]) if words_1(right) else None
    words = [word for word in words_1(slot.text) if kind is not None and _kind(word) == kind]
    return Doubted(slot.id, slot.text, words[0]) if len(words) == 1 else None


def _kind(word: str) -> object:
    if word.isdecimal():
        return "number"
    classes = english().classes_of(word)
    return None if classes is None or word in FUNCTION_WORDS else classes[0]


def corrected(doubted: Doubted, right: str) -> str | None:
    """The statement with the right words in place of the wrong ones; None where these do not stand
    in it once, or are all of it, or are the right ones.

    >>> corrected(Doubted(1, "The key is in the drawer.", "drawer"), "under the mat")
    'The key is under the mat.'
    """
    place = re.compile(rf"(?<!\w){re.escape(doubted.words)}(?!\w)", re.IGNORECASE)
    found = list(place.finditer(doubted.text)) if doubted.words else []
    if len(found) != 1 or not words_1(place.sub("", doubted.text)):
        return None
    before, after = doubted.text[: found[0].start()], doubted.text[found[0].end() :]
    before, right = _joined(before, right)
    if not before:
        right = right[:1].upper() + right[1:]
    text = before + right + after
    return None if text.casefold() == doubted.text.casefold() else text


def _joined(before: str, right: str) -> tuple[str, str]:
    """What stands before the right words, and these: "in Leeds" corrected to "in Bristol" has one
    "in", and "in the drawer" corrected to "under the mat" none."""
    words, spans = right.split(), list(_WORD.finditer(before))
    stood = [span[0].lower() for span in spans]
    for n in range(min(len(words) - 1, len(stood)), 0, -1):
        if [word.lower() for word in words[:n]] == stood[-n:]:
            return before, " ".join(words[n:])
    leading = next((n for n, word in enumerate(words) if not _is_small(word)), len(words))
    gone = 0
    while gone < min(leading, len(stood)) and _is_small(stood[-1 - gone]):
        gone += 1
    return (before[: spans[-gone].start()] if gone else before), right


def _is_small(word: str) -> bool:
    """Whether it only joins: "in", "the"; a verb does more."""
    return word.lower() in FUNCTION_WORDS and word.lower() not in AUXILIARIES
