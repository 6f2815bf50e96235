"""Made-up triples as many as you like, with words as unevenly spread as real ones (Zipf).

Things have names of one to three words, most of them words that nobody ever said, and are talked
about unevenly, too; relations are some thousand phrases of common words. A stretch of triples
depends on the seed and its number alone, so that a question can be asked about any of them without
keeping them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError
from memnn.facts.triples import Asked, Triple

CHUNK = 250_000


def listed(text: str) -> list[str]:
    return list(dict.fromkeys(text.split()))


FUNCTION = listed("""
the of in and a to for is on by was with from at as an its it that his her who which
or be are were this their not but new first
""")
COMMON = listed("""
city country river school band king team book film war island company church music law
house game state year water park road bridge north south east west old great white black red green
king queen prince general doctor saint art science history language family group party army police
court bank market station airport hospital university college museum library theatre club league
cup prize award series show song album record story poem play character hero god angel animal bird
fish tree flower fruit food wine beer tea coffee milk bread sugar salt gold silver iron stone glass
wood paper metal oil gas coal energy power light fire ice snow rain wind sun moon star planet earth
ocean sea lake mountain hill valley forest desert field garden farm village town street square tower
castle palace temple gate wall door window room table chair bed lamp clock ship boat train car bus
plane horse dog cat lion bear wolf eagle snake dragon knight soldier sailor teacher student writer
painter singer actor player leader president minister judge lawyer engineer farmer worker child boy
girl man woman mother father brother sister son daughter friend enemy winner loser founder owner
member centre union council office press radio television computer software network system machine
engine theory method process cell gene protein virus disease drug heart brain blood bone
""")
VERBS = listed("""
write found discover make build win lose play lead join leave visit marry know call name
bear live die work study teach paint sing record publish produce direct design invent own sell buy
use hold keep give take move open close start end begin become remain include contain cover border
cross reach follow defeat attack defend rule govern elect appoint support oppose represent describe
explain show tell ask answer speak read hear see find seek help serve treat cure cause prevent
increase reduce measure test
""")
PREPOSITIONS = listed("in of at to from on by with for as near into during after before")
ASKING = ("what", "who", "where", "which", "when")
SYLLABLES = [c + v for c in "bdfgjklmnprtvz" for v in "aeiou"]
ENDINGS = ("", "n", "k", "x")
SHIFT = 2.7
"""Mandelbrot's: the very first words are not quite as frequent as Zipf's law has it."""

Rows = NDArray[np.integer[Any]]
SUBJECT, RELATION, OBJECT = slice(0, 3), slice(3, 7), slice(7, 10)


@dataclass(frozen=True)
class World:
    """What there is to talk about in `size` triples."""

    size: int
    seed: int = 0
    made_up: int = 1_000_000
    """Words beside the common ones."""
    relations: int = 4000

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError("the number of triples must be at least 1")

    @cached_property
    def words(self) -> list[str]:
        """All words, by rank: function words, common ones, then the made-up."""
        real = list(dict.fromkeys([*FUNCTION, *COMMON, *VERBS, *PREPOSITIONS]))
        there = set(real)
        new = (word for word in made_up_words(self.made_up + len(real)) if word not in there)
        return [*real, *(word for word, _ in zip(new, range(self.made_up), strict=False))]

    @cached_property
    def _things(self) -> Rows:
        """(things, 3): the words of a name, -1 where it is shorter."""
        rng = np.random.default_rng((self.seed, 1))
        n = max(20, self.size // 4)
        names = zipf(rng, (n, 3), len(self.words)).astype(np.int32)
        names[np.arange(3) >= rng.choice((1, 2, 3), n, p=(0.3, 0.5, 0.2))[:, None]] = -1
        # "the" is no name.
        first = names[:, 0] < len(FUNCTION)
        names[first, 0] = rng.integers(len(FUNCTION), len(self.words), first.sum())
        return names

    @cached_property
    def _phrases(self) -> Rows:
        """(relations, 4): a verb, with other words around it."""
        rng = np.random.default_rng((self.seed, 2))
        row = {word: i for i, word in enumerate(self.words)}
        verbs, around = ([row[w] for w in some] for some in (VERBS, PREPOSITIONS))
        be, common = row["is"], [row[w] for w in COMMON]
        out = np.full((self.relations, 4), -1, np.int32)
        for i in range(self.relations):
            phrase = [be] if rng.random() < 0.4 else []
            phrase.append(verbs[int(len(verbs) * rng.random() ** 1.5)])
            if rng.random() < 0.4:
                phrase.append(common[int(rng.integers(len(common)))])
            if rng.random() < 0.6:
                phrase.append(around[int(rng.integers(len(around)))])
            out[i, : len(phrase)] = phrase
        return out

    @property
    def chunks(self) -> int:
        return -(-self.size // CHUNK)

    def rows(self, chunk: int) -> Rows:
        """(triples, 10) of one stretch: three words of a subject, four of a relation, three of an
        object, -1 for none."""
        rng = np.random.default_rng((self.seed, 3, chunk))
        n = min(CHUNK, self.size - chunk * CHUNK)
        things, phrases = self._things, self._phrases
        # A thing of rank r is talked about as r^-1/2, a relation as 1/r.
        subject, object = (len(things) * rng.random((2, n)) ** 2).astype(np.int64)
        relation = zipf(rng, n, len(phrases))
        return np.hstack([things[subject], phrases[relation], things[object]])

    def triple(self, row: Rows) -> Triple:
        return Triple(*(self._said(row[part]) for part in (SUBJECT, RELATION, OBJECT)))

    def _said(self, part: Iterable[int]) -> str:
        return " ".join(self.words[word] for word in part if word >= 0)

    def write(
        self, path: Path, first: int | None = None, progress: Callable[[int], None] | None = None
    ) -> None:
        """The first triples, or all, as TSV."""
        left = self.size if first is None else min(first, self.size)
        raw = [word.encode() for word in self.words]
        blob = np.frombuffer(b"".join(w + end for end in (b" ", b"\t", b"\n") for w in raw), "u1")
        lengths = np.tile(np.array([len(word) + 1 for word in raw]), 3)
        starts = np.cumsum(lengths) - lengths
        starts, lengths = starts.astype(np.int32), lengths.astype(np.int32)
        with open(path, "wb") as file:
            for chunk in range(-(-left // CHUNK)):
                rows = self.rows(chunk)[:left]
                file.write(_text(rows, blob, starts, lengths, len(raw)))
                left -= len(rows)
                if progress is not None:
                    progress(chunk * CHUNK + len(rows))

    def sample(self, n: int) -> list[Triple]:
        """The first n triples, each once: what a model can be trained on."""
        found: dict[Triple, None] = {}
        for chunk in range(self.chunks):
            for row in self.rows(chunk):
                found[self.triple(row)] = None
                if len(found) == n:
                    return list(found)
        return list(found)

    def questions(self, n: int, first: int | None = None, seed: int = 0) -> list[Asked]:
        """Questions about the first triples, or all; every other one has a content word replaced.

        They are about triples of at most eight stretches: each has to be made up again.
        """
        size = self.size if first is None else min(first, self.size)
        rng = np.random.default_rng((self.seed, 4, seed))
        chunks = -(-size // CHUNK)
        some = np.unique(np.linspace(0, chunks - 1, min(chunks, 8)).astype(int)).tolist()
        asked: list[Asked] = []
        for k, chunk in enumerate(some, start=1):
            rows = self.rows(chunk)[: size - chunk * CHUNK]
            for i in rng.integers(len(rows), size=k * n // len(some) - len(asked)):
                asked.append(self._question(rows[i], len(asked) % 2 == 1, rng))
        return asked

    def _question(self, row: Rows, replaced: bool, rng: np.random.Generator) -> Asked:
        about_object = rng.random() < 0.5
        words = [int(w) for w in (row[:7] if about_object else row[3:]) if w >= 0]
        if replaced:
            content = [i for i, w in enumerate(words) if w >= len(FUNCTION)]
            i = int(rng.choice(content))
            before = words[i]
            while words[i] == before or words[i] < len(FUNCTION):
                words[i] = int(zipf(rng, 1, len(self.words))[0])
        asking = ASKING[int(rng.integers(len(ASKING)))]
        return Asked(f"{asking} {self._said(words)}?", self.triple(row))


def zipf(rng: np.random.Generator, size: int | tuple[int, ...], ranks: int) -> Rows:
    """Ranks from 0 on with a probability of nearly 1 / (rank + shift)."""
    u = rng.random(size)
    drawn: Rows = (SHIFT * ((ranks + SHIFT) / SHIFT) ** u - SHIFT).astype(np.int64)
    return np.minimum(drawn, ranks - 1)


def made_up_words(n: int) -> list[str]:
    """n different pronounceable words, short ones first."""
    words: list[str] = []
    stems = SYLLABLES
    while len(words) < n:
        stems = [stem + syllable for syllable in SYLLABLES for stem in stems][: n - len(words)]
        words += [stem + ending for ending in ENDINGS for stem in stems]
    return words[:n]


def _text(rows: Rows, blob: NDArray[np.uint8], starts: Rows, lengths: Rows, words: int) -> bytes:
    """Rows as text, without a loop over words: every word is there with each ending it may have."""
    ends = np.zeros(rows.shape, np.int64)
    for part, end in ((SUBJECT, 1), (RELATION, 1), (OBJECT, 2)):
        there = (rows[:, part] >= 0).sum(1)
        ends[np.arange(len(rows)), part.start + there - 1] = end
    kept = rows >= 0
    ids = rows[kept] + words * ends[kept]
    size = lengths[ids]
    before = np.cumsum(size, dtype=np.int32) - size
    places = np.repeat(starts[ids] - before, size)
    places += np.arange(len(places), dtype=np.int32)
    return bytes(blob[places])
