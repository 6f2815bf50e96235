"""Making an ensemble (§5.3): training its networks, and calibrating them on questions held back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from memnn.dialogue.calibrate import Calibration, calibrate
from memnn.dialogue.decide import SURE
from memnn.dialogue.examples import Example, gather
from memnn.dialogue.match_features import Fit
from memnn.dialogue.model import MEMBERS, EnsembleModel
from memnn.dialogue.wordings import Wordings, questions, wordings, world
from memnn.dialogue.world import asking_words
from memnn.facts.model import FactsModel
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import FactsProgress, fit
from memnn.facts.triples import Triple
from memnn.stories import model as stories
from memnn.tensors import rounded

RECIPE = FactsRecipe(match=True, english=True, repeat=1, bow=0.45)
WAYS = 16
"""How many wordings of a fact are trained on, at most."""
HELD_BACK = 0.12
"""The share of wordings that the network which is calibrated on has not seen."""

FEATURES = {
    "story": ("score", "margin", "kind", "open"),
    "told": Fit._fields,
    "world": (
        *Fit._fields,
        "asking",
        "asked_for",
        "question_word",
        "relation",
        "numbers",
        "pronoun",
    ),
}
"""What each member's probability depends on."""

Progress = Callable[[FactsProgress], None]


def facts_network(
    triples: Sequence[Triple],
    ways: Wordings,
    recipe: FactsRecipe = RECIPE,
    progress: Progress | None = None,
) -> FactsModel:
    """A network over facts, trained on every way to ask for them; kept in half the space."""
    asked = questions(triples, ways, WAYS, recipe.seed)
    model = fit(triples, asked, recipe=recipe, progress=progress)
    return replace(model, U_O=rounded(model.U_O))


def ensemble(
    story: stories.Model,
    triples: Sequence[Triple] | None = None,
    recipe: FactsRecipe = RECIPE,
    progress: Progress | None = None,
) -> EnsembleModel:
    """Train the facts network twice, once for calibration and once for good, and calibrate."""
    known = tuple(dict.fromkeys(world() if triples is None else triples))
    ways = wordings()
    chance = random.Random(recipe.seed)
    seen, held = split(ways, chance)
    facts = facts_network(known, seen, recipe, progress)
    trial = EnsembleModel(story, facts, known, {}, asking_of(seen, facts))
    examples = gather(trial, held, chance)
    calibration = {
        member: calibrate([found[:2] for found in examples[member]], FEATURES[member])
        for member in MEMBERS
    }
    thresholds = {
        member: choose_threshold(examples[member], calibration[member], DECLINED[member])
        for member in MEMBERS
    }
    model = facts_network(known, ways, recipe, progress)
    card = {
        "triples": len(known),
        "calibrated_on": {member: len(found) for member, found in examples.items()},
        "right": {member: sum(f.right for f in found) for member, found in examples.items()},
    }
    words = asking_of(ways, model)
    return EnsembleModel(story, model, known, calibration, words, thresholds, card)


def asking_of(ways: Wordings, model: FactsModel) -> dict[str, dict[str, float]]:
    """The words of each relation's wordings, and the share of them that has each."""
    normal = model.dictionary.normal
    found = {}
    for relation, texts in ways.items():
        counted = Counter(
            word
            for text in texts
            for word in set(asking_words(normal(text.replace("{s}", "").replace("{o}", ""))))
        )
        found[relation] = {word: counted[word] / len(texts) for word in sorted(counted)}
    return found


def split(ways: Wordings, chance: random.Random) -> tuple[Wordings, Wordings]:
    """Wordings to train on, and wordings held back; the same wording is never in both."""
    texts = sorted({text for each in ways.values() for text in each})
    held = set(chance.sample(texts, int(HELD_BACK * len(texts))))
    seen = {r: [t for t in each if t not in held] for r, each in ways.items()}
    return seen, {r: [t for t in each if t in held] for r, each in ways.items()}


DECLINED = {"story": 0.02, "told": 0.025, "world": 0.035}
"""The share of questions with an answer that may be declined."""


def choose_threshold(examples: list[Example], calibration: Calibration, declined: float) -> float:
    """The largest probability that declines no more than that share of what can be answered."""
    sure = sorted(calibration(each.features) for each in examples if each.answerable)
    return min(sure[int(declined * len(sure))], SURE) if sure else SURE
