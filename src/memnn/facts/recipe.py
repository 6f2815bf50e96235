"""The settings of a network over facts; what was measured is in docs/log.md."""

from __future__ import annotations

from dataclasses import dataclass

from memnn.errors import InputError
from memnn.settings import COUNT, POSITIVE, SEED, BaseSettings, setting

HASHES = {
    "none": "every fact",
    "word": "those that share a word with the question",
    "cluster": "also those with a word of the same cluster",
}
"""See `memnn.facts.hashes`."""
CAP, ONE_IN = 1000, 100
"""Unless told, words open a bucket that at most CAP facts hold, or one in ONE_IN of all facts."""
CLUSTERS = 1000
"""K of the cluster hash."""

# What the settings are about: the headings of `memnn facts train --help`.
NETWORK, TRAINING = "Network", "Training"


@dataclass(frozen=True)
class FactsRecipe(BaseSettings):
    """How a network over facts is built and trained."""

    hops: int = setting(1, "k: 2 for questions that need two triples.", range=(1, 2), group=NETWORK)
    dim: int = setting(128, "n, the embedding dimension.", range=(1, 10_000), group=NETWORK)
    margin: float = setting(0.1, "γ of the ranking loss.", range=POSITIVE, group=TRAINING)
    lr: float = setting(0.01, "The learning rate.", range=POSITIVE, group=TRAINING)
    epochs: int = setting(6, "Passes over the data.", range=COUNT, group=TRAINING)
    tries: int = setting(
        50, "Negatives sampled until one violates the margin.", range=COUNT, group=TRAINING
    )
    match: bool = setting(
        True,
        "Features of how much of subject, relation and object the question names (§3.6).",
        group=NETWORK,
    )
    bow: float = setting(
        0.3,
        "λ of the bag-of-words term (§3.6); training with matching features has it, too.",
        range=(0, 10**6),
        group=NETWORK,
    )
    repeat: int = setting(
        3,
        "How often a real question is seen in an epoch; pseudo-questions are seen once.",
        range=(0, 10**6),
        group=TRAINING,
    )
    english: bool = setting(
        False,
        "For few facts: lemmas and what words weigh come from what is known of English, not from "
        "the questions, which are made by rule and repeat themselves.",
        group=NETWORK,
    )
    seed: int = setting(0, "The same seed gives the same model.", range=SEED, group=TRAINING)


@dataclass(frozen=True)
class HashSettings(BaseSettings):
    """Which facts are scored for a question (§3.3)."""

    hash: str = setting("none", "Which facts are scored.", choices=HASHES)
    cap: int | None = setting(
        None,
        "word and cluster: words that more facts hold open no bucket.",
        range=(1, 10**9),
        unset=f"{CAP:,}, or one in {ONE_IN} facts if that is more",
    )

    def __post_init__(self) -> None:
        if self.hash == "ivf":
            raise InputError(
                "the hash 'ivf' is gone; use 'word', which finds more and takes less time"
            )
        super().__post_init__()

    def cap_for(self, facts: int) -> int:
        return max(CAP, facts // ONE_IN) if self.cap is None else self.cap
