"""What the wheel packs into one archive is read back as it was."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from memnn.ordinary import train

ROOT = Path(__file__).parents[1]
STORY = "1 Joe is in the {}.\n2 Where is Joe?\t{}\t1\n"


@pytest.fixture
def checkout(tmp_path):
    """A folder with stories, as the project has them."""
    data = tmp_path / "src" / "memnn" / "ordinary" / "data"
    (data / "kept").mkdir(parents=True)
    (data / "README.md").write_text("Stories.\n")
    for name, place in [("b01.txt", "cellar"), ("a02.txt", "attic"), ("kept/a03.txt", "café")]:
        (data / name).write_text(STORY.format(place, place), encoding="utf-8")
    return tmp_path


@pytest.fixture
def hook(monkeypatch, checkout):
    backend = ModuleType("hatchling.builders.hooks.plugin.interface")
    backend.BuildHookInterface = type("Hook", (), {"root": str(checkout)})
    monkeypatch.setitem(sys.modules, backend.__name__, backend)
    return runpy.run_path(str(ROOT / "hatch_build.py"))["CustomBuildHook"]()


def test_stories_of_a_wheel_are_those_of_the_checkout(hook, checkout, monkeypatch, tmp_path):
    data = {"force_include": {}}
    hook.initialize("standard", data)
    [(packed, place)] = data["force_include"].items()
    assert place == "memnn/ordinary/data/stories.tar.xz"
    installed = tmp_path / "installed"
    (installed / "data").mkdir(parents=True)
    shutil.copy(packed, installed / "data")
    hook.finalize("standard", data, "")
    assert not Path(packed).exists()
    read = []
    for place in (checkout / "src" / "memnn" / "ordinary", installed):
        monkeypatch.setattr(train, "files", lambda room, place=place: place)
        read.append((train.written(), train.kept_back()))
    assert read[0] == read[1]
    assert [[story.source for story in stories] for stories in read[0]] == [
        ["written, a02.txt", "written, b01.txt"],
        ["written, a03.txt"],
    ]


def test_an_editable_installation_has_no_archive(hook):
    data = {"force_include": {}}
    hook.initialize("editable", data)
    hook.finalize("editable", data, "")
    assert data == {"force_include": {}}
