"""Arrays in, arrays out: the loops of the embedding model, compiled by numba.

Kernels are compiled on first use and kept on disk. `compiled` tells whether that has happened,
`warm_up` makes it happen, so that a program can say what it is waiting for.
"""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import numpy as np

from memnn.kernels import jit


def _marker() -> Path:
    """A file that names these sources on this machine; it lives and dies with the cache."""
    import numba

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
    YT = np.zeros((n, W), np.float32)
    v, p = np.zeros(n, np.float32), np.zeros(W, np.float32)
    zeros, one, two = np.zeros(2, np.int64), np.zeros(1, np.int64), np.arange(3)
    supports = np.zeros((1, k), np.int64)
    train_epoch(
        U, U, W, two, zeros, zeros, zeros, zeros, zeros, one, one + 2, supports, one, one,
        0, 0.1, 0.01, 1, 1, 0, new_state(0), v, v.copy(), p, zeros.copy(), one.copy(), zeros.copy(),
    )  # fmt: skip
    found, numbers = np.zeros((k, 2), np.int64), np.zeros((k, 3))
    find_supports(
        U, YT, W, zeros, 0, two, zeros, zeros, 2, 0, k, np.zeros(k, np.int64), found, numbers
    )
    rank(U, YT, W, zeros, zeros, p)
    _marker().touch()
