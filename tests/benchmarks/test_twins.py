"""The twins that memnn is measured against compute what the kernels compute."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memnn
from benchmarks import numpy_twin
from memnn.kernels.story_infer import find_supports, rank
from memnn.stories.bags import Bags
from memnn.stories.contexts import Lexicon
from memnn.stories.dictionary import Dictionary
from memnn.stories.examples import encode
from memnn.stories.model import Model, initial

WORDS = 12
Twin = Callable[[np.ndarray], tuple[list[int], int]]


def random_model(rng: np.random.Generator, hops: int, time: tuple[float, ...]) -> Model:
    """Random weights whose time features score about as given, whatever the question."""
    names = tuple(f"w{i}" for i in range(WORDS))
    model = initial(
        Dictionary(words=names, answers=names), memnn.Recipe(hops=hops, dim=8, init=0.5), rng
    )
    model.U_O[: 2 * WORDS, 0] = 1.0  # words of every question share a direction, and time uses it
    model.U_O[3 * WORDS :] = 0.0
    model.U_O[3 * WORDS :, 0] = time
    return model


def random_bags(rng: np.random.Generator, n: int) -> Bags:
    """Texts of 1 to 5 words; times grow, with gaps where questions stood."""
    bags = Bags()
    times = np.cumsum(rng.integers(1, 3, n))
    for time in times.tolist():
        bags.append(rng.integers(WORDS, size=rng.integers(1, 6)).tolist(), time)
    return bags


def by_kernels(model: Model, bags: Bags, n: int, x: np.ndarray) -> tuple[list[int], int]:
    k, O, R = model.recipe.hops, model.layout_O, model.layout_R  # noqa: E741
    contexts = Lexicon(model.dictionary, unseen=False).contexts()
    found, numbers = np.empty((k, 2), np.int64), np.empty((k, 3))
    hops = find_supports(
        O.bilinear(model.U_O), O.blocks, O.columns, x, bags.ptr, bags.words, bags.kinds[:n],
        *contexts, 1, 0.0, found, numbers,
    )  # fmt: skip
    chosen = found[:hops, 0].tolist()
    chosen += chosen[-1:] * (k - hops)
    m = np.concatenate([bags[o] for o in chosen])
    scores = np.empty(R.candidates, np.float32)
    best = rank(
        R.bilinear(model.U_R), R.blocks, R.columns, O.words, R.candidates, x, m, *contexts, scores
    )
    return chosen, best


def numpy_answers(model: Model, bags: Bags, n: int, loop: bool) -> Twin:
    return numpy_twin.NumpyTwin(model, bags, n, loop=loop)


def torch_answers(model: Model, bags: Bags, n: int, loop: bool) -> Twin:
    torch = pytest.importorskip("torch")
    from benchmarks.torch_twin import TorchTwin

    twin = TorchTwin(model, bags, n, loop=loop)
    return lambda x: twin(torch.from_numpy(x))


TIMES = {
    "newer wins": (0.1, 0.1, 0.3),
    "older wins": (0.1, 0.1, -0.3),
    "newer wins, but not after the last support": (-0.6, -0.1, 0.3),
    "older wins, but not after the last support": (0.6, 0.1, -0.3),
    "no time": (0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("make", [numpy_answers, torch_answers])
@pytest.mark.parametrize("time", TIMES.values(), ids=TIMES)
@pytest.mark.parametrize("hops", [1, 2, 3])
@pytest.mark.parametrize("loop", [False, True])
def test_answering_agrees_with_the_kernels(
    make: Callable[[Model, Bags, int, bool], Twin],
    time: tuple[float, ...],
    hops: int,
    loop: bool,
) -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 10, 40, 200):
        model = random_model(rng, hops, time)
        bags = random_bags(rng, n + 3)
        answer = make(model, bags, n, loop)
        for _ in range(10):
            x = rng.integers(WORDS, size=3)
            assert answer(x) == by_kernels(model, bags, n, x)


def slow_walk(F: list[float], G: list[float], t: int, start: int) -> int:
    for i in range(start, len(F)):
        if F[i] > G[t]:
            t = i
    return t


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(-8, 8), min_size=1, max_size=30), st.integers(-4, 4), st.data())
def test_the_closed_form_is_algorithm_1(scores: list[int], gain: int, data: st.DataObject) -> None:
    """Whole numbers, so that ties are ties; a gain of 0 means that F = G."""
    start = data.draw(st.integers(1, len(scores)))
    t = data.draw(st.integers(0, start - 1))
    G = np.array(scores, np.float32)
    F = G + np.float32(gain)
    truth = slow_walk(F.tolist(), G.tolist(), t, start)
    assert numpy_twin.walk(F, G, t, start, gain >= 0) == truth


def test_training_steps_agree() -> None:
    """The gradients that are written out are those of autograd, to first order in a tiny step."""
    torch_twin = pytest.importorskip("benchmarks.torch_twin")
    recipe = memnn.Recipe(dim=8, epochs=1, lr=1e-4, seed=3)
    stories = memnn.simulate(statements=60, questions=30, seed=4)
    dictionary = Dictionary.build(stories)
    examples = encode(stories, dictionary, recipe)
    start = initial(dictionary, recipe, np.random.default_rng(5))
    ours = numpy_twin.NumpyTrainer(start, examples)
    ours.epoch()
    for sparse in (False, True):
        theirs = torch_twin.TorchTrainer(start, examples, sparse=sparse)
        theirs.epoch()
        for before, a, b in zip(
            (start.U_O, start.U_R), ours.weights(), theirs.weights(), strict=True
        ):
            assert np.abs(a - before).max() > recipe.lr
            np.testing.assert_allclose(
                (a - before) / recipe.lr, (b - before) / recipe.lr, atol=0.02
            )
