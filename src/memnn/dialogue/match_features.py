"""How well a fact fits a question, in a few numbers that a calibration can read.

A score says which fact fits best, not whether the best one fits. That shows in what is left over:
words of the question that the fact neither has nor is near to. A question is read once (`Inquiry`),
and what a sentence is good for is remembered (`traits`): a memory is not read anew each time.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from memnn.facts.bags import ASKING, MOST_WORDS, ROLE, FactDictionary
from memnn.facts.lookup import Lookup
from memnn.facts.reading import Reading
from memnn.kernels.arrays import Ints
from memnn.kernels.phi import X, Y
from memnn.text.english import FUNCTION_WORDS
from memnn.text.lemmas import near as singular
from memnn.text.tokens import surface_words

_EMPTY = FUNCTION_WORDS | {ASKING}
_ASKING = frozenset(
    """
    ? what who whom whose where when which why how do be can could will would must should have a an
    the i me my we our us you your it its there of
    """.split()  # noqa: SIM905
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|"
    r"forty|fifty|sixty|half|quarter|dozen|hundred|thousand|once|twice|every|each)\b",
    re.IGNORECASE,
)
_TIMES = (
    r"\d|\w+day\b|january|february|march|april|may\b|june|july|august|september|october|november|"
    r"december|spring|summer|autumn|winter|morning|noon|afternoon|evening|night|midnight|weekend|"
    r"week|month|year|first|second|third|\w+th\b|half|quarter"
)
_TIME = re.compile(
    rf"\b(?:{_TIMES}|today|tomorrow|yesterday|o'clock|until|before|after|dusk|dawn|"
    r"at (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|on|at|near|from|by the) "
    rf"(?!(?:the |an? |last |next |every |early |late )*(?:{_TIMES}))|"
    r"\b(?:into|onto|under|behind|beside|next to|above|below|inside|outside|between|opposite|"
    r"through|around|lives?|stands?|hangs?|(?:moved?|moving|go|goes|going|went|sent|took|taken|brought|left|"
    r"travels?|travelled|flew|walks?|drove|lent|back) (?:\w+ )?(?:to|with))\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:by|mother|father|mum|dad|aunt|uncle|cousin|brother|sister|grandma|grandpa|wife|husband|"
    r"neighbours?|friends?|boss|doctor|nurse|landlord|landlady|teacher|company|firm|department|team|"
    r"people|students?|library|we|i|he|she|they)\b",
    re.IGNORECASE,
)
_COLOUR = re.compile(
    r"\b(?:red|blue|green|yellow|black|white|grey|gray|brown|orange|purple|pink|violet|silver|gold|"
    r"golden|beige|turquoise|\w*colou?red)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|so that|to|for|due|caused?|reason)\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-ZÀ-ÞŠŽČ]\w+")
_KINDS = (
    (re.compile(r"\bwhen\b|\b(?:what|which) (?:time|day|date|year|month)\b", re.IGNORECASE), _TIME),
    (
        re.compile(
            r"\bhow (?:many|much|often|long|old|far|big|tall|high|wide|deep|heavy|fast|hot)\b",
            re.IGNORECASE,
        ),
        _NUMBER,
    ),
    (re.compile(r"\bwhere\b", re.IGNORECASE), _PLACE),
    (re.compile(r"\b(?:what|which) colou?r\b", re.IGNORECASE), _COLOUR),
    (re.compile(r"\bwhy\b", re.IGNORECASE), _REASON),
    (re.compile(r"^\W*(?:who|whom)\b", re.IGNORECASE), _PERSON),
)
"""What a question asks for, and how one sees that a sentence has it."""
_WHO = len(_KINDS) - 1
_HOW = re.compile(r"\bhow (?!many\b|do\b|does\b|did\b|is\b|are\b|should\b|can\b)", re.IGNORECASE)
_OF = re.compile(
    r"\b(?:is|was|are|were|[a-z]+'s) (?:the|a|an|my|our|your) ([^?]*?) (?:of|for) ", re.I
)
_POSSESSED = re.compile(r"\b\w+['’]s? ([^?]+)\?*$")
_COUNTED = re.compile(r"\bhow many (\w+)", re.IGNORECASE)
_DETERMINERS = frozenset(["the", "a", "an", "my", "our", "your", "his", "her", "their"])
_ADJECTIVES = frozenset(["good", "well", "first", "last", "own", "other", "little", "long", "next"])
_WHICH = re.compile(r"\b(?:what|which) (?!is|are|was|were|do|does|did|can|has|have)(\w+)", re.I)


@dataclass(frozen=True)
class Inquiry:
    """A question as all members read it."""

    text: str
    words: tuple[str, ...]
    """As the dictionary of facts writes them, each once."""
    said: frozenset[str]
    """As they were written, in lower case."""
    names: frozenset[str]
    """Words with a capital, but the first."""
    wants: int
    """Which of the kinds it asks for, or -1."""
    measure: bool
    """How old, how far."""
    attribute: frozenset[str]
    """What of something it asks for: "the height of", "'s height", "how many heights"."""
    which: frozenset[str]
    """What sort of thing it asks for: "which height"."""
    things: tuple[frozenset[str], ...]
    """What it speaks of as known: the words after "the" or "my"."""


def inquiry(text: str, dictionary: FactDictionary) -> Inquiry:
    written, normal = surface_words(text), dictionary.normal(text)
    names = {w.lower().removesuffix("'s") for w in written[1:] if w[:1].isupper()}
    return Inquiry(
        text,
        tuple(dict.fromkeys(normal)),
        frozenset(w.lower().removesuffix("'s") for w in written),
        frozenset(names - {"i"}),
        next((i for i, (asks, _) in enumerate(_KINDS) if asks.search(text)), -1),
        _HOW.search(text) is not None,
        _asked(_COUNTED.search(text) or _OF.search(text) or _POSSESSED.search(text), dictionary),
        _asked(_WHICH.search(text), dictionary),
        _things(normal),
    )


def _things(normal: list[str]) -> tuple[frozenset[str], ...]:
    found: list[set[str]] = []
    inside = False
    for word in normal:
        if word in _DETERMINERS:
            found.append(set())
            inside = True
        elif word in _EMPTY:
            inside = inside and word in _ADJECTIVES
        elif inside:
            found[-1].add(word)
    return tuple(frozenset(thing) for thing in found if thing)


def _asked(found: re.Match[str] | None, dictionary: FactDictionary) -> frozenset[str]:
    if found is None:
        return frozenset()
    return frozenset(word for word in dictionary.normal(found[1]) if word not in _EMPTY)


class Traits(NamedTuple):
    """What a sentence is good for."""

    kinds: tuple[bool, ...]
    words: frozenset[str]
    names: frozenset[str]
    """Words with a capital; the first of a sentence may be none."""


@lru_cache(maxsize=20_000)
def traits(text: str) -> Traits:
    kinds = tuple(tells.search(text) is not None for _, tells in _KINDS)
    words = {p for w in surface_words(text) for p in (w.lower(), w.lower().removesuffix("'s"))}
    return Traits(
        kinds, frozenset(words), frozenset(map(str.lower, _NAME.findall(text))) - FUNCTION_WORDS
    )


def kind(asked: Inquiry, told: Traits) -> float:
    """Whether a question for a time, place or number finds one: 1, -1, or 0 where not asked."""
    if asked.wants < 0:
        return 0.0
    found = told.kinds[asked.wants] or (asked.wants == _WHO and bool(told.names - asked.said))
    return 1.0 if found else -1.0


def missing_names(asked: Inquiry, told: Traits) -> int:
    """Names in the question that the sentence does not mention."""
    return len(asked.names - told.words)


class Fit(NamedTuple):
    """The numbers, all without a unit; idf is how much a word weighs."""

    score: float
    gap: float
    """How far the runner-up is behind, as a share of the score."""
    matched: float
    """The share of the question's weight that stands in the fact, word by word."""
    left: float
    """The share that the fact neither has nor, by its embedding, is near to."""
    worst: float
    """The weight of the heaviest word among them, 1 for the rarest."""
    phrase: float
    """The share of its words that stand in the fact, small ones too, but not those that ask."""
    words: float
    """How many words of the question stand in the fact, up to three."""
    head: float
    """Whether its heaviest word does."""
    unknown: float
    """Words of the question that were never told or learned."""
    names: float
    """Names in the question that the fact does not mention."""
    named: float
    """The share of the fact's subject or object (of a sentence: all) that the question names."""
    kind: float
    """Whether a question for a time, place or number finds one: 1, -1, or 0 where not asked."""
    how: float
    """It asks for a measure: how old, how far."""
    attribute: float
    """Whether what is asked of something is in the fact, or near: 1, to -1; 0 where not asked."""
    which: float
    """The same for the sort of thing it asks for."""
    things: float
    """How many things that the question speaks of are neither in the fact nor near it."""
    odd: float
    """How many words that are no small ones are left over, up to three."""
    topic: float
    """Whether the question has the first word of the fact that is no small one."""


class Fitted(NamedTuple):
    fit: Fit
    matched: frozenset[int]
    """The rows of the question's words that stand in the fact."""
    unmatched: tuple[str, ...]
    """The words that the fact leaves over, for people."""


class Rows(NamedTuple):
    """A question as rows of one memory's words."""

    all: Ints
    unknown: list[str]
    content: list[int]
    """Without small words."""


def rows_of(asked: Inquiry, reading: Reading) -> Rows:
    words = reading.words
    rows, unknown = reading.asked(asked.words)
    content = [r for r in rows.tolist() if words.word(r) not in _EMPTY]
    if not content:  # a saw is no small word, but its lemma is
        content = [r for r in rows.tolist() if words.word(r) not in _ASKING]
    return Rows(rows, [word for word in unknown if word not in FUNCTION_WORDS], content)


def matched_rows(rows: Rows, reading: Reading, places: Sequence[int]) -> list[frozenset[int]]:
    """The words of the question, but the small ones, that stand in each of these facts."""
    if len(rows.content) == 1:
        return [frozenset(rows.content)] * len(places)
    held = {row: reading.held_by(row) for row in rows.content}
    return [
        frozenset(row for row, among in held.items() if _holds(among, place)) for place in places
    ]


def _holds(among: Sequence[int], place: int) -> bool:
    at = bisect_left(among, place)
    return at < len(among) and among[at] == place


def topic(reading: Reading, place: int) -> int:
    """The first word of a fact that is no small one, or -1."""
    for entry in reading.entries(place).tolist():
        word: int = entry & MOST_WORDS - 1
        if reading.words.word(word) not in _EMPTY:
            return int(word)
    return -1


def fit(
    lookup: Lookup,
    reading: Reading,
    asked: Inquiry,
    rows: Rows,
    place: int,
    text: str,
    score: float,
    gap: float,
    usual: Collection[str] = (),
) -> Fitted:
    """What a fact (`text`, at its place) has to do with a question; `usual` words ask for it."""
    words, weight = reading.words, reading.words.weight
    entries: list[int] = reading.entries(place).tolist()  # they are few: quicker than an array
    inside = [entry & MOST_WORDS - 1 for entry in entries]
    present = set(inside)
    content, unknown = rows.content, rows.unknown
    matched = frozenset(r for r in content if r in present)
    rarest = words.dictionary.rarest
    total = sum(map(weight, content)) + rarest * len(unknown) or 1.0
    near = dict.fromkeys(matched, 1.0)
    if len(near) < len(content):
        near |= nearness(lookup, [r for r in content if r not in near], inside)
    over_by = [weight(r) * (1 - near[r]) for r in content] + [rarest] * len(unknown)
    over = [words.word(r) for r in content if near[r] < 0.5] + unknown
    named = 0.0
    parts = [entry >> ROLE & 3 for entry in entries]
    for part in (0, 2):
        heavy = [w for w, p in zip(inside, parts, strict=True) if p == part]
        heavy = [w for w in heavy if words.word(w) not in FUNCTION_WORDS]
        if heavy:
            share = sum(weight(w) for w in heavy if w in matched) / sum(map(weight, heavy))
            named = max(named, share)
    phrase = [r for r in rows.all.tolist() if words.word(r) not in _ASKING]
    told_as = traits(text)
    # Who did it stands in the relation of a triple; a sentence must name somebody.
    fits = 0.0 if usual and asked.wants == _WHO else kind(asked, told_as)
    numbers = Fit(
        score=score,
        gap=min(max(gap / max(abs(score), 1e-6), -1.0), 1.0),
        matched=sum(map(weight, matched)) / total,
        left=sum(over_by) / total,
        worst=max(over_by, default=rarest) / rarest,
        phrase=sum(r in present for r in phrase) / max(1, len(phrase) + len(unknown)),
        words=float(min(len(matched), 3)),
        head=float(bool(content) and not unknown and max(content, key=weight) in matched),
        unknown=float(min(len(unknown), 3)),
        names=float(missing_names(asked, told_as)),
        named=named,
        kind=fits,
        how=float(asked.measure),
        attribute=_nearest(asked.attribute, words.row, near, usual),
        which=_nearest(asked.which, words.row, near, usual),
        things=float(sum(_nearest(thing, words.row, near, usual) < 0 for thing in asked.things)),
        odd=float(min(sum(word not in usual for word in over), 3)),
        topic=float(topic(reading, place) in matched),
    )
    return Fitted(numbers, matched, tuple(over))


def _nearest(
    wanted: frozenset[str], row: Mapping[str, int], near: dict[int, float], usual: Collection[str]
) -> float:
    if not wanted:
        return 0.0
    best = max(
        1.0 if word in usual else near.get(row.get(singular(word, row), -1), 0.0) for word in wanted
    )
    return 2 * best - 1


def nearness(lookup: Lookup, rows: list[int], told: list[int]) -> dict[int, float]:
    """How near words of the question are to the nearest word of a fact, from 0 to 1."""
    known = len(lookup.dictionary)
    told, old = [r for r in told if r < known], [r for r in rows if r < known]
    near = dict.fromkeys(rows, 0.0)
    if told and old:
        U, blocks = lookup.U_O, lookup.blocks
        pairs = U[blocks[X] + np.array(old)] @ U[blocks[Y] + np.array(told)].T  # (asked, told)
        near |= zip(old, pairs.max(axis=1).clip(0.0, 1.0).tolist(), strict=True)
    return near
