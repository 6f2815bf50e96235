"""The settings of a network, the paper's unless measured otherwise (§5.2, docs/decisions)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from memnn.errors import InputError, UnknownName
from memnn.settings import check_fields

TIME_MODES = ("ordered", "signed", "literal", "index", "none")


@dataclass(frozen=True)
class Recipe:
    """How a story network is built and trained."""

    hops: int = 2
    """k, the number of supporting memories."""
    time: str = "ordered"
    """How write time enters (§3.4): see `memnn.kernels.write_time`."""
    response: str = "word"
    """What R does: rank words and answer units, return the memory m_ok, or be an rnn or lstm."""
    dim: int = 100
    """n, the embedding dimension."""
    margin: float = 0.1
    """γ of the ranking loss."""
    lr: float = 0.01
    epochs: int | None = None
    """None: 10 as in the paper, more when there are few questions (`epochs_for`)."""
    init: float = 0.03
    """Standard deviation of the initial embeddings."""
    tries: int = 100
    """Negatives sampled per hop until one violates the margin."""
    recent: int = 20
    """Half of the tries come from this many latest memories."""
    lesions: float = 0.1
    """The share of negatives that lose some words, so that half-understood memories never win."""
    unseen: bool = False
    """Model words it never saw by their contexts in the story (§3.5)."""
    match: bool = False
    """Matching features: which words of a candidate occur in the input (§3.6)."""
    bow: float = 0.0
    """λ of the bag-of-words term (§3.6)."""
    dropout: float | None = None
    """How often a word is taken for unseen in training; None draws a rate for every example."""
    stream: bool = False
    """Words arrive in a stream, and a learned segmenter finds the statements (§3.2)."""
    shared: bool = False
    """One dictionary for questions, supports and candidates; the paper found it worse (§3.1)."""
    first_supports: bool = False
    """Learn from the first k supports where a question has more; otherwise that is an error."""
    habits: bool = True
    """Learn what held for every training question, and abstain where it fails; the paper's R
    always answers, and so do the experiments."""
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.shared and (self.unseen or self.match or self.time == "index"):
            raise InputError("one shared dictionary goes with words and relative time alone")
        if self.time == "index" and (self.unseen or self.match):
            raise InputError("absolute indices go with neither unseen words nor matches")
        if self.time not in TIME_MODES:
            raise UnknownName("time mode", self.time, TIME_MODES)

    @property
    def as_sets(self) -> bool:
        """Whether a word counts once in a memory, as matches need it."""
        return self.match or self.bow > 0

    def epochs_for(self, questions: int) -> int:
        """The paper's 10 epochs over 3,000 questions, or as many steps over fewer (300 at most)."""
        if self.epochs is not None:
            return self.epochs
        return max(10, min(300, -(-30_000 // max(1, questions))))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Recipe:
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in known})
