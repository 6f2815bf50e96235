"""The options of a command are the settings of what it makes, word for word."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

import pytest
import typer

from memnn.cli import app as cli
from memnn.cli import facts, train
from memnn.errors import InputError
from memnn.facts.recipe import FactsRecipe, HashSettings
from memnn.settings import about
from memnn.simulator import QUESTION_SETS, simulate
from memnn.stories.recipe import RESPONSE_NAMES, TIME_MODES, Recipe

COMMANDS = [
    (("train",), Recipe, train.PYTHON_ONLY),
    (("facts", "train"), FactsRecipe, facts.PYTHON_ONLY),
    (("facts", "evaluate"), HashSettings, {}),
    (("facts", "ask"), HashSettings, {}),
]
names = pytest.mark.parametrize(
    ("path", "settings", "python_only"), COMMANDS, ids=[" ".join(path) for path, *_ in COMMANDS]
)


def command(*path):
    found = typer.main.get_command(cli.app)
    for name in path:
        found = found.commands[name]
    return found


def options(*path):
    return {each.name: each for each in command(*path).params if each.param_type_name == "option"}


def shown(capsys, *path):
    capsys.readouterr()
    assert cli.run([*path, "--help"]) == 0
    return " ".join(capsys.readouterr().out.split())


@names
def test_every_setting_is_an_option_or_has_a_reason_not_to_be(path, settings, python_only):
    there = set(options(*path))
    every = {field.name for field in fields(settings)}
    assert every & there == every - set(python_only)
    assert set(python_only) <= every
    assert all(python_only.values())


@names
def test_defaults_and_help_are_the_settings_own(path, settings, python_only, capsys):
    text = shown(capsys, *path)
    for field in fields(settings):
        if field.name in python_only:
            continue
        option = options(*path)[field.name]
        said = about(field)
        assert option.default == field.default
        assert option.help == said.text
        assert " ".join(said.text.split()) in text
        assert "--" + field.name.replace("_", "-") in text
        if said.unset:
            assert f"[default: ({said.unset})]" in text


@names
def test_ranges_are_those_of_python(path, settings, python_only, tmp_path, capsys, monkeypatch):
    """One line, exit code 2, and the very words that Python says; files are not even looked for."""
    monkeypatch.chdir(tmp_path)
    arguments = {"train": ["none"], "evaluate": ["none", "none"], "ask": ["none", "none", "Who?"]}
    output = ["-o", "model"] if path[-1] == "train" else []
    for field in fields(settings):
        said = about(field)
        if field.name in python_only or not (said.range or said.choices):
            continue
        wrong = "other" if said.choices else said.range[1] + 1
        with pytest.raises(InputError) as python:
            settings(**{field.name: wrong})
        option = "--" + field.name.replace("_", "-")
        capsys.readouterr()
        code = cli.run([*path, *arguments[path[-1]], *output, option, str(wrong)])
        out, err = capsys.readouterr()
        assert (code, out, err) == (2, "", f"memnn: {python.value}\n")


def test_a_flag_that_is_on_can_be_turned_off(capsys):
    assert "--match / --no-match" in shown(capsys, "facts", "train")
    assert "--no-match" not in shown(capsys, "train")


def test_help_lists_choices_and_stands_in_groups(capsys):
    text = shown(capsys, "train")
    for name in (*TIME_MODES, *RESPONSE_NAMES):
        assert f" {name}: " in text
    headings = re.findall(r"(?<= )(Options|Network|Training|Words|R as RNN or LSTM):", text)
    assert headings == ["Options", "Network", "Training", "Words", "R as RNN or LSTM"]


def test_simulate_has_the_simulator_s_defaults():
    """Importing the simulator would slow `--help`, so they are written twice, and compared."""
    there = options("simulate")
    for name, parameter in inspect.signature(simulate).parameters.items():
        if name in there:
            assert there[name].default == parameter.default, name
    (named,) = re.findall(r"What is asked: (.*) …", there["ask"].help)
    assert set(named.split(", ")) <= set(QUESTION_SETS)


@pytest.mark.parametrize("name", ["store", "name", "organised", "superseding"])
def test_ask_and_chat_share_their_options(name):
    one, other = options("ask")[name], options("chat")[name]
    assert (one.help, one.opts, one.secondary_opts) == (
        other.help,
        other.opts,
        other.secondary_opts,
    )


def test_options_reach_the_recipe(tmp_path, capsys, monkeypatch):
    """What was typed is what is trained with, and what the folder says."""
    pytest.importorskip("torch")
    from memnn.stories.model import load

    monkeypatch.chdir(tmp_path)
    assert cli.run(["simulate", "-o", "a", "--statements", "40", "--questions", "20"]) == 0
    chosen = [
        "--hops", "1", "--first-supports", "--time", "signed", "--dim", "9", "--epochs", "1",
        "--response", "rnn", "--response-size", "6", "--response-epochs", "1", "--seed", "4",
    ]  # fmt: skip
    assert cli.run(["train", "a", "-o", "m", *chosen]) == 0, capsys.readouterr().err
    assert load(tmp_path / "m").recipe == Recipe(
        hops=1, first_supports=True, time="signed", dim=9, epochs=1, response="rnn",
        response_size=6, response_epochs=1, seed=4,
    )  # fmt: skip
