"""The settings of a network for ordinary language, and the switches that take parts of it away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from memnn.settings import COUNT, POSITIVE, SEED, SHARE, BaseSettings, setting


@dataclass(frozen=True)
class OrdinaryRecipe(BaseSettings):
    """How such a network is built and trained."""

    network: ClassVar = "ordinary"

    hops: int = setting(8, "The most supporting memories to find.", range=(1, 30))
    beam: int = setting(4, "How many paths are kept while searching.", range=(2, 100))
    epochs: int = setting(3, "Passes over the questions, for O.", range=COUNT)
    answer_epochs: int = setting(3, "Passes over the answers, for R.", range=COUNT)
    judge_epochs: int = setting(3, "Passes over what is judged, for declining.", range=COUNT)
    bits: int = setting(21, "O keeps pairs of features in 2^bits cells.", range=(8, 24))
    answer_bits: int = setting(20, "The same for R.", range=(8, 24))
    judge_bits: int = setting(16, "The same for declining.", range=(8, 24))
    lr: float = setting(0.02, "The learning rate of O and R.", range=POSITIVE)
    lr_judge: float = setting(0.05, "The learning rate of the named measures.", range=POSITIVE)
    lr_pairs: float = setting(0.002, "The learning rate of pairs in declining.", range=POSITIVE)
    like: float = setting(0.2, "The share of words read as words like them.", range=SHARE)
    unknown: float = setting(0.15, "The share of words read as unknown.", range=SHARE)
    judged: float = setting(0.15, "The share of stories kept for declining.", range=SHARE)
    sure: float = setting(0.5, "Below this probability it says that it does not know.", range=SHARE)
    vectors: bool = setting(True, "Whether words have meanings before training.")
    pronouns: bool = setting(True, "Whether pronouns are resolved when they are heard.")
    unsupported: bool = setting(True, "Whether it learns from questions that nothing answers.")
    seed: int = setting(0, "The same seed gives the same model.", range=SEED)
