"""One normaliser for questions and facts: lemmas, and word forms learned from training pairs.

A lemmatiser knows "written" and "write". What it gets wrong ("developed" to "develope"), and forms
that the facts' own lemmatiser treats differently ("born" and "bear"), are learned from questions
and the facts that answer them: a word of questions that a similar word of facts mostly stands
for is the same word. Names are in no dictionary, and extractions take "Liggins" for a plural as
often as not: a word that nobody wrote is read as one that differs by a final s, if there is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simplemma import Lemmatizer

LEMMATISER = "lemmas-1"
SHORT = 5
"""Adding or removing an s makes a shorter word a different one."""
CLOSER = "lemmas-2"
FEW_WORDS = 10_000
"""Up to this many different words come from simplemma's packed table, which is slower to search
and 20 MB smaller than the other."""

# Letters and digits of any script. Hyphens and dots separate, since extractions differ in them.
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SHORT = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")  # "hoping" is of "hope", "hopping" of "hop"
_POSSESSIVE = re.compile(r"['’]s?$")


@cache
def lemma(word: str) -> str:
    """The dictionary form of a lower-case word."""
    word = _POSSESSIVE.sub("", word)
    return _lemmatiser(_few()).lemmatize(word, lang="en").lower() if word else ""


@cache
def _lemmatiser(packed: bool) -> Lemmatizer:
    """Without a cache of its own: what it said is kept here."""
    from simplemma import Lemmatizer  # its tables take a moment to load
    from simplemma.strategies import DefaultStrategy

    strategy = DefaultStrategy(low_memory=packed)
    return Lemmatizer(cache_max_size=0, lemmatization_strategy=strategy)


def _few() -> bool:
    return lemma.cache_info().currsize < FEW_WORDS


def lemmas_1(text: str) -> list[str]:
    """Lower-case words in their dictionary form, punctuation and possessive endings dropped."""
    return [form for word in _WORD.findall(text.lower()) if (form := lemma(word))]


@cache
def closer_lemma(word: str) -> str:
    """As `lemma`, with its made-up forms ("thinke") put right, and "-ing" taken off what is a verb.

    Where there are few facts no training pair would say so.
    """
    import simplemma

    form = lemma(word)

    def known(text: str) -> bool:
        return len(text) > 2 and simplemma.is_known(text, lang="en", low_memory=_few())

    stem = form[:-1]
    if form.endswith("e") and word in (f"{stem}ed", f"{stem}ing") and known(stem):
        return form if _SHORT.fullmatch(stem) else stem
    if form.endswith("ing"):
        stem = form[:-3]
        single = stem[:-1] if stem[-2:-1] == stem[-1:] else ""
        return next((verb for verb in (single, stem, stem + "e") if known(verb)), form)
    return form


def lemmas_2(text: str) -> list[str]:
    return [form for word in _WORD.findall(text.lower()) if (form := closer_lemma(word))]


def near(word: str, known: Container[str]) -> str:
    """The word itself, or the known one that differs from it by a final s."""
    if word in known or len(word) < SHORT:
        return word
    others = [word[:-1], word[:-2]] if word.endswith("es") else [word[:-1]]
    others = [*(others if word.endswith("s") else []), f"{word}s", f"{word}es"]
    return next((other for other in others if other in known), word)


def learn_forms(pairs: Iterable[tuple[list[str], list[str]]]) -> dict[str, str]:
    """Word forms of questions that are other forms of words of facts.

    Of a question and its fact only what does not match is looked at. A form counts if the two
    words begin alike, meet at least twice, and make up half of the form's own cases and a tenth
    of the other word's. Four meetings let pass words that share the first letter alone (won, win).
    """
    together: Counter[tuple[str, str]] = Counter()
    asked: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for question, fact in pairs:
        left, right = set(question) - set(fact), set(fact) - set(question)
        asked.update(left)
        told.update(right)
        together.update((u, v) for u in left for v in right if u[0] == v[0] and len(u) > 2)
    forms: dict[str, str] = {}
    targets: set[str] = set()
    for (u, v), n in sorted(together.items(), key=lambda item: (-item[1], item[0])):
        alike = (u[:2] == v[:2] and n >= 2) or n >= 4
        usual = 2 * n >= asked[u] and 10 * n >= told[v]
        if alike and usual and u not in forms and u not in targets and v not in forms:
            forms[u] = v
            targets.add(v)
    return forms
