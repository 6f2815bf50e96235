"""Text to words. Tokenisers are named and versioned, because a model only knows its own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

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


@cache
def _marked_word() -> re.Pattern[str]:
    """Words with signs on their letters, which `words-1` cuts at: vowels of Hindi, accents."""
    marks = "".join(c for c in map(chr, range(0x300, 0x20000)) if unicodedata.category(c)[0] == "M")
    return re.compile(rf"[^\W_](?:[^\W_]|[{marks}]|[-'’_](?=[^\W_]))*")


def marked_words(text: str) -> list[str]:
    """The words of a text as they were written, signs included."""
    return surface_words(text) if text.isascii() else _marked_word().findall(text)


def words_2(text: str) -> list[str]:
    """Lower-case words as `words-1` has them, and the signs on their letters."""
    return words_1(text) if text.isascii() else [word.lower() for word in marked_words(text)]


TOKENISERS: dict[str, Callable[[str], list[str]]] = {
    "words-1": words_1,
    "words-2": words_2,
    LEMMATISER: lemmas_1,
    CLOSER: lemmas_2,
}
DEFAULT_TOKENISER, MARKED_TOKENISER = "words-1", "words-2"


def as_written(name: str) -> Callable[[str], list[str]]:
    """How a text writes the words that a tokeniser of this name finds."""
    return marked_words if name == MARKED_TOKENISER else surface_words


def tokeniser(name: str) -> Callable[[str], list[str]]:
    try:
        return TOKENISERS[name]
    except KeyError:
        raise UnknownName("tokeniser", name, TOKENISERS) from None
