"""Which network fits the stories: chosen by their form, in doubt by what it gets right.

The last fifth of the stories of every file is held back. A path network learns from the others; if
it answers nearly everything held back right, it is taken. Otherwise the paper's network learns from
them as well, and the better one is taken. What is chosen is then trained on all stories.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from memnn.checkpoint import Checkpoint, Kept
from memnn.memory import Memory
from memnn.network import MemoryNetwork
from memnn.stories.babi import dumps
from memnn.stories.evaluate import evaluate
from memnn.stories.model import Model
from memnn.stories.network import network
from memnn.stories.recipe import Recipe
from memnn.stories.train import Progress, fit
from memnn.stories.train import train as train_paper
from memnn.support_paths.examples import check
from memnn.support_paths.fitting import Fitting
from memnn.support_paths.model import PathModel
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.search import (
    HOPS,
    SupportSearch,
    supports_of,
    unsupported,
    with_supports,
)
from memnn.support_paths.streams import heard
from memnn.support_paths.train import train as train_paths
from memnn.support_paths.trial import Trial
from memnn.text.cutting import segmented
from memnn.types import Question, Story
from memnn.version import __version__

FEWEST = 5
"""Stories of a file from which one in five is held back."""
LONG = 300
"""Statements before a question, on average, for which looking at every one of them is too slow."""
GOOD = 0.98
"""A path network that has this share right is not compared with another."""
TRAINED_BY: dict[str, Callable[..., MemoryNetwork]] = {"paper": train_paper, "paths": train_paths}
TRIAL, ALL = "Four fifths", "All stories"
FIND_TRIAL, FIND_ALL = "Supports of four fifths", "Supports of all stories"


@dataclass(frozen=True)
class Judged:
    """What was right on stories held back: shares from 0 to 1."""

    questions: int
    answers: float
    supports: float | None
    """None where the stories held back name none to compare with."""


@dataclass(frozen=True)
class Choice:
    """Which network, why, and how good it was on the stories held back, if any were."""

    network: str
    why: str
    held_back: Judged | None = None

    def to_json(self) -> dict[str, Any]:
        held_back = None if self.held_back is None else asdict(self.held_back)
        return {"recipe": self.network, "why": self.why, "held_back": held_back}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Choice:
        held_back = data["held_back"]
        return cls(data["recipe"], data["why"], Judged(**held_back) if held_back else None)


def train(
    stories: Iterable[Story] | Story | str | Path,
    recipe: Recipe | PathRecipe | None = None,
    *,
    memory: Memory | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> MemoryNetwork:
    """Train a network on stories (or a story file) and return it with an empty memory.

    The recipe says which: the paper's unless it is a `PathRecipe`.
    """
    recipe = recipe or Recipe()
    return TRAINED_BY[recipe.network](stories, recipe, memory=memory, progress=progress)


def split(stories: Sequence[Story]) -> tuple[list[Story], list[Story]]:
    """The stories to learn from, and the last fifth of each file."""
    kept: list[Story] = []
    held_back: list[Story] = []
    for source in dict.fromkeys(story.source for story in stories):
        own = [story for story in stories if story.source == source]
        cut = len(own) * 4 // 5 if len(own) >= FEWEST else len(own)
        kept += own[:cut]
        held_back += own[cut:]
    asked = any(True for story in kept for _ in story.questions)
    answered = any(q.answer is not None for story in held_back for q in story.questions)
    return (kept, held_back) if asked and answered else (list(stories), [])


def statements_before(stories: Sequence[Story]) -> float:
    """How many statements stand before a question in its story, on average."""
    counts: list[int] = []
    for story in stories:
        told = 0
        for line in story.lines:
            if isinstance(line, Question):
                counts.append(told)
            else:
                told += 1
    return sum(counts) / max(1, len(counts))


class Training:
    """The way from stories to a model; a checkpoint says how far it has come."""

    def __init__(
        self,
        stories: Sequence[Story],
        *,
        wanted: str | None = None,
        settings: Mapping[str, Any] | None = None,
        progress: Callable[[Progress], None] = lambda moved: None,
        chosen: Callable[[Choice], None] = lambda choice: None,
    ) -> None:
        """`wanted` may be "paths", which is then only measured; `settings` are given ones that
        both networks have."""
        self.stories, self.wanted = list(stories), wanted
        self.settings = dict(settings or {})
        self.curve: list[Progress] = []
        self._progress, self._chosen = progress, chosen
        self._checkpoint: Checkpoint | None = None
        self._taken_up: Kept | None = None
        self._hops = 0
        """How many supports were looked for, where questions name none."""
        self._explained = 0.0
        """The share of answers that they explain."""

    @property
    def key(self) -> str:
        """Names all that the model depends on."""
        what = json.dumps([__version__, self.wanted, self.settings]) + dumps(self.stories)
        return hashlib.sha256(what.encode(errors="surrogatepass")).hexdigest()

    def run(
        self, checkpoint: Checkpoint | None = None, *, resume: bool = False
    ) -> tuple[Model | PathModel, Choice]:
        """Choose and train, from the checkpoint on where there is one to resume."""
        self._checkpoint = checkpoint
        if checkpoint is not None and resume:
            self._taken_up = checkpoint.load()
        elif checkpoint is not None:
            checkpoint.remove()
        if self._taken_up is not None:
            self.curve = [Progress(**row) for row in self._taken_up[0]["curve"]]
        about = {} if self._taken_up is None else self._taken_up[0]
        if self._stage in (FIND_ALL, ALL):
            choice, recipe = Choice.from_json(about["choice"]), PathRecipe(**about["recipe"])
            self._hops = about["hops"]
        else:
            choice, recipe = self._choose()
        segmenter = None
        if choice.network == "paths":
            self.stories, segmenter = heard(self.stories, recipe)
        known = {"choice": choice.to_json(), "recipe": recipe.to_json(), "hops": self._hops}
        if self._stage == ALL:
            self.stories = with_supports(self.stories, about["found"])
        elif self._hops and choice.network == "paths":
            self.stories = self._supported(self.stories, recipe, (self._hops,), FIND_ALL, known)
        if choice.network == "paper":
            moved = self._moved(ALL, lambda: self._chosen(choice))
            return fit(self.stories, self._paper(), moved), choice
        fitting = Fitting(self.stories, recipe)
        self._chosen(choice)
        self._train(fitting, ALL, {**known, "found": supports_of(self.stories)})
        return replace(fitting.model(), segmenter=segmenter), choice

    @property
    def _stage(self) -> str:
        return "" if self._taken_up is None else str(self._taken_up[0]["stage"])

    def _choose(self) -> tuple[Choice, PathRecipe]:
        recipe = PathRecipe(**self.settings)
        if self.wanted is None and (before := statements_before(self.stories)) > LONG:
            why = f"{before:,.0f} statements stand before a question, which is much for paths"
            return Choice("paper", why), recipe
        missing = unsupported(self.stories)
        check(self.stories, unsupported=missing > 0)
        told, asked = split(self.stories)
        kept, segmenter = heard(told, recipe)
        held_back = asked if segmenter is None else segmented(asked, segmenter)
        if missing:
            kept = self._supports_for_trial(kept, recipe)
        if not held_back:
            return Choice("paths", "there are too few stories to compare networks on"), recipe
        trial = Trial(kept, recipe, held_back)
        found = {"hops": self._hops, "explained": self._explained, "found": supports_of(kept)}
        self._train(trial, TRIAL, found)
        supports = None if isnan(trial.supports) else trial.supports
        measured = Judged(len(trial.held_back), trial.answers, supports)
        recipe = trial.recipe if "epochs" not in self.settings else recipe
        right = f"it has {measured.answers:.1%} of {measured.questions:,} held-back answers right"
        if self.wanted is not None:
            return Choice("paths", "as asked", measured), recipe
        if missing:
            why = (
                f"{missing:,} questions name no supports, which the paper's network needs; those "
                f"found explain {self._explained:.1%} of the answers, and {right}"
            )
            return Choice("paths", why, measured), recipe
        if measured.answers >= GOOD:
            return Choice("paths", right, measured), recipe
        return self._compare(told, asked, measured, right), recipe

    def _supports_for_trial(self, kept: list[Story], recipe: PathRecipe) -> list[Story]:
        """Those that an interrupted training found, or new ones, of as many hops as fit best."""
        if self._taken_up is not None and self._stage == TRIAL:
            about = self._taken_up[0]
            self._hops, self._explained = about["hops"], about["explained"]
            return with_supports(kept, about["found"])
        return self._supported(kept, recipe, HOPS, FIND_TRIAL, {})

    def _supported(
        self,
        stories: list[Story],
        recipe: PathRecipe,
        hops: Sequence[int],
        stage: str,
        about: Mapping[str, Any],
    ) -> list[Story]:
        search = SupportSearch(stories, recipe, hops)
        self._train(search, stage, about)
        found = search.latent
        self._hops, self._explained = found.hops, found.explained
        return found.stories

    def _compare(
        self, kept: list[Story], held_back: list[Story], paths: Judged, right: str
    ) -> Choice:
        """Between the two, by what is right on the stories held back."""
        result = evaluate(network(fit(kept, self._paper(), self._moved(TRIAL))), held_back)
        if result.accuracy <= paths.answers:
            return Choice("paths", f"{right}, the paper's network {result.accuracy:.1%}", paths)
        paper = Judged(result.questions, result.accuracy, result.support_accuracy)
        why = f"it has {paper.answers:.1%} of {paper.questions:,} held-back answers right, "
        return Choice("paper", f"{why}a path network {paths.answers:.1%}", paper)

    def _paper(self) -> Recipe:
        """The paper's network with as many hops as there are supports."""
        most = max((len(q.supports) for story in self.stories for q in story.questions), default=1)
        return Recipe(**{"hops": max(1, most), **self.settings})

    def _moved(
        self, stage: str, first: Callable[[], None] = lambda: None
    ) -> Callable[[Progress], None]:
        """Adds to the curve; `first` is called once the stories have proved to be fit to learn."""

        def moved(progress: Progress) -> None:
            if progress.epoch == 1:
                first()
            self.curve.append(replace(progress, stage=progress.stage or stage))
            self._progress(self.curve[-1])

        return moved

    def _train(
        self, course: Trial | Fitting | SupportSearch, stage: str, about: Mapping[str, Any]
    ) -> None:
        """To the end, from where it was put away, putting it away now and then."""
        if self._taken_up is not None and self._stage == stage:
            course.take_up(*self._taken_up)
            self._taken_up = None
        moved = self._moved(stage)

        def state() -> Kept:
            own, arrays = course.put_away()
            curve = [asdict(row) for row in self.curve]
            return {"stage": stage, "curve": curve, **about, **own}, arrays

        while not course.ended:
            moved(course.next_epoch())
            if self._checkpoint is not None:
                self._checkpoint.keep(state)
