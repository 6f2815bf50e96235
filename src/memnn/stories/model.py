"""A trained story network and its folder, of kind `story` (see `folder`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from memnn.folder import hash_of, read_folder, saying_damage, write_folder
from memnn.kernels.arrays import Floats
from memnn.kernels.phi import Y
from memnn.layout import Layout
from memnn.memory.protocol import Embedder, Halves
from memnn.stories.dictionary import Dictionary
from memnn.stories.invariants import Habits
from memnn.stories.recipe import Recipe
from memnn.stories.responses import RECURRENT, response_named
from memnn.tensors import from_bytes, to_bytes
from memnn.text.stream import Segmenter
from memnn.text.tokens import tokeniser

KIND = "story"


@dataclass(frozen=True)
class Model:
    """The parameters of a story network: dictionary W, U_O, U_R, and how they came about."""

    recipe: Recipe
    dictionary: Dictionary
    U_O: Floats  # (D, n), see features.layout
    U_R: Floats  # (D, n)
    card: dict[str, Any] = field(default_factory=dict)
    """Training data and results, for people."""
    segmenter: Segmenter | None = None
    """Where statements end in a stream of words."""
    R_settings: dict[str, Any] = field(default_factory=dict)
    R_weights: dict[str, Floats] = field(default_factory=dict)
    """R as RNN or LSTM; U_R is empty then."""
    habits: Habits = field(default_factory=Habits)
    """What held for every training question; models of older versions have none."""

    @cached_property
    def layout_O(self) -> Layout:
        W = len(self.dictionary)
        recipe = self.recipe
        return Layout(W, W, recipe.unseen, recipe.match, time=True, shared=recipe.shared)

    @cached_property
    def layout_R(self) -> Layout:
        W, answers, recipe = len(self.dictionary), len(self.dictionary.answers), self.recipe
        return Layout(W, answers, recipe.unseen, recipe.match, shared=recipe.shared)

    def save(self, folder: str | Path) -> Path:
        """Write the folder of the model, whole or not at all."""
        return save(self, folder)

    def weights(self) -> bytes:
        tensors = {"U_O": self.U_O, "U_R": self.U_R}
        tensors |= {f"R.{name}": weights for name, weights in self.R_weights.items()}
        if self.segmenter is not None:
            tensors |= {f"I.{name}": w for name, w in self.segmenter.weights().items()}
        return to_bytes(tensors)

    @cached_property
    def id(self) -> str:
        """A hash of the weights: what a cache of vectors names."""
        return hash_of(self.weights())


class StoryEmbedder:
    """A memory as a vector: the sum of U_O's rows for its words, Φ_y of Eq. 5 without contexts.

    Unknown words are left out: what they mean depends on the story (§3.5) and cannot be kept.
    """

    def __init__(self, model: Model) -> None:
        self.id, self.dim = model.id, model.recipe.dim
        self._dictionary = replace(model.dictionary, indices=0)  # write time is no word
        self._as_sets = model.recipe.match or model.recipe.bow > 0
        first = int(model.layout_O.blocks[Y])
        self._U_Y = model.U_O[first : first + len(model.dictionary.words)]

    def embed(self, texts: Sequence[str]) -> Halves:
        rows = [self._dictionary.rows(text) for text in texts]
        if self._as_sets:
            rows = [list(dict.fromkeys(row)) for row in rows]
        lengths = np.array([len(row) for row in rows], np.int64)
        sums = np.zeros((len(texts), self.dim), np.float32)
        for place in range(int(lengths.max(initial=0))):
            longer = np.flatnonzero(lengths > place)
            sums[longer] += self._U_Y[[rows[i][place] for i in longer.tolist()]]
        return sums.astype(np.float16)


def embedder(model: Model) -> Embedder:
    """What a store needs to keep vectors of this model."""
    return StoryEmbedder(model)


def save(model: Model, folder: str | Path) -> Path:
    """Write the folder beside its place, then move it there; whatever happens, one is there."""
    weights = model.weights()
    about = {
        "kind": KIND,
        "tokeniser": model.dictionary.tokeniser,
        "recipe": model.recipe.to_json(),
        "words": list(model.dictionary.words),
        "answers": list(model.dictionary.answers),
        "entities": sorted(model.dictionary.entities),
        "indices": model.dictionary.indices,
        "segmenter": model.segmenter and model.segmenter.settings(),
        "response": model.R_settings,
        "habits": model.habits.to_json(),
        "card": model.card,
    }
    return write_folder(folder, about, weights)


def load(folder: str | Path) -> Model:
    """Read a model folder, or say in one line what is wrong with it."""
    about, weights = read_folder(folder, KIND, "memnn train FILE")
    with saying_damage(folder):
        return _model(about, weights)


def _model(about: dict[str, Any], weights: bytes) -> Model:
    """The model that the files describe; ValueError where they describe none."""
    for name in ("words", "answers", "entities"):
        if not isinstance(about[name], list) or not all(isinstance(w, str) for w in about[name]):
            raise ValueError(f"{name} must be a list of strings")
    if type(about["indices"]) is not int or about["indices"] < 0:
        raise ValueError("indices must be a whole number")
    if len(about["answers"]) < len(about["words"]) or not set(about["entities"]) <= set(
        about["words"]
    ):
        raise ValueError("words, answers and entities do not fit together")
    dictionary = Dictionary(
        words=tuple(about["words"]),
        answers=tuple(about["answers"]),
        entities=frozenset(about["entities"]),
        indices=about["indices"],
        tokeniser=about["tokeniser"],
    )
    tokeniser(dictionary.tokeniser)
    tensors = from_bytes(weights)
    model = Model(
        Recipe.from_json(about["recipe"]), dictionary, tensors["U_O"], tensors["U_R"],
        dict(about.get("card", {})),
        segmenter=Segmenter.from_weights(about["segmenter"], _part(tensors, "I."))
        if about["segmenter"]
        else None,
        R_settings=dict(about["response"]),
        R_weights=_part(tensors, "R."),
        habits=Habits.from_json(about.get("habits", {})),
    )  # fmt: skip
    response_named(model.recipe.response)
    if model.recipe.stream != (model.segmenter is not None):
        raise ValueError("recipe and segmenter do not fit together")
    if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise ValueError("weights contain values that are not numbers")
    D_R = 0 if model.recipe.response in RECURRENT else model.layout_R.D
    for U, D in ((model.U_O, model.layout_O.D), (model.U_R, D_R)):
        if U.dtype != np.float32 or U.shape != (D, model.recipe.dim):
            raise ValueError("weights and dictionary do not fit together")
    return model


def _part(tensors: dict[str, Floats], prefix: str) -> dict[str, Floats]:
    """The tensors of one component, by their own names."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def initial(dictionary: Dictionary, recipe: Recipe, rng: np.random.Generator) -> Model:
    """An untrained model: every entry drawn from N(0, init²)."""
    empty = np.zeros((0, recipe.dim), np.float32)
    model = Model(recipe, dictionary, empty, empty)

    def normal(rows: int) -> Floats:
        return rng.normal(0.0, recipe.init, (rows, recipe.dim)).astype(np.float32)

    model.layout_O.check()
    if recipe.response not in RECURRENT:
        model.layout_R.check()
    U_O = normal(model.layout_O.D)
    return replace(
        model, U_O=U_O, U_R=empty if recipe.response in RECURRENT else normal(model.layout_R.D)
    )
