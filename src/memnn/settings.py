"""Settings of networks: every field of a recipe has a type and a range."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from memnn.errors import InputError

_TYPES: dict[str, tuple[Any, str]] = {
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "bool": (bool, "True or False"),
    "str": (str, "a name"),
}
_RANGES = {
    "hops": (1, 100), "dim": (1, 10_000), "epochs": (1, 10**6), "tries": (1, 10**6),
    "recent": (1, 10**6), "seed": (0, 2**63 - 1), "bow": (0, 10**6), "dropout": (0, 1),
    "lesions": (0, 1), "repeat": (0, 10**6),
    "margin": (1e-9, 10**6), "lr": (1e-9, 10**6), "init": (1e-9, 10**6),
}  # fmt: skip


def check_fields(recipe: Any) -> None:
    """Every setting of a recipe has its type and lies in its range."""
    for f in fields(recipe):
        value, optional = getattr(recipe, f.name), str(f.type).endswith(" | None")
        if value is None and optional:
            continue
        kind, name = _TYPES[str(f.type).removesuffix(" | None")]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise InputError(f"{f.name} must be {name}, not {type(value).__name__}")
        least, most = _RANGES.get(f.name, (None, None))
        if least is not None and not least <= value <= most:  # NaN is in no range
            raise InputError(f"{f.name} must be between {least:,} and {most:,}")
