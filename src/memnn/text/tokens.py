"""Text to words. Tokenisers are named and versioned, because a model only knows its own."""

from __future__ import annotations

import re
from collections.abc import Callable

from memnn.errors import UnknownName
from memnn.text.lemmas import CLOSER, LEMMATISER, lemmas_1, lemmas_2

LONGEST_TEXT = 10_000
"""Characters that a memory, or a question, may have."""
# Letters and digits of any script; hyphens, apostrophes and underscores join (Mount-Doom).
_WORD = re.compile(r"[^\W_]+(?:[-'’_][^\W_]+)*")


def surface_words(text: str) -> list[str]:
    """The words of a text as they were written."""
    return _WORD.findall(text)


def words_1(text: str) -> list[str]:
    """Lower-case words, inflection kept, punctuation dropped."""
    if text.isascii():  # the same and quicker; other letters may change their length with case
        return _WORD.findall(text.lower())
    return [word.lower() for word in _WORD.findall(text)]


TOKENISERS: dict[str, Callable[[str], list[str]]] = {
    "words-1": words_1,
    LEMMATISER: lemmas_1,
    CLOSER: lemmas_2,
}
DEFAULT_TOKENISER = "words-1"


def tokeniser(name: str) -> Callable[[str], list[str]]:
    try:
        return TOKENISERS[name]
    except KeyError:
        raise UnknownName("tokeniser", name, TOKENISERS) from None
