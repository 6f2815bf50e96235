"""Learning what may be forgotten (§2): memories that support later answers are useful."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memnn.kernels.rng import new_state
from memnn.kernels.story_utility import NAMES, ORDERS, train_utility
from memnn.stories.dictionary import Dictionary
from memnn.stories.examples import encode
from memnn.stories.forgetting import Utility
from memnn.stories.recipe import Recipe
from memnn.types import Story


def fit_utility(
    stories: Sequence[Story],
    dictionary: Dictionary | None = None,
    *,
    window: int = 64,
    epochs: int = 10,
    tries: int = 20,
    lr: float = 0.01,
    seed: int = 0,
) -> Utility:
    """Utility from the supports of training questions, by the margin ranking loss of §3.1."""
    dictionary = dictionary or Dictionary.build(stories)
    hops = max((len(q.supports) for story in stories for q in story.questions), default=1)
    examples = encode(stories, dictionary, Recipe(hops=max(1, hops)))
    texts = examples.texts()
    uses: list[list[int]] = [[] for _ in range(len(examples.statements))]
    for supports, moment in zip(examples.supports, examples.last.tolist(), strict=True):
        for o in set(supports.tolist()):
            uses[o].append(moment)
    ends = np.zeros(len(uses) + 1, np.int64)
    np.cumsum([len(moments) for moments in uses], out=ends[1:])
    flat = np.array([moment for moments in uses for moment in moments], np.int64)
    entity = np.zeros(len(dictionary), np.int64)
    entity[list(dictionary.entity_rows)] = 1
    W = len(dictionary)
    b, V = np.zeros(W), np.zeros((NAMES, ORDERS, W, W))
    rng, state = np.random.default_rng(seed), new_state(seed)
    for epoch in range(epochs):
        order = rng.permutation(len(examples))
        train_utility(
            b, V, examples.last[order], examples.first[order], ends, flat,
            texts.in_order_ptr, texts.in_order, entity, window, tries, 1.0,
            lr / (1 + epoch), state,
        )  # fmt: skip
    return Utility(dictionary, b, V)
