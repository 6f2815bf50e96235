"""A trained network over facts and its folder, of kind `facts` (see `model`)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from memnn.errors import InputError
from memnn.facts.bags import ASKING, MOST_WORDS, FactDictionary
from memnn.facts.lookup import Lookup
from memnn.facts.recipe import FactsRecipe
from memnn.facts.word_hash import Hash
from memnn.folder import hash_of, read_folder, saying_damage, write_folder
from memnn.kernels.arrays import Floats
from memnn.kernels.phi import X, Y
from memnn.layout import Layout
from memnn.tensors import from_bytes, to_bytes
from memnn.text.tokens import tokeniser

KIND = "facts"


@dataclass(frozen=True)
class FactsModel:
    """The parameters of a network over facts."""

    recipe: FactsRecipe
    dictionary: FactDictionary
    U_O: Floats  # (D, n)
    card: dict[str, Any] = field(default_factory=dict)
    threshold: float = 0.0
    """Below this score nothing is answered; chosen on questions held back from training."""
    threshold_alone: float = 0.0
    """The same for the embedding alone, whose scores are lower."""

    @cached_property
    def layout(self) -> Layout:
        return layout_of(len(self.dictionary), self.recipe)

    def save(self, folder: str | Path) -> Path:
        """Write the folder of the model, whole or not at all."""
        return save(self, folder)

    def weights(self) -> bytes:
        return to_bytes({"U_O": self.U_O, "idf": self.dictionary.idf})

    @cached_property
    def id(self) -> str:
        return hash_of(self.weights())

    @property
    def word_vectors(self) -> Floats:
        """One vector a word, for both sides: what cluster hashing groups words by."""
        blocks, W = self.layout.blocks, len(self.dictionary)
        return self.U_O[blocks[X] : blocks[X] + W] + self.U_O[blocks[Y] : blocks[Y] + W]

    def lookup(
        self,
        hash: Hash | None = None,
        *,
        bow: bool = True,
        match: bool = True,
        threads: int = 2,
    ) -> Lookup:
        """O with these parameters; without `bow` and `match` it is the embedding alone."""
        layout = self.layout if match else replace(self.layout, match=False, patterns=False)
        return Lookup(
            self.dictionary, layout, self.U_O, hops=self.recipe.hops,
            bow=self.recipe.bow if bow else 0.0, hash=hash, threads=threads,
        )  # fmt: skip


def layout_of(words: int, recipe: FactsRecipe) -> Layout:
    # Patterns alone: a matching vector for every word gained nothing on validation (docs/log.md).
    return Layout(words, words, patterns=recipe.match, supports=recipe.hops > 1)


def initial(
    dictionary: FactDictionary, recipe: FactsRecipe, rng: np.random.Generator
) -> FactsModel:
    """An untrained model. Questions and facts start with the same word vectors, nearly orthogonal,
    so that it begins as a soft word match; matches begin with nothing."""
    if len(dictionary) > MOST_WORDS:
        raise InputError(f"there are more than {MOST_WORDS:,} different words")
    layout = layout_of(len(dictionary), recipe)
    U = np.zeros((layout.D, recipe.dim), np.float32)
    W, blocks = len(dictionary), layout.blocks
    vectors = (rng.standard_normal((W, recipe.dim)) / np.sqrt(recipe.dim)).astype(np.float32)
    for block in (X, Y, 1):
        if blocks[block] >= 0:
            U[blocks[block] : blocks[block] + W] = vectors
    return FactsModel(recipe, dictionary, U)


def save(model: FactsModel, folder: str | Path) -> Path:
    about = {
        "kind": KIND,
        "tokeniser": model.dictionary.tokeniser,
        "recipe": model.recipe.to_json(),
        "threshold": model.threshold,
        "threshold_alone": model.threshold_alone,
        "typical": model.dictionary.typical,
        "forms": model.dictionary.forms,
        "words": list(model.dictionary.words),
        "card": model.card,
    }
    return write_folder(folder, about, model.weights())


def load(folder: str | Path) -> FactsModel:
    about, weights = read_folder(folder, KIND, "memnn facts train TRIPLES")
    with saying_damage(folder):
        return _model(about, weights)


def _model(about: dict[str, Any], weights: bytes) -> FactsModel:
    tensors = from_bytes(weights)
    words, forms = about["words"], about["forms"]
    if not isinstance(words, list) or ASKING not in words or not isinstance(forms, dict):
        raise ValueError("the dictionary is incomplete")
    if not all(isinstance(word, str) for word in (*words, *forms.values())):
        raise ValueError("words and forms must be strings")
    tokeniser(about["tokeniser"])
    dictionary = FactDictionary(
        tuple(words), tensors["idf"], forms, float(about["typical"]), about["tokeniser"]
    )
    model = FactsModel(
        FactsRecipe.from_json(about["recipe"]), dictionary, tensors["U_O"],
        dict(about.get("card", {})), float(about["threshold"]),
        float(about["threshold_alone"]),
    )  # fmt: skip
    idf = dictionary.idf
    if len(dictionary.row) != len(words) or idf.shape != (len(words),) or idf.dtype.str != "<f4":
        raise ValueError("words and weights do not fit together")
    if (
        not (0 < dictionary.typical < np.inf)
        or not np.isfinite([model.threshold, model.threshold_alone]).all()
    ):
        raise ValueError("typical and the thresholds must be finite numbers")
    if model.U_O.dtype != np.float32 or model.U_O.shape != (model.layout.D, model.recipe.dim):
        raise ValueError("weights and dictionary do not fit together")
    if not (np.isfinite(model.U_O).all() and np.isfinite(dictionary.idf).all()):
        raise ValueError("weights contain values that are not numbers")
    vars(model)["id"] = about["id"]  # it was compared with the weights; hashing them again is slow
    return model
