"""Learn which of the times that a turn names a question is after: ranking, as everything here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np

from memnn.conversations.labelled import Conversation, ours
from memnn.conversations.train import LabelledTurns, fit
from memnn.conversations.when import (
    READING_MEANT,
    WORDS_MEANT,
    Feature,
    TimeQuestion,
    TimeReading,
    TimeWeights,
    features_of,
)
from memnn.text.times import UNITS, TimeSpan

DECAY = 0.03
_PRECISION = {10: "day", 7: "month", 4: "year"}


def fits(span: TimeSpan, when: str) -> bool:
    """Whether a time is at least as precise as a date, month or year, and lies in it."""
    unit = _PRECISION[len(when)]
    precise = UNITS.index(span.unit) <= UNITS.index(unit)
    return precise and span.middle.isoformat().startswith(when)


def time_examples(
    conversations: Sequence[Conversation],
) -> tuple[list[LabelledTurns], list[LabelledTurns]]:
    """Of every turn that answers a question for a time: which of its words name it, and which
    reading of these words is right."""
    words, readings = [], []
    for each in conversations:
        for q in each.questions:
            for place in q.supports if q.when else ():
                text, turn = each.turns[place]
                asked = TimeQuestion(q.question, text, date.fromisoformat((turn.said or "")[:10]))
                fit = [r for r in asked.readings if fits(r.span, q.when or "")]
                if not fit:
                    continue
                firsts = [r for r in asked.readings if r.number == 0]
                right = [any(r.mention is f.mention for f in fit) for r in firsts]
                words.append(_labelled(asked, firsts, right, WORDS_MEANT))
                for mention in {f.mention for f in fit}:
                    some = [r for r in asked.readings if r.mention is mention]
                    if len(some) > 1:
                        right = [r in fit for r in some]
                        readings.append(_labelled(asked, some, right, READING_MEANT))
    return words, readings


def _labelled(
    asked: TimeQuestion,
    readings: Sequence[TimeReading],
    right: Sequence[bool],
    features: Mapping[str, Feature],
) -> LabelledTurns:
    values = np.array(features_of(readings, asked, features)).T
    return LabelledTurns(values, np.array(right, np.bool_), "temporal")


def train_when(conversations: Sequence[Conversation] | None = None) -> TimeWeights:
    """Weights from the questions of conversations: those of the project, or others."""
    words, readings = time_examples(ours() if conversations is None else conversations)
    return TimeWeights(
        fit(words, DECAY, names=list(WORDS_MEANT)),
        fit(readings, DECAY, names=list(READING_MEANT)),
    )


def save_when(weights: TimeWeights, path: Path) -> Path:
    path.write_text(json.dumps({"format": 1, **weights._asdict()}, indent=1) + "\n", "utf-8")
    return path


if __name__ == "__main__":
    print(f"wrote {save_when(train_when(), Path(__file__).with_name('when.json'))}")
