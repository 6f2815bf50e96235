"""A trained path network and its folder, of kind `paths` (see `folder`).

Tables are hashed and mostly empty, so the folder holds the cells that are not zero, rounded to half
precision; training hands out the same rounded weights, so that saving changes no answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from memnn.folder import hash_of, read_folder, saying_damage, write_folder
from memnn.kernels.arrays import Floats
from memnn.kernels.path_features import NEVER
from memnn.kernels.path_reading import MOST_SUPPORTS
from memnn.kernels.path_response import OTHER, Weights
from memnn.support_paths.phrases import Phrases
from memnn.support_paths.recipe import MOST_BITS, PathRecipe
from memnn.support_paths.silence import Silence
from memnn.support_paths.vocabulary import PathVocabulary
from memnn.text.stream import Segmenter
from memnn.text.tokens import tokeniser

KIND = "paths"


@dataclass(frozen=True)
class PathModel:
    """The parameters of a path network: A of O, the weights of R, and how they came about."""

    recipe: PathRecipe
    vocabulary: PathVocabulary
    A: Floats  # (2^bits,) cells of pairs of features
    R: Weights
    hops: int
    """The most supports that it looks for."""
    silence: Silence = field(default_factory=Silence)
    card: dict[str, Any] = field(default_factory=dict)
    """Training data and results, for people."""
    segmenter: Segmenter | None = None
    """Where statements end in a stream of words."""
    longest: int | None = None
    """Statements before a training question, at most; models of older versions do not say."""

    def save(self, folder: str | Path) -> Path:
        """Write the folder of the model, whole or not at all."""
        return save(self, folder)

    def weights(self) -> bytes:
        tensors: dict[str, NDArray[Any]] = {"R.answers": self.R.answers.astype(np.float16)}
        for name, table in (("A", self.A), ("R.copies", self.R.copies)):
            cells = np.flatnonzero(table)
            tensors |= {
                f"{name}.cells": cells.astype(np.uint32),
                f"{name}.values": table[cells].astype(np.float16),
                f"{name}.size": np.array([len(table)], np.int64),
            }
        rows = np.flatnonzero(self.R.features.any(axis=1))
        tensors |= {
            "R.features.cells": rows.astype(np.uint32),
            "R.features.values": self.R.features[rows].astype(np.float16),
            "R.features.size": np.array([len(self.R.features)], np.int64),
        }
        if self.segmenter is not None:
            tensors |= {f"I.{name}": w for name, w in self.segmenter.weights().items()}
        return bytes(save_tensors(tensors))

    @cached_property
    def id(self) -> str:
        """A hash of the weights."""
        return hash_of(self.weights())


def rounded(table: Floats) -> Floats:
    """As the folder keeps it: what is closer to zero than half precision can say is zero.

    What is larger than it can say is infinite.
    """
    with np.errstate(over="ignore"):
        return table.astype(np.float16).astype(np.float32)


def save(model: PathModel, folder: str | Path) -> Path:
    """Write the folder beside its place, then move it there; whatever happens, one is there."""
    vocabulary = model.vocabulary
    about = {
        "kind": KIND,
        "tokeniser": vocabulary.tokeniser,
        "recipe": model.recipe.to_json(),
        "hops": model.hops,
        "words": list(vocabulary.words),
        "forms": list(vocabulary.forms),
        "answers": list(vocabulary.answers),
        "phrases": vocabulary.phrases.to_json(),
        "silence": model.silence.to_json(),
        "segmenter": model.segmenter and model.segmenter.settings(),
        "longest": model.longest,
        "card": model.card,
    }
    return write_folder(folder, about, model.weights())


def load(folder: str | Path) -> PathModel:
    """Read a model folder, or say in one line what is wrong with it."""
    about, weights = read_folder(folder, KIND, "memnn train FILE --recipe paths")
    with saying_damage(folder):
        return _model(about, weights)


def _model(about: dict[str, Any], weights: bytes) -> PathModel:
    """The model that the files describe; ValueError where they describe none."""
    for name in ("words", "forms", "answers"):
        if not isinstance(about[name], list) or not all(isinstance(w, str) for w in about[name]):
            raise ValueError(f"{name} must be a list of strings")
    if len(about["forms"]) != len(about["words"]):
        raise ValueError("words and forms do not fit together")
    tokeniser(about["tokeniser"])
    vocabulary = PathVocabulary(
        tuple(about["words"]),
        tuple(about["answers"]),
        Phrases.from_json(about["phrases"]),
        tuple(about["forms"]),
        about["tokeniser"],
    )
    recipe = PathRecipe.from_json(about["recipe"])
    hops = about["hops"]
    if type(hops) is not int or not 1 <= hops <= MOST_SUPPORTS:
        raise ValueError(f"hops must be a whole number from 1 to {MOST_SUPPORTS}")
    longest = about.get("longest")
    if longest is not None and (type(longest) is not int or not 1 <= longest < NEVER):
        raise ValueError("longest must be a whole number from 1 on")
    tensors = load_tensors(weights)
    answers = tensors["R.answers"].astype(np.float32)
    if answers.shape != (3, len(vocabulary.answers) + OTHER + 1, recipe.dim):
        raise ValueError("weights and answers do not fit together")
    R = Weights(
        _table(tensors, "R.features", (recipe.dim,)), answers, _table(tensors, "R.copies", ())
    )
    A = _table(tensors, "A", ())
    if not all(np.isfinite(table).all() for table in (A, *R)):
        raise ValueError("weights contain values that are not numbers")
    segmenter = None
    if settings := about.get("segmenter"):
        own = {n.removeprefix("I."): w for n, w in tensors.items() if n.startswith("I.")}
        if not all(np.isfinite(w).all() for w in own.values()):
            raise ValueError("weights contain values that are not numbers")
        segmenter = Segmenter.from_weights(settings, own)
    if recipe.stream != (segmenter is not None):
        raise ValueError("recipe and segmenter do not fit together")
    return PathModel(
        recipe, vocabulary, A, R, hops, Silence.from_json(about["silence"]),
        dict(about.get("card", {})), segmenter, longest,
    )  # fmt: skip


def _table(tensors: dict[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> Floats:
    cells, values = tensors[f"{name}.cells"], tensors[f"{name}.values"]
    (size,) = tensors[f"{name}.size"].tolist()
    if not 1 <= size <= 2**MOST_BITS or size & (size - 1):
        raise ValueError(f"{name} must have a power of two of cells")
    if cells.dtype != np.uint32 or values.shape != (*cells.shape, *shape) or cells.ndim != 1:
        raise ValueError(f"{name} does not fit together")
    if len(cells) and int(cells.max()) >= size:
        raise ValueError(f"{name} does not fit together")
    table = np.zeros((size, *shape), np.float32)
    table[cells] = values
    return table
