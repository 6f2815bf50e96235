"""Is an index what was built? Every byte is compared with its checksum."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from memnn.errors import MemoryStoreError
from memnn.facts.checksums import File, is_signed, read_sums
from memnn.facts.index import PARTS, WORDS, check_lengths, mapped, read_about
from memnn.paths import path_of


class IndexFindings(NamedTuple):
    """What is wrong, a line each; without checksums only the structure could be looked at."""

    problems: list[str]
    checksums: bool

    @property
    def ok(self) -> bool:
        return not self.problems


def verify(folder: str | Path) -> IndexFindings:
    """Read everything; an error where there is no index at all."""
    path = path_of(folder)
    about = read_about(path)
    has_sums, problems = is_signed(about), []
    try:
        sums = read_sums(path, about, (*PARTS, WORDS)) if has_sums else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        return IndexFindings(
            [f"{error.strerror if isinstance(error, OSError) else error}"], has_sums
        )
    for name, of in sums.items():
        try:
            block = File(name, mapped(path / name, np.uint8), of).bad()
        except (OSError, ValueError) as error:
            raise MemoryStoreError(f"cannot read {path}: {error}") from None
        if block is not None:
            problems.append(f"{name} was changed on disk, at or after byte {block * 4096:,}")
    if not problems:
        try:
            parts = {name: mapped(path / name, dtype) for name, dtype in PARTS.items()}
            known = len(parts["clusters.i32"])
            check_lengths(parts, about["facts"], about["words"], known, pointers=True)
        except (OSError, ValueError, TypeError, KeyError) as error:
            problems.append(str(error))
    return IndexFindings(problems, has_sums)
