"""The settings of a path network: chosen on stories held back from training (docs/paths.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from memnn.kernels.path_reading import MOST_SUPPORTS
from memnn.settings import COUNT, POSITIVE, SEED, SHARE, BaseSettings, same_as, setting
from memnn.stories.recipe import Recipe

MOST_BITS = 28
ENOUGH_BITS = 22
"""However many words there are, unless somebody asks for more."""


@dataclass(frozen=True)
class PathRecipe(BaseSettings):
    """How a path network is built and trained."""

    network: ClassVar = "paths"

    hops: int | None = setting(
        None,
        "The most supporting memories to find; the network decides how many it needs.",
        range=(1, MOST_SUPPORTS),
        unset="the most that a training question has",
    )
    beam: int = setting(6, "How many paths are kept while searching.", range=(1, 100))
    epochs: int = setting(12, "Passes over the questions, for O.", range=COUNT)
    answer_epochs: int = setting(60, "Passes over the answers, for R.", range=COUNT)
    dim: int = setting(24, "n, the embedding dimension of R.", range=(1, 1_000))
    bits: int | None = setting(
        None,
        "Pairs of features are kept in 2^bits cells.",
        range=(8, MOST_BITS),
        unset="by the number of words",
    )
    lr: float = setting(0.02, "The learning rate of O.", range=POSITIVE)
    lr_embeddings: float = setting(0.1, "The learning rate of R's embeddings.", range=POSITIVE)
    lr_copies: float = setting(0.005, "The learning rate of what is copied.", range=POSITIVE)
    lr_order: float = setting(0.05, "The learning rate of whose turn it is.", range=POSITIVE)
    hidden: float = setting(0.1, "The share of words that O reads as unknown.", range=SHARE)
    hidden_answers: float = setting(0.2, "The same for R.", range=SHARE)
    blind: float = setting(
        0.3,
        "The share of answers that R must find from words and their order alone.",
        range=SHARE,
    )
    close: float = setting(2.0, "Memories within this much are about as good.", range=POSITIVE)
    literal: float = setting(
        0.5, "What a word counts beside its membership, for O.", range=POSITIVE
    )
    literal_answers: float = setting(0.3, "The same for R.", range=POSITIVE)
    scale: float = setting(0.2, "What a feature counts in R's vectors.", range=POSITIVE)
    stream: bool = same_as(Recipe, "stream")
    segmenter: str = same_as(Recipe, "segmenter")
    seed: int = setting(0, "The same seed gives the same model.", range=SEED)

    def bits_for(self, words: int) -> int:
        """2^21 cells for a hundred words, at most 2^22: training then takes a quarter of a GB."""
        return self.bits or min(ENOUGH_BITS, max(18, 14 + words.bit_length()))
