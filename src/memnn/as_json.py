"""The JSON of memories and answers, defined once: more keys may come, none go.

What `--json` prints, HTTP sends and MCP returns is the `to_dict` of a value, with what is known
beside it. OpenAPI and MCP describe it by these classes, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import (
    Annotated,
    Any,
    NotRequired,  # pydantic reads typing's own only from Python 3.12 on
)

from typing_extensions import (
    TypedDict,
)

from memnn.types import Answer, FoundSlot, Lesson, Slot
from memnn.types.found import FoundSlots


class About:
    """What a key means, for the schema; pydantic finds it here without being imported."""

    def __init__(self, description: str, **limits: float) -> None:
        self.said = {"description": description, **limits}

    def __get_pydantic_json_schema__(
        self, core: Any, described: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any]:
        return described(core) | self.said


Id = Annotated[int, About("Grows within a memory and is never used again.", minimum=1)]
Time = Annotated[str, About("When it was written: RFC 3339, in UTC.")]
Found = Annotated[int | None, About("The statement's id; null for a fact of the world.")]
Probability = Annotated[
    float | None,
    About("How likely the answer is right; null where that is not known.", minimum=0, maximum=1),
]
Score = Annotated[float, About("Compare scores of one network only.")]
Source = Annotated[
    str,
    About("Which network of an ensemble: `story`, `ordinary`, `told` or `world`. Otherwise empty."),
]


class SpokenJson(TypedDict):
    """Who said something, and when, where that was told."""

    speaker: NotRequired[str]
    said: NotRequired[Annotated[str, About("When it was said: RFC 3339, in UTC.")]]


class AboutJson(TypedDict):
    """What else may stand beside a text."""

    session: NotRequired[str]
    meta: NotRequired[dict[str, Any]]
    supersedes: NotRequired[Annotated[int, About("The statement that this one replaces.")]]
    superseded_by: NotRequired[Annotated[int, About("The statement that replaced this one.")]]


class SlotJson(SpokenJson, AboutJson):
    """A statement that was told; what stands beside its text only where it was told."""

    id: Id
    text: str
    time: Time
    duplicate_of: NotRequired[Annotated[int, About("An earlier statement that says the same.")]]


class FoundJson(AboutJson):
    """A statement that a search found, and why."""

    id: Id
    text: str
    time: Time
    said: Annotated[str | None, About("When it was said, if that was told.")]
    speaker: str | None
    score: Annotated[float, About("Compare scores of one search only.")]
    terms: Annotated[dict[str, float], About("What adds up to the score, by name.")]
    neighbours: NotRequired[list[SlotJson]]


class SearchJson(TypedDict):
    """What a search found, the best first, and how probable it is that anything told answers."""

    found: list[FoundJson]
    probability: float | None


class LessonJson(TypedDict):
    """A question, and the statements that answer it."""

    question: str
    ids: list[int]
    as_of: Annotated[int, About("The last id of the moment it is about.", minimum=0)]


class LessonsJson(TypedDict):
    """What was taught."""

    lessons: list[LessonJson]


class RivalJson(TypedDict):
    """The fact that came second."""

    id: Found
    text: str
    time: Time
    score: Score


class ComparisonJson(TypedDict):
    """The closest comparison that a fact won."""

    against: RivalJson
    content: Annotated[float, About("The part of the margin that is due to what was said.")]
    write_time: Annotated[float, About("The part that is due to when it was said.")]
    margin: Annotated[float, About("`content` + `write_time`.")]
    terms: Annotated[dict[str, float], About("What adds up to the margin, by name.")]


class HopJson(SpokenJson):
    """One step of inference: a fact that the answer rests on."""

    hop: Annotated[int, About("1 for the fact that was found first.", minimum=1)]
    id: Found
    text: str
    time: Time
    score: Annotated[float, About("How well it matches the question and the facts before it.")]
    decisive: Annotated[
        ComparisonJson | None, About("Null where there was nothing to compare it with.")
    ]
    source: Annotated[str, About("`told`, or `world` for a fact that came with the network.")]


class OtherJson(TypedDict):
    """What another network of an ensemble would have said."""

    source: Source
    answer: str
    score: Score
    probability: Probability


class WhenJson(TypedDict):
    """A time as an answer, as precise as the words that it rests on."""

    text: str
    first: Annotated[str, About("Its first day: YYYY-MM-DD.")]
    last: Annotated[str, About("Its last day: YYYY-MM-DD.")]
    unit: Annotated[str, About("`day`, `week`, `weekend`, `month`, `season`, `year`, `decade`.")]
    words: Annotated[str, About("What names it; empty where the day it was said counts.")]
    about: Annotated[bool, About("Whether the words are not exact.")]


class AnswerJson(TypedDict):
    """An answer, and the facts it rests on."""

    answer: str
    score: Score
    probability: Probability
    abstained: Annotated[bool, About('True for "I don\'t know".')]
    reason: Annotated[str, About("Why it abstained. Otherwise empty.")]
    evidence: Annotated[list[HopJson], About("In the order the facts were found.")]
    source: Source
    others: list[OtherJson]
    when: Annotated[WhenJson | None, About("Of questions for a time, where one is told.")]
    read_as: Annotated[
        dict[str, str], About("Words of the question that were taken for others: wrong letters.")
    ]


class AskedJson(AnswerJson):
    """An answer, with its question."""

    question: str


class ToldJson(TypedDict):
    """Statements, by id."""

    statements: list[SlotJson]


class ChangesJson(ToldJson):
    """What was told after an id, and what is left of what was told before it."""

    last_id: Annotated[int, About("Ask for what follows this id next time.", minimum=0)]
    deletions: Annotated[int, About("Grows when something is deleted.", minimum=0)]
    more: Annotated[bool, About("Whether there are more statements after `last_id` already.")]
    kept: Annotated[
        list[list[int]] | None,
        About("First and last ids of what is still there until `after`; null if nothing went."),
    ]


class TalkJson(TypedDict):
    """The reply to small talk."""

    said: str
    intent: Annotated[
        str,
        About(
            "`reply`, `recall` (what was told about something), `recall all`, `forget` (these "
            "statements were deleted), `forget other` (which one? nothing was deleted), `undo`, "
            "`correct` (a statement was put right) or `why` (what the last answer rests on)."
        ),
    ]
    reply: str
    statements: Annotated[
        list[SlotJson], About("What is listed, was deleted, told again, or put right.")
    ]


class SaidJson(ToldJson):
    """What a text told, the answers to what it asked, and the replies to the rest."""

    answers: list[AskedJson]
    replies: list[TalkJson]


def slot_json(
    slot: Slot, *, superseded_by: int | None = None, duplicate_of: int | None = None
) -> SlotJson:
    told: SlotJson = slot.to_dict()  # type: ignore[assignment]
    if superseded_by is not None:
        told["superseded_by"] = superseded_by
    if duplicate_of is not None:
        told["duplicate_of"] = duplicate_of
    return told


def told_json(
    slots: Iterable[Slot],
    *,
    superseded: Mapping[int, int] | None = None,
    duplicates: Mapping[int, int] | None = None,
) -> ToldJson:
    """Statements; `superseded` and `duplicates` name another for some of their ids."""
    by, same = superseded or {}, duplicates or {}
    return {
        "statements": [
            slot_json(slot, superseded_by=by.get(slot.id), duplicate_of=same.get(slot.id))
            for slot in slots
        ]
    }


def search_json(found: FoundSlots, superseded: Mapping[int, int]) -> SearchJson:
    return {
        "found": [_found_json(each, superseded.get(each.id)) for each in found],
        "probability": getattr(found, "probability", None),  # one's own network may give a list
    }


def _found_json(found: FoundSlot, superseded_by: int | None) -> FoundJson:
    told = found.to_dict()
    if superseded_by is not None:
        told["superseded_by"] = superseded_by
    return told  # type: ignore[return-value]


def lesson_json(lesson: Lesson) -> LessonJson:
    return lesson.to_dict()  # type: ignore[return-value]


def said_json(
    slots: Iterable[Slot],
    answers: Iterable[tuple[str, Answer]],
    replies: Iterable[TalkJson] = (),
) -> SaidJson:
    """`answers` are pairs of a question and its answer."""
    return {
        "statements": [slot_json(slot) for slot in slots],
        "answers": [{"question": asked, **answer_json(answer)} for asked, answer in answers],
        "replies": list(replies),
    }


def answer_json(answer: Answer) -> AnswerJson:
    return answer.to_dict()  # type: ignore[return-value]
