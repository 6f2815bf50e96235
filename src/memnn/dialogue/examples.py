"""Questions to calibrate on, and what each member of an ensemble finds for them.

Every question here is made by the project: wordings of facts that a network was not trained on,
sentences of `data/told.tsv`, simulated stories. Questions that nothing supports are made from the
same ones, by taking the supporting fact away, by asking for what no fact says, or by made-up names.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol

from memnn.dialogue.member import Finding
from memnn.dialogue.model import MEMBERS, EnsembleModel
from memnn.dialogue.network import Ensemble
from memnn.dialogue.wordings import Wordings, shipped, worded
from memnn.facts.triples import Triple
from memnn.memory import RamMemory
from memnn.text.english import FUNCTION_WORDS
from memnn.text.tokens import surface_words
from memnn.types import Question, Statement, Story

ROUNDS = 4
"""How often another half of the household is told."""
EASY = 0.15
"""The share of questions in the sentence's own words that are asked."""
TAKEN_AWAY = 0.25
"""The share of facts that it does not have."""
PEOPLE = 3
"""How many made-up questions one that somebody wrote counts for."""
SETTINGS = (ROUNDS, EASY, TAKEN_AWAY, PEOPLE)


class Example(NamedTuple):
    """What was found for a question, whether that is right, and whether anything would be."""

    features: Mapping[str, float]
    right: bool
    answerable: bool


def gather(trial: EnsembleModel, held: Wordings, chance: random.Random) -> dict[str, list[Example]]:
    """What each member finds for questions held back, and whether it is right."""
    examples: dict[str, list[Example]] = {member: [] for member in MEMBERS}

    def ask(net: Ensemble, question: str, right: Judge, by: str = "", times: int = 1) -> None:
        for finding in net.findings(Question(question)):
            if finding.answer.abstained:
                continue
            is_right = right(finding)
            if is_right is not None:
                example = Example(finding.features, is_right, by == finding.member)
                examples[finding.member] += [example] * times

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
    """`by`: the member that has what answers the question; `times`: how often it counts."""

    def __call__(
        self, net: Ensemble, question: str, right: Judge, by: str = "", times: int = 1
    ) -> None: ...


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
        by = "" if facts.isdisjoint(there) else "world"
        ask(net, question, partial(_is_gold, facts), by, PEOPLE)
    for question in unsupported():
        ask(net, question, _never, times=PEOPLE)


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
                by = "told" if said in told else ""
                ask(there, said.question, partial(_is_said, net, said), by, PEOPLE)
            if said.beside:
                ask(there, said.beside, _never, times=PEOPLE)
        for text in unanswered(facts, chance, 60):
            ask(there, text, _never)
        for text in chance.sample(unsupported(), 60):
            ask(there, text, _never, times=PEOPLE)
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
    from memnn.simulator import PAPER_WORLD, simulate  # a trained ensemble does without it

    told = simulate(statements=480, questions=240, seed=7, story_length=20)
    for number, story in enumerate(told):
        story = story if number % 2 else renamed(story, chance, PAPER_WORLD.actors)
        there = net.with_memory(RamMemory())
        some = [str(triple) for triple in chance.sample(facts, min(40, len(facts)))]
        there.memory.write_many(
            [*some, *(said.statement for said in chance.sample(home, min(10, len(home))))]
        )
        for line in story.lines:
            if isinstance(line, Question):
                ask(there, line.text, partial(_is_word, line.answer), "story")
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


def renamed(story: Story, chance: random.Random, actors: Sequence[str]) -> Story:
    """A story whose actors have made-up names, each its own, none of them a word of the story."""
    words = {word.lower() for line in story.lines for word in surface_words(line.text)}
    new: dict[str, str] = {}
    for actor in actors:
        name = made_up_name(chance)
        while name.lower() in words:
            name = made_up_name(chance)
        words.add(name.lower())
        new[actor] = name
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, actors))})\b")

    def other(text: str) -> str:
        return named.sub(lambda found: new[found[0]], text)

    def line(old: Statement | Question) -> Statement | Question:
        if isinstance(old, Statement):
            return replace(old, text=other(old.text))
        return replace(old, text=other(old.text), answer=old.answer and other(old.answer))

    return replace(story, lines=tuple(map(line, story.lines)))


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
