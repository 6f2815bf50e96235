"""Paths of supports and answers word by word, written out: features by name, one sum at a time.

Texts are lists of words, words are numbers, a feature is (kind, a, b). Slow and obvious.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import exp, log, log2

import numpy as np

from memnn.kernels import path_features as F
from memnn.kernels import path_reading as P
from memnn.kernels import path_response as R

READ = 48
"""Words of a text that are read."""
U64 = 2**64 - 1


@cache
def number(feature):
    """The 64-bit number of a feature."""
    kind, a, b = feature
    x = kind * int(F.A1) + (a + 7) * int(F.A2) + (b + 7) * int(F.A3) & U64
    x = (x ^ x >> 29) * int(F.M1) & U64
    x = (x ^ x >> 32) * int(F.M2) & U64
    return x ^ x >> 29


@cache
def cell(f, g, size):
    """Where the weight of a pair of numbers is kept."""
    x = (f ^ g * int(F.A1) & U64) * int(F.M3) & U64
    x = (x ^ x >> 32) * int(F.M3) & U64
    return (x >> 20) % size


def softmax(scores):
    best = max(scores)
    e = [exp(s - best) for s in scores]
    return [x / sum(e) for x in e]


TIME = "write time"


@dataclass
class SlowPaths:
    """O on one story: Φ_x' A Φ_y for the next support, and a path is the sum of its steps."""

    A: np.ndarray
    memories: list[list[int]]
    asked: list[int]
    hidden: set[int] = field(default_factory=set)
    """Words that are read as the unknown one, 0."""
    weight: float = 0.5
    close: float = 2.0
    timed: bool = True
    """Whether write time is read: ages, mentions, rivals."""
    far: float = float("inf")

    def __post_init__(self):
        self.content = cache(self.content)

    def literal(self, word):
        return 0 if word in self.hidden else word

    def words(self, y):
        return self.memories[y][:READ]

    def mark(self, word, path):
        """1 in the question, 2 in the last support, 4 in an earlier one."""
        return (
            (word in self.asked)
            + 2 * any(word in self.words(y) for y in path[-1:])
            + 4 * any(word in self.words(y) for y in path[:-1])
        )

    def phi_x(self, path):
        hop = min(len(path), 3)
        asked = [self.literal(w) for w in self.asked[:READ]]
        found = [(F.BIAS, 0, 0), (F.HOP, hop, 0)]
        if asked:
            found.append((F.FIRST, asked[0], hop))
        found += [(F.ASKED, w, 0) for w in asked]
        for gap in (1, 2):
            pairs = zip(asked, [*asked, -2][gap:], strict=False)
            found += [(F.ASKED_PAIR + gap, a, b) for a, b in pairs]
        for y in path[-1:]:
            found += [(F.LAST, self.literal(w), 0) for w in self.words(y)]
        return found

    def newer(self, y, word):
        """The next memory that mentions a word, infinitely far away where none does."""
        later = range(y + 1, len(self.memories))
        return min((i for i in later if word in self.memories[i]), default=float("inf"))

    def older(self, y, word):
        return max((i for i in range(y) if word in self.memories[i]), default=-1)

    def phi_y(self, y, path):
        return [found for found in self.phi_y_timed(y, path) if self.timed or found[2] != TIME]

    def phi_y_timed(self, y, path):
        """Features with their values and what they are about."""
        words = [(self.literal(w), self.mark(w, path)) for w in self.words(y)]
        found = []
        for w, g in words:
            found += [
                ((F.WORD, w, 0), self.weight, "words"),
                ((F.MEMBER, g, 0), 1.0, "membership"),
                ((F.BOTH, w, g), self.weight, "membership"),
            ]
        for (j, (w, g)), (k, (w2, g2)) in combinations(enumerate(words), 2):
            found += [
                ((F.MEMBERS, g, g2), 0.5, "membership"),
                ((F.WORD_MEMBER, w, g2), 0.5, "membership"),
                ((F.MEMBER_WORD, g, w2), 0.5, "membership"),
            ]
            if k - j <= 2:
                found.append(((F.WORDS, w, w2), 0.5 * self.weight, "words"))
        found += [(*each, TIME) for each in self.times(y, path)]
        return found

    def times(self, y, path):
        for word in self.words(y):
            g = self.mark(word, path)
            if not g:
                continue
            newer, older = self.newer(y, word), self.older(y, word)
            if newer >= len(self.memories):
                yield (F.NEWEST, g, 0), 1.0
            if older < 0:
                yield (F.OLDEST, g, 0), 0.5
            for last in path[-1:]:
                if y < last <= newer:
                    yield (F.NEWEST_BEFORE, g, 0), 1.0
                if older <= last < y:
                    yield (F.OLDEST_AFTER, g, 0), 1.0
        age = len(self.memories) - 1 - y
        known = age if age <= self.far else self.far * (1 + log(age / self.far))
        yield (F.AGE, 0, 0), 0.01 * known
        yield (F.LOG_AGE, 0, 0), 0.05 * log2(1 + age)
        for last in path[-1:]:
            after = int(y > last)
            yield (F.SIDE, after, 0), 1.0
            yield (F.DISTANCE, after, 0), 0.5 * log2(abs(y - last))
            if abs(y - last) == 1:
                yield (F.NEXT_TO, after, 0), 1.0

    def weigh(self, path, feature):
        """Σ over Φ_x of the cells with one feature."""
        g, size = number(feature), len(self.A)
        return sum(float(self.A[cell(number(f), g, size)]) for f in self.phi_x(path))

    def content(self, y, path):
        return sum(value * self.weigh(path, f) for f, value, _ in self.phi_y(y, path))

    def rivals(self, y, path):
        """Newer and older memories on the same side of the last support, about as good by content;
        three count at most."""
        free = [i for i in range(len(self.memories)) if i not in path]
        if path:
            free = [i for i in free if (i > path[-1]) == (y > path[-1])]
        as_good = [i for i in free if self.content(i, path) > self.content(y, path) - self.close]
        return min(sum(i > y for i in as_good), 3), min(sum(i < y for i in as_good), 3)

    def phi_rivals(self, y, path):
        if not self.timed:
            return
        newer, older = self.rivals(y, path)
        side = 0 if not path else 1 if y > path[-1] else 2
        yield (F.NEWER, side, 0), newer
        yield (F.OLDER, side, 0), older
        yield (F.NONE_NEWER, side, min(newer, 1)), 1.0
        yield (F.NONE_OLDER, side, min(older, 1)), 1.0

    def score(self, y, path):
        """The score of memory y as the next support."""
        rivals = sum(value * self.weigh(path, f) for f, value in self.phi_rivals(y, path))
        return self.content(y, path) + rivals

    def terms(self, y, path):
        """A step's score by what it is about."""
        about = dict.fromkeys(("words", "membership", TIME, "stop"), 0.0)
        for f, value, group in self.phi_y(y, path):
            about[group] += value * self.weigh(path, f)
        for f, value in self.phi_rivals(y, path):
            about[TIME] += value * self.weigh(path, f)
        return about

    def stop(self, path):
        return self.weigh(path, (F.STOP, 0, 0))

    def score_path(self, path, stopped=True):
        steps = sum(self.score(y, path[:i]) for i, y in enumerate(path))
        return steps + (self.stop(path) if stopped else 0.0)

    def all_paths(self, most):
        """Every path of up to `most` supports, stopped, best first."""
        found, longer = [], [()]
        for _ in range(min(most, len(self.memories))):
            longer = [(*p, y) for p in longer for y in range(len(self.memories)) if y not in p]
            found += longer
        return sorted(((self.score_path(p), p) for p in found), reverse=True)

    def beam(self, width, most, truth):
        """Pairs of path and whether it stopped, and whether the truth stayed among them.

        Where it falls out the search ends, and its beginning comes last.
        """
        most = min(most, len(self.memories))
        beam = [((), False)]
        for step in range(1, most + 2):
            new = [(path, True) for path, stopped in beam if stopped or path]
            for path, stopped in beam:
                if not stopped and len(path) < most:
                    new += [((*path, y), False) for y in range(len(self.memories)) if y not in path]
            beam = sorted(new, key=lambda each: self.score_path(*each), reverse=True)[:width]
            true = truth[:step], step > len(truth)
            if true not in beam:
                return [*beam, true], False
        return beam, True

    def loss(self, beam, truth):
        """-log p of the true path, or of its beginning, among the paths of a beam."""
        true = beam.index((truth, True)) if (truth, True) in beam else -1
        return -log(softmax([self.score_path(*each) for each in beam])[true])


@dataclass
class SlowReading:
    """What R reads: a question and its supports in the order of telling."""

    told: list[list[int]]
    asked: list[int]
    hidden: set[int] = field(default_factory=set)
    weight: float = 0.3

    def __post_init__(self):
        self.told = [words[:READ] for words in self.told]
        self.asked = self.asked[:READ]
        self.having, self.ranks, self.marks = map(cache, (self.having, self.ranks, self.marks))

    def literal(self, word):
        return 0 if word in self.hidden else word

    def having(self, word):
        """The supports that have a word; those after the thirtieth count as one."""
        return {min(i, P.MOST_SUPPORTS) for i, words in enumerate(self.told) if word in words}

    def ranks(self):
        """The supports in the order in which the question mentions them: first, second, others.

        A word that all of them have mentions none of them.
        """
        everyone = {min(i, P.MOST_SUPPORTS) for i in range(len(self.told))}

        def place(i):
            mentions = (
                j
                for j, word in enumerate(self.asked)
                if min(i, P.MOST_SUPPORTS) in self.having(word) != everyone
            )
            return min(mentions, default=float("inf"))

        order = sorted(range(len(self.told)), key=lambda i: (place(i), i))
        return [min(order.index(i), 2) for i in range(len(self.told))]

    def marks(self, i):
        """Of each word of a support: is it in the question, and where; in older or newer ones."""
        me = min(i, P.MOST_SUPPORTS)
        having = [self.having(word) for word in self.asked]
        of_others = [j for j, those in enumerate(having) if those and me not in those]
        found = []
        for word in self.told[i]:
            having, mark = self.having(word), 0
            if word in self.asked:
                mark, place = P.IN_QUESTION, self.asked.index(word)
                if having == {me} and of_others:
                    before, after = place < min(of_others), place > max(of_others)
                    mark = P.BEFORE if before else P.AFTER if after else P.BETWEEN
            mark += P.IN_OLDER * any(o < me for o in having)
            mark += P.IN_NEWER * any(o > me for o in having)
            found.append(mark)
        return found

    def phi_asked(self):
        ranks = self.ranks()
        first = min(ranks.index(0), P.MOST_SUPPORTS) if ranks else None

        def side(word):
            having = self.having(word)
            return (first in having) + 2 * bool(having - {first})

        yield (P.ASKED, 0, 0), 1.0
        for j, a in enumerate(self.asked):
            yield (P.ASKED_WORD, self.literal(a), 0), self.weight
            for b in self.asked[j + 1 : j + 2]:
                yield (P.ASKED_WORDS, self.literal(a), self.literal(b)), self.weight
            for b in self.asked[j + 1 :]:
                if 3 in (side(a), side(b)):
                    continue
                if side(a):
                    yield (P.ASKED_OF_WORD, side(a), self.literal(b)), 1.0
                if side(b):
                    yield (P.ASKED_WORD_OF, self.literal(a), side(b)), 1.0
                if side(a) and side(b) and side(a) != side(b):
                    yield (P.ASKED_OF_BOTH, side(a), side(b)), 1.0

    def phi_supports(self):
        for phi in self.phi_by_support():
            yield from phi

    def phi_by_support(self):
        """What all supports have in common, then each of them."""
        yield [((P.SUPPORTS, 0, 0), 1.0), ((P.COUNT, min(len(self.told), 6), 0), 1.0)]
        for i, rank in enumerate(self.ranks()):
            yield list(self.phi_support(i, rank))

    def phi_support(self, i, rank):
        words = [(self.literal(w), g) for w, g in zip(self.told[i], self.marks(i), strict=True)]
        tells = [
            g > 0 and not self.everywhere(w) for w, (_, g) in zip(self.told[i], words, strict=True)
        ]
        for role in (rank, 3):
            for w, g in words:
                yield (P.S_WORD + role, w, 0), self.weight
                yield (P.S_MARK + role, g, 0), 1.0
                yield (P.S_BOTH + role, w, g), self.weight
            for (w, g), (w2, g2) in combinations(words, 2):
                yield (P.S_MARKS + role, g, g2), 0.5
                yield (P.S_WORD_MARK + role, w, g2), 0.5
                yield (P.S_MARK_WORD + role, g, w2), 0.5
            if len(words) <= P.SHORT:
                for j, k, m in combinations(range(len(words)), 3):
                    (w, g), (w2, g2), (w3, g3) = words[j], words[k], words[m]
                    yield (P.S_TRIPLE + role, w2, 64 * g + g3), 0.5
                    if m > j + 2:
                        continue
                    if tells[k] and tells[m]:
                        yield (P.S_WORD_FIRST + role, w, 64 * g2 + g3), 0.5
                    if tells[j] and tells[k]:
                        yield (P.S_WORD_LAST + role, w3, 64 * g + g2), 0.5

    def everywhere(self, word):
        """In the question and in every support: that tells nothing."""
        return word in self.asked and all(word in words for words in self.told)

    def phi_copy(self, word):
        """A word of the supports: where it was last mentioned, and beside what."""
        asked = int(word in self.asked)
        yield (P.C_WORD, self.literal(word), 0), 0.3
        yield (P.C_ASKED, asked, 0), 1.0
        i = max(i for i in range(len(self.told)) if word in self.told[i])
        newest = i == len(self.told) - 1
        yield (P.C_NEWEST, int(newest), asked), 1.0
        at = self.told[i].index(word)
        for k, (w, g) in enumerate(zip(self.told[i], self.marks(i), strict=True)):
            if k == at:
                continue
            after = int(k > at)
            for near in (0, 1) if abs(k - at) == 1 else (0,):
                yield (P.C_NEAR + after + 2 * near, self.literal(w), 0), 1.0
                yield (P.C_MARK + after + 2 * near, g, 0), 1.0
            if newest:
                yield (P.C_LAST + after, self.literal(w), 0), 1.0


@dataclass
class SlowAnswer:
    """R: what could be said next, and its score."""

    reading: SlowReading
    features: np.ndarray
    answers: np.ndarray
    copies: np.ndarray
    answer_of: dict[int, int]
    """Rows of the words that are answers."""
    scale: float = 0.2
    contents: dict[int, float] | None = None
    """What each word's place says for it; computed from `copies` unless given."""

    def __post_init__(self):
        told = self.reading.told
        self.places = {}
        for i, words in enumerate(told):
            for j, word in enumerate(words):
                self.places.setdefault(word, (i, j))
        there = {self.answer_of.get(word, R.OTHER) for word in self.places}
        rows = [r for r in range(self.answers.shape[1]) if r == R.END or r > R.OTHER]
        self.candidates = [*self.places, *(("row", r) for r in rows if r not in there)]
        self.weigh, self.vectors = cache(self.weigh), cache(self.vectors)
        self.phi_asked = list(self.reading.phi_asked())
        if self.contents is None:
            self.contents = {w: self.content(w) for w in self.places}

    def weigh(self, feature):
        """Σ over the question's features of value times cell."""
        g, size = number(feature), len(self.copies)
        return sum(
            value * float(self.copies[cell(number(f), g, size)]) for f, value in self.phi_asked
        )

    def content(self, word):
        return sum(value * self.weigh(f) for f, value in self.reading.phi_copy(word))

    def accepted(self, c):
        return c in self.places and self.contents[c] > 0

    def phi_order(self, c, said):
        """Whose turn it is, after what was said."""
        left = [o for o in self.places if self.accepted(o) and o not in said and o != c]
        if c in said:
            yield (R.SAID, int(self.accepted(c)), int(c in self.places))
        if c not in self.places:
            yield (R.LEFT, min(len(left), R.MOST_LEFT), c[1])
            return
        yield (R.ACCEPTED, int(self.accepted(c)), said.count(c))
        if self.accepted(c) and c not in said:
            earlier = sum(self.places[o] < self.places[c] for o in left)
            later = sum(self.places[o] > self.places[c] for o in left)
            yield (R.TURN, min(earlier, R.MOST_TURNS), 0)
            yield (R.TURN_BACK, min(later, R.MOST_TURNS), 0)
            if said and said[-1] in self.places:
                yield (R.FOLLOWS, int(self.places[c] > self.places[said[-1]]), 0)

    def row(self, feature, salt):
        return self.features[cell(number(feature), salt, len(self.features))].astype(float)

    def vectors(self, step):
        """q and m."""
        q = 1 + self.scale * self.row((P.STEP, step, 0), 1)
        for f, value in self.phi_asked:
            q = q + self.scale * value * self.row(f, 1)
        common, *each = (
            sum((self.scale * value * self.row(f, 2 + step) for f, value in phi), 0 * q)
            for phi in self.reading.phi_by_support()
        )
        added = len(q) - len(q) // 3
        for part in each:
            common += [x if d < added else max(x, 0.0) for d, x in enumerate(part)]
        return q, common

    def score(self, c, said):
        q, m = self.vectors(len(said))
        a = self.answers[:, R.OTHER if c in self.places else c[1]].astype(float)
        meaning = a[0] @ (q * m) + a[1] @ m + a[2] @ q
        order = sum(self.weigh(f) for f in self.phi_order(c, said))
        return meaning + self.contents.get(c, 0.0) + order

    def step(self, said):
        """The probability of everything that could be said next."""
        scores = [self.score(c, said) for c in self.candidates]
        return dict(zip(self.candidates, softmax(scores), strict=True))

    def candidate(self, row):
        """An answer as a word of the supports, else as learnt."""
        words = [w for w in self.places if self.answer_of.get(w) == row]
        return words[0] if words else ("row", row)

    def loss(self, rows):
        """-log p of an answer, END included."""
        true = [self.candidate(row) for row in (*rows, R.END)]
        return -sum(log(self.step(true[:i])[c]) for i, c in enumerate(true))

    def content_loss(self, rows):
        """Each word of the supports by its own yes or no."""
        true = {self.candidate(row) for row in rows}
        return sum(log(1 + exp(-c if w in true else c)) for w, c in self.contents.items())

    def say(self, most):
        """The most probable candidates one after the other, and log p."""
        said, certainty = [], 0.0
        while len(said) < most:
            scores = {c: self.score(c, said) for c in self.candidates}
            if not said:
                del scores["row", R.END]
            best = max(scores, key=scores.get)
            certainty -= log(sum(exp(s - scores[best]) for s in scores.values()))
            if best == ("row", R.END):
                break
            said.append(best)
        return said, certainty
