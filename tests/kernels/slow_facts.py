"""s_O over facts written out: dense Φ vectors, one U, float64. Slow and obvious.

A fact is three lists of words (subject, relation, object); a sentence has only the third.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memnn.facts.bags import SOFTNESS
from memnn.layout import BLOCKS, Layout


@dataclass
class SlowFacts:
    U: np.ndarray
    layout: Layout
    idf: np.ndarray
    """Of all words; those from layout.words on have no embedding."""
    typical: float = 1.0
    bow: float = 0.0

    def __post_init__(self):
        self.U = self.U.astype(float)
        self.at = dict(zip(BLOCKS, self.layout.blocks, strict=False))

    def weights_x(self, question):
        """idf / |idf| of the question's words."""
        words = set(question)
        norm = np.sqrt(sum(self.idf[w] ** 2 for w in words)) or 1.0
        return {w: self.idf[w] / norm for w in words}

    def weights_y(self, fact):
        words = {w for part in fact for w in part}
        norm = np.sqrt(sum(self.idf[w] ** 2 for w in words)) or self.typical
        scale = norm**-SOFTNESS * self.typical ** (SOFTNESS - 1)
        return {w: self.idf[w] * scale for w in words}

    def phi_x(self, question, support):
        v = np.zeros(self.layout.D)
        v[self.at["X"]] += 1  # "?" is word 0
        for w, value in self.weights_x(question).items():
            if w < self.layout.words:
                v[self.at["X"] + w] += value
        if support is not None:
            for w, value in self.weights_y(support).items():
                if w < self.layout.words:
                    v[self.at["M"] + w] += value
        return v

    def phi_y(self, fact, question, support):
        v = np.zeros(self.layout.D)
        there = set(question)
        before = {w for part in support for w in part} if support is not None else set()
        for w, value in self.weights_y(fact).items():
            if w >= self.layout.words:
                continue
            v[self.at["Y"] + w] += value
            for block, marked in (("MX", there), ("MM", before)):
                if self.at[block] >= 0 and w in marked:
                    v[self.at[block] + w] += value
        for block, marked in (("PX", there), ("PM", before)):
            if self.at[block] >= 0 and self.pattern(fact, marked):
                v[self.at[block] + self.pattern(fact, marked)] += 1
        return v

    def pattern(self, fact, marked):
        """Base 3 digits: none, some or all of the words of each part."""
        c = 0
        for part in fact:
            words = set(part)
            named = len(words & marked)
            c = 3 * c + (0 if named == 0 else 2 if named == len(words) else 1)
        return c

    def match(self, fact, question, support):
        """Φ_x · Φ_y over words, for λ."""
        x = self.weights_x(question)
        m = self.weights_y(support) if support is not None else {}
        return sum(
            value * max(x.get(w, 0.0), m.get(w, 0.0)) for w, value in self.weights_y(fact).items()
        )

    def score(self, question, fact, support=None):
        embedded = (
            self.phi_x(question, support) @ self.U @ self.U.T @ self.phi_y(fact, question, support)
        )
        return embedded + self.bow * self.match(fact, question, support)

    def ranked(self, question, facts, support=None):
        """Scores of all facts, and their order: the best first, of equal ones the newer."""
        scores = [self.score(question, fact, support) for fact in facts]
        return sorted(range(len(facts)), key=lambda i: (-scores[i], -i)), scores
