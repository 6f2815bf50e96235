"""IVF: facts as float16 vectors in FAISS, of which a question looks only at the nearest lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats
from memnn.kernels.facts_packed import Facts
from memnn.kernels.facts_scan import embed_facts
from memnn.kernels.phi import Y
from memnn.layout import Layout

CHUNK = 500_000
FINALISTS = 200
"""How many are scored again from their words: the vectors know neither matches nor λ."""
TRAINED, VECTORS = "trained.faiss", "index.faiss"
Vectors = Callable[[int, int], Floats]
"""The vectors of the facts from one place to another."""


class IVF:
    """The vectors of facts; `find` gives the places of those with the highest inner product."""

    def __init__(self, index: Any, probes: int) -> None:
        self.index = index
        self.probes = probes
        index.parallel_mode = 1  # within a question, not over questions

    def find(self, q: Floats, k: int = FINALISTS, probes: int | None = None) -> NDArray[np.int32]:
        self.index.nprobe = probes or self.probes
        places = self.index.search(q.reshape(1, -1), k)[1][0]
        found: NDArray[np.int32] = places[places >= 0].astype(np.int32)
        return found

    @classmethod
    def build(
        cls,
        folder: Path | None,
        U_O: Floats,
        layout: Layout,
        known: int,
        facts: Facts,
        idf: Floats,
        *,
        seed: int = 0,
        progress: Callable[[int], None] | None = None,
    ) -> IVF:
        """In RAM, or in a folder a chunk at a time, so that it can be taken up again."""
        n, dim, block = len(facts.ptr) - 1, U_O.shape[1], int(layout.blocks[Y])

        def vectors(first: int, last: int) -> Floats:
            out = np.empty((last - first, dim), np.float32)
            embed_facts(U_O, block, known, facts, first, idf, out)
            return out

        empty = _trained(folder and folder / TRAINED, vectors, n, dim, seed)
        if folder is not None:
            _fill_in_shards(folder, empty, vectors, n, progress or (lambda _: None))
            return cls.open(folder, n, dim)
        for first in range(0, n, CHUNK):
            empty.add(vectors(first, min(n, first + CHUNK)))
        return cls(empty, probes(empty.nlist))

    @classmethod
    def open(cls, folder: Path, facts: int, dim: int) -> IVF:
        import faiss

        try:
            # The lists stay in the file, and pages are read as they are probed.
            index: Any = faiss.read_index(str(folder / VECTORS), faiss.IO_FLAG_MMAP)
            lists = index.nlist
        except (RuntimeError, MemoryError, AttributeError):  # no such file, or of another kind
            raise ValueError("its vectors cannot be read") from None
        if (index.ntotal, index.d) != (facts, dim):
            raise ValueError("its vectors are of other facts")
        return cls(index, probes(lists))


def _trained(place: Path | None, vectors: Vectors, n: int, dim: int, seed: int) -> Any:
    """An empty index that knows its lists, from its file if it was trained before."""
    import faiss

    if place is not None and place.exists():
        return faiss.read_index(str(place))
    lists = int(min(4096, max(1, 4 * np.sqrt(n), n // 5000)))
    lists = min(lists, max(1, n // 39))
    some = np.random.default_rng(seed).permutation(n)[: 64 * lists]
    sample = np.concatenate([vectors(int(f), int(f) + 1) for f in np.sort(some)])
    empty = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dim), dim, lists, faiss.ScalarQuantizer.QT_fp16,
        faiss.METRIC_INNER_PRODUCT, False,
    )  # fmt: skip
    empty.cp.seed, empty.cp.niter = seed + 1, 10
    empty.train(sample)
    if place is not None:
        place.parent.mkdir(exist_ok=True)
        faiss.write_index(empty, str(place))
    return empty


def _fill_in_shards(
    folder: Path, empty: Any, vectors: Vectors, n: int, progress: Callable[[int], None]
) -> None:
    """Vectors a file at a time, so that building can go on where it was stopped."""
    import faiss

    shards = []
    for first in range(0, n, CHUNK):
        last = min(n, first + CHUNK)
        shard = folder / f"{first}-{last}.faiss"
        if not shard.exists():
            part = faiss.clone_index(empty)
            part.add_with_ids(vectors(first, last), np.arange(first, last))
            faiss.write_index(part, str(shard) + ".new")
            Path(str(shard) + ".new").replace(shard)
        shards.append(shard)
        progress(last)
    for shard in shards:
        empty.merge_from(faiss.read_index(str(shard)), 0)
    faiss.write_index(empty, str(folder / VECTORS))
    for shard in (*shards, folder / TRAINED):
        shard.unlink()


def probes(lists: int) -> int:
    """How many lists a question looks at."""
    return min(lists, max(8, lists // 16))
