"""What may be told beside a text: its turn in a conversation, and lessons about questions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memnn.errors import InputError
from memnn.memory.protocol import LONGEST_NAME, check_text, known_id, parse_time, timestamp
from memnn.types import Lesson, Turn

LONGEST_META, DEEPEST_META = 4_096, 100
"""Bytes of the user's own JSON, and how deep it may be nested: less than any reader can follow."""
MOST_ANSWERS = 1_000
"""Ids that one lesson may name."""
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
KEYS = ("speaker", "said", "session", "meta", "supersedes")


def check_turn(turn: Turn | None) -> Turn | None:
    """A turn as memories keep it: times in UTC, JSON of their own; None where it says nothing."""
    if turn is None:
        return None
    if not isinstance(turn, Turn):
        raise InputError(f"a turn must be a memnn.types.Turn, not {type(turn).__name__}")
    checked = Turn(
        speaker=None if turn.speaker is None else _line("speaker", turn.speaker),
        said=None if turn.said is None else _time(turn.said),
        session=None if turn.session is None else _line("session", turn.session),
        meta=meta_of(meta_text(turn.meta)),
        supersedes=None if turn.supersedes is None else known_id(turn.supersedes),
    )
    return None if checked == Turn() else checked


def check_turns(turns: Sequence[Turn | None] | None, texts: int) -> list[Turn | None] | None:
    """The turns of so many texts; None where no text has one."""
    if turns is None:
        return None
    if len(turns) != texts:
        raise InputError(
            f"there are {texts:,} texts and {len(turns):,} turns; give each text a turn or None"
        )
    checked = [check_turn(turn) for turn in turns]
    return checked if any(turn is not None for turn in checked) else None


def check_supersedes(turn: Turn | None, id: int) -> None:
    """Only what was written before can be superseded; it may have been deleted since."""
    if turn is not None and turn.supersedes is not None and turn.supersedes >= id:
        raise InputError(f"memory {id} cannot supersede {turn.supersedes}, which comes later")


def meta_text(meta: Mapping[str, Any] | None) -> str:
    """The user's JSON as it is stored; empty where there is none."""
    if not meta and (meta is None or isinstance(meta, Mapping)):
        return ""
    try:
        if not isinstance(meta, Mapping):
            raise TypeError
        text = json.dumps(dict(meta), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(text.encode())
        if _depth(text) > DEEPEST_META:
            raise ValueError
        meta_of(text)
    except (TypeError, ValueError, RecursionError):
        raise InputError(
            "meta must be a JSON object of strings, finite numbers below 2^63, lists and objects, "
            f"nested at most {DEEPEST_META} deep"
        ) from None
    if size > LONGEST_META:
        raise InputError(f"meta has {size:,} bytes as JSON; the limit is {LONGEST_META:,}")
    return text


def meta_of(text: str | None) -> dict[str, Any] | None:
    return json.loads(text, parse_int=_whole) if text else None


def turn_json(turn: Turn | None) -> dict[str, Any]:
    """What a turn says, by the promised keys; nothing of what it does not say."""
    if turn is None:
        return {}
    return {key: told for key in KEYS if (told := getattr(turn, key)) is not None}


def turn_of(about: Mapping[str, Any]) -> Turn | None:
    """The turn of a JSON object that may hold other keys as well."""
    return check_turn(Turn(**{key: about.get(key) for key in KEYS}))


def check_lesson(question: str, ids: Iterable[int], as_of: int | None, last_id: int) -> Lesson:
    """A lesson that may be kept by a memory whose last id this is; the ids must be there, too."""
    check_text(question)
    if not last_id:
        raise InputError("a lesson needs something to refer to; tell this memory something first")
    named = tuple(known_id(id) for id in ids)
    if len(set(named)) < len(named) or len(named) > MOST_ANSWERS:
        raise InputError(f"a lesson may name at most {MOST_ANSWERS:,} ids, each only once")
    moment = last_id if as_of is None else as_of
    if isinstance(moment, bool) or not isinstance(moment, int) or not 0 <= moment <= last_id:
        raise InputError(f"the moment of a lesson must be an id from 0 to {last_id}")
    if named and max(named) > moment:
        raise InputError(f"id {max(named)} was written after {moment}, the moment of the lesson")
    return Lesson(question, named, moment)


def _line(what: str, text: str) -> str:
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_NAME:
        raise InputError(f"a {what} must be a string of 1 to {LONGEST_NAME} characters")
    if not text.isprintable():  # control characters, lone surrogates
        raise InputError(f"the {what} contains an unprintable character; remove it")
    return text


def _time(said: str) -> str:
    try:
        return timestamp(parse_time(said))
    except InputError:
        raise InputError(
            f"said must be an RFC 3339 time from year 1 to 9999 with its zone, such as "
            f"2023-05-08T13:56:00Z, not '{str(said)[:40]}'"
        ) from None


def _depth(text: str) -> int:
    """How deep JSON is nested, or more; found without following it."""
    opened = text.count("[") + text.count("{")
    if opened <= DEEPEST_META:
        return opened
    depth = most = 0
    for sign in _STRINGS.sub("", text):
        depth += (sign in "[{") - (sign in "]}")
        most = max(most, depth)
    return most


def _whole(digits: str) -> int:
    """What every store can give back as it was."""
    number = int(digits)
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number
