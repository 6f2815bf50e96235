"""Making an ensemble (§5.3): training its networks, and calibrating them on questions held back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from memnn.dialogue import world_features
from memnn.dialogue.calibrate import Calibration, calibrate
from memnn.dialogue.decide import SURE
from memnn.dialogue.examples import Example, gather
from memnn.dialogue.folds import Looked, examples_of, look, to_rank
from memnn.dialogue.match_features import Fit
from memnn.dialogue.model import MEMBERS, EnsembleModel
from memnn.dialogue.ranking import learn_ranking
from memnn.dialogue.train_kinds import learn_kinds
from memnn.dialogue.wordings import Wordings, questions, wordings, world
from memnn.dialogue.world_features import asking_words
from memnn.dialogue.written import Written, unsupported, with_written, written
from memnn.facts.model import FactsModel
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import FactsProgress, fit
from memnn.facts.triples import Asked, Triple
from memnn.stories import model as stories
from memnn.tensors import rounded

RECIPE = FactsRecipe(match=True, english=True, repeat=1, bow=0.45)
WAYS = 16
"""How many wordings of a fact are trained on, at most."""
HELD_BACK = 0.12
"""The share of wordings that the network which is calibrated on has not seen."""

SELDOM = 0.005
"""A relation is not asked for with a word that fewer of its wordings have."""

FEATURES = {
    "story": ("score", "margin", "kind", "open"),
    "told": Fit._fields,
    "world": (*Fit._fields, *world_features.FEATURES, "lead"),
}
"""What each member's probability depends on."""

Progress = Callable[[FactsProgress], None]


def facts_network(
    triples: Sequence[Triple],
    ways: Wordings,
    recipe: FactsRecipe = RECIPE,
    progress: Progress | None = None,
    asked: Sequence[Written] = (),
) -> FactsModel:
    """A network over facts, trained on ways to ask for them and on questions that were written;
    kept in half the space."""
    found = questions(triples, ways, WAYS, recipe.seed)
    found += [Asked(question, triple) for _, question, triple in asked]
    model = fit(triples, found, recipe=recipe, progress=progress)
    return replace(model, U_O=rounded(model.U_O))


def ensemble(
    story: stories.Model,
    triples: Sequence[Triple] | None = None,
    recipe: FactsRecipe = RECIPE,
    progress: Progress | None = None,
) -> EnsembleModel:
    """Train what answers about the world without each writer, in turn, and calibrate on what that
    writer asked; then train it for good on everybody."""
    known = tuple(dict.fromkeys(world() if triples is None else triples))
    asked = [each for each in written() if each.triple in set(known)]
    relations = {triple.relation for triple in known}
    ways = {relation: texts for relation, texts in wordings().items() if relation in relations}
    chance = random.Random(recipe.seed)
    seen, held = split(ways, chance)

    def learn(ways: Wordings, asked: Sequence[Written]) -> EnsembleModel:
        wider = with_written(ways, asked)
        facts = facts_network(known, wider, recipe, progress, asked)
        kinds = learn_kinds(wider, facts.dictionary, recipe.seed)
        return EnsembleModel(story, facts, known, {}, asking_of(wider, facts), kinds)

    looked: list[Looked] = []
    trials = []
    for writer in sorted({each.writer for each in asked}) or [""]:
        trials.append(learn(seen, [each for each in asked if each.writer != writer]))
        theirs = [each for each in asked if each.writer == writer]
        nothing = [question for who, question in unsupported() if who == writer]
        looked += look(trials[-1], theirs, nothing, chance)
    ranking = learn_ranking(to_rank(looked), FEATURES["world"][:-1])
    examples = gather(replace(trials[0], ranking=ranking), held, chance)
    examples["world"] += examples_of(looked, ranking)
    calibration = {
        member: calibrate([found[:2] for found in examples[member]], FEATURES[member])
        for member in MEMBERS
    }
    thresholds = {
        member: choose_threshold(examples[member], calibration[member], share)
        for member, share in DECLINED.items()
    }
    unanswered = examples_of([each for each in looked if not each.golds], ranking)
    thresholds["world"] = declining(unanswered, calibration["world"], UNSUPPORTED)
    card = {
        "triples": len(known),
        "written": len(asked),
        "calibrated_on": {member: len(found) for member, found in examples.items()},
        "right": {member: sum(f.right for f in found) for member, found in examples.items()},
    }
    model = learn(ways, asked)
    return replace(
        model, calibration=calibration, ranking=ranking, thresholds=thresholds, card=card
    )


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
        shares = {word: counted[word] / len(texts) for word in sorted(counted)}
        found[relation] = {word: round(s, 4) for word, s in shares.items() if s >= SELDOM}
    return found


def split(ways: Wordings, chance: random.Random) -> tuple[Wordings, Wordings]:
    """Wordings to train on, and wordings held back; the same wording is never in both."""
    texts = sorted({text for each in ways.values() for text in each})
    held = set(chance.sample(texts, int(HELD_BACK * len(texts))))
    seen = {r: [t for t in each if t not in held] for r, each in ways.items()}
    return seen, {r: [t for t in each if t in held] for r, each in ways.items()}


DECLINED = {"story": 0.02, "told": 0.025}
"""The share of questions with an answer that may be declined."""


def choose_threshold(examples: list[Example], calibration: Calibration, declined: float) -> float:
    """The largest probability that declines no more than that share of what can be answered."""
    sure = sorted(calibration(each.features) for each in examples if each.answerable)
    return min(sure[int(declined * len(sure))], SURE) if sure else SURE


UNSUPPORTED = 0.87
"""The share of questions of people without an answer that the world declines."""


def declining(examples: list[Example], calibration: Calibration, share: float) -> float:
    """The smallest probability that declines so many of what cannot be answered."""
    sure = sorted(calibration(each.features) for each in examples)
    return min(sure[min(int(share * len(sure)), len(sure) - 1)], SURE) if sure else SURE
