"""Building an index of facts, in stages; a build that was stopped goes on where it stopped.

Facts are read in chunks, and a chunk counts once `progress.json` says so. `index.json` is written
last.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, MemoryStoreError
from memnn.facts.bags import ROLE, Words
from memnn.facts.checksums import SUMS, is_signed, signed, write_sums
from memnn.facts.cluster_hash import cluster_words
from memnn.facts.index import (
    ABOUT,
    CHUNK,
    FORMAT,
    LOCK,
    PARTS,
    PROGRESS,
    WORDS,
    FactIndex,
    facts_of,
    open_index,
    postings_of,
    read_about,
)
from memnn.facts.model import FactsModel
from memnn.facts.recipe import CLUSTERS
from memnn.facts.triples import Skipped, Triple, triples
from memnn.kernels.facts_scan import mark_repeated
from memnn.kernels.facts_seen import new_table, unseen
from memnn.locks import exclusive
from memnn.memory.protocol import now
from memnn.paths import open_file, path_of, read_file

SCRATCH = ("lengths.i32", "text-lengths.i32", "hashes.u64")
"""Files that only the building needs."""
GROWING = ("text.u8", "text-lengths.i32", "entries.u32", "lengths.i32", "hashes.u64", WORDS)
"""Files that grow with every chunk."""
OLD_VECTORS = "ivf"
"""A folder that earlier versions filled if asked to; nothing reads it."""


@dataclass(frozen=True)
class BuildProgress:
    """Told as the building goes on: what it is doing and how many facts are done."""

    stage: str
    done: int
    of: int | None = None


def build_index(
    model: FactsModel,
    source: str | Path,
    folder: str | Path,
    *,
    clusters: int = CLUSTERS,
    progress: Callable[[BuildProgress], None] | None = None,
) -> tuple[FactIndex, Skipped]:
    """Read triples into an index, going on where an earlier attempt was stopped."""
    tell = progress or (lambda _: None)
    path, place = path_of(folder), path_of(source)
    job = {
        "format": FORMAT, "model": model.id, "source": fingerprint(place), "clusters": clusters,
        "ivf": False,  # earlier versions look whether there are vectors
    }  # fmt: skip
    try:
        path.mkdir(parents=True, exist_ok=True)
        with exclusive(path / LOCK, 0):  # two that build the same index would mix their chunks
            return _build(model, place, path, job, tell)
    except TimeoutError:
        raise MemoryStoreError(f"{folder} is being built by another process") from None
    except OSError as error:
        raise MemoryStoreError(f"cannot write {folder}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise MemoryStoreError(
            f"{folder} is damaged: {WORDS} is not UTF-8; delete it and start over"
        ) from None


def _build(
    model: FactsModel,
    place: Path,
    path: Path,
    job: dict[str, Any],
    tell: Callable[[BuildProgress], None],
) -> tuple[FactIndex, Skipped]:
    state = _take_up(path, job)
    if state is None:  # it is finished
        _tidy(path)
        index = open_index(path, model)
        return index, Skipped(**index.about["skipped"])
    words = Words(model.dictionary)
    skipped = _read_facts(model, place, path, state, words, tell)
    count = int(state["facts"])
    if not count:
        shutil.rmtree(path)
        raise InputError(f"{place} has no triple{f': {skipped}' if skipped.total else ''}")
    tell(BuildProgress("weighing words", count, count))
    lengths = np.fromfile(path / "lengths.i32", np.int32).astype(np.int64)
    entries = np.asarray(np.memmap(path / "entries.u32", np.uint32, "r"))
    if len(lengths) != count or lengths.min() < 0 or lengths.sum() != len(entries):
        raise MemoryStoreError(f"{path} is damaged: lengths.i32 is wrong; delete it and start over")
    facts = facts_of(entries, lengths, words)
    _store(path / "ptr.i64", facts.ptr)
    _store(path / "scale.f32", facts.scale)
    _store(path / "idf.f32", words.idf)
    text_lengths = np.fromfile(path / "text-lengths.i32", np.int32).astype(np.int64)
    _store(path / "text-ptr.i64", np.concatenate([[0], np.cumsum(text_lengths)]))
    tell(BuildProgress("posting words", count, count))
    postings = postings_of(facts, len(words))
    _store(path / "postings-ptr.i64", postings.ptr)
    _store(path / "postings.i32", postings.facts)
    tell(BuildProgress("clustering words", count, count))
    _store(
        path / "clusters.i32", cluster_words(model.word_vectors, job["clusters"], model.recipe.seed)
    )
    tell(BuildProgress("writing checksums", count, count))
    about = {
        **job,
        "kind": "facts-index",
        "facts": count,
        "words": len(words),
        "time": now(),
        "skipped": vars(skipped),
        **write_sums(path, (*PARTS, WORDS)),
    }
    _write_json(path / ABOUT, signed(about))
    _tidy(path)
    return open_index(path, model), skipped


def _tidy(path: Path) -> None:
    """What was needed for building alone."""
    for name in (PROGRESS, *SCRATCH):
        (path / name).unlink(missing_ok=True)


def _all_ours(path: Path) -> bool:
    """A build may die before `progress.json` is there; nothing else may be overwritten."""
    ours = {*PARTS, *SCRATCH, LOCK, SUMS, WORDS, OLD_VECTORS, "progress.new", "index.new"}
    return {file.name for file in path.iterdir()} <= ours


def _take_up(path: Path, job: dict[str, Any]) -> dict[str, Any] | None:
    """Where an earlier attempt at the same job was; None if there is nothing left to do."""
    fresh = {"job": job, "rows": 0, "facts": 0, "sizes": {}, "skipped": {}}
    try:
        if (path / ABOUT).exists():
            about = read_about(path)
            if all(about.get(name) == value for name, value in job.items()):
                return None
        elif (path / PROGRESS).exists():
            state = json.loads(read_file(path / PROGRESS))
            is_signed(state)
            if state["job"] == job:
                return {name: state[name] for name in (*fresh, "crcs") if name in state}
        elif not _all_ours(path):
            raise MemoryStoreError(
                f"{path} exists and is not an index of facts; choose another place"
            )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise MemoryStoreError(f"{path} is not an index of facts; choose another place") from None
    for name in (ABOUT, PROGRESS):  # another job: its index is replaced
        (path / name).unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        shutil.rmtree(path / OLD_VECTORS)
    _write_json(path / PROGRESS, signed(fresh))
    return fresh


def _read_facts(
    model: FactsModel,
    source: Path,
    path: Path,
    state: dict[str, Any],
    words: Words,
    tell: Callable[[BuildProgress], None],
) -> Skipped:
    """Stage one: text and bags, a chunk at a time; duplicates are left out."""
    crcs = _cut(path, state["sizes"], state.get("crcs", {}))
    for word in read_file(path / WORDS).decode().split("\n")[:-1]:
        words.add(word)
    parts_of = _Parts(words)
    table, _ = unseen(new_table(2**20), np.fromfile(path / "hashes.u64", np.uint64))
    skipped = Skipped(**state["skipped"]) if state["skipped"] else Skipped()
    again = Skipped()  # what is read a second time is not counted twice
    rows = triples(source, again)
    taken = sum(1 for _ in islice(rows, state["rows"])) if state["rows"] else 0
    if state["rows"]:
        again.__dict__.update(Skipped().__dict__)
    while chunk := list(islice(rows, CHUNK)):
        known = len(words.extra)
        raw = ["\t".join(triple).encode() for triple in chunk]
        marks = np.array([mark_of(text) for text in raw], np.uint64)
        table, new = unseen(table, marks)
        kept = np.flatnonzero(new).tolist()
        lengths, entries = parts_of.facts([chunk[i] for i in kept])
        _append(
            path,
            crcs,
            {
                "text.u8": b"".join(raw[i] for i in kept),
                "text-lengths.i32": np.array([len(raw[i]) for i in kept], np.int32).tobytes(),
                "entries.u32": entries.tobytes(),
                "lengths.i32": lengths.tobytes(),
                "hashes.u64": marks[new].tobytes(),
                WORDS: "".join(f"{word}\n" for word in words.extra[known:]).encode(),
            },
        )
        skipped.count("that are there twice", None, len(chunk) - len(kept))
        taken += len(chunk)
        state |= {
            "rows": taken,
            "facts": state["facts"] + len(kept),
            "sizes": {name: (path / name).stat().st_size for name in GROWING},
            "crcs": crcs,
            "skipped": vars(_added(skipped, again)),
        }
        _write_json(path / PROGRESS, signed(state))
        tell(BuildProgress("reading triples", state["facts"]))
    return _added(skipped, again)


def _cut(path: Path, sizes: dict[str, int], crcs: dict[str, int]) -> dict[str, int]:
    """Cut off what was written after the last chunk that counts; the rest must be unchanged.

    Returns the checksums of all files that grow.
    """
    found = {}
    for name in GROWING:
        file = path / name
        file.touch()
        size = sizes.get(name, 0)
        if file.stat().st_size < size:
            raise MemoryStoreError(
                f"{path} is damaged: {name} is cut off; delete it and start over"
            )
        os.truncate(file, size)
        found[name] = 0
        with open_file(file) as data:
            while part := data.read(2**20):
                found[name] = zlib.crc32(part, found[name])
        if crcs.get(name, found[name]) != found[name]:
            raise MemoryStoreError(
                f"{path} is damaged: {name} was changed on disk; delete it and start over"
            )
    return found


def mark_of(text: bytes) -> int:
    """A number that tells texts apart; 0 is none."""
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") | 1


def _append(path: Path, crcs: dict[str, int], parts: dict[str, bytes]) -> None:
    for name, data in parts.items():
        crcs[name] = zlib.crc32(data, crcs[name])
        with open(path / name, "ab") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())


class _Parts:
    """Subjects, relations and objects come again and again: each is read once, or nearly."""

    MOST = 2_000_000

    def __init__(self, words: Words) -> None:
        self.words = words
        self._forget()

    def _forget(self) -> None:
        self.number: dict[str, int] = {}
        self.rows, self.ends = array("q"), array("q", [0])

    def _read(self, text: str) -> int:
        number = self.number[text] = len(self.number)
        rows = dict.fromkeys(map(self.words.add, self.words.dictionary.normal(text)))
        self.rows.extend(rows)
        self.ends.append(len(self.rows))
        return number

    def facts(self, triples: Sequence[Triple]) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
        """The lengths and entries of facts, as `Words.parts` has them one by one."""
        if len(self.number) > self.MOST:
            self._forget()
        get, read = self.number.get, self._read
        numbers = np.array(
            [
                read(text) if (number := get(text)) is None else number
                for triple in triples
                for text in triple
            ],
            np.int64,
        )
        ends, rows = np.array(self.ends), np.array(self.rows, np.int64)
        sizes = ends[numbers + 1] - ends[numbers]
        after = np.cumsum(sizes)
        places = np.repeat(ends[numbers] - after + sizes, sizes)
        places += np.arange(len(places))
        roles = np.tile(np.arange(3, dtype=np.uint32) << np.uint32(ROLE), len(triples))
        entries = rows[places].astype(np.uint32) | np.repeat(roles, sizes)
        lengths = sizes.reshape(-1, 3).sum(1)
        ptr = np.concatenate([[0], np.cumsum(lengths)])
        mark_repeated(ptr, entries)
        return lengths.astype(np.int32), entries


def _added(a: Skipped, b: Skipped) -> Skipped:
    total = Skipped(dict(a.reasons), dict(a.first_line), a.more_columns + b.more_columns)
    for reason, n in b.reasons.items():
        total.count(reason, b.first_line.get(reason), n)
    return total


def fingerprint(source: Path) -> dict[str, Any]:
    """Enough to know that a file is the same one: its size and its first and last megabyte."""
    try:
        with open_file(source) as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.sha256(file.read(2**20))
            file.seek(max(0, size - 2**20))
            digest.update(file.read(2**20))
    except OSError as error:
        raise InputError(f"cannot read {source}: {error.strerror}") from None
    return {"bytes": size, "sha256": digest.hexdigest()}


def _store(path: Path, array: NDArray[Any]) -> None:
    with open(path, "wb") as file:
        array.tofile(file)
        file.flush()
        os.fsync(file.fileno())


def _write_json(path: Path, data: dict[str, Any]) -> None:
    new = path.with_suffix(".new")
    with open(new, "w", encoding="utf-8") as file:
        json.dump(data, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
