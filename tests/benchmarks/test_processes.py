"""Benchmarks as commands: one line for bad input, one thread where that was asked for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from benchmarks import processes
from memnn.errors import InputError

PINNED = """
import os, sys
from benchmarks.processes import on_one_thread
if __name__ == "__main__":
    on_one_thread("pinned")
    print(os.environ["OMP_NUM_THREADS"], *sys.argv[1:])
"""


def test_it_starts_again_on_one_thread(tmp_path):
    (tmp_path / "pinned.py").write_text(PINNED)
    more = dict.fromkeys(processes.ONE_THREAD, "7") | processes.environment()
    done = subprocess.run(
        [sys.executable, "-m", "pinned", "-o", "a b"],
        cwd=tmp_path, env=more, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "1 -o a b\n"


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [(InputError("no size"), 2, "memnn: no size\n"), (KeyboardInterrupt(), 130, "")],
)
def test_failures(capsys, problem, code, said):
    def main():
        raise problem

    with pytest.raises(SystemExit) as caught:
        processes.command(main)
    assert caught.value.code == code
    assert capsys.readouterr().err == said


def test_the_repository_comes_first(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    path = processes.environment()["PYTHONPATH"].split(os.pathsep)
    assert path == [str(processes.ROOT / "src"), str(processes.ROOT), "elsewhere"]
