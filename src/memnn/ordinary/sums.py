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
from memnn.ordinary.words import NUMBERS

MOST = 60
"""The largest number that is worked out, and how far below 0 a sum may be on its way."""
WORDS = {number: word for word, number in reversed(NUMBERS.items())}
"""How a number is said: in the first word that stands for it."""
DIGITS = 9
"""Figures with as many digits or more stand for no number here."""
SAID = 12
"""Larger numbers are said in figures."""


def value_of(form: str) -> int:
    """What a word counts: the number it stands for; 1 for anything that can be counted; 0 where it
    is too large a number."""
    if form.isdecimal():
        return int(form) if len(form) < DIGITS and int(form) <= MOST else 0
    number = NUMBERS.get(form.lower(), 1)
    return number if number <= MOST else 0


def number_in(answer: str) -> int | None:
    """The number that an answer is."""
    word = answer.lower()
    if word.isdecimal() and len(word) < DIGITS:
        return int(word) if int(word) <= MOST else None
    number = NUMBERS.get(word)
    return number if number is not None and WORDS[number] == word else None


def said(number: int) -> str:
    return WORDS[number] if number <= SAID else str(number)


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
