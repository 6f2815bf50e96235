"""What the wheel packs into one archive is read back as it was."""

from __future__ import annotations

import runpy
import shutil
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest

from memnn.ordinary import train

ROOT = Path(__file__).parents[1]


class Hook:
    """What the build backend's class gives to those that are made of it."""

    root = str(ROOT)


@pytest.fixture
def hook(monkeypatch):
    backend = ModuleType("hatchling.builders.hooks.plugin.interface")
    backend.BuildHookInterface = Hook
    monkeypatch.setitem(sys.modules, backend.__name__, backend)
    return runpy.run_path(str(ROOT / "hatch_build.py"))["CustomBuildHook"]()


def test_stories_of_the_wheel_are_those_of_the_checkout(hook, monkeypatch, tmp_path):
    data = {"force_include": {}}
    hook.initialize("standard", data)
    [(packed, place)] = data["force_include"].items()
    assert place == "memnn/ordinary/data/stories.tar.xz"
    given = dict(train._packed(Path(packed).read_bytes()))
    shutil.copy(packed, tmp_path / "stories.tar.xz")
    (tmp_path / "data").mkdir()
    shutil.move(tmp_path / "stories.tar.xz", tmp_path / "data")
    stories = train.written(), train.kept_back()
    monkeypatch.setattr(train, "files", lambda room: tmp_path)  # as in a wheel
    assert (train.written(), train.kept_back()) == stories
    hook.finalize("standard", data, "")
    folder = Path(str(files("memnn.ordinary"))) / "data"
    texts = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*.txt")}
    assert given == {name: file.read_bytes() for name, file in texts.items()}
    assert any("/" in name for name in given)
    assert not Path(packed).exists()


def test_an_editable_installation_has_no_archive(hook):
    data = {"force_include": {}}
    hook.initialize("editable", data)
    hook.finalize("editable", data, "")
    assert data == {"force_include": {}}
