"""The wheel has the stories of `src/memnn/ordinary/data` in one archive, a third smaller."""

from __future__ import annotations

import io
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STORIES = "memnn/ordinary/data"


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()
        packed = Path(self.folder.name) / "stories.tar.xz"
        with tarfile.open(packed, "w:xz", preset=9) as archive:
            folder = Path(self.root) / "src" / STORIES
            for file in sorted(folder.rglob("*.txt")):
                text = file.read_bytes()
                about = tarfile.TarInfo(
                    file.relative_to(folder).as_posix()
                )  # without time and owner: the same each time
                about.size = len(text)
                archive.addfile(about, io.BytesIO(text))
        build_data["force_include"][str(packed)] = f"{STORIES}/{packed.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self.folder.cleanup()
