"""How probable it is that an answer is right, from a few named measures of how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.logistic import most_likely
from memnn.ordinary.examples import FIRST_LEARNT, NEVER_COPIED, OrdinaryExample
from memnn.ordinary.heard import HeardText
from memnn.ordinary.reader import PassageReader
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.response import Spoken, respond
from memnn.ordinary.search import PathFound, find_path
from memnn.ordinary.sums import number_in

MEASURES = ("judged", "path", "lead", "answer", "hops", "supported", *NEVER_COPIED, "number")
"""The reader's own judgement, how probable the path was, how far ahead, how sure R is, how long;
whether any of what was told answers the question; and whether yes, no or a number was worked out,
which is right less often than words of a statement."""
Doubles = NDArray[np.float64]
RIDGE = 1.0
STEPS = 100
"""A threshold is one of so many."""


def measures(found: PathFound, said: Spoken) -> list[float]:
    return [
        float(np.clip(found.reads[-1].judged, -8.0, 8.0)), max(found.score, -8.0),
        min(found.lead, 8.0), said.sure, float(len(found.path)),
        float(np.clip(found.reads[-1].supported, -8.0, 8.0)),
        *(float(said.text == word) for word in NEVER_COPIED),
        float(said.line is None and said.text not in NEVER_COPIED),
    ]  # fmt: skip


@dataclass(frozen=True)
class Judgement:
    """Weights of the measures, and what is added: once for whether anything told answers the
    question, once for whether the answer is right if so."""

    weights: tuple[float, ...] = (1.0, *(0.0 for _ in MEASURES))
    supported: tuple[float, ...] = ()
    """Networks of before have none: their weights are for both at once."""
    sure: float = 0.5
    """Below this probability those of before do not know."""
    words: float = 0.5
    """R that is less sure of its words than this gives the whole statement."""

    def __call__(self, measured: Sequence[float]) -> float:
        """How probable it is that an answer is right."""
        return _logistic(self.weights, measured) * self.anything(measured)

    def anything(self, measured: Sequence[float]) -> float:
        """How probable it is that anything told answers the question."""
        return _logistic(self.supported, measured) if self.supported else 1.0

    def declines(self, measured: Sequence[float]) -> bool:
        """Whether it is more probable that nothing answers the question than that this does."""
        p = self(measured)
        return 1.0 - self.anything(measured) > p if self.supported else p < self.sure


def _logistic(weights: Sequence[float], measured: Sequence[float]) -> float:
    z = sum(w * x for w, x in zip(weights, [*measured, 1.0], strict=True))
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, z))))


class AnswerTrial(NamedTuple):
    """What became of a question whose answer is known."""

    measured: list[float]
    right: bool
    supports: bool
    """Whether exactly the true supports were found."""
    answerable: bool
    said: Spoken


def tried(
    example: OrdinaryExample, reader: PassageReader, learnt: Sequence[str], recipe: OrdinaryRecipe
) -> AnswerTrial:
    found = find_path(reader.over(example.lines), recipe.hops, recipe.beam)
    said = respond(found.reads[-1], found.path, example.lines.texts, learnt)
    answerable = bool(example.path)
    right = answerable and _right(example, said, found, learnt)
    supports = set(found.path) == set(example.path)
    return AnswerTrial(measures(found, said), right, supports, answerable, said)


def fit_judgement(
    examples: Sequence[OrdinaryExample], reader: PassageReader, learnt: Sequence[str],
    recipe: OrdinaryRecipe,
) -> tuple[Judgement, dict[str, float]]:  # fmt: skip
    """From questions that the reader has not learnt from; and how good it is on them."""
    trials = [tried(example, reader, learnt, recipe) for example in examples]
    if not any(trial.answerable for trial in trials):
        return Judgement(), {}
    x = np.array([[*trial.measured, 1.0] for trial in trials])
    right = np.array([trial.right for trial in trials], np.float64)
    told = np.array([trial.answerable for trial in trials])
    weights = tuple(most_likely(x, right, told * 1.0, RIDGE).tolist())
    anything = tuple(most_likely(x, told * 1.0, np.ones(len(x)), RIDGE).tolist())
    copied = [trial for trial in trials if trial.supports and trial.said.line is not None]
    words = np.array([trial.right for trial in copied], np.float64)
    sure_of = np.array([trial.said.sure for trial in copied])
    judgement = Judgement(weights, anything, words=_threshold(sure_of, words, 1.0 - words))
    if told.all():  # nothing was learnt about what nothing answers
        p = np.array([_logistic(weights, trial.measured) for trial in trials])
        judgement = replace(judgement, supported=(), sure=_threshold(p, right, 1.0 - told))
    supports = np.array([trial.supports for trial in trials])
    declined = np.array([judgement.declines(trial.measured) for trial in trials])
    shares = {"right": right[told], "supports": supports[told], "declined": declined[told]}
    if not told.all():
        shares["unsupported_declined"] = declined[~told]
    return judgement, {
        "questions": len(trials),
        **{name: round(float(share.mean()), 4) for name, share in shares.items()},
    }


def _threshold(p: Doubles, above: Doubles, below: Doubles) -> float:
    """Where to draw the line so that most is on its right side: what counts above it, and what
    below. Of several such lines the middle one."""
    if not len(p):
        return 0.5
    lines = np.arange(1, STEPS) / STEPS
    good = np.array([above[p >= t].sum() + below[p < t].sum() for t in lines])
    best = np.flatnonzero(good >= good.max() - 1e-9)
    return float(lines[best[len(best) // 2]])


def _right(example: OrdinaryExample, said: Spoken, found: PathFound, learnt: Sequence[str]) -> bool:
    """The learnt answer, or words that hold those wanted (or the last of them) and few others."""
    if example.number is not None and number_in(said.text) == example.number:
        return True
    if example.say >= FIRST_LEARNT:
        return said.text == learnt[example.say - FIRST_LEARNT]
    if not example.spans:
        return example.number is None and set(found.path) == set(example.path)
    texts: Sequence[HeardText] = example.lines.texts
    given = [word.lower() for part in said.text.split(", ") for word in part.split()]
    if len(given) > 4 * sum(end - start for _, start, end in example.spans) + 2:
        return False
    return all(_last(texts[line].forms[:end]) in given for line, _, end in example.spans)


def _last(forms: Sequence[str]) -> str:
    """The last word as it is written: "Kinko's" is two forms."""
    words = [form.lower() for form in forms[-2:]]
    return "".join(words) if words[-1].startswith(("'", "’")) else words[-1]
