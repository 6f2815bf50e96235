"""What the service takes, as pydantic checks and OpenAPI describes it, and what it says of itself.

Answers and statements are described where they are made: `memnn.as_json`.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictStr,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from memnn.memory.protocol import LONGEST_NAME, MOST_ID
from memnn.server.memories import NAME
from memnn.text.tokens import LONGEST_TEXT

MOST_TOLD = 1_000
"""Statements told, found or listed at once."""
Id = Annotated[int, Field(ge=1, le=MOST_ID)]


def _digits(value: object) -> object:
    """In a path or query a number is its digits, or as JSON has it 2.0: " 1" and "1_0" are none."""
    if isinstance(value, str) and not re.fullmatch(r"[0-9]+(\.0+)?", value, re.ASCII):
        raise PydanticCustomError("digits", "expected a whole number")
    return value


Digits = BeforeValidator(_digits)


def _whole(value: object) -> object:
    """In JSON 2.0 is a whole number; true and "2" are none."""
    if isinstance(value, bool | str):
        raise PydanticCustomError("whole", "expected a whole number")
    if isinstance(value, int | float) and MOST_ID < value < 2 * MOST_ID:
        # Many clients have no numbers but floats, which come no nearer to the greatest id.
        return MOST_ID if float(value) == float(MOST_ID) else value
    return value


Whole = BeforeValidator(_whole)


def _text(about: str) -> WithJsonSchema:
    """Text with something to read in it. No pattern can say what a letter is in every script: text
    without one is refused with a reason."""
    return WithJsonSchema(
        {
            "type": "string",
            "pattern": "^[^\\u0000]+$",
            "maxLength": LONGEST_TEXT,
            "description": f"{about} Without a letter or digit it is refused (422).",
        }
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


def _as_of(value: object) -> int | str | None:
    """In JSON 2.0 is a whole number, and true is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | str | None):
        raise ValueError("expected an id or a time")
    return value


def _moment(about: str) -> dict[str, Any]:
    formats = [{"type": "string", "format": f} for f in ("date", "date-time")]
    return {"anyOf": [*formats, {"type": "null"}], "description": f"{about} RFC 3339, inclusive."}


def _body(**example: str) -> ConfigDict:
    """A key that nobody knows is a mistake, not something to pass over."""
    extra: dict[str, Any] = {"examples": [example]}
    return ConfigDict(extra="forbid", json_schema_extra=extra)


Line = Annotated[StrictStr, Field(min_length=1, max_length=LONGEST_NAME)]
"""A line of printable text."""
Meta = Annotated[dict[str, Any], Field(description="JSON of your own, up to 4,096 bytes.")]
Said = Annotated[
    StrictStr,
    Field(description="RFC 3339, any date."),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


class AboutBody(BaseModel):
    """What makes a text a turn: one statement, kept whole, questions included."""

    speaker: Line | None = None
    said: Said | None = None
    session: Line | None = None
    meta: Meta | None = None

    def about(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in AboutBody.model_fields}


class TurnBody(AboutBody):
    model_config = _body(text="I moved to Paris.", speaker="Ann")
    text: Annotated[StrictStr, _text("A text; with a speaker, time, session or meta kept whole.")]


class TellBody(AboutBody):
    model_config = _body(text="Joe went to the kitchen. Joe took the milk.") | {
        "json_schema_extra": {
            "examples": [{"text": "Joe went to the kitchen. Joe took the milk."}],
            "oneOf": [{"required": ["text"]}, {"required": ["statements"]}],
        }
    }
    text: Annotated[
        StrictStr,
        _text("One or more statements, as sentences, and no question; or a turn of any form."),
    ] = ""
    statements: Annotated[
        list[TurnBody],
        Field(min_length=1, max_length=MOST_TOLD, description="Many at once: all, or none."),
    ] = []

    @model_validator(mode="after")
    def _one_of_them(self) -> TellBody:
        if ("text" in self.model_fields_set) == ("statements" in self.model_fields_set):
            raise PydanticCustomError("one", "expected either text or statements")
        return self


class SearchBody(BaseModel):
    model_config = _body(text="Where does Ann live?")
    text: Annotated[StrictStr, _text("What is looked for.")]
    k: Annotated[int, Field(ge=1, le=MOST_TOLD), Whole] = 10
    as_of: Annotated[int | str | None, PlainValidator(_as_of), WithJsonSchema(AS_OF)] = None
    since: Annotated[StrictStr | None, WithJsonSchema(_moment("Said then or later."))] = None
    until: Annotated[StrictStr | None, WithJsonSchema(_moment("Said then or before."))] = None
    speaker: Line | None = None
    meta: Meta | None = None
    history: Annotated[StrictBool, Field(description="Find what was superseded, too.")] = False
    neighbours: Annotated[
        int,
        Field(ge=0, le=10, description="Show what was told before and after; for a k up to 119."),
        Whole,
    ] = 0

    def how(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in SearchBody.model_fields if key != "text"}


class LessonBody(BaseModel):
    model_config = _body(question="Where does Ann live?")
    question: Annotated[StrictStr, _text("A question.")]
    ids: Annotated[
        list[Annotated[Id, Whole]],
        Field(
            max_length=MOST_TOLD,
            description="What answers it, each once and told by then; none of them if empty.",
        ),
    ]
    as_of: Annotated[
        int | None,
        Field(ge=0, le=MOST_ID, description="The last id then; now unless given."),
        Whole,
    ] = None


class AskBody(BaseModel):
    model_config = _body(text="Where is the milk?")
    text: Annotated[StrictStr, _text("One question.")]
    as_of: Annotated[int | str | None, PlainValidator(_as_of), WithJsonSchema(AS_OF)] = None


class SayBody(BaseModel):
    model_config = _body(text="Joe went to the kitchen. Where is Joe?")
    text: Annotated[
        StrictStr,
        _text("Statements are told, questions asked; a question ends with ? or starts as one."),
    ]
    as_of: Annotated[int | str | None, PlainValidator(_as_of), WithJsonSchema(AS_OF)] = None
    """Of the questions; statements are told now."""


class CopyBody(BaseModel):
    model_config = _body(to="diary-2024")
    to: Annotated[StrictStr, Field(pattern=NAME, description="A name that is not taken yet.")]
    move: Annotated[bool, Field(description="Delete the memory once it is copied.")] = False


class MemoryInfo(TypedDict):
    """A named memory, and how many statements it holds; null if it cannot be read."""

    name: str
    statements: int | None


class MemoryList(TypedDict):
    """The named memories of the store."""

    memories: list[MemoryInfo]


class Health(TypedDict):
    """That the server answers."""

    status: str
    version: str


def meant(name: str) -> str:
    """The field of some body that a name is a slip of, as the end of a message."""
    bodies = [each for each in globals().values() if isinstance(each, type)]
    models = [each for each in bodies if issubclass(each, BaseModel) and each is not BaseModel]
    names = {field for model in models for field in model.model_fields}
    near = get_close_matches(name, sorted(names), 1)
    return f"; did you mean {near[0]}?" if near else ""
