"""Stories that were written for memnn and that its reader has not learnt from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from memnn.ordinary.examples import FIRST_LEARNT, encode
from memnn.ordinary.judging import AnswerTrial, tried
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.train import stories_of
from memnn.types import Story

FOLDER = Path(__file__).parent / "stories"


def kept_back(every: int) -> list[Story]:
    """Those of every so-manieth file."""
    files = sorted(FOLDER.glob("*.txt"))[::every]
    return [story for file in files for story in stories_of(file.read_text("utf-8"), file.name)]


def trials(model: OrdinaryModel, stories: Iterable[Story]) -> list[AnswerTrial]:
    """What becomes of their questions."""
    table = WordTable(model.literals, model.hearing.vectors)
    answers = {answer: i for i, answer in enumerate(model.learnt, FIRST_LEARNT)}
    examples = encode(stories, table, model.hearing, answers, model.recipe.hops)
    return [tried(example, model.reader, model.learnt, model.recipe) for example in examples]


def summary(model: OrdinaryModel, found: list[AnswerTrial]) -> dict[str, Any]:
    """Shares in per cent: right before declining, and what is declined."""
    declined = [model.judgement.declines(trial.measured) for trial in found]
    told = [trial.answerable for trial in found]
    shares = {
        "supports": [t.supports for t in found if t.answerable],
        "right": [t.right for t in found if t.answerable],
        "declined": [d for d, t in zip(declined, told, strict=True) if t],
        "unsupported_declined": [d for d, t in zip(declined, told, strict=True) if not t],
    }
    return {
        "questions": len(found),
        **{name: round(100 * float(np.mean(of)), 1) for name, of in shares.items() if of},
    }
