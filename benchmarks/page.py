"""The page with 100,000 facts in a real browser: what it draws, and how long frames take.

    python -m benchmarks.page -o docs/results/page/page.json

A store is filled, served, and scrolled upwards, while the browser notes how many rows there are,
the time between frames, and the processor time of its main thread for each. The time between frames
depends on who else uses the machine; the processor time hardly does, and must stay under 16 ms for
sixty frames a second.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.http_client import running

SPEEDS = {"at rest": 0, "scrolled": 120, "flung": 4000}
"""Pixels a frame."""
FRAMES = 200
FRAME = "ProxyMain::BeginMainFrame"
"""What the browser calls all that the page's thread does for a frame."""
SCROLL = """async ([steps, by]) => {
  const box = document.getElementById("memory-scroll");
  const frames = [], rows = [];
  let last = performance.now();
  for (let i = 0; i < steps; i++) {
    if (by) box.scrollTop -= by;
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
    rows.push(document.querySelectorAll("#timeline > li").length);
  }
  return { frames, rows };
}"""


def measure(size: int, browser_path: str) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    from memnn.memory import open_memory

    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "facts.db")
        memory = open_memory(store)
        memory.write_many(f"Note {i}: the parcel for room {i % 97} was put on shelf {i % 31}."
                          for i in range(size))  # fmt: skip
        memory.close()
        with (
            running("-m", "memnn", "serve", "--port", "0", "--store", store) as server,
            sync_playwright() as playwright,
        ):
            chromium = playwright.chromium.launch(
                executable_path=browser_path, args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            start = perf_counter()
            page.goto(f"http://127.0.0.1:{server.port}/")
            page.locator("#timeline .slot:not(.blank)").first.wait_for(timeout=120_000)
            opened = perf_counter() - start
            found = {
                name: scrolled(chromium, page, Path(folder) / "trace.json", by)
                for name, by in SPEEDS.items()
            }
            nodes = page.evaluate("document.querySelectorAll('*').length")
            chromium.close()
    return {
        "facts": size, "seconds until drawn": round(opened, 2), "nodes of the page": nodes, **found
    }  # fmt: skip


def scrolled(chromium: Any, page: Any, file: Path, by: int) -> dict[str, Any]:
    """What scrolling by so many pixels a frame costs."""
    chromium.start_tracing(page=page, path=str(file), categories=["devtools.timeline", "cc"])
    seen = page.evaluate(SCROLL, [FRAMES, by])
    chromium.stop_tracing()
    events = json.loads(file.read_text())["traceEvents"]
    frames = [e["tdur"] / 1e3 for e in events if e["name"] == FRAME and "tdur" in e]
    return {
        "rows at most": max(seen["rows"]), "ms between frames": figures(seen["frames"]),
        "processor ms of a frame": figures(frames),
    }  # fmt: skip


def figures(times: list[float]) -> dict[str, float]:
    cut = statistics.quantiles(times, n=100)
    return {
        "median": round(statistics.median(times), 1), "p95": round(cut[94], 1),
        "most": round(max(times), 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        parser.error("there is no chromium here")
    found = measure(given.size, path)
    text = json.dumps(found, indent=2) + "\n"
    print(text, end="")
    if given.output is not None:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        given.output.write_text(text)


if __name__ == "__main__":
    main()
