"""The values that flow through a memory network: frozen, no dependencies.

They know how they are written down (`to_dict`, the keys of the JSON) and shown, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from memnn.types.html import answer_html, answer_text, slots_html

TURN = ("speaker", "said", "session", "meta", "supersedes")
"""What may stand beside a text."""


def _brief(text: str, most: int = 60) -> str:
    return repr(text if len(text) <= most else text[: most - 1] + "…")


@dataclass(frozen=True, slots=True)
class Turn:
    """Who said something, when and where, if that was told with it."""

    speaker: str | None = None
    said: str | None = None
    """When it was said, RFC 3339: any date, unlike the time of writing, which only grows."""
    session: str | None = None
    meta: Mapping[str, Any] | None = field(default=None, hash=False)
    """Small JSON of the user's own."""
    supersedes: int | None = None
    """The id of the slot that this one replaces."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something told. In a story `id` is its line number, which is also its write time."""

    text: str
    id: int | None = None
    turn: Turn | None = None
    """Who said it and when, if that was told."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something asked; `answer` and `supports` are labels, present in training data only.

    Supports are ids of statements in reasoning order: they are never sorted.
    """

    text: str
    id: int | None = None
    answer: str | None = None
    supports: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """Statements and questions in the order they were written; ids grow."""

    lines: tuple[Statement | Question, ...]
    source: str = "story"
    first_line: int = 1
    """Where the story starts in its file, so that an error can name the line."""

    @property
    def statements(self) -> Iterator[Statement]:
        return (line for line in self.lines if isinstance(line, Statement))

    @property
    def questions(self) -> Iterator[Question]:
        return (line for line in self.lines if isinstance(line, Question))


@dataclass(frozen=True, slots=True)
class Slot:
    """One memory m_i: its id (the model's write time), its text as told, its time for people."""

    id: int
    text: str
    time: str
    source: str = ""
    """Where the statement comes from, if somebody said; the model does not see it."""
    turn: Turn | None = None
    """Who said it and when, if that was told."""

    def __repr__(self) -> str:
        by = "" if self.speaker is None else f", speaker={self.speaker!r}"
        return f"Slot({self.id}, {_brief(self.text)}{by})"

    def _repr_html_(self) -> str:
        return slots_html([self], 1)

    def to_dict(self) -> dict[str, Any]:
        """The keys of the JSON; what stands beside the text only where it was told.

        >>> Slot(1, "Joe went to the kitchen.", "2026-01-01T00:00:00Z").to_dict()
        {'id': 1, 'text': 'Joe went to the kitchen.', 'time': '2026-01-01T00:00:00Z'}
        """
        told = {"id": self.id, "text": self.text, "time": self.time}
        about = {} if self.turn is None else {key: getattr(self.turn, key) for key in TURN}
        return told | {key: value for key, value in about.items() if value is not None}

    @property
    def speaker(self) -> str | None:
        return None if self.turn is None else self.turn.speaker

    @property
    def said(self) -> str | None:
        return None if self.turn is None else self.turn.said

    @property
    def session(self) -> str | None:
        return None if self.turn is None else self.turn.session

    @property
    def meta(self) -> Mapping[str, Any] | None:
        return None if self.turn is None else self.turn.meta


@dataclass(frozen=True, slots=True)
class FoundSlot:
    """A memory that a search found, and why."""

    slot: Slot
    score: float
    """Compare scores of one search only."""
    terms: Mapping[str, float] = field(default_factory=dict, hash=False)
    """What the score is the sum of, by name."""
    neighbours: tuple[Slot, ...] = ()
    """What was told just before and after it, in write order, if that was asked for."""

    def __repr__(self) -> str:
        return f"FoundSlot({self.score:.2f}, {self.slot!r})"

    def _repr_html_(self) -> str:
        return slots_html([self.slot], 1)

    def to_dict(self) -> dict[str, Any]:
        """The keys of the JSON."""
        told = {"said": None, "speaker": None, **self.slot.to_dict()}
        told |= {"score": self.score, "terms": dict(self.terms)}
        near = [slot.to_dict() for slot in self.neighbours]
        return told | ({"neighbours": near} if near else {})

    @property
    def id(self) -> int:
        return self.slot.id

    @property
    def text(self) -> str:
        return self.slot.text

    @property
    def time(self) -> str:
        return self.slot.time

    @property
    def said(self) -> str | None:
        return self.slot.said

    @property
    def speaker(self) -> str | None:
        return self.slot.speaker

    @property
    def session(self) -> str | None:
        return self.slot.session

    @property
    def meta(self) -> Mapping[str, Any] | None:
        return self.slot.meta


@dataclass(frozen=True, slots=True)
class Lesson:
    """A labelled question: what answers it, in a memory as it was when somebody said so."""

    question: str
    ids: tuple[int, ...] = ()
    """The slots that answer it, in reasoning order; none where nothing does."""
    as_of: int = 0
    """The last id of that moment: what was told later may answer the question otherwise."""

    def to_dict(self) -> dict[str, Any]:
        """The keys of the JSON."""
        return {"question": self.question, "ids": list(self.ids), "as_of": self.as_of}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The closest comparison s_Ot(q, y, y') that a support won, and why it won.

    `margin` is exactly `content` + `write_time`: what was said and when it was said. Positive
    favours the support.
    """

    against: Slot
    against_score: float
    content: float
    write_time: float
    terms: Mapping[str, float] = field(default_factory=dict)
    """What the margin is the sum of, by name."""

    def __repr__(self) -> str:
        return f"Comparison({self.margin:+.2f} over {self.against!r})"

    @property
    def margin(self) -> float:
        return self.content + self.write_time

    def to_dict(self, told: bool = True) -> dict[str, Any]:
        """The keys of the JSON; a fact that was not told has no id."""
        rival = self.against
        return {
            "against": {
                "id": rival.id if told else None,
                "text": rival.text,
                "time": rival.time,
                "score": self.against_score,
            },
            "content": self.content,
            "write_time": self.write_time,
            "margin": self.margin,
            "terms": dict(self.terms),
        }


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of inference: the support m_oh, its content score, and what it had to beat."""

    hop: int
    support: Slot
    score: float
    decisive: Comparison | None = None
    """None when the support was the only memory."""
    source: str = "told"
    """Where it stands: "told", or "world" for a fact that came with the network."""
    taken: tuple[tuple[str, str], ...] = ()
    """Pronouns of the support, and what each was taken for."""

    def __repr__(self) -> str:
        return f"Hop({self.hop}, {self.support!r}, {self.score:.2f})"

    def to_dict(self) -> dict[str, Any]:
        """The keys of the JSON. What was not told has no id: nobody shall take it for one."""
        told = self.source != "world"
        spoken = {"speaker": self.support.speaker, "said": self.support.said}
        return {
            **{key: value for key, value in spoken.items() if value is not None},
            "hop": self.hop,
            "id": self.id if told else None,
            "text": self.text,
            "time": self.time,
            "score": self.score,
            "decisive": None if self.decisive is None else self.decisive.to_dict(told),
            "source": self.source,
        }

    @property
    def id(self) -> int:
        return self.support.id

    @property
    def text(self) -> str:
        return self.support.text

    @property
    def time(self) -> str:
        return self.support.time


class StoryWords(Protocol):
    """The words of a story at one moment, as O read them: `stories.contexts.Lexicon`."""

    @property
    def unseen(self) -> bool: ...

    @property
    def words(self) -> Sequence[str]: ...

    def tokens(self, text: str, index: int | None = None) -> list[int]: ...

    def unknown(self, text: str) -> list[str]: ...

    def contexts(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Output:
    """What O hands to R: the question and its supports, [x, m_o1, m_o2, ...]."""

    question: Question
    hops: tuple[Hop, ...]
    missing: tuple[str, ...] = ()
    """What the question is about and no memory mentions."""
    lexicon: StoryWords | None = None
    """The words of the story, if O keeps them."""
    looked_at: int = 0
    """How many memories were read to find the supports."""
    widened: bool = False
    """Whether all memories were read, because those read first were not provably enough."""


@dataclass(frozen=True, slots=True)
class When:
    """A time as an answer, as precise as the words that it rests on."""

    text: str
    first: str
    """Its first day, and its last: YYYY-MM-DD."""
    last: str
    unit: str
    """`day`, `week`, `weekend`, `month`, `season`, `year` or `decade`."""
    words: str
    """The words of the evidence; empty where none name a time, and the day it was said counts."""
    about: bool = False
    """Whether the words are not exact: "a few weeks ago"."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What R says, and the evidence it rests on, in hop order."""

    text: str
    score: float
    """Of the network that answered: compare scores of one network only."""
    abstained: bool = False
    evidence: tuple[Hop, ...] = ()
    reason: str = ""
    """Why it abstained; empty otherwise."""
    source: str = ""
    """Which network of an ensemble answered: `story`, `ordinary`, `told` or `world`."""
    others: tuple[Answer, ...] = ()
    """What the other networks of an ensemble would have said."""
    probability: float | None = None
    """How likely it is right, where that was calibrated; None elsewhere, and for no answer."""
    when: When | None = None
    """The time that the evidence names, where a question asks for one."""
    read_as: tuple[tuple[str, str], ...] = ()
    """Words of the question that nobody knows, and what each was taken for."""

    def __repr__(self) -> str:
        if self.abstained:
            return f"Answer({self.text!r}, abstained: {_brief(self.reason, 200)})"
        likely = "" if self.probability is None else f", {self.probability:.0%} likely"
        ids = [hop.id if hop.source != "world" else "world" for hop in self.evidence]
        rests = f", evidence {ids}" if ids else ""
        return f"Answer({_brief(self.text)}{likely}{rests})"

    def __str__(self) -> str:
        """What one reads: the answer, and what it rests on."""
        return answer_text(self)

    def _repr_html_(self) -> str:
        return answer_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The keys of the JSON.

        >>> Answer("kitchen", 2.5).to_dict()["answer"]
        'kitchen'
        """
        return {
            "answer": self.text,
            "score": self.score,
            "probability": self.probability,
            "abstained": self.abstained,
            "reason": self.reason,
            "evidence": [hop.to_dict() for hop in self.evidence],
            "source": self.source,
            "others": [
                {
                    "source": other.source,
                    "answer": other.text,
                    "score": other.score,
                    "probability": other.probability,
                }
                for other in self.others
                if not other.abstained
            ],
            "when": None if self.when is None else asdict(self.when),
            "read_as": dict(self.read_as),
        }


@dataclass(frozen=True, slots=True)
class Reason:
    """What one network of an ensemble would have said, and what spoke for and against it."""

    network: str
    answer: str
    probability: float
    reason: str = ""
    """Why it abstained; empty otherwise."""
    features: Mapping[str, float] = field(default_factory=dict)
    """The most telling first; positive speaks for the answer."""
