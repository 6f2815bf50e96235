"""Train a network for ordinary language: on the stories that come with memnn, or on your own.

Training needs PyTorch (`pip install 'memnn[recurrent]'`); answering does not.
"""

from __future__ import annotations

import io
import re
import tarfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np

from memnn.errors import TrainingError
from memnn.network import MemoryNetwork
from memnn.ordinary.examples import (
    FIRST_LEARNT,
    OrdinaryExample,
    answers_of,
    encode,
    literals_of,
)
from memnn.ordinary.growing import grow
from memnn.ordinary.hearing import SCALARS, Hearing, learn
from memnn.ordinary.judging import fit_judgement
from memnn.ordinary.kept import rounded
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.mixing import mixed
from memnn.ordinary.model import OrdinaryModel, vectors_for
from memnn.ordinary.network import network
from memnn.ordinary.reader import PassageReader
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.simulator.ordinary import Annotated, HoldOut, annotated
from memnn.stories.babi import loads
from memnn.text.vectors import WordVectors
from memnn.types import Question, Story
from memnn.version import __version__

if TYPE_CHECKING:
    from memnn.ordinary.learning import Moved

QUESTIONS = 30_000
"""Of simulated stories, for the network that comes with the package."""
KEPT = 10
"""One story of so many is kept for probabilities where others than the written ones are given."""
KEPT_BACK = "kept/"
TEMPTING = 0.4
"""Whose stories have more questions than this that nothing answers wrote them to tempt:
probabilities are not of these, since people seldom ask so."""
_NUMBERED = re.compile(r"\d*\.txt$")
"""Where stories come from is said by writer, not by file."""
NOTHING = "nothing"
"""The answer of a written question that nothing told answers."""


def _quiet(part: str, step: int, of: int, loss: float) -> None:
    """Nobody is told."""


def train(
    stories: Sequence[Story],
    recipe: OrdinaryRecipe | None = None,
    *,
    vectors: WordVectors | None = None,
    hearing: Hearing | None = None,
    start: OrdinaryModel | None = None,
    moved: Moved = _quiet,
    processes: int = 1,
) -> OrdinaryModel:
    """O, R and when to decline, from stories with supports and answers.

    A question with the answer "" is one that nothing told answers. Every tenth story is kept for
    probabilities, so that they come from questions which O and R have not seen. `hearing` is what
    was learnt about pronouns; without it they are learnt from questions that rest on one. With
    `start` a network that was trained before learns on: its words and answers stay, and its vectors
    unless the recipe wants others; words that are frequent here are read literally, too. So many
    `processes` learn together; the same number gives the same network.
    """
    recipe = recipe or OrdinaryRecipe()
    kept = dict.fromkeys(stories[KEPT - 1 :: KEPT])
    first = [story for story in stories if story not in kept]
    if not first:
        raise TrainingError("there are too few stories to learn from; give at least two")
    return _train(first, list(kept) or first, recipe, vectors, hearing, start, moved, processes)


def _train(
    first: Sequence[Story], kept: Sequence[Story], recipe: OrdinaryRecipe,
    vectors: WordVectors | None, hearing: Hearing | None, start: OrdinaryModel | None,
    moved: Moved, processes: int,
) -> OrdinaryModel:  # fmt: skip
    try:
        from memnn.ordinary.learning import fit_reader
    except ImportError:
        raise TrainingError(
            "training for ordinary language needs PyTorch: pip install 'memnn[recurrent]'"
        ) from None
    began = time.perf_counter()
    if start is not None:
        hearing = _still_heard(start, recipe)
        literals = dict(start.literals)
        for word in literals_of(first, recipe.literal):
            literals.setdefault(word, len(literals) + 1)
        answers = {answer: i for i, answer in enumerate(start.learnt, FIRST_LEARNT)}
    else:
        hearing = _hearing(first, recipe, vectors, hearing)
        literals, answers = literals_of(first, recipe.literal), answers_of(first)
    table = WordTable(literals, hearing.vectors)
    among = mixed(first, recipe.mixed, np.random.default_rng(recipe.seed))
    examples = encode(among, table, hearing, answers, recipe.hops)
    others = encode(kept, table, hearing, answers, recipe.hops)
    if not any(example.path for example in examples):
        raise TrainingError("no question has supports: there is nothing to learn from")
    parameters = fit_reader(
        _evened(examples, answers), table.arrays(), len(literals), len(answers) + FIRST_LEARNT,
        recipe, moved, start.reader.parameters if start is not None else None, processes,
    )  # fmt: skip
    reader = PassageReader({name: rounded(value) for name, value in parameters.items()})
    judgement, results = fit_judgement(others, reader, tuple(answers), recipe)
    card = {
        "trained_on": sorted({_NUMBERED.sub("", story.source) for story in first}),
        "stories": len(first),
        "statements": sum(1 for story in first for _ in story.statements),
        "questions": len(examples),
        "held_back": results,
        "seconds": round(time.perf_counter() - began, 1),
        "memnn": __version__,
    }
    if start is not None:
        card["started_from"] = start.id
    return OrdinaryModel(recipe, tuple(literals), tuple(answers), hearing, reader, judgement, card)


def _still_heard(start: OrdinaryModel, recipe: OrdinaryRecipe) -> Hearing:
    """What it hears, with its own vectors unless the recipe asks for others."""
    before = start.recipe
    if (before.vectors, before.related) == (recipe.vectors, recipe.related):
        return start.hearing
    vectors = vectors_for(recipe)
    if vectors.dim != start.hearing.vectors.dim:
        raise TrainingError("a network goes on learning with vectors of the same size alone")
    return Hearing(vectors, start.hearing.weights)


def _evened(
    examples: Sequence[OrdinaryExample], answers: Mapping[str, int]
) -> list[OrdinaryExample]:
    """Yes and no equally often: people who write stories have three noes for a yes, and a reader
    that learns from them says no wherever it is in doubt."""
    said = [[e for e in examples if e.say == answers.get(word)] for word in ("yes", "no")]
    rarer, other = sorted(said, key=len)
    return [*examples, *islice(cycle(rarer), len(other) - len(rarer))] if rarer else [*examples]


def _hearing(
    stories: Sequence[Story], recipe: OrdinaryRecipe, vectors: WordVectors | None,
    hearing: Hearing | None,
) -> Hearing:  # fmt: skip
    """What is known of words and of pronouns before training."""
    if vectors is None or not recipe.vectors:
        vectors = vectors_for(recipe)
    if not recipe.pronouns:
        return Hearing(vectors, np.zeros((0, vectors.dim + SCALARS), np.float32))
    if hearing is None:
        hearing = learn(stories, vectors)
    return Hearing(vectors, rounded(hearing.weights))


def written() -> list[Story]:
    """The stories that were written for memnn."""
    return _stories_in("")


def kept_back() -> list[Story]:
    """Stories of the same writers that no reader learns from: probabilities come from these."""
    return _stories_in(KEPT_BACK)


def _stories_in(place: str) -> list[Story]:
    """Of a folder. A wheel has all in one archive."""
    folder = files("memnn.ordinary") / "data"
    packed = folder / "stories.tar.xz"
    texts = dict(_packed(packed.read_bytes())) if packed.is_file() else {}
    texts = {name.removeprefix(place): text for name, text in texts.items() if place in name}
    if (folder / place).is_dir():
        texts |= {
            file.name: file.read_bytes() for file in (folder / place).iterdir() if file.is_file()
        }
    found = []
    for name in sorted(texts):
        if name.endswith(".txt") and "/" not in name:
            found += stories_of(texts[name].decode("utf-8"), f"written, {name}")
    return found


def _packed(archive: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:xz") as opened:
        for member in opened:
            if (file := opened.extractfile(member)) is not None:
                yield member.name, file.read()


def stories_of(text: str, source: str) -> list[Story]:
    """The stories of a file as people write them; "nothing" is no answer there."""
    return [_story(story) for story in loads(text, source)]


def _story(story: Story) -> Story:
    lines = tuple(
        Question(line.text, line.id, "", ())
        if isinstance(line, Question) and line.answer == NOTHING
        else line
        for line in story.lines
    )
    return Story(lines, story.source, story.first_line)


def train_ordinary(
    *,
    seed: int = 0,
    questions: int = QUESTIONS,
    recipe: OrdinaryRecipe | None = None,
    language: str = "english",
    hold_out: HoldOut | str | None = None,
    stories: Sequence[Story] | None = None,
    start: OrdinaryModel | None = None,
    moved: Moved = _quiet,
    processes: int = 1,
) -> MemoryNetwork:
    """The network for ordinary language, from simulated stories and from written ones, which are
    those of `written` unless others are given."""
    recipe = recipe or OrdinaryRecipe(seed=seed)
    world = list(annotated(seed=seed, questions=questions, language=language, hold_out=hold_out))
    vectors = vectors_for(recipe)
    hearing = None
    if recipe.pronouns:
        resolved = [[line.resolved for line in each.told] for each in world]
        hearing = learn([each.story for each in world], vectors, resolved)
    first, kept = _parted(world, stories)
    return network(_train(first, kept, recipe, vectors, hearing, start, moved, processes))


def mean_ordinary(
    models: Sequence[OrdinaryModel],
    *,
    seed: int = 0,
    questions: int = QUESTIONS,
    stories: Sequence[Story] | None = None,
) -> MemoryNetwork:
    """The mean of networks that learnt on one from the other: it reads stories that none of them
    has learnt from better than each. Probabilities are learnt anew, from what is kept for them."""
    model = models[-1]
    try:
        if any(
            model.words[: len(each.words)] != each.words
            or each.learnt != model.learnt
            or each.hearing.vectors.mark != model.hearing.vectors.mark
            for each in models
        ):
            raise ValueError("other words, vectors or answers")
        given = [grow(each.reader.parameters, model.reader.parameters) for each in models]
    except (KeyError, ValueError, IndexError) as error:
        raise TrainingError(
            f"only networks that learnt on one from the other have a mean, in this order: {error}"
        ) from None
    mean = {name: np.mean([each[name] for each in given], axis=0) for name in given[-1]}
    reader = PassageReader({name: rounded(value) for name, value in mean.items()})
    world = list(annotated(seed=seed, questions=questions))
    answers = {answer: i for i, answer in enumerate(model.learnt, FIRST_LEARNT)}
    table = WordTable(model.literals, model.hearing.vectors)
    kept = _parted(world, stories)[1]
    held = encode(kept, table, model.hearing, answers, model.recipe.hops)
    judgement, results = fit_judgement(held, reader, model.learnt, model.recipe)
    card = {**model.card, "mean_of": [each.id for each in models], "held_back": results}
    return network(replace(model, reader=reader, judgement=judgement, card=card))


def _parted(
    world: Sequence[Annotated], told: Sequence[Story] | None
) -> tuple[list[Story], list[Story]]:
    """Stories to learn from, and stories kept for probabilities."""
    simulated = [each.story for each in world]
    if told is None:
        often, kept = written(), kept_back()
    else:
        often = [story for i, story in enumerate(told, 1) if i % KEPT]
        kept = list(told[KEPT - 1 :: KEPT])
    plain = _plain(kept)
    first = [story for i, story in enumerate(simulated, 1) if i % (2 * KEPT) != KEPT]
    return first + often, simulated[KEPT - 1 :: 2 * KEPT] + plain


def _plain(stories: Sequence[Story]) -> list[Story]:
    """Those of writers who were not asked to tempt."""
    asked, nothing = Counter[str](), Counter[str]()
    for story in stories:
        writer = _NUMBERED.sub("", story.source)
        asked[writer] += sum(1 for _ in story.questions)
        nothing[writer] += sum(not question.answer for question in story.questions)
    plain = {writer for writer in asked if nothing[writer] <= TEMPTING * asked[writer]}
    found = [story for story in stories if _NUMBERED.sub("", story.source) in plain]
    return found or list(stories)
