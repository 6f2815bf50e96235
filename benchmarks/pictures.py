"""The pictures of the documentation: `python -m benchmarks.pictures` (needs chromium).

A chat as a terminal shows it, the page at two widths, in the light and in the dark, a report, and
the documentation as a site. Look at them before you commit them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from benchmarks.http_client import running

ROOT = Path(__file__).parent.parent
TALK = (
    "Anna took the umbrella to the office.",
    "Ben has moved to Lisbon.",
    "Ben lives in Porto now.",
    "Where does Ben live?",
    "Where is the umbrela?",
    "What is the capital of Norway?",
    "When is the dentist?",
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def chat(file: Path) -> None:
    """A conversation, every line typed after what came before it."""
    shown = Console(record=True, width=92, file=StringIO(), force_terminal=True)
    shown.print(Text("$ memnn chat", "bold"))
    said = subprocess.run(
        [sys.executable, "-c", COLOURED], input="\n".join(TALK), text=True, capture_output=True,
        check=True,
    ).stdout  # fmt: skip
    answers = said.split("\x00")
    for line, answer in zip(TALK, answers, strict=False):
        shown.print(Text(f"> {line}", "bold"))
        shown.print(Text.from_ansi(answer.rstrip()))
    file.write_text(shown.export_svg(title="memnn chat", theme=MONOKAI), encoding="utf-8")


COLOURED = """
import sys
import memnn
from memnn.cli import screen
from memnn.cli.screen import Screen
out = Screen()
out._force_terminal, out._width = True, 90
out._color_system = 1
net = memnn.open()
for line in sys.stdin.read().splitlines():
    for said in net.respond(line):
        if hasattr(said, "evidence"):
            screen.show_answer(said, out)
        else:
            out.print(f"   remembered as [{said.id}]", style="dim")
    sys.stdout.write(chr(0))
    sys.stdout.flush()
"""


@contextmanager
def browser() -> Iterator[Any]:
    import shutil

    from playwright.sync_api import sync_playwright

    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        raise SystemExit("there is no chromium or chrome on this machine")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def shoot(chromium: Any, url: str, file: Path, width: int, *, dark: bool = False) -> None:
    scheme = "dark" if dark else "light"
    page = chromium.new_page(viewport={"width": width, "height": 760}, color_scheme=scheme)
    page.goto(url)
    page.wait_for_timeout(800)
    page.screenshot(path=file)
    page.close()


def talked(chromium: Any, url: str, file: Path, width: int, *, dark: bool = False) -> None:
    """The page after a conversation."""
    scheme = "dark" if dark else "light"
    page = chromium.new_page(viewport={"width": width, "height": 760}, color_scheme=scheme)
    page.goto(f"{url}#{file.stem}")
    for line in TALK[:4]:
        page.locator("#input").fill(line)
        page.locator("#input").press("Enter")
        page.locator("#log").get_by_text(line).first.wait_for()
        page.wait_for_timeout(500)
    page.wait_for_timeout(1500)  # until it has come in
    page.screenshot(path=file)
    page.close()


SAID = (
    ("Ann", "How was your week? Did the vet call?"),
    ("Bob", "She did. Miso needs a diet, and I moved my piano lesson to Wednesday."),
    ("Ann", "Poor cat! I signed up for the half marathon in Porto."),
    ("Bob", "When is it? I could come along in October."),
    ("Ann", "On the ninth. My sister lends us her flat."),
)


def searched(chromium: Any, url: str, file: Path, width: int) -> None:
    """The page while a conversation is searched: what was found is lit, the best first."""
    import httpx

    turns = [{"speaker": who, "text": text, "session": "call"} for who, text in SAID]
    told = httpx.post(f"{url}v1/memories/{file.stem}/statements", json={"statements": turns})
    told.raise_for_status()
    page = chromium.new_page(viewport={"width": width, "height": 760})
    page.goto(f"{url}#{file.stem}")
    page.get_by_label("Search this memory").fill("Where does Ann run the marathon?")
    page.locator("#timeline mark").first.wait_for()
    page.wait_for_timeout(1500)
    page.screenshot(path=file)
    page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "images")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    chat(folder / "chat.svg")
    with browser() as chromium, tempfile.TemporaryDirectory() as scratch:
        report = (ROOT / "docs" / "results" / "stories" / "report.html").as_uri()
        shoot(chromium, report, folder / "report.png", 1000)
        site = ROOT / "site" / "index.html"
        if site.exists():
            shoot(chromium, site.as_uri(), folder / "site.png", 1300)
        with running("-m", "memnn", "serve", "--store", f"{scratch}/a.db", "--port", "0") as server:
            url = f"http://127.0.0.1:{server.port}/"
            talked(chromium, url, folder / "page.png", 1200)
            talked(chromium, url, folder / "page-dark.png", 1200, dark=True)
            talked(chromium, url, folder / "page-phone.png", 390)
            searched(chromium, url, folder / "page-search.png", 1200)


if __name__ == "__main__":
    main()
