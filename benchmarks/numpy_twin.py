"""The story network in plain NumPy: the same model and numbers, as one would write them by hand.

Answering is vectorised over memories. Training goes example by example with written-out gradients
and one sampled negative per term; `sample` draws it, for the PyTorch twin too.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memnn.stories.bags import Bags
from memnn.stories.examples import Examples
from memnn.stories.model import Model
from memnn.stories.recipe import Recipe

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Found = tuple[list[int], int]
"""The supports of k hops, and the candidate answer."""


class Texts(Protocol):
    """Texts as bags of words: text i has words[ptr[kinds[i]]:ptr[kinds[i] + 1]]."""

    @property
    def ptr(self) -> Ints: ...

    @property
    def words(self) -> Ints: ...

    @property
    def kinds(self) -> NDArray[np.integer[Any]]: ...


def embed_all(U: Floats, block: int, bags: Texts, n: int) -> Floats:
    """(n, dim): the first n texts of a bag, embedded in one dictionary of U."""
    kinds = [U[block + bags.words[a:b]].sum(0) for a, b in pairwise(bags.ptr)]
    embedded: Floats = np.stack(kinds)[bags.kinds[:n]]
    return embedded


class NumpyTwin:
    """Answers k-hop questions over n embedded memories, with `ordered` write time."""

    def __init__(self, model: Model, memories: Texts, n: int, *, loop: bool = False) -> None:
        W = len(model.dictionary)
        self.loop = loop  # Algorithm 1 as it is written: better when there are few memories
        self.hops = model.recipe.hops
        self.X_O, self.X_R = model.U_O[:W], model.U_R[:W]  # (|W|, dim)
        self.time = model.U_O[3 * W :]  # (3, dim)
        self.answers = model.U_R[2 * W :]  # (answers, dim)
        self.S_O = embed_all(model.U_O, W, memories, n)  # (n, dim), as supports of O
        self.S_R = embed_all(model.U_R, W, memories, n)  # (n, dim), as supports of R
        self.Y = embed_all(model.U_O, 2 * W, memories, n)  # (n, dim), as candidates

    def __call__(self, x: Ints) -> Found:
        """The supports and the answer for the rows of a question."""
        supports: list[int] = []
        q = self.X_O[x].sum(0)
        r = self.X_R[x].sum(0)
        for _ in range(self.hops):
            o = self._hop(q, supports)
            stop = supports[-1:] == [o]
            supports.append(o)
            if stop:
                supports += [o] * (self.hops - len(supports))
                break
            q = q + self.S_O[o]
        for o in supports:
            r = r + self.S_R[o]
        return supports, int((self.answers @ r).argmax())

    def _hop(self, q: Floats, supports: list[int]) -> int:
        c = self.Y @ q
        w1, w2, w3 = (self.time @ q).tolist()
        if self.loop:
            return plain_walk(c.tolist(), w1, w2, w3, supports[-1] if supports else len(c))
        F, G = c + np.float32(w3), c  # i beats t when F_i > G_t
        if not supports:
            return walk(F, G, 0, 1, w3 >= 0)
        after = supports[-1] + 1  # memories from here on are newer than the last support
        F[after:] += np.float32(w1)
        G[after:] -= np.float32(w2)
        gains = w3 >= 0, w3 + w1 + w2 >= 0
        if all(gains):
            return walk(F, G, 0, 1, True)
        t = walk(F[:after], G[:after], 0, 1, gains[0])
        return walk(F, G, t, after, gains[1])


def plain_walk(c: list[float], w1: float, w2: float, w3: float, o: int) -> int:
    """Algorithm 1 in plain Python; memories after the last support o are newer than it."""
    t, G_t = 0, c[0]
    for i in range(1, min(o + 1, len(c))):
        if c[i] + w3 > G_t:
            t, G_t = i, c[i]
    w3 += w1
    for i in range(o + 1, len(c)):
        if c[i] + w3 > G_t:
            t, G_t = i, c[i] - w2
    return t


def walk(F: Floats, G: Floats, t: int, start: int, gains: bool) -> int:
    """Algorithm 1 from winner t over memories start..: i replaces t when F_i > G_t.

    `gains` says that F_i >= G_i for all of them: being newer helps. Then the last winner is the
    first memory that nothing after it beats. Otherwise every winner has the greatest F so far,
    and such memories are few.
    """
    if start == len(F):
        return t
    if gains:
        best = np.maximum.accumulate(F[: start - 1 : -1])[::-1]  # of memory i and those after it
        if best[0] <= G[t]:
            return t
        unbeaten = best[1:] <= G[start:-1]
        i = int(unbeaten.argmax()) if len(unbeaten) else 0
        return start + i if len(unbeaten) and unbeaten[i] else len(F) - 1
    best = np.maximum.accumulate(F[start:])
    records = start + np.flatnonzero(best[1:] > best[:-1]) + 1
    G_t = float(G[t])
    for i in (start, *records.tolist()):
        if F[i] > G_t:
            t, G_t = i, float(G[i])
    return t


def sample(
    examples: Examples, recipe: Recipe, answers: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """One negative memory per hop (Q, k), half from the latest ones, and one answer (Q,)."""
    Q, k = examples.supports.shape
    last, n = examples.last[:, None], (examples.last - examples.first)[:, None]
    from_all = examples.first[:, None] + (rng.random((Q, k)) * n).astype(np.int64)
    latest = last - 1 - (rng.random((Q, k)) * np.minimum(n, recipe.recent)).astype(np.int64)
    false = np.where(rng.random((Q, k)) < 0.5, latest, from_all)
    return false, rng.integers(answers, size=(Q,))


class NumpyTrainer:
    """SGD on the margin loss, one question at a time, one negative per hop and per response."""

    def __init__(self, model: Model, examples: Examples) -> None:
        self.recipe, self.W = model.recipe, len(model.dictionary)
        self.U_O, self.U_R = model.U_O.copy(), model.U_R.copy()
        self.examples = examples
        self.rng = np.random.default_rng(model.recipe.seed)
        self.memories = _split(examples.statements)
        self.questions = _split(examples.questions)

    def epoch(self) -> None:
        false, false_r = sample(self.examples, self.recipe, len(self.U_R) - 2 * self.W, self.rng)
        for j in self.rng.permutation(len(self.examples)).tolist():
            supports = self.examples.supports[j].tolist()
            x = self.questions[j]
            t_x = int(self.examples.questions.times[j])
            for o, i in zip(supports, false[j].tolist(), strict=True):
                if i != o:
                    self._step_hop(x, o, i, t_x)
                t_x = int(self.examples.statements.times[o])
                x = np.concatenate((x, self.W + self.memories[o]))
            self._step_response(x, int(self.examples.answers[j]), int(false_r[j]))

    def _step_hop(self, x: Ints, o: int, i: int, t_x: int) -> None:
        """Eq. 6-7 with write time: the newer of the two is y, and must win if it is the support."""
        U, W, times = self.U_O, self.W, self.examples.statements.times
        y, y2 = max(o, i), min(o, i)
        f = np.array([times[y] > t_x, times[y2] > t_x, True], np.float32)
        rows, rows2 = 2 * W + self.memories[y], 2 * W + self.memories[y2]
        q = U[x].sum(0)
        d = U[rows].sum(0) - U[rows2].sum(0) + f @ U[3 * W :]
        side = 1.0 if y == o else -1.0
        if side * float(q @ d) >= self.recipe.margin:
            return
        lr = np.float32(side * self.recipe.lr)
        np.add.at(U, x, lr * d)
        np.add.at(U, rows, lr * q)
        np.add.at(U, rows2, -lr * q)
        U[3 * W :] += lr * f[:, None] * q

    def _step_response(self, x: Ints, r: int, false: int) -> None:
        """Eq. 8."""
        U, Y = self.U_R, 2 * self.W
        if r == false:
            return
        q = U[x].sum(0)
        d = U[Y + r] - U[Y + false]
        if float(q @ d) >= self.recipe.margin:
            return
        lr = np.float32(self.recipe.lr)
        np.add.at(U, x, lr * d)
        U[Y + r] += lr * q
        U[Y + false] -= lr * q

    def weights(self) -> tuple[Floats, Floats]:
        return self.U_O, self.U_R


def _split(bags: Bags) -> list[Ints]:
    return [bags[i] for i in range(len(bags))]
