"""Model folders: `model.json` and `weights.safetensors`, never pickle.

The folder appears whole or not at all. `model.json` names the hash of the weights, so that a
truncated or mixed-up folder is found when it is opened. Each kind of model has its own keys beside
those written here.

A new folder is written beside its place under a hidden name. Two moves put it there: the old one
goes to a hidden name, the new one to the place. Savers take turns. A reader takes no lock; what
does not fit because a model was swapped meanwhile is read again, and a model that a killed process
left between the two moves is put back.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

from memnn.errors import MemnnError, ModelError
from memnn.locks import exclusive
from memnn.paths import path_of, read_file
from memnn.version import __version__

FIRST_FORMAT, FORMAT = 1, 2
"""What most kinds of model are written as, and the newest that is read."""
JSON, WEIGHTS = "model.json", "weights.safetensors"
OLD = ".old"
PATIENCE = 10.0
"""Seconds to wait for another saver; the two moves are safe without a lock, too."""
ATTEMPTS = 6
"""How often a reader or a saver tries again when others keep getting in the way."""
DAY = 86_400.0
STRANGE = (
    KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError, RecursionError,
    MemoryError, MemnnError,
)  # fmt: skip
"""What files that no memnn wrote may raise while a model is made of them."""

T = TypeVar("T")


def as_json(value: Any, depth: int = 1) -> str:
    """An entry a line, lists in one: thousands of words take half the room so."""
    if not (isinstance(value, dict) and value):
        return json.dumps(value, ensure_ascii=False)
    lines = (
        f"{' ' * depth}{json.dumps(str(key), ensure_ascii=False)}: {as_json(each, depth + 1)}"
        for key, each in value.items()
    )
    return "{\n" + ",\n".join(lines) + f"\n{' ' * (depth - 1)}}}"


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
    about = {"format": FIRST_FORMAT, "id": hash_of(weights), "memnn": __version__, **about}
    # File names in the card may be no UTF-8; the escape of a byte that is none is JSON, too.
    text = (as_json(about) + "\n").encode(errors="backslashreplace")
    new = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=_hidden(place, "-"), dir=place.parent))
        for name, write in (parts or {}).items():
            write(new / name)
        _write(new / WEIGHTS, weights)
        _write(new / JSON, text)
        new.chmod(0o755)
        with _turn(place):
            try:
                _swap(new, place)
            finally:
                _tidy(place)
    except OSError as error:
        raise ModelError(f"cannot write {folder}: {error.strerror}") from None
    finally:
        if new is not None:
            shutil.rmtree(new, ignore_errors=True)
    return Path(folder)


# Swapping


def _hidden(place: Path, end: str) -> str:
    """A name beside a model that says whose it is; the model's own may be as long as names get."""
    return f".memnn-{hashlib.sha256(os.fsencode(place.name)).hexdigest()[:16]}{end}"


@contextmanager
def _turn(place: Path) -> Iterator[None]:
    """Nobody else swaps the model meanwhile, or has been at it for longer than makes sense."""
    with ExitStack() as held:
        with suppress(TimeoutError):
            held.enter_context(exclusive(place.parent / _hidden(place, ".lock"), PATIENCE))
        yield


def _swap(new: Path, place: Path) -> None:
    old = new.with_name(new.name + OLD)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with suppress(FileNotFoundError):
                os.replace(place, old)
            os.replace(new, place)
            return
        except BaseException as error:  # Ctrl-C, too
            if old.exists() and not place.exists():
                os.replace(old, place)
            if not _in_the_way(error) or attempt == ATTEMPTS:
                raise
        shutil.rmtree(old, ignore_errors=True)
        time.sleep(0.01 * attempt)


def _in_the_way(error: BaseException) -> bool:
    """Where no lock could be had, another saver came between the moves; on Windows a reader's open
    file keeps a folder where it is."""
    return isinstance(error, OSError) and (
        error.errno in (errno.ENOTEMPTY, errno.EEXIST)
        or (os.name == "nt" and error.errno == errno.EACCES)
    )


def _replaced(place: Path) -> list[Path]:
    """Models that were moved out of the way and are still there."""
    return list(place.parent.glob(_hidden(place, f"-*{OLD}")))


def _tidy(place: Path) -> None:
    """Remove what was replaced, now and by savers that were killed, once a model is there."""
    if not place.exists():
        return
    with suppress(OSError):
        for path in place.parent.glob(_hidden(place, "-*")):
            # Others may be writing theirs, but nobody does so for a day.
            if path.name.endswith(OLD) or path.stat().st_mtime < time.time() - DAY:
                shutil.rmtree(path, ignore_errors=True)


def _restore(place: Path) -> None:
    """Put back the model that a killed saver had moved away."""
    with suppress(OSError):
        if not place.exists() and (left := _replaced(place)):
            os.replace(max(left, key=lambda path: path.stat().st_ctime_ns), place)


def _stamp(place: Path) -> tuple[int, ...] | None:
    """Which folder is at this place."""
    try:
        found = place.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns


def steadily(folder: str | Path, read: Callable[[], T]) -> T:
    """What `read` makes of a folder, read again if a model was being swapped meanwhile."""
    place = Path(os.path.realpath(path_of(folder)))
    for attempt in range(1, ATTEMPTS):
        before = _stamp(place)
        try:
            with nullcontext() if attempt == 1 else _turn(place):
                if attempt > 1:
                    _restore(place)
                return read()
        except (ModelError, OSError):
            swapped = _stamp(place) != before or (before is None and _replaced(place))
            if not swapped:
                raise
        time.sleep(0.01 * (attempt - 1))  # without a lock there is nothing else to wait for
    return read()


def check_place(folder: str | Path) -> Path:
    """Where a model is going to be written, links followed; called before training, too.

    Refuses what is no model, and a place that cannot be written.
    """
    place = Path(os.path.realpath(path_of(folder)))
    if Path.cwd().is_relative_to(place):
        raise ModelError(f"{folder} is the folder you are in; name another one for the model")
    try:
        above = next(path for path in place.parents if path.exists())
        steadily(place, lambda: _check_replaceable(place, folder))
        trial = Path(tempfile.mkdtemp(prefix=".memnn-", dir=above))
        try:
            (trial / place.relative_to(above)).mkdir(parents=True)
        finally:
            shutil.rmtree(trial, ignore_errors=True)
    except OSError as error:
        raise ModelError(f"cannot write {folder}: {error.strerror}") from None
    return place


def _check_replaceable(place: Path, folder: str | Path) -> None:
    if os.path.lexists(place) and not _may_be_replaced(place):
        raise ModelError(f"{folder} exists and is not just a model; choose another place")


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
        about = json.loads(read_file(place / JSON)) if names <= {JSON, WEIGHTS} else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(about, dict) and type(about.get("format")) is int and "kind" in about


def read_folder(folder: str | Path, kind: str, maker: str) -> tuple[dict[str, Any], bytes]:
    """What the files of a model hold, if they belong together and this version can read them."""
    path = path_of(folder)

    def read() -> tuple[dict[str, Any], bytes]:
        about = _about(path, maker)
        if about.get("kind") != kind:
            raise ModelError(
                f"{folder} is a model of kind '{about.get('kind')}', but kind '{kind}' "
                "is needed here"
            )
        return about, _weights(path, about)

    try:
        return steadily(path, read)
    except OSError as error:
        raise ModelError(f"cannot read {folder}: {error.strerror}") from None


@contextmanager
def saying_damage(folder: str | Path) -> Iterator[None]:
    """Around making a model of what its files hold: what does not fit is one line."""
    from safetensors import SafetensorError

    try:
        yield
    except (*STRANGE, SafetensorError) as error:
        what = error if isinstance(error, MemnnError | ValueError) else f"missing or wrong {error}"
        line = " ".join(str(what).split())
        raise ModelError(f"{folder} is damaged: {line}; train it again") from None


def kind_of(folder: str | Path) -> str:
    """The kind of model in a folder."""
    path = path_of(folder)
    try:
        return str(steadily(path, lambda: _about(path, "memnn train FILE")).get("kind"))
    except OSError as error:
        raise ModelError(f"cannot read {folder}: {error.strerror}") from None


def _about(folder: Path, maker: str) -> dict[str, Any]:
    if not folder.exists():
        raise ModelError(f"there is no model at {folder}; make one with: {maker} -o {folder}")
    if not (folder / JSON).is_file():
        raise ModelError(f"{folder} is not a model: it has no {JSON}")
    try:
        about = json.loads(read_file(folder / JSON))
        if not isinstance(about, dict):
            raise ValueError
    except (ValueError, RecursionError, MemoryError):
        raise ModelError(f"{folder} is damaged: {JSON} is broken; train it again") from None
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
        weights = read_file(folder / WEIGHTS)
    except (OSError, MemoryError):
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
