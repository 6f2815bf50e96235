"""How well turns answer a question: a score that is the sum of named terms.

`Bm25` needs no training. `LinearScorer` weighs the features of `features.py`; `train.py` learnt the
weights that come with the package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from memnn.conversations.features import FEATURES, CandidateTurns
from memnn.conversations.index import Ints
from memnn.conversations.question import Floats, TurnQuestion
from memnn.errors import ModelError, UnknownName

FORMAT = 1
CANDIDATES = 500
"""Turns of a large memory whose features are worth looking at."""


class Terms(NamedTuple):
    """What the scores of some turns are the sums of."""

    names: list[str]
    values: Floats
    """(names, n)"""
    weights: Floats | None = None
    """What each row of the values is multiplied by, if by anything."""
    chosen: Ints | slice = slice(None)
    """Which columns these turns are."""
    turns: CandidateTurns | None = None
    """What the values were measured on, if they are the features of turns."""

    def scores(self) -> Floats:
        """(n,)"""
        sums = self.values.sum(axis=0) if self.weights is None else self.weights @ self.values
        found: Floats = sums[self.chosen]
        return found

    def of(self, which: Ints) -> Floats:
        """(names, k): the terms of some of these turns."""
        columns = which if isinstance(self.chosen, slice) else self.chosen[which]
        found: Floats = self.values[:, columns]
        return found if self.weights is None else found * self.weights[:, None]


class TurnScorer(Protocol):
    """Scores turns; it may be called from several threads."""

    @property
    def wants(self) -> int:
        """How many candidates it looks at, at least; 0 where as many as are wanted will do.

        They are the best by BM25, and what was told next to them.
        """

    read: float = 0.0
    """What a reader's logarithm of a probability counts beside it; see `search`."""

    def __call__(self, asked: TurnQuestion, places: Ints) -> Terms: ...


class Bm25(TurnScorer):
    """The words of the question, each weighed by how rare it is in this memory."""

    wants = 0

    def __call__(self, asked: TurnQuestion, places: Ints) -> Terms:
        values = asked.parts(asked.counts(places), asked.lengths(places))
        return Terms(asked.words, values)


class LinearScorer(TurnScorer):
    """w·f over the features of a turn and its neighbours."""

    wants = CANDIDATES

    def __init__(
        self, weights: Mapping[str, float], spread: Mapping[str, float] | None = None,
        read: float = 0.0,
    ) -> None:  # fmt: skip
        self.read = read
        self.spread = dict.fromkeys(FEATURES, 1.0) | dict(spread or {})
        """By how much each feature differs between turns: what is a large change of a weight."""
        for name in (*weights, *self.spread):
            if name not in FEATURES:
                raise UnknownName("feature", name, FEATURES)
        self.weights = dict(weights)

    def __call__(self, asked: TurnQuestion, places: Ints) -> Terms:
        turns = CandidateTurns(asked, places)
        values = turns.all_measured(self.weights)
        weights = np.array(list(self.weights.values()))
        return Terms(list(self.weights), values, weights, turns.chosen, turns)

    @classmethod
    def load(cls, path: str | Path) -> LinearScorer:
        """From a file such as {"format": 1, "weights": {"turn": 1.0}}."""
        try:
            about = json.loads(Path(path).read_text(encoding="utf-8"))
            if about["format"] != FORMAT:
                raise ModelError(f"{path} has format {about['format']}; this memnn reads {FORMAT}")
            weights, spread = about["weights"], about.get("spread", {})
            return cls(
                {str(k): float(v) for k, v in weights.items()},
                {str(k): float(v) for k, v in spread.items()},
                float(about.get("read", 0.0)),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} does not hold the weights of a scorer: {error}") from None

    def save(self, path: str | Path) -> Path:
        about = {
            "format": FORMAT, "weights": self.weights, "spread": self.spread, "read": self.read,
        }  # fmt: skip
        Path(path).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        return Path(path)


@cache
def default_scorer() -> LinearScorer:
    """What searches where nothing else was asked for: learnt from the project's conversations."""
    with as_file(files("memnn.conversations") / "weights.json") as path:
        return LinearScorer.load(path)
