"""The baselines of §5.2: an RNN and an LSTM that read a story as a stream of words.

No memory but their hidden state: they are language models, trained with back-propagation through
time on the answer words alone, and tested on a stream in which they hear their own answers.
"""

from memnn.paper.baselines.evaluate import BaselineEvaluation, evaluate_baseline
from memnn.paper.baselines.language import CHOSEN, Baseline, BaselineSettings, train_baseline

__all__ = [
    "CHOSEN",
    "Baseline",
    "BaselineEvaluation",
    "BaselineSettings",
    "evaluate_baseline",
    "train_baseline",
]
