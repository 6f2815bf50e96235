"""Text to words for ordinary language, and what is known of each word before training."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from memnn.text.lemmas import closer_lemma

_ENGLISH = tomllib.loads((files("memnn.ordinary") / "english.toml").read_text(encoding="utf-8"))
_PERSONS: dict[str, str] = _ENGLISH["persons"]
PERSONS = {form: person for person, forms in _PERSONS.items() for form in [person, *forms.split()]}
"""Words for who speaks and who is spoken to, by the one they are forms of."""
DEFINITE = frozenset(_ENGLISH["definite"]["words"].split())
"""Words before a thing that is known already."""
_NUMBERS: dict[str, Any] = dict(_ENGLISH["numbers"])
NUMBERS: dict[str, int] = {word: n for n, word in enumerate(_NUMBERS.pop("words").split())}
"""What words for numbers stand for; the first of a number is how it is said."""
for _ten, _word in enumerate(_NUMBERS.pop("tens").split(), start=2):
    NUMBERS[_word] = 10 * _ten
    NUMBERS |= {f"{_word}-{w}": 10 * _ten + n for w, n in list(NUMBERS.items()) if 0 < n < 10}
NUMBERS |= _NUMBERS
SMALL = frozenset(_ENGLISH["small"]["words"].split())
"""Words that name nothing."""

_TOKEN = re.compile(
    r"n't\b|'(?:s|m|ve|re|ll|d)\b"  # isn't, Joe's
    r"|[$€£]?\d(?:[\w:.,/%-]*[\w%])?"  # $3.50, 10:30, 555-1234
    r"|[^\W_](?:[\w@.+&-]*[^\W_])?"  # well-known, U.S, a@b.org
    r"|\band\b"
)
_CUT = re.compile(r"(?<=\w)(?=n't\b)")
_NUMBER = re.compile(r"\d+")
PAUSES = frozenset(",;:.!?)")


class Token(NamedTuple):
    """A word as it is compared, and as it was written."""

    text: str
    form: str
    pause: bool = False
    """Whether a comma or the like comes behind it."""


def tokens(text: str) -> list[Token]:
    """Words, numbers and endings such as 's, in order."""
    text = text.replace("’", "'")
    if "n't" in text:
        text = _CUT.sub(" ", text)
    return [
        Token(found[0].lower(), found[0], text[found.end() : found.end() + 1] in PAUSES)
        for found in _TOKEN.finditer(text)
    ]


@cache
def stem_of(word: str) -> str:
    """What two words share if they are forms of one."""
    if word in PERSONS:
        return PERSONS[word]
    if not word[0].isalpha() or word[0] == "'":
        return word
    return closer_lemma(word) or word


@cache
def is_content(word: str) -> bool:
    """Whether a word names something; who speaks is named, too."""
    return word in PERSONS or not (word in SMALL or word[0] == "'" or word == "n't")


SHAPES = 16


@cache
def shape_of(word: str) -> int:
    """The spelling of a word that has no vector, as a number below SHAPES."""
    if word[0] in "$€£":
        return 1
    if word[0].isdigit():
        if word.isdigit():
            return 2 if len(word) <= 2 else 3 if len(word) <= 4 else 4
        if re.fullmatch(r"\d+(st|nd|rd|th)", word):
            return 5
        return 6 if ":" in word else 7 if "%" in word else 8
    if "@" in word:
        return 9
    for number, end in enumerate(("ed", "ing", "ly", "s"), start=10):
        if len(word) > 4 and word.endswith(end):
            return number
    return 14


def parts_of(answer: str) -> Iterator[list[Token]]:
    """The parts of an answer with several, each as words."""
    for part in answer.split(","):
        if found := tokens(part):
            yield found
