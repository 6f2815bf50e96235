"""The first of the stories that come with memnn, without reading all of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import memnn
from memnn.ordinary.train import stories_of
from memnn.types import Story

DATA = Path(memnn.__file__).parent / "ordinary" / "data"


@cache
def some(count: int) -> list[Story]:
    """Those that `written()[:count]` has."""
    found: list[Story] = []
    for file in sorted(DATA.glob("*.txt")):
        if len(found) >= count:
            break
        found += stories_of(file.read_text(encoding="utf-8"), f"written, {file.name}")
    return found[:count]
