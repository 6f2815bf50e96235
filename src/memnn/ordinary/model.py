"""A trained network for ordinary language and its folder, of kind `ordinary` (see `folder`).

Parameters are kept rounded (see `kept`); training hands out the same rounded ones, so that saving
changes no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from memnn.folder import hash_of, read_folder, saying_damage, write_folder
from memnn.ordinary.examples import FIRST_LEARNT
from memnn.ordinary.hearing import KINDS, SCALARS, Hearing
from memnn.ordinary.judging import MEASURES, Judgement
from memnn.ordinary.kept import from_bytes, to_bytes
from memnn.ordinary.parameters import ReaderSize, shapes
from memnn.ordinary.reader import PassageReader
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.text.related import related_english
from memnn.text.vectors import WordVectors, english

KIND = "ordinary"
FORMAT = 2
"""That of folders whose parameters are in bytes, and whose R reads a path again."""
HEARING = "hearing"
BEFORE = {"related": False, "mixed": 0.0}
"""How those learnt whose recipe does not say."""


@dataclass(frozen=True)
class OrdinaryModel:
    """The parameters, and how they came about."""

    recipe: OrdinaryRecipe
    words: tuple[str, ...]
    """Words that are read literally."""
    learnt: tuple[str, ...]
    """Answers that need not stand in a support: yes, no, two."""
    hearing: Hearing
    reader: PassageReader
    judgement: Judgement = field(default_factory=Judgement)
    card: dict[str, Any] = field(default_factory=dict)
    """Training data and results, for people."""

    @cached_property
    def literals(self) -> Mapping[str, int]:
        return {word: i for i, word in enumerate(self.words, start=1)}

    def save(self, folder: str | Path) -> Path:
        """Write the folder of the model, whole or not at all."""
        about = {
            "format": FORMAT,
            "kind": KIND,
            "recipe": self.recipe.to_json(),
            "words": list(self.words),
            "learnt": list(self.learnt),
            "judgement": _by_name(self.judgement.weights),
            "supported": _by_name(self.judgement.supported) if self.judgement.supported else {},
            "sure": self.judgement.sure,
            "sure_of_words": self.judgement.words,
            "vectors": self.hearing.vectors.mark,
            "card": self.card,
        }
        return write_folder(folder, about, self.weights())

    def weights(self) -> bytes:
        return to_bytes({**self.reader.parameters, HEARING: self.hearing.weights})

    @cached_property
    def id(self) -> str:
        """A hash of the weights."""
        return hash_of(self.weights())


def _by_name(weights: Sequence[float]) -> dict[str, float]:
    """Of each measure, and what is added as that of nothing."""
    return dict(zip((*MEASURES, ""), weights, strict=True))


def _weights(by_name: Mapping[str, Any]) -> tuple[float, ...]:
    """Networks of before have fewer measures."""
    return tuple(float(by_name.get(name, 0.0)) for name in (*MEASURES, ""))


def vectors_for(recipe: OrdinaryRecipe) -> WordVectors:
    """What words mean before training, unless somebody has vectors of their own."""
    if not recipe.vectors:
        return WordVectors.none()
    return related_english() if recipe.related else english()


def load(folder: str | Path, vectors: WordVectors | None = None) -> OrdinaryModel:
    """Read a model folder, or say in one line what is wrong with it."""
    about, weights = read_folder(folder, KIND, "memnn.ordinary.train")
    with saying_damage(folder):
        return _model(about, weights, vectors)


def _model(about: dict[str, Any], weights: bytes, vectors: WordVectors | None) -> OrdinaryModel:
    for name in ("words", "learnt"):
        if not isinstance(about[name], list) or not all(isinstance(w, str) for w in about[name]):
            raise ValueError(f"{name} must be a list of strings")
    recipe = OrdinaryRecipe.from_json({**BEFORE, **about["recipe"]})
    if vectors is None:
        vectors = vectors_for(recipe)
    if about.get("vectors", vectors.mark) != vectors.mark:
        raise ValueError("it learnt with other word vectors; give those: load(folder, vectors)")
    tensors = from_bytes(weights)
    heard = tensors.pop(HEARING)
    said = len(about["learnt"]) + FIRST_LEARNT
    wanted = shapes(len(about["words"]), vectors.dim, said, ReaderSize.of(tensors))
    if {name: value.shape for name, value in tensors.items()} != wanted:
        raise ValueError("the parameters do not fit the words, the answers or the word vectors")
    if heard.ndim != 2 or len(heard) not in (0, KINDS):
        raise ValueError("what was learnt about pronouns does not fit")
    if len(heard) and heard.shape[1] != vectors.dim + SCALARS:
        raise ValueError("the model was trained with other word vectors")
    supported = about.get("supported", {})
    judgement = Judgement(
        _weights(about["judgement"]), _weights(supported) if supported else (),
        float(about["sure"]), float(about["sure_of_words"]),
    )  # fmt: skip
    sure = [*judgement.weights, *judgement.supported, judgement.sure, judgement.words]
    numbers = (*tensors.values(), heard, np.array(sure))
    if not all(np.isfinite(each).all() for each in numbers):
        raise ValueError("weights contain values that are not numbers")
    return OrdinaryModel(
        recipe, tuple(about["words"]), tuple(about["learnt"]), Hearing(vectors, heard),
        PassageReader(tensors), judgement, dict(about.get("card", {})),
    )  # fmt: skip
