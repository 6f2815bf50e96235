"""What an interrupted training leaves beside its model: a folder from which it goes on.

It is written like a model, whole or not at all, and says which stories and settings it belongs to.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from memnn.errors import InputError
from memnn.folder import check_place, read_folder, saying_damage, write_folder
from memnn.paths import path_of

KIND = "training"
END = ".training"
EVERY = 5.0
"""Seconds between two of them, at least."""
LONGEST_NAME = 200
SHARE = 0.05
"""The most of the time that may go into writing them."""

Kept = tuple[dict[str, Any], dict[str, NDArray[Any]]]


class Checkpoint:
    """The place of a model's half-finished training, and when to write it next."""

    def __init__(self, model: str | Path, key: str) -> None:
        """`key` names the stories and settings; nobody goes on from others."""
        place = Path(os.path.realpath(path_of(model)))
        name = place.name
        if len(os.fsencode(name + END)) > LONGEST_NAME:
            name = hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
        self.folder = place.with_name(name + END)
        self.key = key
        self._due = time.monotonic() + EVERY
        self.written = False

    def check(self) -> None:
        """Refuse a place that holds something else."""
        check_place(self.folder)

    def keep(self, state: Callable[[], Kept]) -> None:
        """Write the state down, if the last time is long enough ago."""
        start = time.monotonic()
        if start < self._due:
            return
        about, arrays = state()
        write_folder(
            self.folder, {"kind": KIND, "key": self.key, "training": about}, _bytes(arrays)
        )
        self.written = True
        now = time.monotonic()
        self._due = now + max(EVERY, (now - start) / SHARE)

    def load(self) -> Kept | None:
        """What was written; None where nothing was."""
        if not self.folder.exists():
            return None
        about, weights = read_folder(self.folder, KIND, "memnn train FILE")
        if about.get("key") != self.key:
            raise InputError(
                f"{self.folder} was begun with other stories, settings or another version; "
                "leave out --resume to start again"
            )
        with saying_damage(self.folder):
            return dict(about["training"]), load_tensors(weights)

    def remove(self) -> None:
        """The training is over, or starts again."""
        if self.folder.exists():
            self.check()
            shutil.rmtree(self.folder, ignore_errors=True)


def _bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    return bytes(save_tensors(dict(arrays)))
