"""Settings, said once: a field carries its default, range and help.

    @dataclass(frozen=True)
    class Recipe(BaseSettings):
        hops: int = setting(2, "k, the number of supporting memories.", range=(1, 100))

What a class checks, what it writes as JSON and the options of its command (`cli.options`) are all
made from these fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, asdict, field, fields
from typing import Any, ClassVar, NamedTuple, Self

from memnn.errors import InputError, UnknownName

Range = tuple[float, float]

LARGE = 10**6
"""A limit that only catches slips; help does not mention it."""
POSITIVE: Range = (1e-9, LARGE)
COUNT: Range = (1, LARGE)
SHARE: Range = (0, 1)
SEED: Range = (0, 2**63 - 1)

_TYPES: dict[str, tuple[Any, str]] = {
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "bool": (bool, "True or False"),
    "str": (str, "a name"),
}


class Setting(NamedTuple):
    """What a field says beside its type and default."""

    help: str
    range: Range | None = None
    choices: Mapping[str, str] = {}
    """The names it may have, each with what it means."""
    noun: str = ""
    """What an error calls such a name; the field's own name unless told."""
    unset: str = ""
    """What None amounts to."""
    group: str = ""
    """The heading it stands under in the help of a command."""

    @property
    def text(self) -> str:
        """The help with the choices and, where it says something, the range."""
        meanings = [f"{name}: {said}" if said else name for name, said in self.choices.items()]
        said = f"{self.help} {'; '.join(meanings)}." if meanings else self.help
        if self.range is None or self.range[1] >= LARGE:
            return said
        return f"{said.removesuffix('.')} ({self.range[0]:,} to {self.range[1]:,})."


def setting(
    default: Any,
    help: str,
    *,
    range: Range | None = None,
    choices: Mapping[str, str] | None = None,
    noun: str = "",
    unset: str = "",
    group: str = "",
) -> Any:
    """A field of a settings class; see `Setting` for what its parts mean."""
    about = Setting(help, range, choices or {}, noun, unset, group)
    return field(default=default, metadata={"setting": about})


def same_as(settings: type[BaseSettings], name: str) -> Any:
    """A field with the default, range and help of another class's."""
    other = settings.__dataclass_fields__[name]
    return field(default=other.default, metadata=other.metadata)


def about(field: Field[Any]) -> Setting:
    """What a field of a settings class was defined with."""
    said: Setting = field.metadata["setting"]
    return said


class BaseSettings:
    """For frozen dataclasses with fields made by `setting`: checks, and JSON there and back."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        for each in fields(self):
            _check(each, getattr(self, each.name))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """From any version: unknown keys are passed over, missing ones have their defaults."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in known})


def _check(field: Field[Any], value: Any) -> None:
    """A value has the type of its field, lies in its range and is one of its choices."""
    name, said = field.name, about(field)
    written = str(field.type)
    if value is None and written.endswith(" | None"):
        return
    kind, what = _TYPES[written.removesuffix(" | None")]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InputError(f"{name} must be {what}, not {type(value).__name__}")
    if said.choices and value not in said.choices:
        raise UnknownName(said.noun or name, value, said.choices)
    if said.range is not None:
        least, most = said.range
        if not least <= value <= most:  # NaN is in no range
            raise InputError(f"{name} must be between {least:,} and {most:,}")
