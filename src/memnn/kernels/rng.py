"""A generator of random numbers whose whole state is one array: same seed, same result."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.jit import kernel

State = NDArray[np.uint64]

# splitmix64 (Steele, Lea, Flood 2014): the golden-ratio step and the two mixing multipliers.
STEP = np.uint64(0x9E3779B97F4A7C15)
MIX1 = np.uint64(0xBF58476D1CE4E5B9)
MIX2 = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S33 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(33)


def new_state(seed: int) -> State:
    """The state for a seed; pass it to every kernel that draws."""
    return np.array([seed], dtype=np.uint64)


@kernel
def below(state: State, n: int) -> int:
    """A uniform integer in [0, n) for n < 2^31."""
    state[0] += STEP
    z = state[0]
    z = (z ^ (z >> S30)) * MIX1
    z = (z ^ (z >> S27)) * MIX2
    z = z ^ (z >> S31)
    return int((z >> S33) * np.uint64(n) >> S31)
