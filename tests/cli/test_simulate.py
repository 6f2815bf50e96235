"""Options of `memnn simulate` reach the simulator."""

from __future__ import annotations

import pytest

from memnn.cli import app as cli
from memnn.simulator import simulate
from memnn.stories import babi

FEW = ["--statements", "300", "--questions", "150", "--ask", "actor", "--seed", "1"]


@pytest.mark.parametrize(
    ("given", "before_moves"),
    [([], 2), (["--before", "2"], 2), (["--before", "1"], 1), (["--before", "0"], None)],
    ids=str,
)
def test_before_is_how_many_moves_are_asked_about(given, before_moves, tmp_path):
    assert cli.run(["simulate", "-o", str(tmp_path / "a"), *FEW, *given]) == 0
    (written,) = babi.read(tmp_path / "a")
    (story,) = simulate(
        statements=300, questions=150, ask="actor", seed=1, before_moves=before_moves
    )
    assert [(line.text, line.id) for line in written.lines] == [
        (line.text, line.id) for line in story.lines
    ]


def test_before_is_no_negative_number(tmp_path, capsys):
    assert cli.run(["simulate", "-o", str(tmp_path / "a"), *FEW, "--before", "-1"]) == 2
    assert "--before" in capsys.readouterr().err
