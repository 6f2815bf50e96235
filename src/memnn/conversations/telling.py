"""What `tell` may be given: a text, a turn (a text with its speaker, time …), or a list of both.

A plain text is read sentence by sentence, and a question in it is an error. A turn is one slot,
kept whole as it was said, whatever its form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memnn.components import Input
from memnn.errors import InputError
from memnn.memory.protocol import check_text
from memnn.memory.turns import check_turn
from memnn.types import Question, Statement, Turn

Told = str | Mapping[str, Any]
"""A text, or a mapping with `text` and any of `ABOUT`."""
ABOUT = ("speaker", "said", "session", "meta")


def turn_about(
    speaker: str | None = None,
    said: str | datetime | None = None,
    session: str | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Turn | None:
    """What was told beside a text, checked; None where nothing was.

    Something that says nothing, such as empty JSON, still makes the text a turn.
    """
    if isinstance(said, datetime):
        if said.tzinfo is None:
            raise InputError("said needs a time zone, for example datetime.now(timezone.utc)")
        said = said.isoformat()
    if speaker is None and said is None and session is None and meta is None:
        return None
    return check_turn(Turn(speaker, said, session, meta)) or Turn()


def statements_of(I: Input, text: str, turn: Turn | None) -> list[Statement]:  # noqa: E741
    """What one text tells: itself as a turn, or the statements in it."""
    if turn is not None:
        return [Statement(check_text(text), turn=turn)]
    statements = []
    for x in I(text):
        if isinstance(x, Question):
            raise is_question(x)
        statements.append(x)
    if not statements:
        raise InputError("the text holds nothing to remember")
    return statements


def read_items(
    items: Sequence[Told],
    speaker: str | None = None,
    said: str | datetime | None = None,
    session: str | None = None,
    meta: Mapping[str, Any] | None = None,
) -> list[tuple[str, Turn | None]]:
    """Each text of a list with its turn; what is said of the whole list holds where an item does
    not say otherwise. What is wrong is named with its number."""
    shared = {"speaker": speaker, "said": said, "session": session, "meta": meta}
    read = []
    for number, item in enumerate(items, start=1):
        try:
            read.append(_item(item, shared))
        except InputError as error:
            raise InputError(f"item {number}: {error}") from None
    return read


def _item(item: Told, shared: Mapping[str, Any]) -> tuple[str, Turn | None]:
    if isinstance(item, str):
        return item, turn_about(**shared)
    if not isinstance(item, Mapping):
        raise InputError(
            f"a list to tell holds texts or mappings with a text, not {type(item).__name__}"
        )
    if strange := set(item) - {"text", *ABOUT}:
        named = ", ".join(sorted(map(str, strange)))[:60]
        raise InputError(f"there is no '{named}' to tell; known: text, {', '.join(ABOUT)}")
    about = {key: shared[key] if item.get(key) is None else item[key] for key in ABOUT}
    return check_text(item.get("text")), turn_about(**about)  # type: ignore[arg-type]


def is_question(x: Question) -> InputError:
    return InputError(f"'{shorten(x.text)}' is a question; ask it instead of telling it")


def shorten(text: str, length: int = 60) -> str:
    """For messages: one line, not too long."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
