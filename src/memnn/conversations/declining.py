"""Whether anything that was told answers a question: the last decision, over the ranked turns.

A score says which turn fits best, not whether the best one fits. That shows in what is left over:
words that nobody said, and somebody else who speaks of what is asked with more of its words than
the one whom the question names. The weights are learnt (`train_declining.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from memnn.conversations.features import FEATURES, SCALE
from memnn.conversations.question import K1, Floats
from memnn.conversations.scoring import Terms
from memnn.errors import ModelError
from memnn.logistic import sigmoid

FORMAT = 1
SPEAKERS = ("speaker named", "another named")
"""What the features begin with that are of who speaks, not of what is said."""
FAR_BEHIND = 5.0
"""How far behind a second turn is that is not there."""
MOST = 4.0
"""Findings further from the mean than this, in standard deviations, say no more."""


def findings(terms: Terms) -> dict[str, float] | None:
    """What speaks for and against, as numbers; None where there is no turn to speak of."""
    turns, weights = terms.turns, terms.weights
    if turns is None or weights is None:
        return None
    scores = terms.scores()
    if not len(scores):
        return None
    row = {name: i for i, name in enumerate(terms.names)}
    content = scores
    if turns.named:  # without a name these features are 0
        spoken = [i for name, i in row.items() if name.startswith(SPEAKERS)]
        content = scores - (weights[spoken] @ terms.values[spoken])[terms.chosen]
    top = int(np.argmax(scores))
    second = np.partition(scores, -2)[-2] if len(scores) > 1 else scores[top] - FAR_BEHIND

    def of(name: str) -> Floats:
        found: Floats = terms.values[row[name]][terms.chosen]
        return found

    share, near = of("share, telling words"), of("near words")
    untold, telling = turns.untold_telling, turns.weight_telling
    window = of("window, telling words") * (SCALE / ((K1 + 1) * max(telling, 1e-9)))
    by = turns.said_by_named[terms.chosen]
    there = by > 0, by < 0

    def ahead(of: Floats, least: float) -> float:
        """How much more the speaker named has than others, of their best turns each."""
        if not turns.named or not all(side.any() for side in there):
            return least
        mine, others = (float(of[side].max()) for side in there)
        return mine - others

    first = terms.values[:, top if isinstance(terms.chosen, slice) else terms.chosen[top]]
    ahead_by = ahead(content, 0.0)
    return {
        "score": float(scores[top]),
        "gap": float(scores[top] - second),
        "rivals": float(np.log(np.exp(np.maximum(scores - scores[top], -50.0)).sum())),
        "share, telling words": float(share[top]),
        "share": float(first[row["share"]]),
        "near words": float(near[top]),
        "best share": float((share + near).max()),
        "window": float(window[top]),
        "best window": float(window.max()),
        "untold": untold / max(telling, 1e-9),
        "named": float(bool(turns.named)),
        "speaker named": float(first[row["speaker named"]]),
        "another named": float(first[row["another named"]]),
        "ahead": ahead_by,
        "ahead at all": max(ahead_by, 0.0),
        "ahead by share": ahead(share + near, 0.0),
        "ahead by window": ahead(window, 0.0),
        "numbers missing": float(first[row["numbers missing"]]),
        "content": float(content[top]),
        "of oneself": float(first[row["speaker named, of oneself"]]),
        "of the other": float(first[row["another named, of the other"]]),
    }


class FindingWeights(NamedTuple):
    """Weights of the findings, and what is added."""

    weights: Mapping[str, float]
    bias: float


@dataclass(frozen=True)
class Declining:
    """From findings to a probability that something answers.

    A question that names a speaker is judged by weights of its own: there it counts who said it.
    """

    mean: Mapping[str, float]
    scale: Mapping[str, float]
    named: FindingWeights
    unnamed: FindingWeights

    def __call__(self, terms: Terms) -> float | None:
        """Of terms that know their turns; 0 where there are none."""
        if terms.turns is None or not set(FEATURES) <= set(terms.names):
            return None
        found = findings(terms)
        return 0.0 if found is None else self.probability(found)

    def probability(self, found: Mapping[str, float]) -> float:
        weights, z = self.named if found["named"] else self.unnamed
        for name, weight in weights.items():
            far = (found[name] - self.mean[name]) / self.scale[name]
            z += weight * min(max(far, -MOST), MOST)
        return float(sigmoid(np.array(z)))

    def as_json(self) -> str:
        sides = {"named": self.named._asdict(), "unnamed": self.unnamed._asdict()}
        about = {"format": FORMAT, "mean": self.mean, "scale": self.scale} | sides
        return json.dumps(about, indent=1) + "\n"


def standardised(rows: Sequence[Mapping[str, float]], mean: Floats, scale: Floats) -> Floats:
    """(n, findings), as training sees them."""
    z = (np.array([list(row.values()) for row in rows]) - mean) / scale
    return np.clip(z, -MOST, MOST)


@cache
def default_declining() -> Declining:
    """What the project's conversations teach."""
    text = (files("memnn.conversations") / "declining.json").read_text(encoding="utf-8")
    about = json.loads(text)
    if about["format"] != FORMAT:
        raise ModelError(f"declining.json has format {about['format']}; this memnn reads {FORMAT}")
    sides = [FindingWeights(**about[side]) for side in ("named", "unnamed")]
    return Declining(about["mean"], about["scale"], *sides)
