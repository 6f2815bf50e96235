"""Imports run one way, and the project speaks of itself alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from benchmarks import house
from memnn.loading import ROOMS

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "memnn"
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def floors() -> list[set[str]]:
    """The drawing in docs/architecture.md, from the ground up: a room may use those below it."""
    drawing = re.search(r"^┌─+┐\n(.*?)^└─+┘", PAGE, re.MULTILINE | re.DOTALL)
    assert drawing, "docs/architecture.md has no drawing of the house"
    rows = re.findall(r"^│(.*)│$", drawing[1], re.MULTILINE)
    return [set(row.replace(" ", "").split("·")) for row in reversed(rows)]


def knows_only() -> dict[str, set[str]]:
    """The table of rooms that know less than their floor allows."""
    table = PAGE.partition("| room | knows only |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [re.findall(r"`(\w+)`", row) for row in table.splitlines()]
    return {room: {room, *known} for room, *known in rows}


def part(name: str) -> str:
    return name.removeprefix("memnn").removeprefix(".").split(".")[0] or "memnn"


def imports(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memnn"):
            if node.module == "memnn":
                yield from (alias.name for alias in node.names)
            else:
                yield part(node.module)
        elif isinstance(node, ast.Import):
            yield from (part(a.name) for a in node.names if a.name.startswith("memnn"))


def modules():
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        name = place.parts[0].removesuffix(".py")
        if name not in ("__init__", "__main__"):
            yield name, path


def used() -> dict[str, dict[str, str]]:
    """For every part the parts it imports, each with a file that does."""
    found: dict[str, dict[str, str]] = {}
    for name, path in modules():
        others = found.setdefault(name, {})
        for other in set(imports(path)) - {name}:
            others.setdefault(other, str(path.relative_to(SOURCE)))
    for room in ROOMS.values():  # imported by name, when a model is of that kind
        found["loading"].setdefault(room, "loading.py")
    return found


LEVEL = {room: level for level, floor in enumerate(floors()) for room in floor}


def test_the_drawing_shows_every_room_once():
    assert {name for name, _ in modules()} == set(LEVEL)
    assert len(LEVEL) == sum(map(len, floors()))


def test_the_readme_shows_every_folder():
    tree = (ROOT / "README.md").read_text().partition("\nsrc/memnn/\n")[2].partition("```")[0]
    folders = {file.parent.name for file in SOURCE.glob("*/__init__.py")}
    assert set(re.findall(r"^  (\w+)/ ", tree, re.MULTILINE)) == folders


def test_imports_run_down_the_stairs():
    for name, others in used().items():
        for other, file in others.items():
            assert LEVEL[other] < LEVEL[name], f"{file} imports {other}, which is not below {name}"


def test_every_room_stands_directly_above_what_it_uses():
    """Were it drawn higher, the drawing would say that it uses more than it does."""
    for name, others in used().items():
        lowest = max((LEVEL[other] + 1 for other in others), default=0)
        assert LEVEL[name] == lowest, f"{name} belongs on floor {lowest}, not {LEVEL[name]}"


def test_some_rooms_know_little():
    known = knows_only()
    assert {"kernels", "simulator"} <= set(known)
    for name, others in used().items():
        assert set(others) <= known.get(name, set(others)), name


def test_the_page_names_real_files():
    names = re.findall(r"`([\w/]+\.py)`", PAGE)
    assert len(names) > 30
    for name in names:
        assert any((place / name).exists() for place in (SOURCE, ROOT)), name


def test_the_house_stays_tidy():
    """Each of these may fall, and never rise; benchmarks/house.py says what they count."""
    found = house.modules(SOURCE)
    rooms = [module for module in found if not module.name.startswith("kernels/")]
    assert [module.name for module in found if module.lines > 400] == []
    assert len(house.long_functions(rooms)) <= 1
    assert len(house.checks_on_parts(found)) <= 1
    assert house.names_twice(found) == []


def test_only_the_kernels_know_numba():
    for name, path in modules():
        if name != "kernels":
            assert not re.search(r"\b(import|from) numba", path.read_text()), path


def test_pickle_is_never_used():
    for _, path in modules():
        assert "pickle" not in path.read_text().replace("never pickle", ""), path


UNIX = {"fcntl", "grp", "pwd", "resource", "termios", "tty"}


def test_nothing_needs_unix_to_be_imported():
    """Modules that Windows has not may only be imported where they are used."""
    for _, path in modules():
        for node in ast.parse(path.read_text()).body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert not UNIX & set(names), path
