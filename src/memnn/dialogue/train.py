"""Making an ensemble (§5.3): training its networks, and calibrating them on questions held back.

Every question here is made by the project: wordings of facts that a network was not trained on,
sentences of `data/told.tsv`, simulated stories. Questions that nothing supports are made from the
same ones, by taking the supporting fact away, by asking for what no fact says, or by made-up names.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol

from memnn.dialogue.calibrate import Calibration, calibrate
from memnn.dialogue.decide import SURE
from memnn.dialogue.match_features import Fit
from memnn.dialogue.member import Finding
from memnn.dialogue.model import MEMBERS, EnsembleModel
from memnn.dialogue.network import Ensemble
from memnn.dialogue.wordings import Wordings, questions, shipped, worded, wordings, world
from memnn.dialogue.world import asking_words
from memnn.facts.model import FactsModel
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import FactsProgress, fit
from memnn.facts.triples import Triple
from memnn.memory import RamMemory
from memnn.simulator import simulate
from memnn.stories import model as stories
from memnn.text.english import FUNCTION_WORDS
from memnn.types import Question, Story

RECIPE = FactsRecipe(match=True, english=True, repeat=1, bow=0.45)
WAYS = 16
"""How many wordings of a fact are trained on, at most."""
ROUNDS = 4
"""How often another half of the household is told."""
EASY = 0.15
"""The share of questions in the sentence's own words that are asked."""
HELD_BACK = 0.12
"""The share of wordings that the network which is calibrated on has not seen."""
TAKEN_AWAY = 0.25
"""The share of facts that it does not have."""

FEATURES = {
    "story": ("score", "margin", "kind", "open"),
    "told": Fit._fields,
    "world": (*Fit._fields, "asking", "asked_for", "question_word", "relation"),
}
"""What each member's probability depends on."""
PEOPLE = 3
"""As how many made-up questions one that somebody wrote counts."""


class Example(NamedTuple):
    """What was found for a question, whether that is right, and whether anything would be."""

    features: Mapping[str, float]
    right: bool
    answerable: bool


Progress = Callable[[FactsProgress], None]


def facts_network(
    triples: Sequence[Triple],
    ways: Wordings,
    recipe: FactsRecipe = RECIPE,
    progress: Progress | None = None,
) -> FactsModel:
    """A network over facts, trained on every way to ask for them."""
    asked = questions(triples, ways, WAYS, recipe.seed)
    return fit(triples, asked, recipe=recipe, progress=progress)


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


def gather(trial: EnsembleModel, held: Wordings, chance: random.Random) -> dict[str, list[Example]]:
    """What each member finds for questions held back, and whether it is right."""
    examples: dict[str, list[Example]] = {member: [] for member in MEMBERS}

    def ask(net: Ensemble, question: str, right: Judge, by: str = "") -> None:
        for finding in net.findings(Question(question)):
            if finding.answer.abstained:
                continue
            is_right = right(finding)
            if is_right is not None:
                example = Example(finding.features, is_right, by == finding.member)
                examples[finding.member] += [example] * (PEOPLE if by else 1)

    facts = list(trial.triples)
    left = tuple(chance.sample(facts, int((1 - TAKEN_AWAY) * len(facts))))
    net = Ensemble(replace(trial, triples=left))
    home = household()
    golds: Golds = defaultdict(set)
    for triple in facts:
        for text in worded(triple, held):
            golds[text].add(str(triple))
    _world(net, facts, held, golds, chance, ask)
    _people(net, ask)
    _told(net, home, facts, golds, chance, ask)
    _stories(net, home, facts, golds, chance, ask)
    return examples


Judge = Callable[[Finding], bool | None]
"""Whether a finding is right; None where nobody can say."""


class Ask(Protocol):
    """`by`: somebody wrote the question, and this member has what answers it."""

    def __call__(self, net: Ensemble, question: str, right: Judge, by: str = "") -> None: ...


Golds = dict[str, set[str]]
"""Held-back questions, and the facts that answer each."""


def _never(_: Finding) -> bool:
    return False


def _is_gold(golds: set[str], found: Finding) -> bool:
    return found.answer.text in golds


def _world(
    net: Ensemble,
    facts: list[Triple],
    held: Wordings,
    golds: Golds,
    chance: random.Random,
    ask: Ask,
) -> None:
    """Wordings held back, of facts that are there or were taken away; and what no fact says."""
    for text in chance.sample(sorted(golds), min(1500, len(golds))):
        ask(net, text, partial(_is_gold, golds[text]))
    for text in unanswered(facts, chance, 900):
        ask(net, text, _never)
    for triple in chance.sample(facts, min(300, len(facts))):
        made_up = made_up_name(chance)
        texts = worded(Triple(made_up, triple.relation, made_up), held)
        for text in chance.sample(texts, min(1, len(texts))):
            ask(net, text, _never)


def _people(net: Ensemble, ask: Ask) -> None:
    """Questions worded freely, not by rule, with and without a fact that answers."""
    golds: Golds = defaultdict(set)
    for line in shipped("asked.tsv").splitlines():
        question, *triple = line.split("\t")
        golds[question].add(str(Triple(*triple)))
    there = {str(triple) for triple in net.model.triples}
    for question, facts in golds.items():
        ask(
            net,
            question,
            partial(_is_gold, facts),
            "nobody" if facts.isdisjoint(there) else "world",
        )
    for question in unsupported():
        ask(net, question, _never, "nobody")


def unsupported() -> list[str]:
    """Questions that neither the world's facts nor an ordinary household answers."""
    return shipped("unsupported.txt").splitlines()


def _told(
    net: Ensemble,
    home: list[Said],
    facts: list[Triple],
    golds: Golds,
    chance: random.Random,
    ask: Ask,
) -> None:
    """Sentences of a household: half of them told each time, all asked for, and what none says."""
    for _ in range(ROUNDS):
        told = chance.sample(home, len(home) // 2)
        there = net.with_memory(RamMemory())
        some = [str(triple) for triple in chance.sample(facts, min(400, len(facts)))]
        texts = [said.statement for said in told] + some + mixed(home, chance, 200)
        chance.shuffle(texts)
        there.memory.write_many(texts)
        for said in home:
            # People seldom ask in the words that they told it with.
            if chance.random() < (1.0 if _other_words(net, said) else EASY):
                by = "told" if said in told else "nobody"
                ask(there, said.question, partial(_is_said, net, said), by)
            if said.beside:
                ask(there, said.beside, _never, "nobody")
        for text in unanswered(facts, chance, 60):
            ask(there, text, _never)
        for text in chance.sample(unsupported(), 60):
            ask(there, text, _never, "nobody")
        for said in chance.sample(home, len(home) // 4):
            ask(there, strange(said.question, chance), _never)
        for text in chance.sample(sorted(golds), min(60, len(golds))):
            ask(there, text, partial(_is_gold, golds[text]))


def _other_words(net: Ensemble, said: Said) -> bool:
    """Whether it is asked for mostly in other words than it was told in."""
    asked, told = (_content(net, text) for text in (said.question, said.statement))
    return 2 * len(asked & told) <= len(asked) + 1


def _content(net: Ensemble, text: str) -> set[str]:
    return {word for word in net.model.facts.dictionary.normal(text) if word not in FUNCTION_WORDS}


def _is_said(net: Ensemble, said: Said, found: Finding) -> bool | None:
    """Whether it is the sentence; None where another has as much of the question."""
    if found.answer.text == said.statement:
        return True
    asked, told = (_content(net, text) for text in (said.question, said.statement))
    as_much = asked & told <= _content(net, found.answer.text)
    return None if as_much and found.member == "told" else False


def _stories(
    net: Ensemble,
    home: list[Said],
    facts: list[Triple],
    golds: Golds,
    chance: random.Random,
    ask: Ask,
) -> None:
    """Simulated stories, with their own names and with new ones, among sentences of a household."""
    told = simulate(statements=480, questions=240, seed=7, story_length=20)
    for number, story in enumerate(told):
        story = story if number % 2 else renamed(story, chance)
        there = net.with_memory(RamMemory())
        some = [str(triple) for triple in chance.sample(facts, min(40, len(facts)))]
        there.memory.write_many(
            [*some, *(said.statement for said in chance.sample(home, min(10, len(home))))]
        )
        for line in story.lines:
            if isinstance(line, Question):
                ask(there, line.text, partial(_is_word, line.answer))
            else:
                there.tell(line.text)
        for said in chance.sample(home, min(8, len(home))):
            ask(there, said.question, _never_story)
        for text in chance.sample(sorted(golds), min(8, len(golds))):
            ask(there, text, partial(_is_gold, golds[text]))


def _is_word(word: str | None, found: Finding) -> bool | None:
    """Of a story; a sentence of it may do as well as the word."""
    return None if found.member == "told" else found.answer.text == word


def _never_story(found: Finding) -> bool | None:
    """A household's sentences hold no answer for the story network; what is told, others judge."""
    return None if found.member == "told" else False


def renamed(story: Story, chance: random.Random) -> Story:
    """A story with names of its own instead of the simulator's."""
    from memnn.text.tokens import surface_words

    fixed: dict[str, str] = {}

    def other(text: str) -> str:
        for word in surface_words(text):
            if word[0].isupper() and word not in ("Where", "The"):
                fixed.setdefault(word, made_up_name(chance))
        for old, new in fixed.items():
            text = text.replace(old, new)
        return text

    return replace(story, lines=tuple(replace(line, text=other(line.text)) for line in story.lines))


class Said(NamedTuple):
    """A sentence that was told, its question, and one about the same that it does not answer."""

    statement: str
    question: str
    beside: str = ""


def household() -> list[Said]:
    """Sentences as people tell them."""
    return [Said(*line.split("\t")) for line in shipped("told.tsv").splitlines()]


def mixed(home: list[Said], chance: random.Random, n: int) -> list[str]:
    """Sentences that begin like one and end like another: what comes near, and is no answer."""
    texts = []
    for _ in range(n):
        first, second = chance.sample(home, 2)
        begin, end = first.statement.split(), second.statement.split()
        texts.append(" ".join([*begin[: len(begin) // 3], *end[len(end) // 3 :]]))
    return texts


def unanswered(facts: Sequence[Triple], chance: random.Random, n: int) -> Iterator[str]:
    """Questions for what no fact says, about things that some facts are about."""
    ways = shipped("unanswered.txt").splitlines()
    for _ in range(n):
        triple = chance.choice(facts)
        yield chance.choice(ways).format(x=chance.choice((triple.subject, triple.object))) + "?"


def strange(question: str, chance: random.Random) -> str:
    """A question with its longest word replaced by a name that nobody has."""
    longest = max(question.rstrip("?").split(), key=len)
    return question.replace(longest, made_up_name(chance))


def made_up_name(chance: random.Random) -> str:
    syllables = (
        "ba", "dor", "fi", "gru", "hel", "ka", "lum", "mi", "nox", "pra", "quo", "sil", "zor",
    )  # fmt: skip
    return "".join(chance.choice(syllables) for _ in range(3)).capitalize()


DECLINED = {"story": 0.02, "told": 0.025, "world": 0.035}
"""The share of questions with an answer that may be declined."""


def choose_threshold(examples: list[Example], calibration: Calibration, declined: float) -> float:
    """The largest probability that declines no more than that share of what can be answered."""
    sure = sorted(calibration(each.features) for each in examples if each.answerable)
    return min(sure[int(declined * len(sure))], SURE) if sure else SURE
