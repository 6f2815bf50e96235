"""What the service takes, as pydantic checks and OpenAPI describes it, and what it says of itself.

Answers and statements are described where they are made: `memnn.as_json`.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictStr,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from memnn.memory.protocol import MOST_ID
from memnn.text.tokens import LONGEST_TEXT

Id = Annotated[int, Field(ge=1, le=MOST_ID)]


def _digits(value: object) -> object:
    """In a path or query a number is its digits, or as JSON has it 2.0: " 1" and "1_0" are none."""
    if isinstance(value, str) and not re.fullmatch(r"[0-9]+(\.0+)?", value, re.ASCII):
        raise PydanticCustomError("digits", "expected a whole number")
    return value


Digits = BeforeValidator(_digits)


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


def _body(**example: str) -> ConfigDict:
    """A key that nobody knows is a mistake, not something to pass over."""
    extra: dict[str, Any] = {"examples": [example]}
    return ConfigDict(extra="forbid", json_schema_extra=extra)


class TellBody(BaseModel):
    model_config = _body(text="Joe went to the kitchen. Joe took the milk.")
    text: Annotated[StrictStr, _text("One or more statements, as sentences, and no question.")]


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


class MemoryInfo(TypedDict):
    """A named memory, and how many statements it holds."""

    name: str
    statements: int


class MemoryList(TypedDict):
    """The named memories of the store."""

    memories: list[MemoryInfo]


class Health(TypedDict):
    """That the server answers."""

    status: str
    version: str
