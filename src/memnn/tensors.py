"""Weights as bytes. What was rounded to half precision is kept in half the space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

from memnn.kernels.arrays import Floats

LARGEST = float(np.finfo(np.float16).max)


def rounded(array: Floats) -> Floats:
    """The nearest numbers of half precision, which `to_bytes` keeps without loss."""
    return np.clip(array, -LARGEST, LARGEST).astype(np.float16).astype(np.float32)


def to_bytes(tensors: Mapping[str, NDArray[Any]]) -> bytes:
    return bytes(save({name: _kept(array) for name, array in tensors.items()}))


def from_bytes(weights: bytes) -> dict[str, Floats]:
    """What was kept, all of single precision."""
    return {
        name: array.astype(np.float32) if array.dtype == np.float16 else array
        for name, array in load(weights).items()
    }


def _kept(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype != np.float32 or array.ndim != 2 or not array.any():
        return array
    with np.errstate(over="ignore"):
        half = array.astype(np.float16)
    return half if np.array_equal(half.astype(np.float32), array) else array
