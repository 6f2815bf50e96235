"""One wrong letter in a question: a word that nobody knows is read as one that is known.

Only unknown words are mended: a word that was told, that a network has facts about, or that English
has, in whatever form, stays what it is. What was told comes first: "Jonathon" is Jonathan where
Jonathan was told. A name (a capital inside the question) is never taken for an ordinary word, but
one that nobody told, and that has a letter once or twice where a told one has it twice or once, is
taken for that: "Marry" is Mary. Other names that are one letter away are only suggested (`alike`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from string import ascii_lowercase

from memnn.text.english import AUXILIARIES, FUNCTION_WORDS
from memnn.text.lemmas import closer_lemma
from memnn.text.vectors import WordVectors

SHORTEST, LONGEST = 4, 24
"""Letters: a shorter word has too many neighbours, a longer one is none that people type."""
MOST = 2
"""Where more words are unknown, it is not a slip: another language, or a text of codes."""
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

Told = Callable[[Collection[str]], Mapping[str, int]]
"""Which of some words were told, and how often."""
Which = Callable[[Collection[str]], Collection[str]]
"""Which of some words were told; that takes less time than to say how often."""
Read = tuple[tuple[str, str], ...]


def mended(
    question: str, told: Told, english: WordVectors, known: Collection[str] = (),
    which: Which | None = None,
) -> tuple[str, Read]:  # fmt: skip
    """The question with its misspelt words put right, and which was taken for which."""
    found = list(WORD.finditer(question))
    names = _names(found)
    strange = [match for match in found if _is_strange(match[0], english, known)]
    doubted = {match[0].lower() for match in strange + names}
    if which is None:
        heard: Collection[str] = {word for word, often in told(doubted).items() if often}
    else:
        heard = which(doubted) if doubted else ()
    unknown = [match for match in strange if match[0].lower() not in heard]
    read: list[tuple[str, str]] = []
    if len(unknown) > MOST:
        return question, ()
    doubtful = [match for match in names if match[0].lower() not in heard]
    for match in sorted({*unknown, *doubtful}, key=re.Match.start, reverse=True):
        word = match[0].lower()
        if match in unknown:
            no_words = WordVectors.none()
            better = _best(word, told, no_words if match in names else english, known)
        else:
            better = _most_told(_once_or_twice(word), told)
        if better is not None:
            kept = better.capitalize() if match[0][0].isupper() else better
            question = question[: match.start()] + kept + question[match.end() :]
            read.append((match[0], kept))
    return question, tuple(reversed(read))


def alike(question: str, told: Told) -> Read:
    """Names of a question that nobody told, and told words that are one letter away."""
    names = {match[0]: match[0].lower() for match in _names(list(WORD.finditer(question)))}
    heard = told(set(names.values())) if names else {}
    found = []
    for written, word in names.items():
        near = None if heard.get(word) else _most_told(set().union(*neighbours(word)), told)
        if near is not None:
            found.append((written, near.capitalize()))
    return tuple(found)


def _names(found: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Words with a capital, but the first."""
    return [match for match in found[1:] if match[0][0].isupper() and _is_plain(match[0].lower())]


def _once_or_twice(word: str) -> set[str]:
    """The word with a letter doubled, or a double one once."""

    def shape(text: str) -> list[str]:
        return [letter for letter, _ in groupby(text)]

    left_out, _, added, _ = neighbours(word)
    return {other for other in left_out | added if shape(other) == shape(word)} - {word}


def _most_told(words: Collection[str], told: Told) -> str | None:
    counts = told(words)
    heard = sorted(word for word in words if counts.get(word))
    return max(heard, key=lambda word: counts[word], default=None)


def _is_plain(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and word.isascii() and word.isalpha()


def _is_strange(written: str, english: WordVectors, known: Collection[str]) -> bool:
    """Whether a word is of letters alone and no known one, nor a form of one."""
    word = written.lower()
    if not _is_plain(word):
        return False
    if word not in english and _contracted(word):
        return True
    return not any(form in known or form in english for form in (word, closer_lemma(word)))


def _best(word: str, told: Told, english: WordVectors, known: Collection[str]) -> str | None:
    """The neighbour that was told most often, else the likeliest slip of a frequent word."""
    if contracted := _contracted(word):
        return contracted
    slips = [sorted(slip - {word}) for slip in neighbours(word)]
    counts = told({other for slip in slips for other in slip})
    heard = [other for slip in slips for other in slip if counts.get(other)]
    if heard:
        return max(heard, key=lambda other: counts[other])
    for slip in slips:
        ranks = {other: rank for other in slip if (rank := english.rank(other)) is not None}
        if ranks:
            return min(ranks, key=lambda other: ranks[other])
    return next((other for slip in slips for other in slip if other in known), None)


def _contracted(word: str) -> str:
    """What lacks its apostrophe alone: "don't", "where's"; empty for others."""
    full = f"{word[:-1]}'{word[-1]}"
    return full if full in AUXILIARIES or (word[-1] == "s" and word[:-1] in FUNCTION_WORDS) else ""


def neighbours(word: str) -> tuple[set[str], set[str], set[str], set[str]]:
    """What was meant if a letter was left out, two were swapped, one was added, or one is wrong.

    This is the order in which such slips are frequent in typed text (Pollock and Zamora, 1983).
    """
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    return (
        {a + letter + b for a, b in cuts for letter in ascii_lowercase},
        {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1},
        {a + b[1:] for a, b in cuts if b},
        {a + letter + b[1:] for a, b in cuts if b for letter in ascii_lowercase},
    )
