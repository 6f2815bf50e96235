"""The documentation as a site: it builds without a warning, and asks nobody for anything."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("zensical")
pytest.importorskip("mkdocstrings_handlers.python")

ROOT = Path(__file__).parent.parent.parent
ELSEWHERE = re.compile(r"""<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    (folder / "src").symlink_to(ROOT / "src")
    built = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


def test_every_page_is_there_and_found(site):
    pages = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").glob("*.md")}
    assert not [page for page in pages if not (site / page).with_suffix(".html").exists()]
    assert "umbrella" in (site / "search.json").read_text()


def test_nothing_comes_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    assert not [page for page in pages if ELSEWHERE.search(page.read_text())]


def test_the_reference_is_made_from_the_code(site):
    shown = (site / "reference.html").read_text()
    for name in ("memnn.open", "memnn.Ensemble.ask", "memnn.Answer", "memnn.testing.check_memory"):
        assert f'id="{name}"' in shown, name
    assert "&gt;&gt;&gt;&gt;" not in shown
