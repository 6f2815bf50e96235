"""Servers are run as users run them: `memnn serve` in a process of its own; and a browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from zlib import crc32

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
    where = f"{request.node.path.stem.removeprefix('test_')} {request.node.name}"
    name = "".join(c if c.isalnum() else "-" for c in where)
    if len(name) > 64:
        name = f"{name[:55]}-{crc32(where.encode()):08x}"
    return f"/v1/memories/{name}"


@pytest.fixture(scope="session")
def browser_path() -> str:
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    pytest.skip("there is no chromium or chrome on this machine (apt install chromium)")


@pytest.fixture(scope="module")
def browser(browser_path: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, server: Process, memory: str) -> Iterator[Callable[..., Any]]:
    """Opens the page on a memory of the test's own; whatever the console complains of fails."""
    from playwright.sync_api import expect

    contexts, complaints = [], []

    def complain(text: str) -> None:
        # The browser logs what was refused or not reached, and the page says it.
        if not re.search(r"status of (404|422)|net::ERR", text):
            complaints.append(text)

    def open_one(**settings: Any) -> Any:
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: m.type == "error" and complain(m.text))
        page.on(
            "request",
            lambda r: r.url.startswith(("http://127.0.0.1", "blob:")) or complaints.append(r.url),
        )
        page.goto(f"http://127.0.0.1:{server.port}/#{memory.rpartition('/')[2]}")
        expect(page.locator("#memory-name option:checked")).to_have_text(memory.rpartition("/")[2])
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []
