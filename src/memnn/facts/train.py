"""Training the network over facts (§5.1): pseudo-questions, real questions, paraphrases.

Paraphrases are a second ranking task with the same U, as in Bordes et al. (2014): a question must
score higher with its paraphrase, read as a fact is, than with another question.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from memnn.errors import TrainingError
from memnn.facts.bags import (
    ASKING,
    FactDictionary,
    Words,
    fact_norms,
    flat,
    question_values,
    scales,
)
from memnn.facts.joins import joined
from memnn.facts.lookup import Lookup, new_work
from memnn.facts.model import FactsModel, initial
from memnn.facts.reading import Reading, post_facts
from memnn.facts.recipe import FactsRecipe
from memnn.facts.templates import pseudo_questions, two_hop_question
from memnn.facts.triples import Asked, Triple
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.facts_packed import Facts, Postings
from memnn.kernels.facts_scores import Work
from memnn.kernels.facts_train import Questions, RankSettings, train_facts
from memnn.kernels.rng import new_state
from memnn.text.english import FUNCTION_WORDS, synonyms
from memnn.text.lemmas import CLOSER, LEMMATISER, learn_forms, near
from memnn.version import __version__

HELD_BACK = 0.05
"""The share of questions that are not trained on, but choose the threshold."""
CHUNK = 65_536
LITTLE = 1.5
"""What a word of `english` weighs at most; a name weighs about 8."""


@dataclass(frozen=True)
class FactsProgress:
    """Told after every stretch of an epoch; the loss is the mean per example so far."""

    epoch: int
    epochs: int
    done: int
    examples: int
    loss: float
    per_second: float


def fit(
    triples: Sequence[Triple],
    questions: Sequence[Asked] = (),
    paraphrases: Sequence[tuple[str, str]] = (),
    recipe: FactsRecipe | None = None,
    *,
    joins: Sequence[tuple[int, int]] | None = None,
    threads: int = 1,
    progress: Callable[[FactsProgress], None] | None = None,
) -> FactsModel:
    """The parameters that minimise Eq. 6-7 on questions about the triples."""
    recipe = recipe or FactsRecipe()
    triples = list(dict.fromkeys(triples))
    if len(triples) < 2:
        raise TrainingError("there is nothing to learn from: fewer than two triples")
    place = {triple: i for i, triple in enumerate(triples)}
    questions = [q for q in questions if q.gold in place]
    rng, chance = np.random.default_rng(recipe.seed), random.Random(recipe.seed)
    held = set(chance.sample(range(len(questions)), int(HELD_BACK * len(questions))))
    kept = [q for i, q in enumerate(questions) if i not in held]
    dictionary = learn_dictionary(triples, kept, paraphrases, recipe)
    model = initial(dictionary, recipe, rng)
    words = Words(dictionary)
    facts = _facts([words.parts(triple) for triple in triples], dictionary)
    both = _facts([words.parts([text]) for pair in paraphrases for text in pair], dictionary)
    read = {q.question: words.question(q.question)[0] for q in kept}
    if joins is None:
        joins = joined(triples, chance) if recipe.hops > 1 else []
    if recipe.hops > 1 and not joins:
        raise TrainingError("no two of the triples share an entity; train with --hops 1")
    G = np.zeros(len(model.U_O), np.float32)
    state = new_state(recipe.seed)
    trainer = _Trainer(model, G, state, threads)
    start = time.perf_counter()
    trained = 0
    loss = 0.0
    average = _Average()
    for epoch in range(1, recipe.epochs + 1):
        asked, examples = _examples(triples, place, kept, joins, recipe, words, chance, read)
        tasks: list[_Task] = [(facts, asked, examples, True)]
        if paraphrases:  # first, so that an epoch ends with what the network is for
            tasks.insert(0, (both, *_paraphrase_examples(paraphrases, words, chance), False))
        averaged = average if 2 * epoch > recipe.epochs else None
        total, losses = _run_epoch(trainer, tasks, rng, averaged, epoch, progress)
        loss = losses / max(1, total)
        trained += total
        if not np.isfinite(model.U_O).all():
            raise TrainingError(f"training diverged in epoch {epoch}; use a smaller --lr")
    average.into(model.U_O)
    seconds = time.perf_counter() - start
    reading = Reading(words, facts, trainer.postings(facts), dictionary.idf)
    held_back = [questions[i] for i in sorted(held)] or _held_back(triples, chance)
    threshold, f1 = choose_threshold(model.lookup(), reading, held_back, place)
    alone, _ = choose_threshold(model.lookup(bow=False, match=False), reading, held_back, place)
    card = {
        "triples": len(triples),
        "questions": len(kept),
        "paraphrases": len(paraphrases),
        "epochs": recipe.epochs,
        "examples": trained,
        "examples_per_second": round(trained / seconds),
        "loss": loss,
        "held_back_questions": len(held_back),
        "held_back_f1": f1,
        "seconds": round(seconds, 3),
        "threads": threads,
        "memnn": __version__,
    }
    return replace(model, card=card, threshold=threshold, threshold_alone=alone)


def _run_epoch(
    trainer: _Trainer,
    tasks: Sequence[_Task],
    rng: np.random.Generator,
    average: _Average | None,
    epoch: int,
    progress: Callable[[FactsProgress], None] | None,
) -> tuple[int, float]:
    """All examples once, in any order; how many there were, and the sum of their losses."""
    total = sum(len(triplets) for _, _, triplets, _ in tasks)
    done, losses, began = 0, 0.0, time.perf_counter()
    for texts, told, triplets, matching in tasks:
        order = rng.permutation(len(triplets))
        for part in np.array_split(order, max(1, len(order) // CHUNK)):
            losses += trainer.step(texts, told, triplets, part, matching)
            done += len(part)
            if average is not None and matching:
                average.add(trainer.model.U_O)
            if progress is not None:
                speed = done / (time.perf_counter() - began)
                epochs = trainer.model.recipe.epochs
                progress(FactsProgress(epoch, epochs, done, total, losses / done, speed))
    return total, losses


class _Average:
    """The mean of U over the second half of training, which is steadier than where it ends."""

    def __init__(self) -> None:
        self._sum: Floats | None = None
        self._n = 0

    def add(self, U: Floats) -> None:
        if self._sum is None:
            self._sum = U.copy()
        else:
            self._sum += U
        self._n += 1

    def into(self, U: Floats) -> None:
        if self._sum is not None:
            U[:] = self._sum / np.float32(self._n)


def learn_dictionary(
    triples: Sequence[Triple],
    questions: Sequence[Asked] = (),
    paraphrases: Sequence[tuple[str, str]] = (),
    recipe: FactsRecipe | None = None,
) -> FactDictionary:
    """W with its weights: how rare a word is among facts, or, if it is only asked, questions."""
    recipe = recipe or FactsRecipe()
    tokeniser = CLOSER if recipe.english else LEMMATISER
    bare = FactDictionary((ASKING,), np.ones(1, np.float32), tokeniser=tokeniser)
    pairs = ((bare.normal(asked.question), bare.normal(str(asked.gold))) for asked in questions)
    forms = synonyms() if recipe.english else learn_forms(pairs)
    bare = replace(bare, forms=forms)
    told: Counter[str] = Counter()
    for triple in triples:
        # Not a set: its order, and with it the model, would be another one in every process.
        told.update(list(dict.fromkeys(bare.normal(" ".join(triple)))))
    asked: Counter[str] = Counter()
    texts = [q.question for q in questions] + [text for pair in paraphrases for text in pair]
    texts += ["what who where when which whom does"]  # what pseudo-questions ask with
    for text in texts:
        asked.update(list(dict.fromkeys(bare.normal(text))))
    others = {word: form for word in asked if (form := near(word, told)) != word}
    forms = forms | others
    if recipe.english:
        asked.update(dict.fromkeys(sorted(FUNCTION_WORDS), 1))
    words = [ASKING, *told, *(word for word in asked if word not in told and word not in others)]
    idf = np.array(
        [0.0]
        + [np.log1p((len(triples) - n + 0.5) / (n + 0.5)) for n in told.values()]
        + [np.log1p(len(texts) / (asked[word] + 0.5)) for word in words[1 + len(told) :]],
        np.float32,
    )
    if recipe.english:
        little = np.array([word in FUNCTION_WORDS for word in words])
        idf[little] = np.minimum(idf[little], LITTLE)
    dictionary = FactDictionary(tuple(words), idf, forms, tokeniser=tokeniser)
    sample = Words(dictionary)
    ptr, entries = flat((sample.parts(triple) for triple in triples[:100_000]), np.uint32)
    return replace(dictionary, typical=float(fact_norms(ptr, entries, idf).mean()) or 1.0)


def _facts(bags: list[list[int]], dictionary: FactDictionary) -> Facts:
    ptr, entries = flat(bags, np.uint32)
    return Facts(ptr, entries, scales(ptr, entries, dictionary.idf, dictionary.typical))


@dataclass(frozen=True)
class TrainingBags:
    """Questions as weighted bags."""

    ptr: Ints
    words: Ints
    values: Floats

    @classmethod
    def of(
        cls, texts: Iterable[str], words: Words, read: Mapping[str, Ints] | None = None
    ) -> TrainingBags:
        """`read` has the words of texts that come again every epoch."""
        idf = words.dictionary.idf
        read = read or {}
        rows = [read[text] if text in read else words.question(text)[0] for text in texts]
        ptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=ptr[1:])
        empty = [np.zeros(0, np.int64)]
        values = [question_values(row, idf) for row in rows]
        return cls(
            ptr,
            np.concatenate([*rows, *empty]),
            np.concatenate([*values, np.zeros(0, np.float32)]),
        )


Triplets = Ints
"""(E, 3): question, support or -1, gold."""
_Task = tuple[Facts, "TrainingBags", Triplets, bool]
"""Texts, questions about them, which belongs to which, and whether matches count."""


def _examples(
    triples: Sequence[Triple],
    place: dict[Triple, int],
    questions: Sequence[Asked],
    joins: Sequence[tuple[int, int]],
    recipe: FactsRecipe,
    words: Words,
    chance: random.Random,
    read: Mapping[str, Ints],
) -> tuple[TrainingBags, Triplets]:
    """New pseudo-questions for every triple, and the real questions as often as the recipe says."""
    texts: list[str] = []
    rows: list[tuple[int, int, int]] = []

    def add(text: str, *supports: int) -> None:
        # "The same support again" means stop, as in stories.
        support = -1
        for gold in (*supports, *supports[-1:] * (recipe.hops - len(supports))):
            rows.append((len(texts), support, gold))
            support = gold
        texts.append(text)

    for i, triple in enumerate(triples):
        for text in pseudo_questions(triple, chance):
            add(text, i)
    for first, second in joins:
        add(two_hop_question(triples[first], triples[second], chance), first, second)
    start = len(rows)
    for asked in questions:
        add(asked.question, place[asked.gold])
    bags = TrainingBags.of(texts, words, read)
    return bags, np.array(rows + rows[start:] * (recipe.repeat - 1), np.int64)


def _paraphrase_examples(
    pairs: Sequence[tuple[str, str]], words: Words, chance: random.Random
) -> tuple[TrainingBags, Triplets]:
    """Each question of a pair must find the other one."""
    texts = [text for pair in pairs for text in pair]
    rows = [(i, -1, i ^ 1) for i in range(len(texts))]
    return TrainingBags.of(texts, words), np.array(rows, np.int64)


class _Trainer:
    """Runs the kernel over stretches of examples, with one thread or several.

    Threads share U without locks, so that with more than one the result depends on chance.
    """

    def __init__(self, model: FactsModel, G: Floats, state: np.ndarray, threads: int) -> None:
        self.model, self.G = model, G
        self.blocks = model.layout.blocks
        self.plain = replace(model.layout, patterns=False, match=False).blocks
        self.states = [state] + [
            new_state((int(state[0]) + 7919 * i) % 2**64) for i in range(1, threads)
        ]
        self.threads = threads
        self._postings: dict[int, Postings] = {}
        self._work: list[Work] = []

    def postings(self, facts: Facts) -> Postings:
        if id(facts) not in self._postings:
            self._postings[id(facts)] = post_facts(facts, len(self.model.dictionary))
        return self._postings[id(facts)]

    def step(
        self, facts: Facts, bags: TrainingBags, triplets: Triplets, part: Ints, matching: bool
    ) -> float:
        model, recipe = self.model, self.model.recipe
        asked = Questions(
            bags.ptr, bags.words, bags.values,
            *(np.ascontiguousarray(column) for column in triplets.T),
        )  # fmt: skip
        settings = RankSettings(
            recipe.margin, recipe.lr, recipe.tries, recipe.bow if recipe.match else 0.0
        )
        longest = int(max(np.diff(facts.ptr).max(), np.diff(bags.ptr).max())) * 2 + 2
        if not self._work or len(self._work[0].x.ids) < longest:
            self._work = [
                new_work(len(model.dictionary), recipe.dim, longest) for _ in range(self.threads)
            ]
        postings = self.postings(facts)
        blocks = self.blocks if matching else self.plain

        def run(order: Ints, state: np.ndarray, work: Work) -> float:
            return train_facts(
                model.U_O, self.G, blocks, model.dictionary.idf, facts, asked, postings,
                order, settings, state, work,
            )[0]  # fmt: skip

        if self.threads == 1:
            return run(part, self.states[0], self._work[0])
        with ThreadPoolExecutor(self.threads) as pool:
            parts = np.array_split(part, self.threads)
            return sum(pool.map(run, parts, self.states, self._work))


def _held_back(triples: Sequence[Triple], chance: random.Random) -> list[Asked]:
    """Where there are no real questions, new pseudo-questions choose the threshold."""
    some = chance.sample(list(triples), min(500, len(triples)))
    return [Asked(text, triple) for triple in some for text in pseudo_questions(triple, chance)]


def choose_threshold(
    lookup: Lookup, reading: Reading, questions: Sequence[Asked], place: dict[Triple, int]
) -> tuple[float, float]:
    """The score from which answering gives the best F1 on questions, and that F1."""
    scored = []
    for asked in questions[:1000]:
        found = lookup.search(asked.question, reading, k=1).found
        if found:
            scored.append((found[0].score, found[0].place == place[asked.gold]))
    return best_threshold(scored, len(questions[:1000]))


def best_threshold(scored: list[tuple[float, bool]], questions: int) -> tuple[float, float]:
    """P = right/answered, R = right/all; ties at the threshold are answered together."""
    best, best_f1 = 0.0, 0.0
    right = 0
    scored = sorted(scored, reverse=True)
    for n, (score, is_right) in enumerate(scored, start=1):
        right += is_right
        if n < len(scored) and scored[n][0] == score:
            continue
        f1 = 2 * right / (n + questions) if questions else 0.0
        if f1 >= best_f1:
            best, best_f1 = score, f1
    return best, best_f1
