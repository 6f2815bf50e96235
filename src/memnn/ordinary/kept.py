"""Parameters in the space of bytes: of a large matrix each row or column has a scale of its own.

Training hands out what can be kept so, and saving changes no number of it. What was not rounded
(networks of before) keeps half precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

from memnn.kernels.arrays import Floats

LARGE = 16
"""Matrices with at least so many rows and columns are kept in bytes."""
STEPS = 127
"""The largest number of a row or column, in steps."""
SCALE = ".scale"
LARGEST = 60_000.0
HALF = np.float16


def rounded(array: Floats) -> Floats:
    """The nearest numbers that can be kept."""
    array = np.clip(array, -LARGEST, LARGEST)
    if array.ndim != 2 or min(array.shape) < LARGE:
        return array.astype(HALF).astype(np.float32)
    steps, scale = _in_steps(array)
    return _numbers(steps, scale)


def to_bytes(parameters: Mapping[str, Floats]) -> bytes:
    tensors: dict[str, NDArray[Any]] = {}
    for name, array in parameters.items():
        if array.ndim == 2 and min(array.shape) >= LARGE:
            steps, scale = _in_steps(array)
            if np.array_equal(_numbers(steps, scale), array):
                tensors |= {name: steps, name + SCALE: scale}
                continue
        tensors[name] = array.astype(HALF)
    return bytes(save(tensors))


def from_bytes(weights: bytes) -> dict[str, Floats]:
    """What was kept, in single precision."""
    tensors = load(weights)
    found = {}
    for name, array in tensors.items():
        if array.dtype == np.int8:
            scale = tensors[name + SCALE]
            fits = array.ndim == 2 and scale.shape in ((len(array), 1), (1, array.shape[1]))
            if not fits or scale.dtype != HALF:
                raise ValueError(f"the scales of {name} do not fit it")
            found[name] = _numbers(array, scale)
        elif not name.endswith(SCALE):
            found[name] = array.astype(np.float32)
        elif name.removesuffix(SCALE) not in tensors:
            raise ValueError(f"{name} is of nothing")
    return found


def _in_steps(array: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """The longer side has the scales, which are half precision."""
    rows, columns = array.shape
    largest = np.abs(array).max(axis=0 if columns >= rows else 1, keepdims=True)
    scale = (largest / STEPS).astype(HALF)
    divisor = np.where(scale > 0, scale, 1).astype(np.float32)
    steps = np.clip(np.rint(array / divisor), -STEPS, STEPS)
    return steps.astype(np.int8), scale


def _numbers(steps: NDArray[np.int8], scale: NDArray[np.float16]) -> Floats:
    return steps.astype(np.float32) * scale.astype(np.float32)
