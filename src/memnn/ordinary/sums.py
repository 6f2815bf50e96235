"""Numbers that are worked out: words of the supports are added, taken away or left out.

"Four cows are in the yard. Two more came." adds both, and of "Ann, Ben and Cy got on" each name
counts one. What R has learnt is a sign for each word; how probable a number is follows from all
signs at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats
from memnn.ordinary.words import NUMBERS, is_content

MOST = 60
"""The largest number that is worked out, and how far below 0 a sum may be on its way."""
WORDS = {number: word for word, number in reversed(NUMBERS.items())}
"""How a number is said: in the first word that stands for it."""
DIGITS = 9
"""Figures with as many digits or more stand for no number here."""
SAID = 12
"""Larger numbers are said in figures."""


def value_of(form: str) -> int:
    """What a word counts: the number it stands for; 1 where it names something; 0 for small words,
    and where it is too large a number, a price or the like."""
    if form[0].isalpha():
        number = NUMBERS.get(form.lower(), int(is_content(form.lower())))
    else:
        number = _figures(form) or 0
    return number if number <= MOST else 0


def is_number(form: str) -> bool:
    return _figures(form) is not None or form.lower() in NUMBERS


def number_in(answer: str) -> int | None:
    """The number that an answer is, if it is one that can be worked out."""
    word = answer.lower()
    number = _figures(word)
    if number is None and WORDS.get(NUMBERS.get(word, -1)) == word:
        number = NUMBERS[word]
    return number if number is not None and number <= MOST else None


def comes_out(number: int, forms: Sequence[str]) -> bool:
    """Whether two or more of the numbers among some words, added or taken away, give another."""
    ways = {(0, 0)}  # a sum, and whether it is of none, of one or of more
    for value in (value_of(form) for form in forms if is_number(form)):
        more = {(s + sign * value, min(n + 1, 2)) for s, n in ways for sign in (1, -1)}
        ways |= {(s, n) for s, n in more if abs(s) <= MOST}
    return (number, 2) in ways


def said(number: int, figures: bool = False) -> str:
    return WORDS[number] if number <= SAID and not figures else str(number)


def _figures(form: str) -> int | None:
    return int(form) if form.isdecimal() and len(form) < DIGITS else None


def probable(signs: Floats, values: Sequence[int]) -> NDArray[np.float64]:
    """How probable each sum from 0 to MOST is, by the scores of each word's signs: (words, 3)."""
    p = np.exp(signs - signs.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    found = np.zeros(2 * MOST + 1)
    found[MOST] = 1.0
    for (leave, add, take), value in zip(p.tolist(), values, strict=True):
        moved = leave * found
        moved[value:] += add * found[: len(found) - value]
        moved[: len(found) - value] += take * found[value:]
        found = moved
    return found[MOST:]
