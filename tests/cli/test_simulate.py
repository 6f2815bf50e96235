"""Options of `memnn simulate` reach the simulator."""

from __future__ import annotations

import json

import pytest

from memnn.cli import app as cli
from memnn.simulator import ordinary, simulate, simulate_tasks
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


def test_task_writes_stories_of_bAbI_s_tasks(tmp_path):
    given = ["--task", "1:3,8", "--questions", "40", "--seed", "2", "--difficulty", "3"]
    assert cli.run(["simulate", "-o", str(tmp_path / "a"), *given]) == 0
    stories = simulate_tasks("1:3,8", questions=40, seed=2, difficulty=3)
    assert (tmp_path / "a").read_text() == babi.dumps(stories)


def test_a_task_has_a_thousand_questions(tmp_path, capsys):
    assert cli.run(["simulate", "-o", str(tmp_path / "a"), "--task", "4", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["stories"], shown["statements"], shown["questions"]) == (1000, 2000, 1000)


def test_words_of_one_s_own(tmp_path):
    (tmp_path / "words.toml").write_text('people = ["Ada", "Ben"]\n')
    given = ["--task", "1", "--questions", "9", "--words", str(tmp_path / "words.toml")]
    assert cli.run(["simulate", "-o", str(tmp_path / "a"), *given]) == 0
    assert {line.text.split()[0] for story in babi.read(tmp_path / "a")
            for line in story.statements} == {"Ada", "Ben"}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--task", "99"], "there is no task 99"),
        (["--task", "x"], "'x' is not a task"),
        (["--task", "1", "--statements", "7"], "--statements is not for --task"),
        (["--task", "1", "--ask", "actor"], "--ask is not for --task"),
        (["--task", "1", "--before", "2"], "--before is not for --task"),
        (["--task", "1", "--sentences"], "--sentences is not for --task"),
        (["--task", "1", "--questions", "0"], "questions is a whole number"),
        (["--words", "w.toml"], "--words goes with --task"),
        (["--task", "1", "--words", "none.toml"], "cannot read none.toml"),
    ],
    ids=str,
)
def test_what_does_not_go_with_a_task_is_said(given, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.run(["simulate", "-o", "a", *given]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


def test_language_writes_stories_as_people_tell_them(tmp_path):
    given = ["--language", "ordinary", "--questions", "60", "--seed", "4"]
    assert cli.run(["simulate", "-o", str(tmp_path / "a"), *given]) == 0
    stories = ordinary.stories(questions=60, seed=4)
    assert [story.lines for story in babi.read(tmp_path / "a")] == [each.lines for each in stories]
    held = ["--hold-out", "names", "--only-held-out"]
    assert cli.run(["simulate", "-o", str(tmp_path / "b"), *given, *held]) == 0
    only = ordinary.HoldOut("names", only=True)
    stories = ordinary.stories(questions=60, seed=4, hold_out=only)
    assert [story.lines for story in babi.read(tmp_path / "b")] == [each.lines for each in stories]
    given[1] = "ordinary:german"
    assert cli.run(["simulate", "-o", str(tmp_path / "c"), *given]) == 0
    assert " ist " in (tmp_path / "c").read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--language", "plain"], "ordinary"),
        (["--language", "ordinary:latin"], "german"),
        (["--language", "ordinary", "--task", "1"], "--task"),
        (["--language", "ordinary", "--stream"], "--stream"),
        (["--language", "ordinary", "--hold-out", "verbs"], "frames"),
        (["--language", "ordinary", "--only-held-out"], "--hold-out"),
        (["--hold-out", "names"], "--language"),
    ],
    ids=str,
)
def test_what_does_not_go_with_a_language_is_said(given, said, tmp_path, capsys):
    assert cli.run(["simulate", "-o", str(tmp_path / "a"), *given]) != 0
    assert said in capsys.readouterr().err
