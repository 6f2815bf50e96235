"""Learn which of the times that a turn names a question is after: ranking, as everything here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np

from memnn.conversations.labelled import Conversation, ours
from memnn.conversations.train import LabelledTurns, fit
from memnn.conversations.when import FEATURES_OF_TIME, TimeQuestion, features_of
from memnn.text.times import UNITS, TimeSpan

DECAY = 0.01
_PRECISION = {10: "day", 7: "month", 4: "year"}


def fits(span: TimeSpan, when: str) -> bool:
    """Whether a time is at least as precise as a date, month or year, and lies in it."""
    unit = _PRECISION[len(when)]
    precise = UNITS.index(span.unit) <= UNITS.index(unit)
    return precise and span.middle.isoformat().startswith(when)


def time_examples(conversations: Sequence[Conversation]) -> list[LabelledTurns]:
    """The readings of every turn that answers a question for a time, if one of them is right."""
    found = []
    for each in conversations:
        for q in each.questions:
            for place in q.supports if q.when else ():
                text, turn = each.turns[place]
                asked = TimeQuestion(q.question, text, date.fromisoformat((turn.said or "")[:10]))
                right = np.array([fits(r.span, q.when or "") for r in asked.readings], np.bool_)
                if right.any():
                    found.append(LabelledTurns(np.array(features_of(asked)).T, right, q.kind))
    return found


def train_when(conversations: Sequence[Conversation] | None = None) -> dict[str, float]:
    """Weights from the questions of conversations: those of the project, or others."""
    labelled = time_examples(ours() if conversations is None else conversations)
    return fit(labelled, DECAY, list(FEATURES_OF_TIME))


def save_when(weights: Mapping[str, float], path: Path) -> Path:
    path.write_text(json.dumps({"format": 1, "weights": weights}, indent=1) + "\n", "utf-8")
    return path


if __name__ == "__main__":
    print(f"wrote {save_when(train_when(), Path(__file__).with_name('when.json'))}")
