"""An index as bytes, which a store keeps so that a large memory is searched at once when opened."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.text.lemmas import CLOSER

NAME = f"turns-5-{CLOSER}"
LEAST_KEPT, SHARE_UNKEPT = 10_000, 8
"""This many turns, or an eighth of all, are read in a moment: no need to keep them yet."""
Arrays = Mapping[str, NDArray[Any]]


class Kept(NamedTuple):
    """What an index is made of."""

    arrays: Arrays
    words: list[str]
    speakers: list[str]
    sessions: list[str]
    meta: Sequence[tuple[str, str, Sequence[int]]]


def pack(kept: Kept) -> bytes:
    """Small, and quick enough to read."""
    from safetensors.numpy import save  # few memories are so large

    names = json.dumps([kept.words, kept.speakers, kept.sessions, kept.meta]).encode()
    arrays = {name: np.ascontiguousarray(array) for name, array in kept.arrays.items()}
    return zlib.compress(save({**arrays, "names": np.frombuffer(names, np.uint8)}), 1)


def unpack(data: bytes) -> Kept | None:
    """None where it is no index, or one whose parts do not fit."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(zlib.decompress(data))
        words, speakers, sessions, meta = json.loads(arrays.pop("names").tobytes())
        meta = [(str(key), str(value), list(map(int, places))) for key, value, places in meta]
        kept = Kept(arrays, words, speakers, sessions, meta)
        return kept if _fits(kept) else None
    except (ValueError, TypeError, KeyError, IndexError, SafetensorError, zlib.error):
        return None


def _fits(kept: Kept) -> bool:
    a = kept.arrays
    n, entries = len(a["ids"]), len(a["places"])
    lists = a["ptr"]
    return bool(
        len(a["lengths"])
        == len(a["said"])
        == len(a["speaker"])
        == len(a["session"])
        == len(a["form"])
        == n
        and len(a["counts"]) == entries
        and len(lists) <= len(kept.words) + 1
        and lists[0] == 0
        and lists[-1] == entries
        and (np.diff(lists) >= 0).all()
        and (not entries or (a["places"].min() >= 0 and a["places"].max() < n))
        and a["speaker"].max(initial=-1) < len(kept.speakers)
        and a["session"].max(initial=-1) < len(kept.sessions)
        and (np.diff(a["ids"]) > 0).all()
    )
