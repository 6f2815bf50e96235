"""An index: millions of facts on disk, memory-mapped, read-only, and a Memory like any other.

Nothing is read when it is opened but its small parts; a lookup touches the pages it needs. The
folder holds the text of the facts, their bags, the posting lists of words and the clusters of
words. It names its model: bags are of that model's words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, MemoryStoreError, ModelError
from memnn.facts.bags import FactDictionary, Words, scales, words_of
from memnn.facts.checksums import (
    AT_ONCE,
    TRUSTED,
    Checks,
    Compared,
    File,
    is_signed,
    read_sums,
)
from memnn.facts.model import FactsModel
from memnn.facts.reading import Reading
from memnn.facts.triples import Triple
from memnn.kernels.facts_packed import Facts, Postings, post
from memnn.memory.protocol import AsOf, Memory, is_id, now, resolve_as_of
from memnn.paths import path_of, read_file
from memnn.types import Slot, Turn

FORMAT = 1
CHUNK = 200_000
READ_ONLY = "an index of facts is read-only; build it again, or tell another memory"


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
        about: dict[str, Any] | None = None,
        checks: Checks = TRUSTED,
    ) -> None:
        self.model_id = model_id
        self.clusters = clusters
        self.about = about or {}
        self._reading = Reading(words, facts, postings, idf, checks=checks)
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
        self._reading.checks.text(place)
        a, b = self._text_ptr[place : place + 2]
        try:
            subject, relation, object = bytes(self._text[max(a, 0) : b]).decode().split("\t")
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

    @property
    def updated(self) -> bool:
        """Never: facts have no turns."""
        return False

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
            words = self._reading.words
            rows = {
                words.row[w] for b in buckets for w in words.dictionary.normal(b) if w in words.row
            }
            lists = [self._reading.list_of(row) for row in rows]
            found = np.unique(np.concatenate([*lists, np.zeros(0, np.int32)]))
            ids = found[found < n].astype(np.int64) + 1
        ids.flags.writeable = False
        return ids

    def write(
        self,
        text: str,
        *,
        id: int | None = None,
        time: str | None = None,
        source: str = "",
        turn: Turn | None = None,
    ) -> Slot:
        raise InputError(READ_ONLY)

    def write_many(
        self,
        texts: Iterable[str],
        *,
        source: str = "",
        turns: Sequence[Turn | None] | None = None,
    ) -> list[Slot]:
        raise InputError(READ_ONLY)

    def delete(self, ids: Iterable[int]) -> None:
        raise InputError(READ_ONLY)

    def close(self) -> None:
        """Nothing to close: the maps go with the object."""

    # What O asks of it

    def reading(self, dictionary: FactDictionary) -> Reading:
        if dictionary is not self._reading.words.dictionary:
            raise ModelError("the index was built with another model; rebuild it with this one")
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
        words = self._reading.words
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
            among = self._reading.held_by(rarest)
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
        raise InputError("there are no triples to search; give at least one")
    facts = facts_of(np.array(bags, np.uint32), np.array(lengths, np.int64), words)
    text_ptr = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=text_ptr[1:])
    postings = postings_of(facts, len(words))
    return FactIndex(
        model.id, words, facts, postings, words.idf, np.frombuffer(b"".join(texts), np.uint8),
        text_ptr, time or now(),
    )  # fmt: skip


def facts_of(entries: NDArray[np.uint32], lengths: NDArray[np.int64], words: Words) -> Facts:
    ptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    scale, idf = np.empty(len(lengths), np.float32), words.idf
    for first in range(0, len(lengths), CHUNK):  # of millions at once there would be gigabytes
        some = ptr[first : first + CHUNK + 1]
        scale[first : first + CHUNK] = scales(
            some - some[0], entries[some[0] : some[-1]], idf, words.dictionary.typical
        )
    return Facts(ptr, entries, scale)


def postings_of(facts: Facts, words: int) -> Postings:
    counts = np.zeros(words + 1, np.int64)
    for start in range(0, len(facts.entries), 2**24):
        part = facts.entries[start : start + 2**24]
        counts[1:] += np.bincount(words_of(part[part >> np.uint32(30) == 0]), minlength=words)
    ptr = np.cumsum(counts)
    out = np.empty(int(ptr[-1]), np.int32)
    post(facts.ptr, facts.entries, ptr[:-1].copy(), out)
    return Postings(ptr, out)


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
WORDS, ABOUT, PROGRESS = "words.txt", "index.json", "progress.json"
LOCK = "memnn-index.lock"


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
        return _opened(path, model, about)
    except (OSError, ValueError, TypeError, KeyError) as error:
        what = error.strerror if isinstance(error, OSError) else error
        raise MemoryStoreError(f"{folder} is damaged: {what}; build it again") from None


def _opened(path: Path, model: FactsModel, about: dict[str, Any]) -> FactIndex:
    """A ValueError where the files do not fit together."""
    sums = read_sums(path, about, (*PARTS, WORDS)) if is_signed(about) else None
    parts = {name: mapped(path / name, dtype) for name, dtype in PARTS.items()}
    facts = Facts(parts["ptr.i64"], parts["entries.u32"], parts["scale.f32"])
    postings = Postings(parts["postings-ptr.i64"], parts["postings.i32"])
    text_ptr = parts["text-ptr.i64"]
    listed = np.frombuffer(_words(path, len(parts["text.u8"])), np.uint8)
    checks: Checks = TRUSTED
    if sums is not None:
        files = {n: File(n, part, sums[n]) for n, part in {**parts, WORDS: listed}.items()}
        checks = Compared(path, files, facts, postings, text_ptr)
        small = sum(part.nbytes for part in (*parts.values(), listed)) <= AT_ONCE
        checks.whole(*(() if small else (WORDS, "idf.f32", "postings-ptr.i64", "clusters.i32")))
    words = Words(model.dictionary, listed.tobytes().decode().split("\n")[:-1])
    check_lengths(parts, about["facts"], len(words), len(model.dictionary), pointers=sums is None)

    return FactIndex(
        model.id, words, facts, postings, parts["idf.f32"], parts["text.u8"], text_ptr,
        about["time"], parts["clusters.i32"], about, checks,
    )  # fmt: skip


def check_lengths(
    parts: dict[str, NDArray[Any]], facts: int, words: int, known: int, *, pointers: bool
) -> None:
    """A ValueError where the parts do not fit; all `pointers` are looked at only if asked."""
    ptr, posted, text_ptr = (
        parts[name] for name in ("ptr.i64", "postings-ptr.i64", "text-ptr.i64")
    )
    whole = (
        len(ptr) == facts + 1 == len(text_ptr)
        and len(parts["entries.u32"]) == ptr[-1]
        and len(parts["scale.f32"]) == facts
        and len(parts["idf.f32"]) == words == len(posted) - 1
        and len(parts["text.u8"]) == text_ptr[-1]
        and len(parts["clusters.i32"]) == known
    )
    if not whole:
        raise ValueError("its files do not match")
    if not rising(posted, len(parts["postings.i32"])) or (
        pointers
        and not (rising(ptr, len(parts["entries.u32"])) and rising(text_ptr, len(parts["text.u8"])))
    ):
        raise ValueError("its pointers do not rise")
    clusters = parts["clusters.i32"]
    if len(clusters) and not (clusters.min() >= 0 and clusters.max() < len(clusters)):
        raise ValueError("a word is in a cluster that cannot be")
    if not np.isfinite(parts["idf.f32"]).all():
        raise ValueError("a weight is not a number")


def rising(ptr: NDArray[np.int64], last: int) -> bool:
    """Whether pointers begin at 0, never fall, and end at `last`."""
    return bool(
        len(ptr)
        and (ptr[0], ptr[-1]) == (0, last)
        and all(
            (ptr[i + 1 : i + 1 + CHUNK] >= ptr[i : i + CHUNK][: len(ptr) - 1 - i]).all()
            for i in range(0, len(ptr) - 1, CHUNK)
        )
    )


def read_about(path: Path) -> dict[str, Any]:
    if (path / PROGRESS).exists() and not (path / ABOUT).exists():
        raise MemoryStoreError(
            f"{path} is not finished; run the same memnn facts index command again to continue"
        )
    try:
        about = json.loads(read_file(path / ABOUT))
        if about["format"] > FORMAT:
            raise MemoryStoreError(f"{path} was built by a newer memnn; upgrade memnn")
        is_signed(about)
        if type(about["facts"]) is not int or not isinstance(about["time"], str):
            raise ValueError
        return {**about, **{name: about[name] for name in ("model", "facts", "time")}}
    except OSError:
        raise MemoryStoreError(f"{path} is not an index of facts: it has no {ABOUT}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise MemoryStoreError(f"{path} is damaged: {ABOUT} is broken; build it again") from None


def is_index(path: str | Path) -> bool:
    return path_of(path).is_dir()


def mapped(path: Path, dtype: Any) -> NDArray[Any]:
    """A file of numbers as an array; a ValueError if it is no such file."""
    if not path.is_file():
        raise ValueError(f"{path.name} is missing")
    size = path.stat().st_size
    if size % np.dtype(dtype).itemsize:
        raise ValueError(f"{path.name} is cut off")
    if size == 0:
        return np.zeros(0, dtype)
    return np.asarray(np.memmap(path, dtype, "r"))


def _words(path: Path, text: int) -> bytes:
    """The words that the model lacks; they stand in the texts, and cannot be much longer."""
    size = os.stat(path / WORDS).st_size
    if size > 8 * text + 2**20:
        raise ValueError(f"{WORDS} has {size:,} bytes, too many for its texts")
    return read_file(path / WORDS)
