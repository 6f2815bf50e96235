"""Benchmarks as commands, and the processes that they start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from memnn.errors import MemnnError

ROOT = Path(__file__).parent.parent
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1"
    for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "VECLIB")
}


def environment(root: Path = ROOT) -> dict[str, str]:
    """Ours, and a path on which this repository comes first, wherever the process is started.

    `root` may be a checkout of another version, whose package is used instead.
    """
    path = (root / "src", ROOT, os.environ.get("PYTHONPATH", ""))
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path)).rstrip(os.pathsep)}


def command(main: Callable[[], None]) -> None:
    """Run a benchmark: bad input is one line and exit code 2, Ctrl-C is 130 and no traceback."""
    try:
        main()
    except MemnnError as error:
        print(f"memnn: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def on_one_thread(module: str) -> None:
    """Start a benchmark again with every library on one thread, unless it was started so.

    The libraries look at their variables once, when they are imported.
    """
    if ONE_THREAD.items() <= os.environ.items():
        return
    again, changed = [sys.executable, "-m", module, *sys.argv[1:]], environment() | ONE_THREAD
    if os.name == "posix":
        sys.stdout.flush()
        os.execve(sys.executable, again, changed)
    sys.exit(subprocess.run(again, env=changed, check=False).returncode)
