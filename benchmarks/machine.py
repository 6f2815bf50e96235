"""The machine of a benchmark: what its seconds depend on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from memnn.paper.machine import processor
from memnn.version import __version__


def machine(*packages: str) -> dict[str, Any]:
    """Processor, memory, load and versions; of `packages` those that are installed."""
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "memory_gb": _memory(),
        "load": load(),
        "python": platform.python_version(),
        "memnn": __version__,
        **{name: _version(name) for name in packages},
    }


def load() -> float | None:
    """How many processes wanted to run, over the last minute; Windows does not say."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _memory() -> float | None:
    try:
        return round(1024 * int(Path("/proc/meminfo").read_text().split()[1]) / 1e9, 1)
    except OSError:
        return None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
