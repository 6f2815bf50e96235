"""`memnn doctor`: what is installed here, what is cached, and whether a store is well."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from memnn.cli import screen
from memnn.cli.options import Json

PACKAGES = (
    "numpy",
    "numba",
    "faiss-cpu",
    "fastapi",
    "uvicorn",
    "safetensors",
    "simplemma",
    "typer",
)
EXTRAS = {"mcp": "mcp", "milvus": "pymilvus", "plots": "matplotlib", "recurrent": "torch"}
"""What `pip install 'memnn[EXTRA]'` brings."""


def doctor(
    store: Annotated[
        str | None,
        typer.Option(help="A store to look at.", show_default="the diary of chat, if there is one"),
    ] = None,
    json: Json = False,
) -> None:
    """Say what is installed, what is cached and whether the store is well; 1 if something is not.

    Example: memnn doctor --store diary.db
    """
    found: dict[str, Any] = {
        "versions": _versions(),
        "extras": {name: find_spec(package) is not None for name, package in EXTRAS.items()},
        "caches": _caches(),
        "models": _models(),
        "store": _store(store),
    }
    problems = [
        *found["caches"].pop("problems"),
        *found["models"].pop("problems"),
        *found["store"].get("problems", ()),
    ]
    if json:
        screen.print_json(found | {"ok": not problems, "problems": problems})
    else:
        _show(found, problems)
    if problems:
        raise typer.Exit(1)


def _versions() -> dict[str, str]:
    from memnn.version import __version__

    found = {
        "memnn": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    return found


def _caches() -> dict[str, Any]:
    """Where kernels and history are kept, and whether that can be written."""
    from platformdirs import user_cache_path, user_config_path

    from memnn.kernels import facts_warm_up, story_warm_up
    from memnn.kernels.jit import cache_folder
    from memnn.paths import private_folder

    problems = []
    try:
        private_folder(user_cache_path("memnn"))
    except OSError as error:
        problems.append(f"the cache {error.filename} cannot be written: {error.strerror}")
    folder = cache_folder()
    return {
        "folder": str(user_cache_path("memnn")),
        "bytes": _bytes(user_cache_path("memnn")),
        "settings": str(user_config_path("memnn")),
        "kernels": str(folder),
        "compiled": story_warm_up.compiled() and facts_warm_up.compiled(),
        "problems": problems,
    }


def _models() -> dict[str, Any]:
    """The models that come with the package: where they are, and whether they can be read."""
    from memnn import default
    from memnn.errors import ModelError

    try:
        default.ensemble()
    except ModelError as error:
        return {"default": str(default.folder()), "problems": [str(error)]}
    return {"default": str(default.folder()), "problems": []}


def _store(where: str | None) -> dict[str, Any]:
    """What a store holds, and what is wrong with it."""
    from memnn.cli.diary import RAM, settled
    from memnn.errors import MemnnError
    from memnn.memory import open_store
    from memnn.memory.address import verify

    place = where or settled() or RAM
    if place == RAM or (where is None and not Path(place).exists()):
        return {"address": None}
    try:
        with open_store(place, create=False) as store:
            sizes, size = store.sizes(), store.size()
        unread = [name for name, held in sizes.items() if held is None]
        problems = [f"the memory '{name}' cannot be read" for name in unread]
        if "://" not in place:
            problems = verify(place).problems
    except MemnnError as error:
        return {"address": place, "problems": [str(error)]}
    return {"address": place, "memories": sizes, "bytes": size, "problems": problems}


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _show(found: dict[str, Any], problems: list[str]) -> None:
    versions, caches, models, store = (found[k] for k in ("versions", "caches", "models", "store"))
    have = [name for name, there in found["extras"].items() if there]
    lack = [name for name, there in found["extras"].items() if not there]
    rows = [
        ("memnn", f"{versions['memnn']}, Python {versions['python']}, {versions['system']}"),
        ("packages", ", ".join(f"{name} {versions[name]}" for name in PACKAGES)),
        ("extras", f"{', '.join(have) or 'none'}; not installed: {', '.join(lack) or 'none'}"),
        ("cache", f"{caches['folder']}, {caches['bytes']:,} bytes"),
        (
            "kernels",
            "compiled" if caches["compiled"] else "are compiled on first use, in 10 to 60 seconds",
        ),
        ("models", f"come with memnn, in {models['default']}"),
    ]
    if store["address"] is None:
        rows.append(("store", "none named, and chat keeps no diary"))
    else:
        held = sum(held or 0 for held in store.get("memories", {}).values())
        names = len(store.get("memories", {}))
        what = f"{screen.count(held, 'statement')} in {screen.count(names, 'memory')}"
        rows.append(("store", f"{store['address']}: {what}"))
    rows.append(("terminal", "yes" if sys.stdin.isatty() else "no: nothing is asked"))
    for name, value in rows:
        screen.out.print(Text.assemble((f"{name:<10}", "bold"), value))
    for problem in problems:
        screen.out.print(Text(f"problem: {problem}", style="red"))
    screen.out.print(Text("all is well" if not problems else "see above", style="dim"))
