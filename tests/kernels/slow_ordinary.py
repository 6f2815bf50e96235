"""O for ordinary language, written out: features by name, one sum at a time. Slow and obvious."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memnn.kernels import ordinary_features as F
from tests.kernels.slow_paths import cell, number

OUT = -1e9


@dataclass
class SlowOrdinary:
    """One story and one question; texts are lists of word numbers."""

    A: np.ndarray
    words: object
    reading: object
    texts: list[list[int]]
    asked: list[int]

    def stem(self, w):
        return int(self.words.stem[w])

    def content(self, w):
        return bool(self.words.content[w])

    def readings(self, w):
        pairs = zip(self.reading.words[w].tolist(), self.reading.shares[w].tolist(), strict=True)
        return [(word, share) for word, share in pairs if share > 0]

    def symbol(self, w, size):
        if self.content(w):
            return F.CLASSED + int(self.words.classes[w, size])
        return int(self.reading.words[w, 0])

    def klass(self, w, size):
        return int(self.words.classes[w, size])

    def is_near(self, w):
        if not self.content(w):
            return False
        others = [a for a in self.asked if self.content(a) and self.stem(a) != self.stem(w)]
        return any(float(self.words.vectors[w] @ self.words.vectors[a]) > F.NEAR for a in others)

    def stems(self, texts):
        return {self.stem(w) for text in texts for w in text}

    def member(self, w, path):
        g = F.IN_QUESTION * (self.stem(w) in self.stems([self.asked]))
        last, earlier = path[-1:], path[:-1]
        g += F.IN_LAST * (self.stem(w) in self.stems(self.texts[i] for i in last))
        g += F.IN_EARLIER * (self.stem(w) in self.stems(self.texts[i] for i in earlier))
        if not self.content(w):
            return g + F.SMALL
        return g + (F.NEARBY if not g & F.IN_QUESTION and self.is_near(w) else 0)

    def asked_symbol(self, w):
        if self.content(w) and self.stem(w) in self.stems(self.texts):
            return F.NAMED
        return self.symbol(w, 0)

    def x(self, path):
        h = min(len(path), F.MOST_HOP)
        found = [((F.BIAS, 0, 0), 1.0), ((F.HOP, h, 0), 1.0)]
        for j, w in enumerate(self.asked):
            a = self.asked_symbol(w)
            if a == F.NAMED:
                found.append(((F.ASKED_NAMED, self.klass(w, 0), 0), 0.5))
            else:
                if self.content(w):
                    found.append(((F.ASKED_CLASS, self.klass(w, 1), 0), 0.5))
                    found.append(((F.ASKED_FINE, self.klass(w, 2), 0), 0.5))
                found += [((F.ASKED, r, 0), share) for r, share in self.readings(w)]
            b = self.asked_symbol(self.asked[j + 1]) if j + 1 < len(self.asked) else -2
            if j == 0:
                found.append(((F.FIRST, a, h), 1.0))
            found.append(((F.ASKED_PAIR, a, b), 1.0))
        for w in self.texts[path[-1]] if path else []:
            if self.content(w):
                if self.stem(w) in self.stems([self.asked]):
                    continue
                found.append(((F.LAST_CLASS, self.klass(w, 1), 0), 0.5))
            found += [((F.LAST, r, 0), share) for r, share in self.readings(w)]
        return found

    def missed(self, y, path):
        found, missed, hit = [], 0, 0
        here = self.texts[y] if y is not None else []
        stems = self.stems([*(self.texts[i] for i in path), here])
        stop = 1 if y is None else 0
        for w in self.asked:
            if not self.content(w):
                continue
            if self.stem(w) in stems:
                hit += 1
                continue
            missed += 1
            near = any(self.near_seen(u) for u in here)
            found.append(((F.MISSED_CLASS, self.klass(w, 1), 2 * stop + near), 1.0))
            found += [((F.MISSED, r, stop), share) for r, share in self.readings(w)]
        found.append(((F.MISSED_COUNT, min(missed, 4), stop), 1.0))
        found.append(((F.HIT_COUNT, min(hit, 4), stop), 1.0))
        return found

    def near_seen(self, w):
        """Nearness is only looked at where a word is not in the question itself."""
        return self.stem(w) not in self.stems([self.asked]) and self.is_near(w)

    def mentions(self, w):
        return [i for i, text in enumerate(self.texts) if self.stem(w) in self.stems([text])]

    def y(self, y, path):
        text, last = self.texts[y], path[-1] if path else None
        focus = F.IN_QUESTION if last is None else F.IN_LAST
        g = [self.member(w, path) for w in text]
        found = []
        for j, w in enumerate(text):
            found.append(((F.MEMBER, g[j], 0), 1.0))
            for r, share in self.readings(w) if not self.shared(w, g[j]) else []:
                found.append(((F.WORD, r, 0), 0.5 * share))
                if g[j] & ~F.SMALL:
                    found.append(((F.BOTH, r, g[j]), 0.5 * share))
            if self.shared(w, g[j]):
                found.append(((F.CLASS, self.klass(w, 0), g[j]), 0.5))
            elif self.content(w):
                found.append(((F.CLASS, self.klass(w, 1), g[j]), 0.5))
                found.append(((F.FINE, self.klass(w, 2), 0), 0.5))
            if j + 1 < len(text):
                pair = self.symbol(w, 1), self.symbol(text[j + 1], 1)
                found.append(((F.NEIGHBOURS, *pair), 0.5))
            if g[j] == 0 or g[j] & F.SMALL:
                continue
            for k, v in enumerate(text):
                if k != j:
                    found += self.pairs(j, k, v, g, bool(g[j] & focus))
            mentions = self.mentions(w)
            newest = not [m for m in mentions if m > y]
            if g[j] & focus:
                found.append(((F.FOCUS, int(j < 2), 0), 1.0))
                if newest:
                    found.append(((F.FOCUS_NEWEST, 0, 0), 1.0))
            if newest:
                found.append(((F.NEWEST, g[j], 0), 1.0))
            if last is not None:
                if y < last and not [m for m in mentions if y < m < last]:
                    found.append(((F.BEFORE_LAST, g[j], 0), 1.0))
                if y > last and not [m for m in mentions if last < m < y]:
                    found.append(((F.AFTER_LAST, g[j], 0), 1.0))
                if g[j] & F.IN_LAST:
                    found += self.role(w, j, last)
        if last is not None:
            found.append(((F.SIDE, int(y > last), 0), 1.0))
            if abs(y - last) == 1:
                found.append(((F.NEXT_TO, int(y > last), 0), 1.0))
        return found + self.missed(y, path)

    def pairs(self, j, k, v, g, focused):
        side = int(k > j)
        found = []
        if self.shared(v, g[k]):
            return [((F.MEMBERS, g[j], g[k]), 0.5)] if k > j else []
        for r, share in self.readings(v):
            found.append(((F.PAIR + 100 * side, g[j], r), 0.5 * share))
            if focused:
                found.append(((F.TIED, side, r), 0.5 * share))
        if self.content(v):
            found.append(((F.PAIR_CLASS + 100 * side, g[j], self.klass(v, 1)), 0.5))
            if focused:
                found.append(((F.TIED_CLASS, side, self.klass(v, 1)), 0.5))
        return found

    def shared(self, w, g):
        return self.content(w) and bool(g & (F.IN_QUESTION | F.IN_LAST | F.IN_EARLIER))

    def role(self, w, place, last):
        text = self.texts[last]
        k = next(k for k, v in enumerate(text) if self.stem(v) == self.stem(w))
        before = -1
        if k and not self.content(text[k - 1]):
            before = int(self.reading.words[text[k - 1], 0])
        here = int(place < 3)
        return [((F.ROLE, before, here), 1.0), ((F.PLACE, min(k, 4), here), 1.0)]

    def stop(self, path):
        found = [((F.STOP, 0, 0), 1.0)]
        text = self.texts[path[-1]]
        for j, w in enumerate(text):
            g = self.member(w, path) & ~F.IN_LAST
            found += [((F.STOP_WORD, r, g), 0.5 * share) for r, share in self.readings(w)]
            if self.content(w):
                found.append(((F.STOP_CLASS, self.klass(w, 1), g), 0.5))
            if j + 1 < len(text):
                pair = self.symbol(w, 1), self.symbol(text[j + 1], 1)
                found.append(((F.STOP_PAIR, *pair), 0.5))
        return found + self.missed(None, path)

    def dot(self, x, y):
        return sum(
            fv * gv * float(self.A[cell(number(f), number(g), len(self.A))])
            for f, fv in x
            for g, gv in y
        )

    def steps(self, path):
        """The score of every memory as the next support, and of stopping."""
        x, last = self.x(path), path[-1] if path else None
        scores = [
            OUT if i in path else self.dot(x, self.y(i, path)) for i in range(len(self.texts))
        ]
        whole = list(scores)
        for i, score in enumerate(scores):
            if score == OUT:
                continue
            side = 0 if last is None else 1 if i > last else 2

            def same(k, i=i):
                return last is None or (k > last) == (i > last)

            good = [k for k, s in enumerate(scores) if s > score - 2.0 and same(k) and k != i]
            newer, older = (
                min(3, len([k for k in good if k > i])),
                min(3, len([k for k in good if k < i])),
            )
            rivals = [
                ((F.NEWER, side, min(newer, 1)), 1.0),
                ((F.NEWER_COUNT, side, 0), 0.5 * newer),
                ((F.OLDER, side, min(older, 1)), 1.0),
                ((F.TIED_NEWER, min(newer, 1), 0), 1.0),
            ]
            whole[i] += self.dot(x, rivals)
        return [*whole, self.dot(x, self.stop(path)) if path else OUT]
