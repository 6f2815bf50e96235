"""What statements and questions mean, before any words: facts about who and what by their keys.

| fact | means |
|---|---|
| at P L | person P is at place L |
| away P L | P is no longer at L |
| either P L M | P is at L or at M |
| with P Q | P is where person Q is |
| has T P | P has thing T |
| gave P Q T | P gave T to Q, who has it now |
| lost T P | P no longer has T, and nobody knows where it is |
| dropped T P | P left T where P is |
| lies T L | T is at L |
| inside T C | T is in or on C |
| is H A V | the attribute A of H is V |
| stopped H A V | it no longer is V |
| did P A O, and pairs of tails | P did A to O, when, where, why … |
| why P L R | P went to L because of R |
| was-at P T L | P was at L at time T |
| same P N | P is also called N |
| counts P T N | P has N of T; without P there are so many |
| more P T N, fewer P T N | N more, N fewer |
"""

from __future__ import annotations

from dataclasses import dataclass

from memnn.types import Question, Story

Fact = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToldLine:
    """A statement, what it says with every pronoun replaced, and what it means."""

    id: int
    text: str
    resolved: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class AskedLine:
    """A question with the kind it is of, and what it means."""

    question: Question
    kind: str
    meaning: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Annotated:
    """A story with all that is known about its lines."""

    story: Story
    told: tuple[ToldLine, ...]
    asked: tuple[AskedLine, ...]
