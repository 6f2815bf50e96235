"""Arrays in, arrays out: the loops of the embedding model, compiled by numba.

Kernels are compiled on first use and kept on disk. `compiled` tells whether that has happened,
`warm_up` makes it happen, so that a program can say what it is waiting for.
"""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import numba
import numpy as np

from memnn.kernels import jit


def _marker() -> Path:
    """A file that names these sources on this machine; it lives and dies with the cache."""
    here = Path(__file__).parent
    key = hashlib.sha256(f"{numba.__version__} {platform.python_version()} {here}".encode())
    for source in sorted(here.glob("*.py")):
        key.update(f"{source.name} {source.stat().st_mtime_ns}".encode())
    return jit.cache_folder() / f"compiled-{key.hexdigest()[:16]}"


def compiled() -> bool:
    return _marker().exists()


def warm_up() -> None:
    """Run every kernel once on almost nothing."""
    from memnn.kernels.chance import new_state
    from memnn.kernels.infer import find_supports, rank
    from memnn.kernels.train import train_epoch

    W, n, k = 2, 4, 2
    U = np.zeros((3 * W + 3, n), np.float32)
    A = np.zeros((2 * W, W + 3), np.float32)
    v, p, state = np.zeros(n, np.float32), np.zeros(9, np.float32), new_state(0)
    ints, one, ptr = np.zeros(9, np.int64), np.zeros(1, np.int64), np.arange(3)
    kinds = np.zeros(2, np.int32)
    train_epoch(
        U, U, W, ptr, ints, kinds, ints, ptr, ints, kinds, ints, one, one + 2,
        np.zeros((1, k), np.int64), one, one, 0, 0.1, 0.01, 1, 1, 0, state,
        v, v.copy(), p, ints.copy(), one.copy(), ints.copy(),
    )  # fmt: skip
    found, numbers = np.zeros((k, 2), np.int64), np.zeros((k, 3))
    find_supports(A, one, ptr, ints, kinds, 0, found, numbers)
    rank(A, one, one, p[: W + 3])
    _marker().touch()
