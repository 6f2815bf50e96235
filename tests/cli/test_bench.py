"""`memnn bench`: a door to the repository's benchmarks, with one line where there are none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memnn.cli import bench

ROOT = Path(__file__).parents[2]


def run(*arguments, cwd, path):
    return subprocess.run(
        [sys.executable, "-m", "memnn", "bench", *arguments],
        cwd=cwd, env=os.environ | {"PYTHONPATH": str(path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_it_finds_the_repository():
    for name in bench.NAMES:
        assert bench.repository(name) == ROOT
    assert bench.repository("no-such") is None


def test_from_any_folder_and_past_other_benchmarks(tmp_path):
    """Bad input is what the benchmark itself says: it was started, and it was ours."""
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__init__.py").write_text("raise SystemExit('not ours')")
    done = run("facts", "--size", "many", cwd=tmp_path, path=ROOT / "src")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "memnn: 'many' is no size; give a number such as 100k, 1M or 14M\n"


def test_without_the_repository(tmp_path):
    shutil.copytree(ROOT / "src" / "memnn", tmp_path / "site" / "memnn")
    done = run("facts", cwd=tmp_path, path=tmp_path / "site")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "repository" in line
    assert "memnn bench facts" in line


@pytest.mark.parametrize(
    ("given", "handed_on"),
    [
        (
            ["facts", "--size", "1M", "--seed", "3", "--keep", "--json"],
            ["benchmarks.facts", "-o", "bench-facts", "--json", "--size", "1M", "--seed", "3",
             "--keep"],
        ),
        (["stories", "-o", "out"], ["benchmarks.stories", "-o", "out"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("code", "exit_code"), [(0, 0), (2, 2), (1, 1), (-11, 1), (130, 130)])
def test_what_is_handed_on(monkeypatch, given, handed_on, code, exit_code):
    from memnn.cli import app

    started = []

    def start(command, **_):
        started.append(command)
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr(subprocess, "run", start)
    assert app.run(["bench", *given]) == exit_code
    assert started == [[sys.executable, "-m", *handed_on]]
