"""What goes over the wire, as OpenAPI describes it; `memnn.as_json` makes what is sent."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StrictStr, WithJsonSchema

from memnn.memory.protocol import MOST_ID
from memnn.text.tokens import LONGEST_TEXT


def _letters() -> str:
    """Letters and digits as Python knows them; patterns have no class that means the same."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if chr(code).isalnum():
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" if a < b else chr(a) for a, b in ranges)


# No NUL, and a letter or digit somewhere.
_LETTER = f"[{_letters()}]"
_SOME_TEXT = rf"^[^\u0000]*{_LETTER}[^\u0000]*$"
# Where no sentence may end with a question mark.
_NO_QUESTION = rf"^(?![^\u0000]*(?:\?(?:\s|$)|？))[^\u0000]*{_LETTER}[^\u0000]*$"

# Where there may be but one sentence: after the end of one there is no letter of another.
_END = r"(?:(?:[!?]|(?<!\s[A-Z])\.)[\"'”’)\]]*\s|[。！？])"
_ONE_QUESTION = (
    rf"^(?![^\u0000]*{_LETTER}[^\u0000]*{_END}[^\u0000]*{_LETTER})[^\u0000]*{_LETTER}[^\u0000]*$"
)

AS_OF = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": "^[0-9]{1,19}$"},
        {"type": "string", "format": "date-time"},
        {"type": "null"},
    ],
    "description": "Ask about the past: the id or the time (RFC 3339) of the last memory to see.",
}
Id = Annotated[int, Field(ge=1, le=MOST_ID)]


def _text(description: str, pattern: str = _SOME_TEXT) -> dict[str, Any]:
    limit = f"Text over {LONGEST_TEXT:,} characters is refused (413)."
    return {"type": "string", "pattern": pattern, "description": f"{description} {limit}"}


def _as_of(value: object) -> int | str | None:
    """In JSON 2.0 is a whole number, and true is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | str | None):
        raise ValueError("an id or a time is wanted")
    return value


class Body(BaseModel):
    """A key that nobody knows is a mistake, not something to pass over."""

    model_config = ConfigDict(extra="forbid")


class Statements(Body):
    text: Annotated[
        StrictStr, WithJsonSchema(_text("One or more statements, as sentences.", _NO_QUESTION))
    ]
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "Joe went to the kitchen. Joe took the milk."}]},
    )


class Question(Body):
    text: Annotated[StrictStr, WithJsonSchema(_text("One question.", _ONE_QUESTION))]
    as_of: Annotated[int | str | None, PlainValidator(_as_of), WithJsonSchema(AS_OF)] = None
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"text": "Where is the milk?"}]}
    )


class Message(Body):
    text: Annotated[
        StrictStr,
        WithJsonSchema(
            _text("Statements are told, questions asked; a question ends with ? or starts as one.")
        ),
    ]
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "Joe went to the kitchen. Where is Joe?"}]},
    )


class Slot(BaseModel):
    id: Id
    text: str
    time: str


class Found(BaseModel):
    """A statement, or a fact of the world, which has no id."""

    id: Id | None
    text: str
    time: str


class Rival(Found):
    score: float


class Decisive(BaseModel):
    """The closest comparison the support won: margin = content + write time."""

    against: Rival
    content: float
    write_time: float
    margin: float
    terms: dict[str, float]


class Hop(Found):
    """`source` is "told", or "world" for a fact that was not."""

    hop: int
    score: float
    decisive: Decisive | None
    source: str


class Other(BaseModel):
    """What another network of an ensemble would have said, and how probable it is."""

    source: str
    answer: str
    score: float
    probability: float | None


class Answer(BaseModel):
    """`source` is the network of an ensemble that answered: story, told or world; else empty."""

    answer: str
    score: float
    probability: float | None
    abstained: bool
    reason: str
    evidence: list[Hop]
    source: str
    others: list[Other]


class Told(BaseModel):
    statements: list[Slot]


class Asked(Answer):
    question: str


class Said(BaseModel):
    statements: list[Slot]
    answers: list[Asked]


class MemoryInfo(BaseModel):
    name: str
    statements: int


class MemoryList(BaseModel):
    memories: list[MemoryInfo]


class Health(BaseModel):
    status: str
    version: str


class Problem(BaseModel):
    code: str
    message: str


class Error(BaseModel):
    error: Problem
