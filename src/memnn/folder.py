"""Model folders: `model.json` and `weights.safetensors`, never pickle.

The folder appears whole or not at all. `model.json` names the hash of the weights, so that a
truncated or mixed-up folder is found when it is opened. Each kind of model has its own keys beside
those written here.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memnn.errors import ModelError
from memnn.paths import path_of
from memnn.version import __version__

FORMAT = 1
JSON, WEIGHTS = "model.json", "weights.safetensors"


def write_folder(
    folder: str | Path,
    about: dict[str, Any],
    weights: bytes,
    parts: Mapping[str, Callable[[Path], object]] | None = None,
) -> Path:
    """Write the folder beside its place, then move it there; whatever happens, one is there.

    `parts` are models inside the model: each writes the folder that it is given.
    """
    place = check_place(folder)
    about = {"format": FORMAT, "id": hash_of(weights), "memnn": __version__, **about}
    # File names in the card may be no UTF-8; the escape of a byte that is none is JSON, too.
    text = (json.dumps(about, ensure_ascii=False, indent=1) + "\n").encode(
        errors="backslashreplace"
    )
    new = old = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".memnn-", dir=place.parent))
        old = new.with_name(f"{new.name}.old")
        for name, write in (parts or {}).items():
            write(new / name)
        _write(new / WEIGHTS, weights)
        _write(new / JSON, text)
        new.chmod(0o755)
        with _lock(place.parent, fcntl.LOCK_EX):
            _swap(new, place, old)
    except OSError as error:
        raise ModelError(f"cannot write {folder}: {error.strerror}") from None
    finally:
        if new is not None:
            shutil.rmtree(new, ignore_errors=True)
        if old is not None and place.exists():
            shutil.rmtree(old, ignore_errors=True)
    return Path(folder)


def _swap(new: Path, place: Path, old: Path) -> None:
    try:
        if place.exists():
            os.replace(place, old)
        os.replace(new, place)
    except BaseException:  # Ctrl-C, too
        if old.exists() and not place.exists():
            os.replace(old, place)
        raise


@contextmanager
def _lock(parent: Path, how: int) -> Iterator[None]:
    """Saving and loading wait for each other. The lock is on the folder around the model's, so
    that no file is left behind; where there are no locks (some network drives) nobody waits."""
    file = None
    try:
        with suppress(OSError):
            file = os.open(parent, os.O_RDONLY)
            fcntl.flock(file, how)
        yield
    finally:
        if file is not None:
            os.close(file)


def check_place(folder: str | Path) -> Path:
    """Where a model is going to be written, links followed; called before training, too.

    Refuses what is no model, and a place that cannot be written.
    """
    place = Path(os.path.realpath(path_of(folder)))
    if Path.cwd().is_relative_to(place):
        raise ModelError(f"{folder} is the folder you are in; name one for the model")
    try:
        above = next(path for path in place.parents if path.exists())
        with _lock(above, fcntl.LOCK_SH):
            if os.path.lexists(place) and not _may_be_replaced(place):
                raise ModelError(f"{folder} exists and is not just a model; choose another place")
        trial = Path(tempfile.mkdtemp(prefix=".memnn-", dir=above))
        try:
            (trial / place.relative_to(above)).mkdir(parents=True)
        finally:
            shutil.rmtree(trial, ignore_errors=True)
    except OSError as error:
        raise ModelError(f"cannot write {folder}: {error.strerror}") from None
    return place


def _may_be_replaced(place: Path) -> bool:
    """An empty folder, or a model's files (and models inside it) and no other."""
    inside = list(place.iterdir()) if place.is_dir() else [place]
    if not inside:
        return True
    names = {path.name for path in inside if not (path.parent == place and path.is_dir())}
    models = [path for path in inside if path.name not in names]
    if not all(any(path.iterdir()) and _may_be_replaced(path) for path in models):
        return False
    try:
        about = json.loads((place / JSON).read_bytes()) if names <= {JSON, WEIGHTS} else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(about, dict) and type(about.get("format")) is int and "kind" in about


def read_folder(folder: str | Path, kind: str, maker: str) -> tuple[dict[str, Any], bytes]:
    """What the files of a model hold, if they belong together and this version can read them."""
    path = path_of(folder)
    try:
        with _lock(Path(os.path.realpath(path)).parent, fcntl.LOCK_SH):
            about = _about(path, maker)
            if about.get("kind") != kind:
                raise ModelError(
                    f"{folder} is a model of kind '{about.get('kind')}', and one of kind '{kind}' "
                    "is needed here"
                )
            return about, _weights(path, about)
    except OSError as error:
        raise ModelError(f"cannot read {folder}: {error.strerror}") from None


def kind_of(folder: str | Path) -> str:
    """The kind of model in a folder."""
    path = path_of(folder)
    try:
        return str(_about(path, "memnn train FILE").get("kind"))
    except OSError as error:
        raise ModelError(f"cannot read {folder}: {error.strerror}") from None


def _about(folder: Path, maker: str) -> dict[str, Any]:
    if not folder.exists():
        raise ModelError(f"there is no model at {folder}; make one with: {maker} -o {folder}")
    if not (folder / JSON).is_file():
        raise ModelError(f"{folder} is not a model: it has no {JSON}")
    try:
        about = json.loads((folder / JSON).read_bytes())
        if not isinstance(about, dict):
            raise ValueError
    except (ValueError, RecursionError):
        raise ModelError(f"{folder} is damaged: {JSON} is not whole; train it again") from None
    version = about.get("format")
    if type(version) is not int or version < 1:
        raise ModelError(f"{folder} is not a memnn model: {JSON} has no format version")
    if version > FORMAT:
        raise ModelError(
            f"{folder} has format {version} and memnn {__version__} reads up to {FORMAT}; "
            "install a newer memnn"
        )
    return about


def _weights(folder: Path, about: dict[str, Any]) -> bytes:
    try:
        weights = (folder / WEIGHTS).read_bytes()
    except OSError:
        raise ModelError(f"{folder} is damaged: {WEIGHTS} cannot be read; train it again") from None
    if hash_of(weights) != about.get("id"):
        raise ModelError(f"{folder} is damaged: {WEIGHTS} is not what {JSON} names; train it again")
    return weights


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def hash_of(weights: bytes) -> str:
    return hashlib.sha256(weights).hexdigest()[:32]
