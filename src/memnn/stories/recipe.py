"""The settings of a network, the paper's unless measured otherwise (§5.2, docs/decisions)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from memnn.errors import InputError
from memnn.settings import COUNT, POSITIVE, SEED, SHARE, BaseSettings, setting

TIME_MODES = {
    "ordered": "which of two memories is newer",
    "signed": "the same as signs, both orders trained",
    "literal": "the paper's wording, which leaves the first hop without time",
    "index": "each memory's absolute index",
    "none": "without time",
}
"""See `memnn.kernels.write_time`."""
RESPONSE_NAMES = {
    "word": "rank words and answers",
    "memory": "the last support as it was told",
    "rnn": "a sentence, word by word (needs PyTorch)",
    "lstm": "the same with an LSTM",
}
"""See `memnn.stories.responses`."""

SEGMENTERS = {
    "next-word": "it waits for the next word, and leaves out what joins statements",
    "bag": "the paper's bag of words, which fires at once",
}
"""See `memnn.stories.train_segmenter`."""

EPOCHS, MOST_EPOCHS = 10, 300
RESPONSE_EPOCHS, MOST_RESPONSE_EPOCHS = 12, 100

# What the settings are about: the headings of `memnn train --help`.
NETWORK, WORDS, TRAINING, RNN = "Network", "Words", "Training", "R as RNN or LSTM"


@dataclass(frozen=True)
class Recipe(BaseSettings):
    """How a story network is built and trained."""

    network: ClassVar = "paper"

    hops: int = setting(
        2, "k, how many supporting memories to find.", range=(1, 100), group=NETWORK
    )
    time: str = setting(
        "ordered",
        "The features of write time (§3.4).",
        choices=TIME_MODES,
        noun="time mode",
        group=NETWORK,
    )
    response: str = setting("word", "What R does.", choices=RESPONSE_NAMES, group=NETWORK)
    dim: int = setting(100, "n, the embedding dimension.", range=(1, 10_000), group=NETWORK)
    margin: float = setting(0.1, "γ of the ranking loss.", range=POSITIVE, group=TRAINING)
    lr: float = setting(0.01, "The learning rate.", range=POSITIVE, group=TRAINING)
    epochs: int | None = setting(
        None,
        "Passes over the questions.",
        range=COUNT,
        unset=f"{EPOCHS}, more for few questions",
        group=TRAINING,
    )
    init: float = setting(
        0.03, "Standard deviation of the initial embeddings.", range=POSITIVE, group=TRAINING
    )
    tries: int = setting(
        100,
        "Negatives sampled per hop until one violates the margin.",
        range=COUNT,
        group=TRAINING,
    )
    recent: int = setting(
        20, "Half of the tries come from this many latest memories.", range=COUNT, group=TRAINING
    )
    lesions: float = setting(
        0.1,
        "The share of negatives that lose some words, so that half-understood memories never win.",
        range=SHARE,
        group=TRAINING,
    )
    unseen: bool = setting(
        False, "Understand words it never saw by their context (§3.5).", group=WORDS
    )
    match: bool = setting(
        False, "Matching features: words that input and memory share (§3.6).", group=WORDS
    )
    bow: float = setting(0.0, "λ of the bag-of-words term (§3.6).", range=(0, 10**6), group=WORDS)
    dropout: float | None = setting(
        None,
        "How often training hides a word, to learn about unseen ones.",
        range=SHARE,
        unset="drawn per example",
        group=WORDS,
    )
    stream: bool = setting(
        False, "Words come in a stream; learn where statements end (§3.2).", group=WORDS
    )
    segmenter: str = setting(
        "next-word", "How the ends of statements are found.", choices=SEGMENTERS, group=WORDS
    )
    shared: bool = setting(
        False,
        "One dictionary for questions, supports and candidates; the paper found it worse (§3.1).",
        group=NETWORK,
    )
    first_supports: bool = setting(
        False,
        "Where a question has more supports than hops, use the first; otherwise that is an error.",
        group=TRAINING,
    )
    habits: bool = setting(
        True,
        "Learn what held for every training question, and abstain where it fails; the "
        "paper's R always answers, and so do the experiments.",
        group=NETWORK,
    )
    response_epochs: int | None = setting(
        None,
        "Passes over the answers.",
        range=COUNT,
        unset=f"{RESPONSE_EPOCHS}, more for few questions",
        group=RNN,
    )
    response_size: int = setting(64, "The size of the hidden state.", range=(1, 10_000), group=RNN)
    seed: int = setting(0, "The same seed gives the same model.", range=SEED, group=TRAINING)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shared and (self.unseen or self.match or self.time == "index"):
            raise InputError("a shared dictionary works only with words and relative time")
        if self.time == "index" and (self.unseen or self.match):
            raise InputError("absolute indices work with neither unseen words nor matches")

    @property
    def as_sets(self) -> bool:
        """Whether a word counts once in a memory, as matches need it."""
        return self.match or self.bow > 0

    def epochs_for(self, questions: int) -> int:
        """The paper's 10 epochs over 3,000 questions, or as many steps over fewer (300 at most)."""
        if self.epochs is not None:
            return self.epochs
        return max(EPOCHS, min(MOST_EPOCHS, -(-3_000 * EPOCHS // max(1, questions))))
