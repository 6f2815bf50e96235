"""Imports run one way, and the project speaks of itself alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "memnn"

# Each part may import the parts before it, and itself.
LAYERS = [
    {"version", "types"},
    {"errors", "as_json"},
    {"paths", "layout", "kernels", "simulator"},
    {"text"},
    {"memory"},
    {"folder", "settings", "components"},
    {"generalization"},
    {"network"},
    {"stories", "facts", "testing"},
    {"dialogue"},
    {"loading"},
    {"default"},
    {"paper"},
    {"server"},
    {"cli"},
]
KNOWS_ONLY = {"simulator": {"types", "errors", "simulator"}, "kernels": {"kernels"}}


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


def test_every_part_has_a_layer():
    assert {name for name, _ in modules()} == set().union(*LAYERS)


def test_imports_run_one_way():
    level = {name: i for i, layer in enumerate(LAYERS) for name in layer}
    for name, path in modules():
        for other in imports(path):
            allowed = level[other] < level[name] or other == name
            assert allowed, f"{path.name} ({name}) imports {other}"


def test_some_parts_know_little():
    for name, path in modules():
        if name in KNOWS_ONLY:
            assert set(imports(path)) <= KNOWS_ONLY[name], path


def test_only_the_kernels_know_numba():
    for name, path in modules():
        if name != "kernels":
            assert not re.search(r"\b(import|from) numba", path.read_text()), path


def test_pickle_is_never_used():
    for _, path in modules():
        assert "pickle" not in path.read_text().replace("never pickle", ""), path
