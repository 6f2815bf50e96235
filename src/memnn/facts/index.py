"""An index: millions of facts on disk, memory-mapped, read-only, and a Memory like any other.

Nothing is read when it is opened but its small parts; a lookup touches the pages it needs. The
folder holds the text of the facts, their bags, the posting lists of words, the clusters of words
and, if asked for, an IVF index of vectors. It names its model: bags are of that model's words.

Building goes through stages, each of which can be taken up again where it was left: facts are read
in chunks, and a chunk counts once `progress.json` says so. `index.json` is written last.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, MemoryStoreError, ModelError
from memnn.facts.bags import ROLE, FactDictionary, Words, scales, words_of
from memnn.facts.cluster_hash import cluster_words
from memnn.facts.ivf import IVF
from memnn.facts.model import FactsModel
from memnn.facts.reading import Reading
from memnn.facts.recipe import CLUSTERS
from memnn.facts.triples import Skipped, Triple, triples
from memnn.kernels.facts_scan import mark_repeated
from memnn.kernels.facts_seen import new_table, unseen
from memnn.kernels.facts_train import Facts, Postings, post
from memnn.locks import exclusive
from memnn.memory.protocol import AsOf, Memory, is_id, resolve_as_of
from memnn.paths import path_of
from memnn.types import Slot

FORMAT = 1
CHUNK = 200_000
READ_ONLY = "an index of facts is read-only; build it again, or tell another memory"


@dataclass(frozen=True)
class BuildProgress:
    """Told as the building goes on: what it is doing and how many facts are done."""

    stage: str
    done: int
    of: int | None = None


class FactIndex(Memory):
    """Facts in the order of their file; fact i has id i + 1."""

    def __init__(
        self,
        model_id: str,
        words: Words,
        facts: Facts,
        postings: Postings,
        idf: NDArray[np.float32],
        text: NDArray[np.uint8],
        text_ptr: NDArray[np.int64],
        time: str,
        clusters: NDArray[np.int32] | None = None,
        ivf: IVF | None = None,
        about: dict[str, Any] | None = None,
    ) -> None:
        self.model_id = model_id
        self.clusters, self.ivf = clusters, ivf
        self.about = about or {}
        self._reading = Reading(words, facts, postings, idf)
        self._text, self._text_ptr = text, text_ptr
        self._time = time

    # What a Memory does

    @property
    def last_id(self) -> int:
        return len(self)

    @property
    def deletions(self) -> int:
        return 0

    def __len__(self) -> int:
        return len(self._reading)

    def triple(self, place: int) -> Triple:
        a, b = self._text_ptr[place : place + 2]
        try:
            subject, relation, object = bytes(self._text[a:b]).decode().split("\t")
        except ValueError:
            raise MemoryStoreError(
                f"the index is damaged: fact {place + 1} cannot be read; build it again"
            ) from None
        return Triple(subject, relation, object)

    def read(self, ids: Iterable[int]) -> list[Slot]:
        slots = []
        for id in ids:
            if not is_id(id) or id > len(self):
                raise InputError(f"there is no fact with id {id}")
            slots.append(Slot(int(id), str(self.triple(int(id) - 1)), self._time))
        return slots

    def scan(self, after: int = 0) -> Iterator[Slot]:
        for id in range(max(after, 0) + 1, len(self) + 1):
            yield from self.read([id])

    def candidates(
        self, as_of: AsOf = None, buckets: Iterable[str] | None = None
    ) -> NDArray[np.int64]:
        limit = resolve_as_of(as_of)
        n = len(self)
        if isinstance(limit, int):
            n = min(n, limit)
        elif limit is not None and limit < self._time:
            n = 0
        if buckets is None:
            ids = np.arange(1, n + 1)
        else:
            words, postings = self._reading.words, self._reading.postings
            rows = {
                words.row[w] for b in buckets for w in words.dictionary.normal(b) if w in words.row
            }
            lists = [postings.facts[postings.ptr[r] : postings.ptr[r + 1]] for r in rows]
            found = np.unique(np.concatenate([*lists, np.zeros(0, np.int32)]))
            ids = found[found < n].astype(np.int64) + 1
        ids.flags.writeable = False
        return ids

    def write(self, text: str, *, id: int | None = None, time: str | None = None) -> Slot:
        raise InputError(READ_ONLY)

    def write_many(self, texts: Iterable[str]) -> list[Slot]:
        raise InputError(READ_ONLY)

    def delete(self, ids: Iterable[int]) -> None:
        raise InputError(READ_ONLY)

    def close(self) -> None:
        """Nothing to close: the maps go with the object."""

    # What O asks of it

    def reading(self, dictionary: FactDictionary) -> Reading:
        if dictionary is not self._reading.words.dictionary:
            raise ModelError("the index was built with another model; build it with this one")
        return self._reading

    def places(self, wanted: Iterable[Triple] | None = None) -> dict[Triple, int]:
        """Where each triple stands, or each of those that are wanted and there."""
        if wanted is None:
            found: dict[Triple, int] = {}
            for place in range(len(self)):
                found.setdefault(self.triple(place), place)
            return found
        places = {triple: self.place(triple) for triple in dict.fromkeys(wanted)}
        return {triple: place for triple, place in places.items() if place is not None}

    def place(self, triple: Triple) -> int | None:
        """Where a triple stands: among the facts that hold its rarest word."""
        words, postings = self._reading.words, self._reading.postings
        normal = words.dictionary.normal(" ".join(triple))
        if any(word not in words.row for word in normal):
            return None
        rarest = min(
            (words.row[word] for word in normal),
            key=self._reading.frequency.__getitem__,
            default=None,
        )
        if rarest is None:  # punctuation alone
            among: Iterable[int] = range(len(self))
        else:
            among = postings.facts[postings.ptr[rarest] : postings.ptr[rarest + 1]].tolist()
        return next((i for i in among if self.triple(i) == triple), None)


def in_memory(model: FactsModel, rows: Iterable[Triple], time: str = "") -> FactIndex:
    """An index that is not kept: for files that are read in seconds."""
    words = Words(model.dictionary)
    bags: list[int] = []
    lengths, texts = [], []
    for triple in dict.fromkeys(rows):
        entries = words.parts(triple)
        bags += entries
        lengths.append(len(entries))
        texts.append("\t".join(triple).encode())
    if not texts:
        raise InputError("there is no triple to look anything up in")
    facts = _facts(np.array(bags, np.uint32), np.array(lengths, np.int64), words)
    text_ptr = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=text_ptr[1:])
    postings = _posted(facts, len(words))
    return FactIndex(
        model.id, words, facts, postings, words.idf, np.frombuffer(b"".join(texts), np.uint8),
        text_ptr, time or _now(),
    )  # fmt: skip


def _facts(entries: NDArray[np.uint32], lengths: NDArray[np.int64], words: Words) -> Facts:
    ptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    scale, idf = np.empty(len(lengths), np.float32), words.idf
    for first in range(0, len(lengths), CHUNK):  # of millions at once there would be gigabytes
        some = ptr[first : first + CHUNK + 1]
        scale[first : first + CHUNK] = scales(
            some - some[0], entries[some[0] : some[-1]], idf, words.dictionary.typical
        )
    return Facts(ptr, entries, scale)


def _posted(facts: Facts, words: int) -> Postings:
    counts = np.zeros(words + 1, np.int64)
    for start in range(0, len(facts.entries), 2**24):
        part = facts.entries[start : start + 2**24]
        counts[1:] += np.bincount(words_of(part[part >> np.uint32(30) == 0]), minlength=words)
    ptr = np.cumsum(counts)
    out = np.empty(int(ptr[-1]), np.int32)
    post(facts.ptr, facts.entries, ptr[:-1].copy(), out)
    return Postings(ptr, out)


def _now() -> str:
    from memnn.memory.protocol import now

    return now()


# On disk

PARTS = {
    "entries.u32": np.uint32,
    "ptr.i64": np.int64,
    "scale.f32": np.float32,
    "idf.f32": np.float32,
    "postings.i32": np.int32,
    "postings-ptr.i64": np.int64,
    "text.u8": np.uint8,
    "text-ptr.i64": np.int64,
    "clusters.i32": np.int32,
}
WORDS, ABOUT, PROGRESS, IVF_FOLDER = "words.txt", "index.json", "progress.json", "ivf"
LOCK = "memnn-index.lock"
SCRATCH = ("lengths.i32", "text-lengths.i32", "hashes.u64")
"""Files that only the building needs."""


def open_index(folder: str | Path, model: FactsModel) -> FactIndex:
    """A finished index; nothing is read that is not needed yet."""
    path = path_of(folder)
    about = read_about(path)
    if about["model"] != model.id:
        raise ModelError(
            f"{folder} was built with another model; build it again: memnn facts index MODEL "
            f"TRIPLES -o {folder}"
        )
    try:
        parts = {name: _mapped(path / name, dtype) for name, dtype in PARTS.items()}
        extra = (path / WORDS).read_text(encoding="utf-8").split("\n")[:-1]
        ivf = IVF.open(path / IVF_FOLDER) if about["ivf"] else None
    except (OSError, ValueError) as error:
        raise MemoryStoreError(f"{folder} is damaged: {error}; build it again") from None
    facts = Facts(parts["ptr.i64"], parts["entries.u32"], parts["scale.f32"])
    postings = Postings(parts["postings-ptr.i64"], parts["postings.i32"])
    words = Words(model.dictionary, extra)
    whole = (
        len(facts.ptr) == about["facts"] + 1 == len(parts["text-ptr.i64"])
        and len(facts.entries) == facts.ptr[-1]
        and len(facts.scale) == about["facts"]
        and len(parts["idf.f32"]) == len(words) == len(postings.ptr) - 1
        and len(postings.facts) == postings.ptr[-1]
        and len(parts["text.u8"]) == parts["text-ptr.i64"][-1]
        and len(parts["clusters.i32"]) == len(model.dictionary)
    )
    if not whole:
        raise MemoryStoreError(f"{folder} is damaged: its files do not fit; build it again")
    return FactIndex(
        model.id, words, facts, postings, parts["idf.f32"], parts["text.u8"],
        parts["text-ptr.i64"], about["time"], parts["clusters.i32"], ivf, about,
    )  # fmt: skip


def read_about(path: Path) -> dict[str, Any]:
    if (path / PROGRESS).exists() and not (path / ABOUT).exists():
        raise MemoryStoreError(
            f"{path} is not finished; run the same memnn facts index again, and it goes on"
        )
    try:
        about = json.loads((path / ABOUT).read_bytes())
        if about["format"] > FORMAT:
            raise MemoryStoreError(f"{path} was built by a newer memnn; install that")
        return {**about, **{name: about[name] for name in ("model", "facts", "time", "ivf")}}
    except OSError:
        raise MemoryStoreError(f"{path} is not an index of facts: it has no {ABOUT}") from None
    except (ValueError, KeyError, TypeError):
        raise MemoryStoreError(f"{path} is damaged: {ABOUT} is not whole; build it again") from None


def is_index(path: str | Path) -> bool:
    return path_of(path).is_dir()


def _mapped(path: Path, dtype: Any) -> NDArray[Any]:
    size = path.stat().st_size
    if size % np.dtype(dtype).itemsize:
        raise ValueError(f"{path.name} is cut off")
    if size == 0:
        return np.zeros(0, dtype)
    return np.asarray(np.memmap(path, dtype, "r"))


def build_index(
    model: FactsModel,
    source: str | Path,
    folder: str | Path,
    *,
    ivf: bool = False,
    clusters: int = CLUSTERS,
    progress: Callable[[BuildProgress], None] | None = None,
) -> tuple[FactIndex, Skipped]:
    """Read triples into an index, going on where an earlier attempt was stopped."""
    tell = progress or (lambda _: None)
    path, place = path_of(folder), path_of(source)
    job = {
        "format": FORMAT, "model": model.id, "source": _fingerprint(place), "ivf": ivf,
        "clusters": clusters,
    }  # fmt: skip
    try:
        path.mkdir(parents=True, exist_ok=True)
        with exclusive(path / LOCK, 0):  # two that build the same index would mix their chunks
            return _build(model, place, path, job, tell)
    except TimeoutError:
        raise MemoryStoreError(f"{folder} is being built by another process") from None
    except OSError as error:
        raise MemoryStoreError(f"cannot write {folder}: {error.strerror}") from None


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
    facts = _facts(entries, lengths, words)
    _store(path / "ptr.i64", facts.ptr)
    _store(path / "scale.f32", facts.scale)
    _store(path / "idf.f32", words.idf)
    text_lengths = np.fromfile(path / "text-lengths.i32", np.int32).astype(np.int64)
    _store(path / "text-ptr.i64", np.concatenate([[0], np.cumsum(text_lengths)]))
    tell(BuildProgress("posting words", count, count))
    postings = _posted(facts, len(words))
    _store(path / "postings-ptr.i64", postings.ptr)
    _store(path / "postings.i32", postings.facts)
    tell(BuildProgress("clustering words", count, count))
    _store(
        path / "clusters.i32", cluster_words(model.word_vectors, job["clusters"], model.recipe.seed)
    )
    if job["ivf"]:
        tell(BuildProgress("indexing vectors", 0, count))
        IVF.build(
            path / IVF_FOLDER, model.U_O, model.layout, len(model.dictionary), facts, words.idf,
            seed=model.recipe.seed,
            progress=lambda done: tell(BuildProgress("indexing vectors", done, count)),
        )  # fmt: skip
    about = {
        **job,
        "kind": "facts-index",
        "facts": count,
        "words": len(words),
        "time": _now(),
        "skipped": vars(skipped),
    }
    _write_json(path / ABOUT, about)
    _tidy(path)
    return open_index(path, model), skipped


def _tidy(path: Path) -> None:
    """What was needed for building alone."""
    for name in (PROGRESS, *SCRATCH):
        (path / name).unlink(missing_ok=True)


def _all_ours(path: Path) -> bool:
    """A build may die before `progress.json` is there; nothing else may be overwritten."""
    ours = {*PARTS, *SCRATCH, LOCK, WORDS, IVF_FOLDER, "progress.new", "index.new"}
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
            state = json.loads((path / PROGRESS).read_bytes())
            if state["job"] == job:
                return dict(state)
        elif not _all_ours(path):
            raise MemoryStoreError(
                f"{path} exists and is not an index of facts; choose another place"
            )
    except (ValueError, KeyError, TypeError):
        raise MemoryStoreError(f"{path} is not an index of facts; choose another place") from None
    for name in (ABOUT, PROGRESS):  # another job: its index is replaced
        (path / name).unlink(missing_ok=True)
    with suppress(FileNotFoundError):  # or its vectors would be taken for ours
        shutil.rmtree(path / IVF_FOLDER)
    _write_json(path / PROGRESS, fresh)
    return fresh


def _read_facts(
    model: FactsModel,
    source: Path,
    path: Path,
    state: dict[str, Any],
    words: Words,
    tell: Callable[[BuildProgress], None],
) -> Skipped:
    """Stage one: text and bags, a chunk at a time; what is there twice is left out."""
    names = ("text.u8", "text-lengths.i32", "entries.u32", "lengths.i32", "hashes.u64", WORDS)
    for name in names:
        file = path / name
        file.touch()
        size = state["sizes"].get(name, 0)
        if file.stat().st_size < size:
            raise MemoryStoreError(f"{path} is damaged: {name} is cut off; delete it, start anew")
        os.truncate(file, size)
    for word in (path / WORDS).read_text(encoding="utf-8").split("\n")[:-1]:
        words.add(word)
    parts_of = _Parts(words)
    table = new_table(2**20)
    hashes = np.fromfile(path / "hashes.u64", np.uint64)
    table, _ = unseen(table, hashes)
    skipped = Skipped(**state["skipped"]) if state["skipped"] else Skipped()
    again = Skipped()  # what is read a second time is not counted twice
    rows = triples(source, again)
    taken = sum(1 for _ in islice(rows, state["rows"])) if state["rows"] else 0
    if state["rows"]:
        again.__dict__.update(Skipped().__dict__)
    while chunk := list(islice(rows, CHUNK)):
        known = len(words.extra)
        raw = ["\t".join(triple).encode() for triple in chunk]
        marks = np.array(
            [
                int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") | 1
                for text in raw
            ],
            np.uint64,
        )
        table, new = unseen(table, marks)
        kept = np.flatnonzero(new).tolist()
        lengths, entries = parts_of.facts([chunk[i] for i in kept])
        parts = {
            "text.u8": b"".join(raw[i] for i in kept),
            "text-lengths.i32": np.array([len(raw[i]) for i in kept], np.int32).tobytes(),
            "entries.u32": entries.tobytes(),
            "lengths.i32": lengths.tobytes(),
            "hashes.u64": marks[new].tobytes(),
            WORDS: "".join(f"{word}\n" for word in words.extra[known:]).encode(),
        }
        skipped.count("that are there twice", None, len(chunk) - len(kept))
        taken += len(chunk)
        for name, data in parts.items():
            with open(path / name, "ab") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
        so_far = _added(skipped, again)
        state |= {
            "rows": taken,
            "facts": state["facts"] + len(kept),
            "sizes": {name: (path / name).stat().st_size for name in names},
            "skipped": vars(so_far),
        }
        _write_json(path / PROGRESS, state)
        tell(BuildProgress("reading triples", state["facts"]))
    return _added(skipped, again)


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


def _fingerprint(source: Path) -> dict[str, Any]:
    """Enough to know that a file is the same one: its size and its first and last megabyte."""
    try:
        size = source.stat().st_size
        with open(source, "rb") as file:
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
