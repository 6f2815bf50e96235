"""A trained network for ordinary language and its folder, of kind `ordinary` (see `folder`).

Tables are kept with a byte a cell; training hands out the same rounded weights, so that saving
changes no answer.
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
from memnn.kernels.ordinary_judge import MEASURES
from memnn.kernels.path_features import Doubles
from memnn.ordinary.hearing import KINDS, SCALARS, Hearing
from memnn.ordinary.lexicon import WordLexicon
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.text.vectors import WordVectors, english

KIND = "ordinary"
TABLES = ("A", "R", "J")


@dataclass(frozen=True)
class OrdinaryModel:
    """The parameters of O, of R and of declining, and how they came about."""

    recipe: OrdinaryRecipe
    lexicon: WordLexicon
    learnt: tuple[str, ...]
    """Answers that need not stand in a support: yes, no, two."""
    hearing: Hearing
    A: Floats  # (2^bits,)
    R: Floats  # (2^answer_bits,)
    J: Floats  # (2^judge_bits,)
    measures: Doubles  # (MEASURES + 1,) weights of the named measures, then of none
    slope: tuple[float, float] = (1.0, 0.0)
    """From the score of a judgement to log odds: a factor and what is added."""
    card: dict[str, Any] = field(default_factory=dict)
    """Training data and results, for people."""

    def save(self, folder: str | Path) -> Path:
        """Write the folder of the model, whole or not at all."""
        about = {
            "kind": KIND,
            "recipe": self.recipe.to_json(),
            "words": list(self.lexicon.words),
            "learnt": list(self.learnt),
            "measures": dict(zip((*MEASURES, ""), self.measures.tolist(), strict=True)),
            "slope": list(self.slope),
            "card": self.card,
        }
        return write_folder(folder, about, self.weights())

    def weights(self) -> bytes:
        tensors: dict[str, NDArray[Any]] = {"hearing": self.hearing.weights}
        for name in TABLES:
            codes, step = packed(getattr(self, name))
            tensors |= {name: codes, f"{name}.step": np.array([step], np.float32)}
        return bytes(save_tensors(tensors))

    @cached_property
    def id(self) -> str:
        """A hash of the weights."""
        return hash_of(self.weights())


def packed(table: Floats) -> tuple[NDArray[np.int8], np.float32]:
    """A byte for each cell, and what its unit is worth."""
    step = np.float32(max(float(np.abs(table).max(initial=0.0)) / 127, 1e-12))
    return np.rint(table / step).astype(np.int8), step


def rounded(table: Floats) -> Floats:
    """As the folder keeps it."""
    codes, step = packed(table)
    return codes.astype(np.float32) * step


def load(folder: str | Path, vectors: WordVectors | None = None) -> OrdinaryModel:
    """Read a model folder, or say in one line what is wrong with it."""
    about, weights = read_folder(folder, KIND, "memnn train --language ordinary")
    with saying_damage(folder):
        return _model(about, weights, vectors)


def _model(about: dict[str, Any], weights: bytes, vectors: WordVectors | None) -> OrdinaryModel:
    for name in ("words", "learnt"):
        if not isinstance(about[name], list) or not all(isinstance(w, str) for w in about[name]):
            raise ValueError(f"{name} must be a list of strings")
    recipe = OrdinaryRecipe.from_json(about["recipe"])
    if vectors is None:
        vectors = english() if recipe.vectors else WordVectors.none()
    tensors = load_tensors(weights)
    tables = {}
    for name, bits in zip(
        TABLES, (recipe.bits, recipe.answer_bits, recipe.judge_bits), strict=True
    ):
        codes = tensors[name]
        if codes.dtype != np.int8 or codes.shape != (1 << bits,):
            raise ValueError(f"{name} does not fit the recipe")
        tables[name] = codes.astype(np.float32) * tensors[f"{name}.step"][0]
    measures = np.array([about["measures"][name] for name in (*MEASURES, "")], np.float64)
    heard = tensors["hearing"]
    if heard.ndim != 2 or len(heard) not in (0, KINDS):
        raise ValueError("what was learnt about pronouns does not fit")
    if len(heard) and heard.shape[1] != vectors.dim + SCALARS:
        raise ValueError("the model was trained with other word vectors")
    slope = tuple(map(float, about["slope"]))
    numbers = (*tables.values(), measures, heard, np.array(slope))
    if not all(np.isfinite(each).all() for each in numbers) or len(slope) != 2:
        raise ValueError("weights contain values that are not numbers")
    return OrdinaryModel(
        recipe, WordLexicon(tuple(about["words"]), vectors), tuple(about["learnt"]),
        Hearing(vectors, heard), tables["A"], tables["R"], tables["J"], measures,
        (slope[0], slope[1]), dict(about.get("card", {})),
    )  # fmt: skip
