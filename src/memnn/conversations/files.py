"""Conversations in files: lines of JSON, `Speaker: text` logs, LoCoMo's JSON, plain lines.

Each becomes objects with `text` and what is known of it, numbered by line (in LoCoMo's JSON by
turn), so that what cannot be used is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from memnn.errors import FormatError, InputError, UnknownName
from memnn.memory.copy import Lines, from_items, from_lines

Items = Iterator[tuple[int, Any]]

AUTO = "auto"
# "Ann: hello", "[2023-05-08 13:56] Ann: hello"; a name has no colon and is short.
_SPOKEN = re.compile(r"(?:\[([^\]]{1,40})\]\s*)?([^\W\d_][^:\[\]]{0,59}?)\s*:\s+(\S.*)")
_SESSION = re.compile(r"session_([0-9]{1,9})")
_MOMENT = "%I:%M %p on %d %B, %Y"
NAMED = 20
"""Broken lines that an error lists by number."""


def read_lines(
    text: str,
    name: str,
    last_id: int,
    format: str = AUTO,
    broken: list[FormatError] | None = None,
) -> Lines:
    """What a file says, for a memory whose last id this is; `broken` as in `from_items`."""
    if format != AUTO and format not in FORMATS:
        raise UnknownName("format", format, [AUTO, *FORMATS])
    chosen = guess(text) if format == AUTO else format
    if chosen == "jsonl":
        return from_lines(text.split("\n"), name, last_id, broken)
    return from_items(FORMATS[chosen](text, name), name, last_id, broken)


def guess(text: str) -> str:
    """The format of a file: by its first sign, or by how most of its lines begin."""
    start = text.lstrip()[:1]
    if start in ("{", "["):
        if start == "[" or '"conversation"' in text[:100_000]:
            try:
                if _samples(json.loads(text)):
                    return "locomo"
            except (ValueError, RecursionError):
                pass
        return "jsonl"
    lines = [line for line in text.splitlines() if line.strip()]
    spoken = sum(_SPOKEN.match(line) is not None for line in lines)
    return "log" if 2 * spoken > len(lines) else "plain"


def _plain(text: str, name: str) -> Items:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, {"text": line.strip()}


def _log(text: str, name: str) -> Items:
    """A turn a line; a line that begins with a space belongs to the one before it."""
    turn: dict[str, Any] | None = None
    first = 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if line[0].isspace() and turn is not None:
            turn["text"] += "\n" + line.strip()
            continue
        if turn is not None:
            yield first, turn
        first, turn = number, None
        spoken = _SPOKEN.match(line)
        if spoken is None:
            yield number, InputError("this is not a turn; a turn looks like 'Ann: Hello.'")
            continue
        said, speaker, words = spoken.groups()
        turn = {"speaker": speaker, "text": words.strip()}
        if said is not None:
            turn["said"] = _iso(said)
    if turn is not None:
        yield first, turn


def _iso(text: str) -> str:
    """A time of a log, in UTC unless it says otherwise; what is none is refused with its line."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return text
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def _samples(data: Any) -> list[dict[str, Any]]:
    """The conversations of LoCoMo's JSON; none where it is something else."""
    listed = data if isinstance(data, list) else [data]
    talks = [s for s in listed if isinstance(s, dict) and isinstance(s.get("conversation"), dict)]
    return talks if len(talks) == len(listed) else []


def _locomo(text: str, name: str) -> Items:
    """Sessions in their order, each turn with its speaker, the session's time, and its own id."""
    try:
        samples = _samples(json.loads(text))
    except (ValueError, RecursionError):
        samples = []
    if not samples:
        raise InputError(f"{name} is not JSON with conversations as LoCoMo has them")
    number = 0
    for sample in samples:
        prefix = f"{sample.get('sample_id', '')} " if len(samples) > 1 else ""
        for turn in locomo_turns(sample["conversation"], prefix):
            number += 1
            yield number, turn


def locomo_turns(talk: dict[str, Any], prefix: str = "") -> Iterator[Any]:
    """The turns of one of LoCoMo's conversations, session by session."""
    sessions = sorted((int(m[1]), key) for key in talk if (m := _SESSION.fullmatch(key)))
    for _, key in sessions:
        said = _session_time(talk.get(f"{key}_date_time"))
        turns = talk[key] or ()
        for turn in turns if isinstance(turns, list | tuple) else [turns]:
            yield _locomo_turn(turn, said, f"{prefix}{key}")


def _locomo_turn(turn: Any, said: str | None, session: str) -> dict[str, Any] | InputError:
    if not isinstance(turn, dict):
        return InputError("this turn is not a JSON object")
    photo, meta = turn.get("blip_caption"), {}
    if turn.get("dia_id"):
        meta["dia_id"] = turn["dia_id"]
    if photo:
        meta["photo"] = photo
    about = {"text": turn.get("text") or photo, "speaker": turn.get("speaker")}
    return about | {"said": said, "session": session, "meta": meta or None}


def _session_time(text: Any) -> str | None:
    """Such as "1:56 pm on 8 May, 2023"; taken as UTC."""
    if not isinstance(text, str):
        return None
    try:
        return datetime.strptime(text.strip(), _MOMENT).replace(tzinfo=UTC).isoformat()
    except ValueError:
        return text


FORMATS: dict[str, Callable[[str, str], Items]] = {
    "jsonl": lambda text, name: iter(()),
    "log": _log,
    "locomo": _locomo,
    "plain": _plain,
}
"""How each is read; lines of JSON may also have ids and times, and hold lessons."""


def to_log(objects: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Turns as a log, which has no room for sessions, metadata and ids."""
    for about in objects:
        said = f"[{about['said']}] " if "said" in about else ""
        speaker = f"{about['speaker']}: " if "speaker" in about else ""
        first, *rest = about["text"].splitlines()
        yield "\n  ".join([f"{said if speaker else ''}{speaker}{first}", *rest]) + "\n"


def all_broken(broken: list[FormatError]) -> InputError:
    """What is wrong with a file: the first line that is broken, and the numbers of the others."""
    first, *others = broken
    if not others:
        return first
    numbers = ", ".join(str(error.line) for error in others[:NAMED])
    more = f" and {len(others) - NAMED:,} more" if len(others) > NAMED else ""
    return InputError(f"{first}; broken lines too: {numbers}{more}; nothing was written")
