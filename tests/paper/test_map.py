"""docs/paper-map.md names what is there, and leaves no experiment out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memnn.cli.app import app
from memnn.paper.registry import EXPERIMENTS
from memnn.stories.recipe import Recipe

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
QUOTED = re.findall(r"`([^`]+)`", TEXT)
PATHS = sorted({q.split(":")[0] for q in QUOTED if re.match(r"[\w./-]+(/|\.\w+)(:|$)", q)})


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path):
    assert any((base / path).exists() for base in (ROOT / "src" / "memnn", ROOT))


def test_the_paths_were_found():
    assert len(PATHS) > 60
    assert {"simulator/", "dialogue/data/world.tsv", "benchmarks/dialogue.py"} <= set(PATHS)


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda e: e.name)
def test_every_experiment_is_on_the_map(experiment):
    measured = experiment.measure.__name__
    assert re.search(rf"\b{measured}\b", TEXT) or f"memnn reproduce {experiment.name}" in QUOTED


def test_the_settings_it_names_exist():
    for given in re.findall(r"`Recipe\((.*?)=", TEXT):
        assert given in Recipe.__dataclass_fields__
    commands = {c.callback.__name__: c.callback for c in app.registered_commands}
    for command, options in re.findall(r"`memnn (\w+)((?: [^`]*)?--[^`]*)`", TEXT):
        if command in commands:
            known = _options(commands[command])
            assert set(re.findall(r"--[\w-]+", options)) <= known, (command, options)


def _options(callback):
    import typer

    command = typer.main.get_command_from_info(
        typer.models.CommandInfo(callback=callback),
        pretty_exceptions_short=True,
        rich_markup_mode=None,
    )
    return {name for parameter in command.params for name in parameter.opts}
