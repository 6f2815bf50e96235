"""A trained model and its folder: `model.json` and `weights.safetensors`, never pickle.

The folder appears whole or not at all. `model.json` names the hash of the weights, so that a
truncated or mixed-up folder is found when it is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from memnn.errors import InputError, MemnnError, ModelError
from memnn.features.dictionary import Dictionary
from memnn.features.layout import Layout
from memnn.features.tokens import tokeniser
from memnn.kernels.embed import Floats
from memnn.recipe import Recipe
from memnn.version import __version__

FORMAT = 1
JSON, WEIGHTS = "model.json", "weights.safetensors"


@dataclass(frozen=True)
class Model:
    """The parameters of a story network: dictionary W, U_O, U_R, and how they came about."""

    recipe: Recipe
    dictionary: Dictionary
    U_O: Floats  # (D, n), see features.layout
    U_R: Floats  # (D, n)
    card: dict[str, Any] = field(default_factory=dict)
    """Training data and results, for people."""

    @property
    def layout_O(self) -> Layout:
        W = len(self.dictionary)
        return Layout(W, W, self.recipe.unseen, self.recipe.match, time=True)

    @property
    def layout_R(self) -> Layout:
        W, answers = len(self.dictionary), len(self.dictionary.answers)
        return Layout(W, answers, self.recipe.unseen, self.recipe.match)

    def weights(self) -> bytes:
        return bytes(save_tensors({"U_O": self.U_O, "U_R": self.U_R}))

    @property
    def id(self) -> str:
        """A hash of the weights: what a cache of vectors names."""
        return _hash(self.weights())


def save(model: Model, folder: str | Path) -> Path:
    """Write the folder beside its place, then move it there in one step."""
    folder = Path(folder)
    check_place(folder)
    weights = model.weights()
    about = {
        "format": FORMAT,
        "kind": "story",
        "id": _hash(weights),
        "memnn": __version__,
        "tokeniser": model.dictionary.tokeniser,
        "recipe": model.recipe.to_json(),
        "words": list(model.dictionary.words),
        "answers": list(model.dictionary.answers),
        "entities": sorted(model.dictionary.entities),
        "indices": model.dictionary.indices,
        "card": model.card,
    }
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise ModelError(f"cannot write {folder}: {error.strerror}") from None
    try:
        _write(new / WEIGHTS, weights)
        _write(new / JSON, (json.dumps(about, ensure_ascii=False, indent=1) + "\n").encode())
        new.chmod(0o755)
        if folder.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
            os.replace(folder, old)
            try:
                os.replace(new, folder)
            except OSError:
                os.replace(old, folder)
                raise
            shutil.rmtree(old)
        else:
            os.replace(new, folder)
    except OSError as error:
        raise ModelError(f"cannot write {folder}: {error.strerror}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return folder


def check_place(folder: str | Path) -> None:
    """Refuse to write a model over something that is none; called before training, too."""
    folder = Path(folder)
    if not folder.exists():
        return
    if not folder.is_dir() or {path.name for path in folder.iterdir()} - {JSON, WEIGHTS}:
        raise ModelError(f"{folder} exists and is not just a model; choose another place")


def load(folder: str | Path) -> Model:
    """Read a model folder, or say in one line what is wrong with it."""
    folder = Path(folder)
    if not folder.exists():
        raise ModelError(
            f"there is no model at {folder}; make one with: memnn train FILE -o {folder}"
        )
    if not (folder / JSON).is_file():
        raise ModelError(f"{folder} is not a model: it has no {JSON}")
    try:
        about = json.loads((folder / JSON).read_bytes())
        if not isinstance(about, dict):
            raise ValueError
    except (ValueError, UnicodeDecodeError):
        raise ModelError(f"{folder} is damaged: {JSON} is not whole; train it again") from None
    except OSError as error:
        raise ModelError(f"cannot read {folder}: {error.strerror}") from None
    version = about.get("format")
    if not isinstance(version, int) or version < 1:
        raise ModelError(f"{folder} is not a memnn model: {JSON} has no format version")
    if version > FORMAT:
        raise ModelError(
            f"{folder} has format {version} and memnn {__version__} reads up to {FORMAT}; "
            "install a newer memnn"
        )
    if about.get("kind") != "story":
        raise ModelError(f"{folder} is a model of kind '{about.get('kind')}', not a story model")
    try:
        weights = (folder / WEIGHTS).read_bytes()
    except OSError:
        raise ModelError(f"{folder} is damaged: {WEIGHTS} cannot be read; train it again") from None
    if _hash(weights) != about.get("id"):
        raise ModelError(f"{folder} is damaged: {WEIGHTS} is not what {JSON} names; train it again")
    try:
        tensors = load_tensors(weights)
        dictionary = Dictionary(
            words=tuple(about["words"]),
            answers=tuple(about["answers"]),
            entities=frozenset(about["entities"]),
            indices=about["indices"],
            tokeniser=about["tokeniser"],
        )
        tokeniser(dictionary.tokeniser)
        model = Model(
            Recipe.from_json(about["recipe"]), dictionary, tensors["U_O"], tensors["U_R"],
            about.get("card", {}),
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError, SafetensorError, InputError) as error:
        what = error if isinstance(error, MemnnError) else f"missing or wrong {error}"
        raise ModelError(f"{folder} is damaged: {what}; train it again") from None
    n = model.recipe.dim
    if model.U_O.shape != (model.layout_O.D, n) or model.U_R.shape != (model.layout_R.D, n):
        raise ModelError(f"{folder} is damaged: weights and dictionary do not fit; train it again")
    return model


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _hash(weights: bytes) -> str:
    return hashlib.sha256(weights).hexdigest()[:32]


def initial(dictionary: Dictionary, recipe: Recipe, rng: np.random.Generator) -> Model:
    """An untrained model: every entry drawn from N(0, init²)."""
    empty = np.zeros((0, recipe.dim), np.float32)
    model = Model(recipe, dictionary, empty, empty)

    def normal(rows: int) -> Floats:
        return rng.normal(0.0, recipe.init, (rows, recipe.dim)).astype(np.float32)

    return replace(model, U_O=normal(model.layout_O.D), U_R=normal(model.layout_R.D))
