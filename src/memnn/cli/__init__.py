"""The command line: one file a command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

ANSWERING = frozenset({"ask", "chat", "demo", "mcp", "search", "serve"})
"""Commands that multiply small matrices, for which a second thread costs more than it brings."""


def main(arguments: list[str] | None = None) -> None:
    """The console script: Ctrl-C is no traceback even while Python still imports."""
    if not ANSWERING.isdisjoint((sys.argv[1:] if arguments is None else arguments)[:1]):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported
    try:
        from memnn.cli import app

        app.main(arguments)
    except KeyboardInterrupt:
        print("memnn: interrupted", file=sys.stderr)
        sys.exit(130)
