"""One worker runs all tests on the Milvus server, and no file is split between workers."""

from __future__ import annotations

import collections
import os
import subprocess
import sys
from pathlib import Path

from tests.scheduling import LONG

ROOT = Path(__file__).parent.parent
TESTS = """
import os
from pathlib import Path
import pytest

@pytest.mark.parametrize("where", ["disk", "milvus"])
@pytest.mark.parametrize("n", range(4))
def test_something(where, n):
    with open("ran", "a") as ran:
        print(Path(__file__).name, where, os.environ["PYTEST_XDIST_WORKER"], file=ran)
"""


def test_groups_stay_together(tmp_path):
    folder = tmp_path / "tests" / "memory"
    folder.mkdir(parents=True)
    for number in range(4):
        (folder / f"test_{number}.py").write_text(TESTS)
    alone = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--rootdir", ".",
         "-p", "tests.scheduling", "-p", "no:cacheprovider", "tests"],
        cwd=tmp_path, env=alone | {"PYTHONPATH": str(ROOT)}, check=True, capture_output=True,
    )  # fmt: skip
    workers = collections.defaultdict(set)
    for line in (tmp_path / "ran").read_text().splitlines():
        file, where, worker = line.split()
        workers[where if where == "milvus" else file].add(worker)
    assert len(workers) == 5
    assert all(len(those) == 1 for those in workers.values()), workers
    assert len(set.union(*workers.values())) == 2


def test_what_begins_first_is_there():
    assert all((ROOT / name).exists() for name in LONG if name != "milvus")
