"""The equations written out: dense Φ vectors, one U, float64, no tricks. Slow and obvious."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from memnn.layout import BLOCKS, Layout


@dataclass
class Slow:
    """A scorer for one U. `contexts` has the bags left and right of tokens that are unseen."""

    U: np.ndarray
    layout: Layout
    mode: str = "none"
    bow: float = 0.0
    contexts: dict[int, tuple[set[int], set[int]]] = field(default_factory=dict)

    def __post_init__(self):
        self.U = self.U.astype(float)
        self.at = dict(zip(BLOCKS, self.layout.blocks, strict=False))

    def token(self, v, block, t, left, right):
        """A word in its block, or its context in two others."""
        if t not in self.contexts:
            v[self.at[block] + t] += 1
            return
        for name, bag in zip((left, right), self.contexts[t], strict=True):
            for w in bag:
                v[self.at[name] + w] += 1 / np.sqrt(len(bag))

    def phi_x(self, x, supports):
        v = np.zeros(self.layout.D)
        for t in x:
            self.token(v, "X", t, "L", "R")
        for m in supports:
            for t in m:
                self.token(v, "M", t, "L", "R")
        return v

    def phi_y(self, y, x, supports):
        v = np.zeros(self.layout.D)
        for t in y:
            self.token(v, "Y", t, "L", "R")
            if self.layout.match and t in x:
                self.token(v, "MX", t, "MXL", "MXR")
            if self.layout.match and any(t in m for m in supports):
                self.token(v, "MM", t, "MML", "MMR")
        return v

    def phi_t(self, t_x, t_y, t_y2):
        return phi_time(self.mode, t_x, t_y, t_y2)

    def exact(self, y, x, supports):
        """The bag-of-words match: words of y that occur in the input."""
        return sum(1 for t in y if t in x or any(t in m for m in supports))

    def s_Ot(self, x, supports, t_x, y, t_y, y2, t_y2):
        """Eq. 10, and Eq. 11's λ."""
        right = self.phi_y(y, x, supports) - self.phi_y(y2, x, supports)
        if self.layout.time:
            right[self.at["T"] :] += self.phi_t(t_x, t_y, t_y2)
        embedded = self.phi_x(x, supports) @ self.U @ self.U.T @ right
        matched = self.exact(y, x, supports) - self.exact(y2, x, supports)
        return embedded + self.bow * matched

    def s_R(self, x, supports, r):
        """Eq. 5 for a word as the answer."""
        return self.phi_x(x, supports) @ self.U @ self.U.T @ self.phi_y([r], x, supports)

    def walk(self, x, supports, t_x, memories, times):
        """Algorithm 1, and the memories that the winner met."""
        t, met = 0, []
        for i in range(1, len(memories)):
            if self.s_Ot(x, supports, t_x, memories[i], times[i], memories[t], times[t]) > 0:
                t, met = i, [t]
            else:
                met.append(i)
        return t, met

    def find_supports(self, x, t_x, memories, times, hops):
        found = []
        for _ in range(hops):
            o, _ = self.walk(x, [memories[i] for i in found], t_x, memories, times)
            if found[-1:] == [o]:
                break
            found.append(o)
            t_x = times[o]
        return found


def phi_time(mode, t_x, t_y, t_y2):
    return {
        "none": [0, 0, 0],
        "ordered": [t_y > t_x, t_y2 > t_x, t_y > t_y2],
        "literal": [t_y > t_x, t_y2 > t_x, t_y < t_y2],
        "signed": [np.sign(t_y - t_x), np.sign(t_y2 - t_x), np.sign(t_y - t_y2)],
    }[mode]
