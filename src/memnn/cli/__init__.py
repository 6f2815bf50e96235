"""The command line: one file a command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

from memnn.cli.app import main

__all__ = ["main"]
