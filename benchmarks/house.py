"""The house in numbers, for the table "Before and after" of docs/architecture.md.

python -m benchmarks.house [--before SOURCE] [--no-route] [-o docs/architecture.md]

Prints the measures of src/memnn. With -o the column "after" of that page is written anew, and with
--before, the package folder of another version, the column "before", too; a column that is not
measured stays as it is. The last measure starts a server and follows one question through it;
--no-route does without.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NamedTuple, TypeVar

SOURCE = Path(__file__).parent.parent / "src" / "memnn"
LONG = 60
QUESTIONS = 50
"""So many that what may still run after an answer was sent is missing in one of them."""
PATIENCE = 600  # seconds: a first start compiles the kernels and trains the default model
VALUES = "types/__init__.py"
"""What stands here is a value, and to ask which one it is is no question about a part."""
HEAD = "| measure | before | after |\n|---|---|---|\n"

N = TypeVar("N", bound=ast.AST)


class Module(NamedTuple):
    name: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    def nodes(self, wanted: type[N]) -> Iterator[N]:
        return (node for node in ast.walk(self.tree) if isinstance(node, wanted))


def modules(source: Path) -> list[Module]:
    found = []
    for path in sorted(source.rglob("*.py")):
        text = path.read_text()
        found.append(Module(path.relative_to(source).as_posix(), text, ast.parse(text)))
    return found


def long_functions(house: list[Module]) -> list[str]:
    """`file: name` of every function over 60 lines, its docstring counted."""
    found = []
    for module in house:
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        functions += [*module.nodes(ast.FunctionDef), *module.nodes(ast.AsyncFunctionDef)]
        for node in functions:
            if (node.end_lineno or 0) - node.lineno + 1 > LONG:
                found.append(f"{module.name}: {node.name}")
    return found


def classes(house: list[Module]) -> dict[str, list[tuple[str, ast.ClassDef]]]:
    """Every class by name, with the files that define one of that name."""
    found: dict[str, list[tuple[str, ast.ClassDef]]] = {}
    for module in house:
        for node in module.nodes(ast.ClassDef):
            found.setdefault(node.name, []).append((module.name, node))
    return found


def names_twice(house: list[Module]) -> list[str]:
    return sorted(name for name, places in classes(house).items() if len(places) > 1)


def checks_on_parts(house: list[Module]) -> list[str]:
    """`file:line: class` of every isinstance against a class of the package that is a part of it.

    Values (types/), exceptions and the meanings of the simulator are no parts.
    """
    known = classes(house)
    parts = {
        name
        for name, places in known.items()
        if not any(file == VALUES or file.startswith("simulator/") for file, _ in places)
        and not _is_exception(name, known)
    }
    found = []
    for module in house:
        if module.name.startswith("simulator/"):
            continue
        for call in module.nodes(ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == "isinstance":
                asked = sorted(set(_names(call.args[1])) & parts)
                found += [f"{module.name}:{call.lineno}: {', '.join(asked)}"] if asked else []
    return found


def _names(expression: ast.AST) -> Iterator[str]:
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _is_exception(name: str, known: dict[str, list[tuple[str, ast.ClassDef]]]) -> bool:
    if name.endswith(("Exception", "Error")):
        return True
    bases = {base for _, node in known.get(name, ()) for b in node.bases for base in _names(b)}
    return any(_is_exception(base, known) for base in bases - {name})


def route(source: Path) -> list[str]:
    """The files that a question over HTTP always passes on its way, compiled code aside."""
    environment = os.environ | {"PYTHONPATH": str(source.parent)}
    command = [sys.executable, __file__, "--follow", str(source)]
    with tempfile.TemporaryDirectory(prefix="memnn-house-") as folder:
        for how in ([], ["--watch"]):  # training and compiling, if they must be, are not watched
            done = subprocess.run(
                command + how,
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
    return list(json.loads(done.stdout.splitlines()[-1]))


def follow(source: Path, watched: bool) -> None:
    """Serve, tell, ask, and print the files that had a part in every answer after the first."""
    from memnn.cli import main

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    passed: list[set[str]] = [set()]
    watching = threading.Event()

    def watch(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if watching.is_set() and event == "call" and file.startswith(str(source)):
            passed[-1].add(Path(file).relative_to(source).as_posix())

    def client() -> None:
        url = f"http://127.0.0.1:{port}/v1/memories/main"
        _post(f"{url}/statements", "Joe went to the kitchen.")
        _post(f"{url}/questions", "Where is Joe?")  # reads the memory, which later ones need not
        for _ in range(QUESTIONS):
            watching.set()
            _post(f"{url}/questions", "Where is Joe?")
            watching.clear()
            passed.append(set())
        always = set.intersection(*passed[:-1])
        print(json.dumps(sorted(always)), flush=True)
        os._exit(0)

    threading.Thread(target=client, daemon=True).start()
    if watched:
        threading.setprofile(watch)
        sys.setprofile(watch)
    main(["serve", "--port", str(port), "--store", "house.db"])


def _post(url: str, text: str) -> None:
    from time import sleep
    from urllib.error import URLError
    from urllib.request import ProxyHandler, Request, build_opener

    body = json.dumps({"text": text}).encode()
    request = Request(url, body, {"Content-Type": "application/json"})
    direct = build_opener(ProxyHandler({}))
    for left in reversed(range(PATIENCE)):
        try:
            direct.open(request, timeout=PATIENCE).read()
            return
        except URLError:
            if not left:
                raise
            sleep(1)  # nobody is listening yet


def measures(source: Path, with_route: bool = True) -> dict[str, str]:
    house = modules(source)
    rooms = [m for m in house if not m.name.startswith("kernels/")]
    longest = max(rooms, key=lambda m: m.lines)
    kernel = max((m for m in house if m not in rooms), key=lambda m: m.lines)
    long = long_functions(house)
    kernels = sum(name.startswith("kernels/") for name in long)
    found = {
        "modules": f"{len(house)}",
        "lines": f"{sum(m.lines for m in house):,}",
        "longest module, kernels aside": f"{longest.lines} ({longest.name})",
        "longest module of kernels": f"{kernel.lines} ({kernel.name})",
        "modules over 400 lines, kernels aside": f"{sum(m.lines > 400 for m in rooms)}",
        "functions over 60 lines": f"{len(long)}, {kernels} of them kernels",
        "`isinstance` on parts": f"{len(checks_on_parts(house))}",
        "class names used twice": f"{len(names_twice(house))}",
    }
    if with_route:
        found["files that an HTTP question passes"] = f"{len(route(source))}"
    return found


def table(page: str) -> dict[str, tuple[str, str]]:
    """What the page says now."""
    rows = page.partition(HEAD)[2].partition("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {name: (before, after) for name, before, after in cells}


def write(path: Path, before: dict[str, str], after: dict[str, str]) -> None:
    page = path.read_text()
    if HEAD not in page:
        raise SystemExit(f"{path} has no table to write to; it begins with: {HEAD.splitlines()[0]}")
    old = table(page)
    rows = ""
    for name in dict.fromkeys([*after, *before, *old]):
        was, is_now = old.get(name, ("–", "–"))
        rows += f"| {name} | {before.get(name, was)} | {after.get(name, is_now)} |\n"
    start, _, rest = page.partition(HEAD)
    end = re.search(r"\n\n|\Z", rest)
    assert end is not None
    path.write_text(start + HEAD + rows.rstrip("\n") + rest[end.start() :])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--before", type=Path, help="the package folder of another version")
    parser.add_argument("--no-route", action="store_true", help="start no server")
    parser.add_argument("-o", "--output", type=Path, help="the page to write the table to")
    parser.add_argument("--follow", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--watch", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.follow:
        return follow(chosen.follow, chosen.watch)
    before = {}
    if chosen.before:
        before = measures(chosen.before.resolve(), not chosen.no_route)
    after = measures(SOURCE.resolve(), not chosen.no_route)
    for name, value in after.items():
        print(f"{name}: {value}")
    if chosen.output:
        write(chosen.output, before, after)
    return None


if __name__ == "__main__":
    main()
