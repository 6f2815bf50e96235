"""What `memnn train FILE` takes for each of bAbI's twenty files, and for all of them together.

`python -m benchmarks.twenty_training FOLDER -o RESULTS` runs the command as a user would, choice of
the network included, and notes processor seconds, the model's size and what the command says of
stories held back. Only training files are read.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from memnn.paper.shown import table

ALL = "all twenty"


def measure(name: str, files: list[Path]) -> dict[str, Any]:
    """One training in a process of its own, on one thread."""
    one = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = subprocess.run(
            [sys.executable, "-m", "memnn", "train", *map(str, files), "-o", str(model), "--json"],
            env=os.environ | one, check=True, capture_output=True, text=True,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        size = sum(file.stat().st_size for file in model.rglob("*") if file.is_file())
    told = json.loads(said.stdout)
    return {
        "files": name,
        "seconds": (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime),
        "megabytes": size / 1e6,
        "peak_megabytes": after.ru_maxrss / 1e3,  # of the largest so far
        "recipe": told["recipe"],
        "held_back": told.get("held_back"),
    }


def shown(rows: list[dict[str, Any]]) -> str:
    return table(
        ["files", "network", "processor s", "model MB", "right on stories held back, %"],
        [
            [
                row["files"], row["recipe"], f"{row['seconds']:.1f}", f"{row['megabytes']:.2f}",
                f"{100 * row['held_back']['answers']:.1f}" if row["held_back"] else "–",
            ]
            for row in rows
        ],
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder with qa1_…_train.txt to qa20_…")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    files = sorted(
        options.folder.glob("qa*_train.txt"),
        key=lambda file: int(re.findall(r"\d+", file.name)[0]),
    )
    measure("", files[:1])  # kernels are compiled
    rows = []
    for name, of_it in [
        *((file.stem.removesuffix("_train"), [file]) for file in files),
        (ALL, files),
    ]:
        rows.append(measure(name, of_it))
        print(json.dumps(rows[-1]), flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    found = {"machine": machine(), "rows": rows}
    (options.output / "training.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    text = (
        "# What training takes\n\n`memnn train FILE` on bAbI's training files (en, 1,000 questions "
        "each), choice of the network included: processor seconds of one thread with kernels "
        f"compiled before, and the size of the model's folder.\n\n{shown(rows)}\n"
    )
    (options.output / "training.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
