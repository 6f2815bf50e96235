"""A trained ensemble and its folder, of kind `ensemble`: a folder of folders (see `folder`)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from memnn.dialogue import kinds as asked_for
from memnn.dialogue.calibrate import PARTS, Calibration
from memnn.dialogue.kinds import Kinds
from memnn.facts import model as facts
from memnn.facts.triples import Triple
from memnn.folder import hash_of, read_folder, saying_damage, steadily, write_folder
from memnn.ordinary import model as ordinary
from memnn.ordinary.model import OrdinaryModel
from memnn.stories import model as stories
from memnn.text.tokens import words_1

KIND = "ensemble"
log = logging.getLogger("memnn")
MEMBERS = ("story", "told", "world")
"""The story network, and the facts network over what was told and over the world facts."""
OLDER = "0.1."
"""Versions whose members measured other things: their calibration says nothing of these."""


@dataclass(frozen=True)
class EnsembleModel:
    """The parameters: two networks, the world's facts, and when to believe which."""

    story: stories.Model
    facts: facts.FactsModel
    triples: tuple[Triple, ...]
    calibration: Mapping[str, Calibration]
    asking: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The words that the world's relations are asked for with, and how often, as training saw."""
    kinds: Kinds | None = None
    """What questions about the world ask for, if that was learnt."""
    ranking: Mapping[str, float] = field(default_factory=dict)
    """What speaks for one fact of the world rather than another; empty: the network's score."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """The probability below which a member's answer is "I don't know"."""
    card: dict[str, Any] = field(default_factory=dict)
    ordinary: OrdinaryModel | None = None
    """The network that reads ordinary language, if there is one."""

    def save(self, folder: str | Path) -> Path:
        """Write the folder of the model, whole or not at all."""
        return save(self, folder)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the world's facts."""
        return frozenset(
            word for triple in self.triples for part in triple for word in words_1(part)
        )

    def weights(self) -> bytes:
        tensors = {}
        for member, numbers in self.calibration.items():
            for part in PARTS:
                tensors[f"{member}.{part}"] = getattr(numbers, part)
        if self.kinds is not None:
            for part in asked_for.PARTS:  # they were rounded to half precision
                tensors[f"kinds.{part}"] = getattr(self.kinds, part).astype(np.float16)
        return bytes(save_tensors(tensors))

    @cached_property
    def id(self) -> str:
        return hash_of(self.weights())


def save(model: EnsembleModel, folder: str | Path) -> Path:
    about = {
        "kind": KIND,
        "story": model.story.id,
        "facts": model.facts.id,
        "features": {member: list(c.names) for member, c in model.calibration.items()},
        "asking": {relation: dict(words) for relation, words in model.asking.items()},
        "ranking": dict(model.ranking),
        "thresholds": dict(model.thresholds),
        "triples": [list(triple) for triple in model.triples],
        "card": model.card,
    }
    parts: dict[str, Callable[[Path], object]] = {
        "story": lambda place: stories.save(model.story, place),
        "facts": lambda place: facts.save(model.facts, place),
    }
    if model.kinds is not None:
        about["kinds"] = {"names": list(model.kinds.names), "words": list(model.kinds.words)}
    if model.ordinary is not None:
        about["ordinary"], parts["ordinary"] = model.ordinary.id, model.ordinary.save
    return write_folder(folder, about, model.weights(), parts)


def load(folder: str | Path) -> EnsembleModel:
    """An ensemble of one moment, though another process may be replacing its folders."""
    return steadily(folder, lambda: _load(folder))


def _load(folder: str | Path) -> EnsembleModel:
    about, weights = read_folder(folder, KIND, "memnn demo")
    place = Path(folder)
    story, known = stories.load(place / "story"), facts.load(place / "facts")
    reads = ordinary.load(place / "ordinary") if about.get("ordinary") else None
    with saying_damage(folder):
        if (story.id, known.id) != (about["story"], about["facts"]):
            raise ValueError("its networks are not the ones it was built from")
        if reads is not None and reads.id != about["ordinary"]:
            raise ValueError("its networks are not the ones it was built from")
        tensors = load_tensors(weights)
        calibration = {
            member: Calibration(
                tuple(map(str, names)), *(tensors[f"{member}.{part}"] for part in PARTS)
            )
            for member, names in about["features"].items()
        }
        if set(calibration) != set(MEMBERS):
            raise ValueError("a calibration is missing")
        triples = tuple(Triple(*map(str, row)) for row in about["triples"])
        if str(about["memnn"]).startswith(OLDER):
            log.warning(
                "%s was made by memnn %s: its networks are used, and decided among as "
                "this version does",
                folder,
                about["memnn"],
            )
            return replace(shipped(), story=story, facts=known, triples=triples, ordinary=reads)
        asking = {
            str(relation): {str(word): _share(share) for word, share in words.items()}
            for relation, words in about["asking"].items()
        }
        ranking = {str(name): float(w) for name, w in about.get("ranking", {}).items()}
        kinds = _kinds(about["kinds"], tensors) if "kinds" in about else None
        thresholds = {str(member): float(p) for member, p in about["thresholds"].items()}
        return EnsembleModel(
            story,
            known,
            triples,
            calibration,
            asking,
            kinds,
            ranking,
            thresholds,
            dict(about["card"]),
            reads,
        )


def shipped() -> EnsembleModel:
    """The ensemble that comes with the package."""
    return load(str(files("memnn.dialogue") / "english"))


def _kinds(about: Mapping[str, Any], tensors: Mapping[str, Any]) -> Kinds:
    parts = (tensors[f"kinds.{part}"].astype(np.float32) for part in asked_for.PARTS)
    names = tuple((str(relation), str(part)) for relation, part in about["names"])
    return Kinds(names, tuple(map(str, about["words"])), *parts)


def _share(value: Any) -> float:
    share = float(value)
    if not 0.0 <= share <= 1.0:
        raise ValueError("how often a relation is asked for with a word must be from 0 to 1")
    return share
