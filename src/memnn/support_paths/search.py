"""Which supports explain the answers: several numbers of hops, from several starts.

How many hops the questions need is not known. One, two and three are tried in turn, and, unless
nearly everything is explained, those that came close once more from another start. A longer path
must explain clearly more than a shorter one: what can be said with fewer is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from numpy.typing import NDArray

from memnn.kernels.path_latent import Guesses
from memnn.stories.examples import numbered
from memnn.stories.train import Progress
from memnn.support_paths.examples import encode
from memnn.support_paths.latent import Guessing, folds_of
from memnn.support_paths.learning import Arrays
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.vocabulary import PathVocabulary
from memnn.types import Question, Statement, Story

HOPS = (1, 2, 3)
"""How many supports are tried."""
EXPLAINED = 0.98
"""A share of answers with which nothing else is tried."""
AGAIN, SEEDS = 1, 1_000_003
"""How often what came close is tried once more, with a seed that lies this far off."""
CLOSE, LOST = 0.05, 0.02
"""What lacks no more than this share of answers at the end came close; what lacks as much as the
other before its paths may have any length is given up."""


@dataclass(frozen=True)
class Latent:
    """Stories with supports for every question, and how they were found."""

    stories: list[Story]
    hops: int
    explained: float
    """The share of answers that networks which had not learnt from them found likely."""


def unsupported(stories: Sequence[Story]) -> int:
    """How many questions name no supporting statement."""
    return sum(not q.supports for story in stories for q in story.questions)


class SupportSearch:
    """The supports of all questions, as a course of rounds that can be put away and taken up."""

    def __init__(
        self, stories: Sequence[Story], recipe: PathRecipe, hops: Sequence[int] = HOPS
    ) -> None:
        self.stories, self.recipe = stories, recipe
        self._vocabulary = PathVocabulary.learn(stories)
        self._examples = encode(stories, self._vocabulary, unsupported=True)
        self._folds = folds_of(stories)
        self._left = [(n, 0) for n in hops]
        """Numbers of hops and of starts that are still to be tried."""
        self._again = AGAIN
        self._explained: dict[int, float] = {}
        """The best by number of hops."""
        self._best: Guessing | None = None
        self._now = self._next()
        self.ended = False

    def _next(self) -> Guessing:
        return self._guessing(*self._left[0])

    def _guessing(self, hops: int, start: int) -> Guessing:
        recipe = replace(self.recipe, seed=self.recipe.seed + SEEDS * start)
        return Guessing(self._examples, self._vocabulary, recipe, hops, self._folds)

    def next_epoch(self) -> Progress:
        """One round."""
        moved = self._now.next_round()
        if self._now.ended or self._lost(self._now):
            self._compare(self._now)
            if not self.ended:
                self._now = self._next()
        return moved

    def _lost(self, now: Guessing) -> bool:
        best = self._best
        return best is not None and now.settled and now.share < best.share - LOST

    def _compare(self, new: Guessing) -> None:
        """Keep the better one, and decide what is tried next."""
        self._left.pop(0)
        explained = self._explained
        explained[new.hops] = max(new.explained, explained.get(new.hops, 0.0))
        if self._best is None or (new.ended and self._better(new, self._best)):
            self._best = new
        if self._best.explained >= EXPLAINED:
            self._left = []
        elif not self._left and self._again:
            start = AGAIN - self._again + 1
            self._again -= 1
            best = max(explained.values())
            close = [n for n in sorted(explained) if explained[n] >= best - CLOSE]
            self._left = [(n, start) for n in close if n > 1]  # one hop has no way to get stuck
        self.ended = not self._left

    def _better(self, new: Guessing, best: Guessing) -> bool:
        """With more hops it must be so by more than two standard errors."""
        if new.hops == best.hops:
            return new.explained > best.explained
        more, fewer = (new, best) if new.hops > best.hops else (best, new)
        p = min(max(fewer.explained, EXPLAINED / 2), EXPLAINED)
        clearly = more.explained - fewer.explained > 2 * sqrt(p * (1 - p) / len(self._examples))
        return clearly == (more is new)

    def put_away(self) -> tuple[dict[str, Any], Arrays]:
        """All that the rest of the search depends on, beside stories and recipe."""
        about: dict[str, Any] = {
            "left": self._left,
            "again": self._again,
            "explained": list(self._explained.items()),
        }
        arrays: Arrays = {}
        for name, guessing in (("now", self._now), ("best", self._best)):
            if guessing is not None:
                about[name], own = guessing.put_away()
                arrays |= {f"{name}.{key}": array for key, array in own.items()}
        return about, arrays

    def take_up(self, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from there; to be called before the first round."""
        self._left = [(hops, start) for hops, start in about["left"]]
        self._again, self._explained = about["again"], dict(about["explained"])
        self.ended = not self._left
        if "best" in about:
            self._best = self._guessing(about["best"]["hops"], 0)
            self._best.take_up(about["best"], _part(arrays, "best"))
        self._now = self._best if self.ended and self._best is not None else self._next()
        if not self.ended:
            self._now.take_up(about["now"], _part(arrays, "now"))

    @property
    def latent(self) -> Latent:
        """What was found."""
        best = self._best or self._now
        return Latent(_labelled(self.stories, best.found), best.hops, best.explained)


def find_supports(
    stories: Sequence[Story],
    recipe: PathRecipe,
    *,
    hops: Sequence[int] = HOPS,
    progress: Callable[[Progress], None] | None = None,
) -> Latent:
    """The stories with supports where they had none; those that are given stay."""
    search = SupportSearch(stories, recipe, hops)
    while not search.ended:
        moved = search.next_epoch()
        if progress is not None:
            progress(moved)
    return search.latent


def _part(arrays: Mapping[str, NDArray[Any]], name: str) -> Arrays:
    start = f"{name}."
    return {key.removeprefix(start): x for key, x in arrays.items() if key.startswith(start)}


def _labelled(stories: Sequence[Story], found: Guesses) -> list[Story]:
    """The stories with what was found for the questions, in their order."""
    supports: list[list[int]] = []
    time_of: dict[int, int] = {}
    for story in stories:
        for time, line in numbered(story):
            if isinstance(line, Question):
                i = len(supports)
                rows = found.paths[i, : found.lengths[i]].tolist()
                supports.append([time_of[row] for row in rows])
            else:
                time_of[len(time_of)] = time
    return with_supports(stories, supports)


def supports_of(stories: Sequence[Story]) -> list[list[int]]:
    """The supports of every question."""
    return [list(question.supports) for story in stories for question in story.questions]


def with_supports(stories: Sequence[Story], supports: Sequence[Sequence[int]]) -> list[Story]:
    """The stories with these supports, for all questions in their order."""
    left = iter(supports)

    def supported(line: Statement | Question) -> Statement | Question:
        return replace(line, supports=tuple(next(left))) if isinstance(line, Question) else line

    return [replace(story, lines=tuple(map(supported, story.lines))) for story in stories]
