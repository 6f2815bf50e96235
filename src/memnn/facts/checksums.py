"""The checksums of an index: a question compares the blocks that it reads, each once a process.

`checksums.u32` holds the CRC-32 of every 4,096 bytes of every file, in the order of the sizes in
`index.json`, which has a checksum of `checksums.u32` and one of its own. So opening millions of
facts stays quick, and no answer comes from bytes that are not those that were written. Indices of
older versions have no checksums; of those the pointers are checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memnn.errors import DamagedStore
from memnn.kernels.facts_blocks import SHIFT, facts_done, words_done
from memnn.kernels.facts_packed import Facts, Postings
from memnn.paths import read_file

SUMS = "checksums.u32"
BLOCK = 1 << SHIFT
AT_ONCE = 4 * 2**20
"""An index of so many bytes is compared when it is opened: about a thousandth of a second."""
Places = NDArray[np.int32]


class Checks(Protocol):
    """What is about to be read of an index; an error if it is not what was written."""

    def facts(self, places: Places) -> None: ...

    def words(self, rows: NDArray[np.int64]) -> None: ...

    def text(self, place: int) -> None: ...

    def whole(self, *names: str) -> None: ...


class Trusted:
    """Facts that were read into memory by this process, or have no checksums."""

    def facts(self, places: Places) -> None:
        return

    def words(self, rows: NDArray[np.int64]) -> None:
        return

    def text(self, place: int) -> None:
        return

    def whole(self, *names: str) -> None:
        return


TRUSTED = Trusted()


class File:
    """The blocks of one file: which were compared, and which are not what was written."""

    def __init__(self, name: str, data: NDArray[Any], sums: NDArray[np.uint32]) -> None:
        self.name = name
        self.done: NDArray[np.bool_] = np.zeros(len(sums), np.bool_)
        self._sums = sums
        self._data = data.view(np.uint8).data
        self._whole = False

    def bad(self, blocks: Iterable[int] | None = None) -> int | None:
        """The first of these blocks, or of all, that was changed."""
        every = blocks is None
        if self._whole:
            return None
        crc32, data, sums = zlib.crc32, self._data, self._sums
        for block in np.flatnonzero(~self.done).tolist() if blocks is None else blocks:
            if crc32(data[block * BLOCK : (block + 1) * BLOCK]) != sums[block]:
                return int(block)
            self.done[block] = True
        self._whole = every
        return None

    def around(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> list[int]:
        """The blocks of the bytes first..last-1, of several such stretches, not compared yet."""
        most = len(self.done) - 1
        a, b = first >> SHIFT, np.minimum((last - 1) >> SHIFT, most)
        ends = np.concatenate([a, b])
        long = np.flatnonzero(b - a > 1).tolist()
        within = [np.arange(a[i] + 1, b[i]) for i in long]
        blocks = np.unique(np.concatenate([ends, *within]))
        blocks = blocks[(blocks >= 0) & (blocks <= most)]
        left: list[int] = blocks[~self.done[blocks]].tolist()
        return left


class Compared:
    """The files of an index and their checksums."""

    def __init__(
        self,
        folder: Path,
        files: Mapping[str, File],
        facts: Facts,
        postings: Postings,
        text_ptr: NDArray[np.int64],
    ) -> None:
        self._folder, self._files = folder, files
        self._ptr, self._post_ptr, self._text_ptr = facts.ptr, postings.ptr, text_ptr
        self._all = False
        self._flags = tuple(files[n].done for n in ("ptr.i64", "scale.f32", "entries.u32"))

    def facts(self, places: Places) -> None:
        if not facts_done(places, self._ptr, *self._flags):
            f = places[(places >= 0) & (places < len(self._ptr) - 1)].astype(np.int64)
            self._bytes("ptr.i64", 8 * f, 8 * f + 16)
            self._bytes("scale.f32", 4 * f, 4 * f + 4)
            self._bytes("entries.u32", 4 * self._ptr[f], 4 * self._ptr[f + 1])

    def words(self, rows: NDArray[np.int64]) -> None:
        ptr = self._post_ptr
        if not words_done(rows, ptr, self._files["postings.i32"].done):
            self._bytes("postings.i32", 4 * ptr[rows], 4 * ptr[rows + 1])

    def text(self, place: int) -> None:
        if not self._all:
            self._stretch("text-ptr.i64", 8 * place, 8 * place + 16)
            self._stretch("text.u8", *self._text_ptr[place : place + 2].tolist())

    def whole(self, *names: str) -> None:
        """Every block of these files, or of all."""
        for name in names or self._files:
            self._raise(name, self._files[name].bad())
        self._all = self._all or not names

    def _bytes(self, name: str, first: NDArray[np.int64], last: NDArray[np.int64]) -> None:
        file = self._files[name]
        self._raise(name, file.bad(file.around(first, last)))

    def _stretch(self, name: str, first: int, last: int) -> None:
        """The same for one stretch, mostly compared before."""
        if not self._files[name].done[first >> SHIFT : ((last - 1) >> SHIFT) + 1].all():
            self._bytes(name, np.array([first]), np.array([last]))

    def _raise(self, name: str, block: int | None) -> None:
        if block is not None:
            raise changed(self._folder, name)


def changed(folder: Path, name: str) -> DamagedStore:
    return DamagedStore(
        f"{folder} is damaged: {name} was changed on disk; build it again (memnn facts index), "
        "or use a backup"
    )


# On disk


def write_sums(folder: Path, names: Iterable[str]) -> dict[str, Any]:
    """Write the checksums of these files; what `index.json` must say of them."""
    sizes, sums = {}, []
    for name in names:
        sizes[name] = (folder / name).stat().st_size
        with open(folder / name, "rb") as file:
            while part := memoryview(file.read(256 * BLOCK)):
                sums += [zlib.crc32(part[i : i + BLOCK]) for i in range(0, len(part), BLOCK)]
    data = np.array(sums, np.uint32).tobytes()
    with open(folder / SUMS, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    return {"bytes": sizes, "checksums": hashlib.blake2b(data, digest_size=16).hexdigest()}


def signed(about: dict[str, Any]) -> dict[str, Any]:
    """`index.json` with a checksum of its own."""
    return {**about, "checksum": _signature(about)}


def is_signed(about: dict[str, Any]) -> bool:
    """Whether `index.json` has a checksum; a ValueError if it does not fit."""
    if "checksum" not in about and "checksums" not in about:
        return False  # an older memnn wrote it
    said = {name: value for name, value in about.items() if name != "checksum"}
    if about.get("checksum") != _signature(said):
        raise ValueError("it was changed")
    return True


def _signature(about: dict[str, Any]) -> str:
    text = json.dumps(about, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def read_sums(
    folder: Path, about: dict[str, Any], names: Collection[str]
) -> dict[str, NDArray[np.uint32]]:
    """The checksums of these files, whose sizes are compared; a ValueError if they are not ours.

    Other files are those that earlier versions had: nothing reads them.
    """
    data = read_file(folder / SUMS)
    if hashlib.blake2b(data, digest_size=16).hexdigest() != about["checksums"]:
        raise ValueError(f"{SUMS} was changed")
    sums, found = np.frombuffer(data, np.uint32), {}
    for name, size in about["bytes"].items():
        blocks = -(-size // BLOCK)
        its, sums = sums[:blocks], sums[blocks:]
        if len(its) != blocks:
            raise ValueError(f"{SUMS} is too short")
        if name not in names:
            continue
        there = (folder / name).stat().st_size
        if there != size:
            raise ValueError(f"{name} has {there:,} bytes instead of {size:,}")
        found[name] = its
    return found
