"""The settings of a network for ordinary language, and the switches that take parts of it away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from memnn.settings import COUNT, POSITIVE, SEED, SHARE, BaseSettings, setting


@dataclass(frozen=True)
class OrdinaryRecipe(BaseSettings):
    """How such a network is built and trained."""

    network: ClassVar = "ordinary"

    hops: int = setting(4, "The most supporting memories to find.", range=(1, 16))
    beam: int = setting(3, "How many paths are kept while searching.", range=(1, 16))
    epochs: int = setting(4, "Passes over the questions.", range=COUNT)
    batch: int = setting(48, "Questions that are learnt from at once.", range=COUNT)
    lr: float = setting(0.002, "The learning rate.", range=POSITIVE)
    drop: float = setting(0.0, "The share of hidden units left out in training.", range=SHARE)
    noise: float = setting(0.03, "How much vectors are shaken in training.", range=SHARE)
    hidden: float = setting(0.12, "The share of words not read literally in training.", range=SHARE)
    unknown: float = setting(0.06, "The share of words read without meaning.", range=SHARE)
    mixed: float = setting(0.35, "The share of stories learnt from among others.", range=SHARE)
    literal: int = setting(40, "How often a word occurs that is read literally.", range=COUNT)
    vectors: bool = setting(True, "Whether words have meanings before training.")
    related: bool = setting(True, "Whether words that a dictionary relates are drawn together.")
    pronouns: bool = setting(True, "Whether pronouns are resolved when they are heard.")
    unsupported: bool = setting(True, "Whether it learns from questions that nothing answers.")
    seed: int = setting(0, "The same seed gives the same model.", range=SEED)
