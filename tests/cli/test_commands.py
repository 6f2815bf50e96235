"""What users type, and what comes back."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import memnn as package
from memnn import default

FIGURE_1 = """Joe went to the kitchen.
Fred went to the kitchen.
Joe picked up the milk.
Joe travelled to the office.
Joe left the milk.
Joe went to the bathroom.
"""


def test_version_and_help(memnn):
    assert memnn("--version").out == f"memnn {package.__version__}\n"
    assert "Commands:" in memnn().out
    for command in ("demo", "simulate", "train", "evaluate", "ask", "chat"):
        shown = memnn(command, "--help")
        assert shown.code == 0
        assert f"memnn {command}" in shown.out.split("Example:")[1]
        assert "--json" in shown.out


def test_simulate_train_evaluate(memnn):
    first = memnn("simulate", "-o", "a.txt", "--seed", 3, "--json")
    assert first.code == 0
    assert json.loads(first.out)["questions"] == 3000
    memnn("simulate", "-o", "b.txt", "--seed", 3)
    assert (memnn.folder / "a.txt").read_bytes() == (memnn.folder / "b.txt").read_bytes()
    memnn("simulate", "-o", "c.txt", "--seed", 4)
    assert (memnn.folder / "a.txt").read_bytes() != (memnn.folder / "c.txt").read_bytes()

    trained = memnn("train", "a.txt", "-o", "model", "--hops", 2, "--json")
    assert trained.code == 0
    assert json.loads(trained.out)["epochs"] == 10
    assert trained.out.count("\n") == 1

    result = json.loads(memnn("evaluate", "model", "c.txt", "--json").out)
    assert set(result) >= {"questions", "accuracy", "support_accuracy", "seconds"}
    assert result["questions"] == 3000
    assert result["accuracy"] >= 0.995
    assert result["support_accuracy"] >= 0.99
    shown = memnn("evaluate", "model", "c.txt")
    assert "of 3,000 answers right" in shown.out
    assert shown.err == ""


def test_the_same_seed_gives_the_same_model(memnn):
    """In any process: nothing depends on how Python hashes."""
    memnn("simulate", "-o", "a.txt", "--statements", 300, "--questions", 100)
    train = ("train", "a.txt", "--epochs", 2, "--unseen", "--match", "--json", "-o")
    results = [memnn(*train, "here"), memnn.process(*train, "there")]
    here, there = (json.loads(result.out)["id"] for result in results)
    assert here == there


def test_ask(memnn, model):
    (memnn.folder / "story.txt").write_text(FIGURE_1)
    result = memnn("ask", model, "Where is the milk now?", "--story", "story.txt", "--json")
    assert result.code == 0
    answer = json.loads(result.out)
    assert answer["answer"] == "office"
    assert answer["abstained"] is False
    assert [(e["hop"], e["id"], e["text"]) for e in answer["evidence"]] == [
        (1, 5, "Joe left the milk."),
        (2, 4, "Joe travelled to the office."),
    ]
    decisive = answer["evidence"][0]["decisive"]
    assert decisive["margin"] == pytest.approx(decisive["content"] + decisive["write_time"])
    before = memnn(
        "ask", model, "Where is the milk now?", "--story", "-", "--as-of", 3, "--json",
        stdin=FIGURE_1,
    )  # fmt: skip
    assert json.loads(before.out)["answer"] == "kitchen"
    shown = memnn("ask", model, "Where is Joe?", "--story", "story.txt")
    assert "bathroom" in shown.out
    assert "Joe went to the bathroom." in shown.out


def test_ask_about_babi_text(memnn, model):
    memnn("simulate", "-o", "s.txt", "--statements", 40, "--questions", 9, "--story-length", 10)
    result = memnn("ask", model, "Where is Joe?", "--story", "s.txt", "--json")
    assert result.code == 0
    assert "last one" in result.err


def test_ids_of_plain_text_are_line_numbers(memnn, model):
    story = (
        "\nWhere is Joe? Joe went to the kitchen. Joe took the milk.\n\n\nJoe went to the office."
    )
    answer = memnn("ask", model, "Where is the milk?", "--story", "-", "--json", stdin=story)
    assert [e["id"] for e in json.loads(answer.out)["evidence"]] == [3, 5]
    before = memnn(
        "ask", model, "Where is Joe?", "--story", "-", "--as-of", 4, "--json", stdin=story
    )
    assert json.loads(before.out)["evidence"][0]["id"] == 2


def test_numbers_are_not_broken_at_80_columns(memnn, model):
    shown = memnn("ask", model, "Where is the milk?", "--story", "-", stdin=FIGURE_1).out
    assert "\n      content " in shown
    assert max(map(len, shown.splitlines())) < 80


def test_one_is_not_several(memnn):
    shown = memnn("simulate", "-o", "a.txt", "--statements", 1, "--questions", 1)
    assert shown.err == "Wrote 1 statement and 1 question in 1 story to a.txt\n"
    shown = memnn("train", "a.txt", "-o", "m", "--epochs", 1)
    assert "Learnt from 1 question about 1 statement in" in shown.err
    assert "of 1 answer right" in memnn("evaluate", "m", "a.txt").out


def test_abstaining_is_an_answer(memnn, model):
    for question, story, reason in (
        ("Where is Joe?", None, "not been told anything"),
        ("Where is Gollum?", FIGURE_1, "never learned: Gollum"),
        ("Where is Joe?", "Joe went to the cave.", "never learned: cave"),
    ):
        given = ["--story", "-"] if story else []
        result = memnn("ask", model, question, *given, "--json", stdin=story or "")
        answer = json.loads(result.out)
        assert result.code == 0
        assert answer["abstained"] is True
        assert answer["answer"] == "I don't know"
        assert reason in answer["reason"]


def test_chat(memnn, model):
    talk = "Joe went to the kitchen. Joe took the milk.\nWhere is the milk?\n"
    shown = memnn("chat", model, stdin=talk + "/memory\n/forget 2\n/forget 2\n/memory\n/help\n")
    assert shown.code == 0
    assert "→ kitchen" in shown.out
    assert shown.out.count("   [2] Joe took the milk.") == 1
    assert "forgot [2] Joe took the milk." in shown.out
    assert "no memory with id 2" in shown.err
    talk += "/memory\n/forget 2\n/forget 2\n/help\n"
    rows = [json.loads(row) for row in memnn("chat", model, "--json", stdin=talk).out.splitlines()]
    assert [row.get("id") for row in rows] == [1, 2, None, 1, 2, None]
    assert rows[2]["answer"] == "kitchen"
    assert rows[5] == {"forgot": 2}


def test_demo_is_right(memnn):
    """The three questions of Figure 1, with the right evidence; nothing is trained."""
    first = memnn("demo")
    assert (first.code, first.err) == (0, "")
    figure1, figure3 = json.loads(memnn("demo", "--json").out)["stories"]
    assert [(a["answer"], [e["text"] for e in a["evidence"]]) for a in figure1["answers"]] == [
        ("office", ["Joe left the milk.", "Joe travelled to the office."]),
        ("bathroom", ["Joe went to the bathroom."]),
        ("kitchen", ["Joe travelled to the office.", "Joe went to the kitchen."]),
    ]
    assert [a["answer"] for a in figure3["answers"]] == ["Mount-Doom", "Grey-havens", "Shire"]
    assert all(a["answer"] in first.out for a in figure1["answers"] + figure3["answers"])


def test_demo_trains_on_request(memnn, monkeypatch):
    trained = []
    monkeypatch.setattr(
        "memnn.stories.train.fit", lambda *_: trained.append("story") or default.story()
    )
    again = memnn("demo", "--retrain")
    assert "Training on a simulated world" in again.err
    assert "→ office" in again.out
    assert trained == ["story"]


def test_a_cache_that_cannot_be_written_is_no_obstacle(memnn):
    (memnn.folder / "file").write_text("")
    memnn.env["XDG_CACHE_HOME"] = str(memnn.folder / "file" / "cache")
    result = memnn("chat", stdin="Dan moved to the garden.\nWhere is Dan?\n")
    assert (result.code, result.err) == (0, "")
    assert "→ garden" in result.out


def test_an_interrupted_training_writes_nothing(memnn):
    memnn("simulate", "-o", "a.txt", "--statements", 300, "--questions", 100)
    mine, theirs = pty.openpty()  # on a terminal the bar shows that training has begun
    process = subprocess.Popen(
        memnn.argv("train", "a.txt", "-o", "model", "--recipe", "paper", "--epochs", "100000"),
        cwd=memnn.folder,
        env=memnn.env,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    err = b""
    while b"/100000" not in err:
        err += os.read(mine, 1000)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(OSError):  # how a terminal says that the other end is closed
        while more := os.read(mine, 1000):
            err += more
    os.close(mine)
    process.communicate(timeout=300)
    assert process.returncode == 130
    shows_the_cursor = "\x1b[?25h"
    assert err.decode().splitlines()[-1] == f"{shows_the_cursor}memnn: interrupted"
    assert b"Traceback" not in err
    assert [path.name for path in memnn.folder.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("folder", ["model", "elsewhere/model"])
def test_a_model_replaces_a_model_and_nothing_else(memnn, model, folder):
    memnn("simulate", "-o", "a.txt", "--statements", 70, "--questions", 30)
    assert memnn("train", "a.txt", "-o", folder).code == 0
    assert memnn("train", "a.txt", "-o", folder, "--seed", 1).code == 0
    place = (memnn.folder / folder).parent
    assert sorted(p.name for p in place.iterdir() if p.name != "a.txt") == ["model"]
    refused = memnn("train", "a.txt", "-o", ".")
    assert refused.code == 2
    assert (memnn.folder / "a.txt").exists()


def shell(memnn, line):
    return subprocess.run(
        ["bash", "-c", line.replace("memnn", f"{sys.executable} -m memnn")],
        cwd=memnn.folder, env=memnn.env, capture_output=True, timeout=300, check=False, text=True,
    )  # fmt: skip


def test_closed_streams(memnn, model):
    assert shell(memnn, "memnn --version >&-").returncode == 0
    assert shell(memnn, f"memnn chat {model} <&-").returncode == 0
    told = shell(memnn, f"memnn ask {model} 'Where is Joe?' --story - <&-")
    assert told.returncode == 0
    assert "not been told anything" in told.stdout
    assert shell(memnn, "memnn train none -o m 2>&-").returncode == 2
    assert shell(memnn, "memnn simulate -o - <&-").stdout.startswith("1 ")
    full = shell(memnn, "memnn --version > /dev/full")
    assert full.returncode == 1
    assert full.stderr.count("\n") == 1
    assert "No space left" in full.stderr


def test_a_terminal_that_knows_ascii_alone(memnn, model):
    memnn.env |= {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    story = "Joe went to the kitchen.\nZoë left.\n"
    shown = memnn.process("ask", model, "Where is Joe?", "--story", "-", stdin=story)
    assert shown.code == 0
    assert shown.out.startswith("? kitchen")
    asked = memnn.process("chat", model, "--json", stdin=story)
    assert [json.loads(row)["text"] for row in asked.out.splitlines()] == story.splitlines()


def test_help_is_quick(memnn):
    code = (
        "import sys, memnn.cli\n"
        "try: memnn.cli.main(['--help'])\n"
        "except SystemExit: print(sorted({'numba', 'numpy'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=memnn.env
    )
    assert done.stdout.endswith("\n[]\n")


def test_ctrl_c_during_the_imports(memnn):
    code = (
        "import sys, builtins, memnn.cli\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "memnn.cli.main(['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"memnn: interrupted\n")


def test_the_package_has_its_names():
    assert set(package.__all__) <= set(dir(package))
    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'fly'"):
        package.fly  # noqa: B018


def test_kernels_without_a_cache(memnn, tmp_path):
    """One folder per user, used again; one that others may write to is passed by."""
    code = "from memnn.kernels.jit import cache_folder; print(cache_folder())"
    (tmp_path / "tmp").mkdir()
    env = memnn.env | {"NUMBA_CACHE_DIR": "/proc/none", "TMPDIR": str(tmp_path / "tmp")}

    def folder():
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        return Path(done.stdout.strip())

    first = folder()
    assert first == folder()
    assert stat.S_IMODE(first.stat().st_mode) == 0o700
    first.parent.chmod(0o777)
    other = folder()
    assert other != first
    assert not other.exists(), "removed at exit"


def test_chat_over_stories_sentences_and_the_world(memnn):
    """The default ensemble: /why, /load, and its folder as a MODEL."""
    (memnn.folder / "home.txt").write_text("The ladder hangs behind the garage door.\n")
    talk = (
        "Fred went to the kitchen.\nFred picked up the milk.\nFred travelled to the office.\n"
        "/why\n/load home.txt\n/load nowhere.txt\nWhere is the milk?\n"
        "Where does the ladder hang?\nWhere does milk come from?\n/why\n/memory\n"
    )
    shown = memnn("chat", stdin=talk)
    assert shown.code == 0, shown.err
    for line in ("→ office", "→ milk comes from cows", "world fact"):
        assert line in shown.out
    assert (
        "→ behind the garage door\n   1. The ladder hangs behind the garage door.  [4]" in shown.out
    )
    assert "nothing was asked yet" in shown.err
    assert "nowhere.txt" in shown.err
    assert "   [4] The ladder hangs behind the garage door." in shown.out
    assert re.search(r"world +\d+% milk comes from cows", shown.out)
    again = memnn("chat", "--json", stdin="Where does milk come from?\n/why\n")
    answer, why = map(json.loads, again.out.splitlines())
    assert (answer["answer"], answer["source"]) == ("milk comes from cows", "world")
    assert answer["evidence"][0]["source"] == "world"
    assert [each["network"] for each in why["networks"]] == ["world"]
    folder = default.folder()
    asked = memnn("ask", folder, "Where does milk come from?", "--json")
    assert json.loads(asked.out)["answer"] == "milk comes from cows"
    asked = memnn("ask", folder / "facts", "Where is the ladder?", "--story", "home.txt", "--json")
    assert asked.code == 0, asked.err
