"""The house in numbers: what is counted, and how the table of the page is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import house

FILES = {
    "types/__init__.py": "class Slot: ...\nclass Said: ...\n",
    "errors.py": "class Wrong(Exception): ...\nclass VeryWrong(Wrong): ...\n",
    "memory/ram.py": "class Ram: ...\nclass Said: ...\n",
    "simulator/actions.py": "class Go: ...\ndef f(x): return isinstance(x, Go)\n",
    "network.py": "def f(x):\n"
    + "    isinstance(x, Slot), isinstance(x, int), isinstance(x, VeryWrong)\n"
    + "    return isinstance(x, memory.Ram | Slot)\n",
    "kernels/train.py": "def k():\n" + "    pass\n" * 60,
    "long.py": "async def f():\n" + "    pass\n" * 60 + "def g():\n" + "    pass\n" * 59,
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_is_counted(source):
    found = house.modules(source)
    assert house.checks_on_parts(found) == ["network.py:3: Ram"]
    assert house.names_twice(found) == ["Said"]
    assert house.long_functions(found) == ["kernels/train.py: k", "long.py: f"]


def test_one_column_is_written_and_the_other_stays(source, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Text.\n\n{house.HEAD}| lines | 7 | 8 |\n| old | 1 | 2 |\n\nMore text.\n")
    house.write(page, {}, house.measures(source, with_route=False))
    after = house.table(page.read_text())
    assert after["lines"] == ("7", f"{sum(len(t.splitlines()) for t in FILES.values())}")
    assert after["`isinstance` on parts"] == ("–", "1")
    assert after["old"] == ("1", "2")
    assert page.read_text().endswith("\n\nMore text.\n")
    page.write_text("no table")
    with pytest.raises(SystemExit, match="no table to write to"):
        house.write(page, {}, {})
