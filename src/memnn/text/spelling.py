"""One wrong letter in a question: a word that nobody knows is read as one that is known.

Only unknown words are mended, so a word that was told, or that English has, stays what it is. What
was told comes first: "Jonathon" is Jonathan where Jonathan was told. A name (a capital inside the
question) is never taken for an ordinary word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from string import ascii_lowercase

from memnn.text.english import AUXILIARIES
from memnn.text.vectors import WordVectors

SHORTEST = 4
"""Letters: a shorter word has too many neighbours."""
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

Counts = Callable[[Iterable[str]], Mapping[str, int]]
Read = tuple[tuple[str, str], ...]


def mended(question: str, told: Counts, english: WordVectors) -> tuple[str, Read]:
    """The question with its misspelt words put right, and which was taken for which."""
    found = list(WORD.finditer(question))
    unknown = [
        match
        for match in found
        if len(match[0]) >= SHORTEST
        and match[0].isascii()
        and match[0].isalpha()
        and match[0].lower() not in english
    ]
    known = told({match[0].lower() for match in unknown}) if unknown else {}
    read = []
    for match in reversed(unknown):
        word = match[0].lower()
        if known.get(word):
            continue
        name = match[0][0].isupper() and match is not found[0]
        better = _best(word, told, WordVectors.none() if name else english)
        if better is not None:
            kept = better.capitalize() if match[0][0].isupper() else better
            question = question[: match.start()] + kept + question[match.end() :]
            read.append((match[0], kept))
    return question, tuple(reversed(read))


def _best(word: str, told: Counts, english: WordVectors) -> str | None:
    """The neighbour that was told most often, else the likeliest slip of a frequent word."""
    slips = [sorted(slip - {word}) for slip in neighbours(word)]
    counts = told({other for slip in slips for other in slip})
    heard = [other for slip in slips for other in slip if counts.get(other)]
    if heard:
        return max(heard, key=lambda other: counts[other])
    for slip in slips:
        ranks = {other: rank for other in slip if (rank := _rank(other, english)) is not None}
        if ranks:
            return min(ranks, key=lambda other: ranks[other])
    return None


def _rank(word: str, english: WordVectors) -> int | None:
    """How rare a word is; "where's" is as rare as "where", and "don't" is not rare."""
    if "'" not in word:
        return english.rank(word)
    if word in AUXILIARIES:
        return 0
    return english.rank(word.removesuffix("'s")) if word.endswith("'s") else None


def neighbours(word: str) -> tuple[set[str], set[str], set[str], set[str]]:
    """What was meant if a letter was left out, two were swapped, one was added, or one is wrong.

    This is the order in which such slips are frequent in typed text (Pollock and Zamora, 1983).
    """
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    return (
        {a + letter + b for a, b in cuts for letter in f"{ascii_lowercase}'"},
        {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1},
        {a + b[1:] for a, b in cuts if b},
        {a + letter + b[1:] for a, b in cuts if b for letter in ascii_lowercase},
    )
