"""Stories as a word stream (§3.2): what a path network learns from is what its segmenter cuts."""

from __future__ import annotations

from collections.abc import Sequence

from memnn.stories.train_segmenter import SegmenterSettings, train_segmenter
from memnn.support_paths.recipe import PathRecipe
from memnn.text.cutting import segmented
from memnn.text.stream import Segmenter
from memnn.types import Story


def heard(stories: Sequence[Story], recipe: PathRecipe) -> tuple[list[Story], Segmenter | None]:
    """The stories as a segmenter cuts them that learnt from them, and that; as they are without
    `stream`."""
    if not recipe.stream:
        return list(stories), None
    segmenter = train_segmenter(stories, SegmenterSettings.named(recipe.segmenter, recipe.seed))
    return segmented(stories, segmenter), segmenter
