"""The words file: who and what the tasks speak of, and in what frames.

`english.toml` beside this module is the whole of one. A file of one's own replaces any part of
it: other names, other places, another language with its own word order.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Any

from memnn.errors import InputError, UnknownName
from memnn.simulator.twenty.meaning import MEANINGS

_LISTS = ("people", "women", "places", "things", "colours", "shapes")
_TERMS = ("direction", "side", "time")
_KINDS = ("kind", "feared")
_MERGED = ("terms", "answers", "frames")
"""The tables of which a file may have some entries; of all others it has all."""


@dataclass(frozen=True, slots=True)
class TaskWords:
    """The words of one task."""

    people: tuple[str, ...]
    women: tuple[str, ...]
    places: tuple[str, ...]
    things: tuple[str, ...]
    colours: tuple[str, ...]
    shapes: tuple[str, ...]
    kinds: Mapping[str, str]
    """Every kind of animal with its plural."""
    sizes: tuple[tuple[str, ...], ...]
    """From small to big, those of no fixed order together."""
    feelings: Mapping[str, tuple[str, str]]
    """Where each feeling leads, and what is got there."""
    terms: Mapping[str, str]
    answers: Mapping[str, Any]
    frames: Mapping[str, tuple[str, ...]]


class Vocabulary:
    """English, with what a file of one's own puts in its place."""

    def __init__(self, own: Mapping[str, Any] | None = None, source: str = "the words") -> None:
        self._own = own or {}
        _check(self._own, source)

    @classmethod
    def read(cls, path: str | Path) -> Vocabulary:
        try:
            return cls(tomllib.loads(Path(path).read_text("utf-8-sig")), str(path))
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path} is not UTF-8 text; convert the file to UTF-8") from None
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{path} is not TOML: {error}") from None

    def of_task(self, number: int) -> TaskWords:
        """One's own words for this task, for any task, or else English ones."""
        found: dict[str, Any] = {}
        for layer in (_english(), self._own):
            for part in (layer, layer.get("tasks", {}).get(str(number), {})):
                for key, value in part.items():
                    found[key] = {**found.get(key, {}), **value} if key in _MERGED else value
        return TaskWords(**{field.name: _frozen(found[field.name]) for field in fields(TaskWords)})


def _frozen(value: Any) -> Any:
    """Lists as tuples, at any depth."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(part) for key, part in value.items()}
    return value


@cache
def _english() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("english.toml").read_text("utf-8"))


def slots(meaning: str) -> set[str]:
    """What a frame of this meaning may have between braces."""
    names = {field.name for field in fields(MEANINGS[meaning])}
    if "people" in names:
        names = names - {"people"} | {"they"}
    return names | {f"{name}_plural" for name in names & set(_KINDS)}


def filled(meaning: Any, words: TaskWords) -> dict[str, str]:
    """The slots of a meaning with the words for them."""
    found: dict[str, str] = {}
    for field in fields(meaning):
        value = getattr(meaning, field.name)
        if field.name == "people":
            one = "she" if value[0] in words.women else "he"
            found["they"] = words.terms["they" if len(value) > 1 else one]
        elif field.name in _TERMS:
            found[field.name] = words.terms[value]
        else:
            found[field.name] = value
            if field.name in _KINDS:
                found[f"{field.name}_plural"] = words.kinds[value]
    return found


# --- is a file of one's own what it should be? ----------------------------------------------


def _check(own: Mapping[str, Any], source: str) -> None:
    english = _english()
    for key, value in own.items():
        _known("entry", key, english, source)
        if key == "tasks":
            _check_tasks(value, source)
        else:
            _check_entry(key, value, source)


def _check_tasks(tasks: Any, source: str) -> None:
    _table("tasks", tasks, source)
    for number, entries in tasks.items():
        _known("task", number, map(str, range(1, 21)), source)
        _table(f"tasks.{number}", entries, source)
        for key, value in entries.items():
            _known(f"entry of tasks.{number}", key, set(_english()) - {"tasks"}, source)
            _check_entry(key, value, source)


def _check_entry(key: str, value: Any, source: str) -> None:
    if key in _LISTS:
        if value != [] or key != "women":
            _names(key, value, source)
    elif key == "sizes":
        if not isinstance(value, list):
            raise InputError(f"{source}: {key} must be a list of lists of names")
        for row in value:
            _names(key, row, source)
        _unique(key, [name for row in value for name in row], source)
    else:
        _table(key, value, source)
        _check_table(key, value, source)


def _check_table(key: str, table: Mapping[str, Any], source: str) -> None:
    if key in _MERGED:
        for entry in table:
            _known(f"entry of {key}", entry, _english()[key], source)
    for entry, value in table.items():
        what = f"{key}.{entry}"
        if key == "frames":
            _names(what, value, source)
            for frame in value:
                _check_frame(entry, frame, source)
        elif key == "feelings":
            _names(what, value, source)
            if len(value) != 2:
                raise InputError(f"{source}: {what} must be a place and a thing")
        elif entry == "numbers" and key == "answers":
            _names(what, value, source)
        else:
            _names(what, [value], source)


def _check_frame(meaning: str, frame: str, source: str) -> None:
    known = slots(meaning)
    try:
        parts = list(Formatter().parse(frame))
    except ValueError as error:
        raise InputError(f"{source}: the frame '{frame}' of {meaning}: {error}") from None
    for _, name, spec, conversion in parts:
        if name is not None and (name not in known or spec or conversion):
            allowed = ", ".join(f"{{{name}}}" for name in sorted(known))
            raise InputError(
                f"{source}: the frame '{frame}' of {meaning} has {{{name}}}; it may have {allowed}"
            )


def _known(kind: str, name: str, known: Iterable[str], source: str) -> None:
    known = sorted(known)
    if name not in known:
        raise UnknownName(f"{kind} in {source}", name, known)


def _table(key: str, value: Any, source: str) -> None:
    if not isinstance(value, Mapping):
        raise InputError(f"{source}: {key} must be a table")


def _names(key: str, value: Any, source: str) -> None:
    if not isinstance(value, list) or not value:
        raise InputError(f"{source}: {key} must be a list of names, and not an empty one")
    for name in value:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InputError(f"{source}: {key} must be text in one line, not {name!r}")
    _unique(key, value, source)


def _unique(key: str, names: list[str], source: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{source}: {key} has '{name}' twice")
