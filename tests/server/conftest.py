"""Servers are run as users run them: `memnn serve` in a process of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from benchmarks.http_client import Process, running

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

Start = Callable[..., Process]


@pytest.fixture(scope="session")
def model(trained_folder: Path) -> Path:
    return trained_folder


@pytest.fixture(scope="session")
def start(model: Path) -> Iterator[Start]:
    """Starts servers; what a test does not end is ended with the session."""
    with ExitStack() as stack:
        yield lambda *options: stack.enter_context(
            running("-m", "memnn", "serve", "--model", str(model), "--port", "0", *options)
        )


@pytest.fixture(scope="session")
def server(start: Start) -> Process:
    """One server in RAM for all tests; each takes memories of its own."""
    return start()


@pytest.fixture
def http(server: Process) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=300) as client:
        yield client


@pytest.fixture
def memory(request: pytest.FixtureRequest) -> str:
    """The path of a memory that no other test uses."""
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)[:64]
    return f"/v1/memories/{name}"


@pytest.fixture(scope="session")
def browser_path() -> str:
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    pytest.skip("there is no chromium or chrome on this machine (apt install chromium)")
