"""The command line: one file a command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """The console script: Ctrl-C is no traceback even while Python still imports."""
    try:
        from memnn.cli import app

        app.main(arguments)
    except KeyboardInterrupt:
        print("memnn: interrupted", file=sys.stderr)
        sys.exit(130)
