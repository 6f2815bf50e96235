"""The SGD steps are the gradients of the losses: finite differences on the slow version."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memnn.kernels.phi import Contexts
from memnn.kernels.rng import below, new_state
from memnn.kernels.story_examples import Labels, Texts
from memnn.kernels.story_train import lesion, train_epoch, train_hop, train_response
from memnn.kernels.story_unseen import hide
from memnn.layout import Layout
from memnn.stories.bags import Bags
from memnn.stories.dictionary import Dictionary
from memnn.stories.model import Model, initial
from memnn.stories.recipe import Recipe
from memnn.stories.train import kernel_settings, workspace
from tests.kernels.slow_stories import Slow

W, ANSWERS = 6, 8
X = [0, 3, 4]
MEMORIES = [[1, 2, 4], [2, 3, 5], [0, 5]]
TIMES = [2, 5, 9]
HIDDEN = {3: ({1, 2}, {0}), 4: ({0, 1, 5}, set())}
RECIPE = Recipe(dim=4, margin=0.5, lr=1e-4, tries=50, lesions=0.0, init=0.4, bow=0.25)
"""A small rate: where a pair has two terms, the second is stepped after the first."""
DICTIONARY = Dictionary(words=tuple("abcdef"), answers=(*"abcdef", "g h", "i j"))
FEATURES = [
    {},
    {"match": True},
    {"unseen": True},
    {"unseen": True, "match": True},
]


def texts(bags, times):
    flat = Bags()
    for words, time in zip(bags, times, strict=True):
        flat.append(words, time)
    ends = np.concatenate([[0], np.cumsum([len(b) for b in bags])])
    in_order = np.array([w for b in bags for w in b], np.int64)
    return Texts(flat.ptr, flat.words, flat.kinds, flat.times, ends, in_order)


def hidden(recipe: Recipe) -> tuple[Contexts, dict]:
    """Tokens 3 and 4 taken for unseen, when the recipe knows unseen words."""
    contexts = HIDDEN if recipe.unseen else {}
    rows = np.full(W, -1, np.int64)
    rows[list(contexts)] = np.arange(len(contexts))
    sides = [sorted(side) for token in contexts for side in contexts[token]]
    ends = np.concatenate([[0], np.cumsum([len(s) for s in sides])]).astype(np.int64)
    return Contexts(rows, ends, np.array([w for s in sides for w in s], np.int64)), contexts


def model_for(seed: int, **features) -> Model:
    recipe = replace(RECIPE, **features)
    return initial(DICTIONARY, recipe, np.random.default_rng(seed))


def numeric_gradient(loss, U, step=1e-6):
    gradient = np.zeros_like(U)
    for place in np.ndindex(U.shape):
        up, down = U.copy(), U.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (loss(up) - loss(down)) / (2 * step)
    return gradient


def hop_loss(slow: Slow, recipe: Recipe, supports, t_x, o, i, false):
    """Appendix C for memory o and one negative, memory i read as the words `false`.

    `ordered` has the one term that inference meets.
    """
    given = [MEMORIES[s] for s in supports]

    def s(y, t_y, y2, t_y2):
        return slow.s_Ot(X, given, t_x, y, t_y, y2, t_y2)

    true = MEMORIES[o]
    first = max(0.0, recipe.margin - s(true, TIMES[o], false, TIMES[i]))
    second = max(0.0, recipe.margin + s(false, TIMES[i], true, TIMES[o]))
    if recipe.time == "none":
        return first
    if recipe.time == "ordered":
        return first if TIMES[o] > TIMES[i] else second
    return first + second


def check_hop(model: Model, supports, o, false, state_seed=1):
    """A hop among two memories steps down the gradient of its loss."""
    recipe, layout, U = model.recipe, model.layout_O, model.U_O
    contexts, by_token = hidden(recipe)
    _, scratch = workspace(model, 2 * recipe.unseen, 9)
    t_x = TIMES[supports[-1]] if supports else 20
    before = U.astype(float)
    loss = train_hop(
        U, layout.blocks, np.array(X), texts(MEMORIES, TIMES), np.array(supports, np.int64), t_x,
        o, 0, 2, contexts, kernel_settings(recipe), new_state(state_seed), scratch,
    )  # fmt: skip

    def true_loss(V):
        slow = Slow(V, layout, recipe.time, recipe.bow, by_token)
        return hop_loss(slow, recipe, supports, t_x, o, 1 - o, false)

    assert loss == pytest.approx(true_loss(before), abs=1e-4)
    step = (U - before) / -recipe.lr
    assert step == pytest.approx(numeric_gradient(true_loss, before), abs=2e-2)
    return loss


@pytest.mark.parametrize("features", FEATURES, ids=str)
@pytest.mark.parametrize("mode", ["none", "ordered", "signed", "literal"])
@pytest.mark.parametrize("supports", [[], [1], [1, 2]], ids=str)
@pytest.mark.parametrize("o", [0, 1])
def test_a_hop_steps_down_the_gradient(features, mode, supports, o):
    # Two memories to choose from, so that the sampled negative is the other one.
    check_hop(model_for(7, time=mode, **features), supports, o, MEMORIES[1 - o])


def lesioned(o, seed):
    """What the first try of a hop leaves of the other memory: the same draws, one by one."""
    state, k, out = new_state(seed), 0, np.zeros(9, np.int64)
    while below(state, 2) != (1 - o if k % 2 else o):  # even tries count from the latest memory
        k += 1
    below(state, 1000)  # whether it is lesioned: always, here
    return out[: lesion(np.array(MEMORIES[1 - o]), state, out)].tolist()


@pytest.mark.parametrize("features", FEATURES, ids=str)
@pytest.mark.parametrize("mode", ["none", "ordered", "signed", "literal"])
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("o", [0, 1])
def test_a_hop_with_lesions_steps_down_the_gradient(features, mode, seed, o):
    # A margin that nothing keeps: the first try is the one that is stepped on.
    model = model_for(7, time=mode, lesions=1.0, margin=9.0, **features)
    false = lesioned(o, seed)
    assert check_hop(model, [1], o, false, seed) > 0


def test_the_lesions_of_that_test_lose_all_some_and_no_words():
    assert {len(lesioned(o, seed)) for o in (0, 1) for seed in (1, 2, 3)} == {0, 1, 2, 3}


@pytest.mark.parametrize("mode", ["none", "ordered", "signed", "literal"])
@pytest.mark.parametrize("supports", [[], [1], [1, 2]], ids=str)
@pytest.mark.parametrize("o", [0, 1])
def test_a_hop_with_one_shared_dictionary_steps_down_the_gradient(mode, supports, o):
    # A word of question and memory alike has one row, and that row two gradients to add up.
    model = model_for(7, time=mode, shared=True)
    assert len(model.U_O) == W + 3
    assert check_hop(model, supports, o, MEMORIES[1 - o]) > 0


@pytest.mark.parametrize("features", [*FEATURES, {"shared": True}], ids=str)
@pytest.mark.parametrize(("r", "other"), [(1, 3), (3, 1), (7, 4), (2, 6)])
def test_the_response_steps_down_the_gradient(features, r, other):
    model = model_for(3, **features)
    recipe, layout, U = model.recipe, model.layout_R, model.U_R
    contexts, by_token = hidden(recipe)
    _, scratch = workspace(model, 2 * recipe.unseen, 9)
    supports = [1, 0]
    settings = kernel_settings(recipe)._replace(tries=1)
    state = new_state(next(s for s in range(999) if below(new_state(s), ANSWERS) == other))
    before = U.astype(float)
    loss = train_response(
        U, layout.blocks, W, np.array(X), texts(MEMORIES, TIMES), np.array(supports), r,
        contexts, settings, state, scratch,
    )  # fmt: skip

    def true_loss(V):
        slow = Slow(V, layout, contexts=by_token)
        given = [MEMORIES[o] for o in supports]

        def s(c):
            if c < W:
                return slow.s_R(X, given, c)
            unit = np.zeros(layout.D)
            unit[slow.at["Y"] + c] = 1
            return slow.phi_x(X, given) @ slow.U @ slow.U.T @ unit

        return max(0.0, recipe.margin - s(r) + s(other))

    assert loss == pytest.approx(true_loss(before), abs=1e-4)
    gradient = numeric_gradient(true_loss, before)
    assert (U - before) / -recipe.lr == pytest.approx(gradient, abs=2e-2)


def test_an_epoch_is_its_hops_and_its_response():
    """train_epoch adds nothing of its own: the same calls one by one give the same weights."""
    model = model_for(3, time="ordered", lesions=0.3)
    U_O, U_R, V_O, V_R = model.U_O, model.U_R, model.U_O.copy(), model.U_R.copy()
    s, x = texts(MEMORIES, TIMES), texts([X, [1]], [11, 12])
    supports, answers, order = np.array([[1, 0], [2, 2]]), np.array([2, 3]), np.array([1, 0])
    labels = Labels(np.zeros(2, np.int64), np.full(2, 3), supports, answers)
    settings = kernel_settings(model.recipe)
    O, R = model.layout_O.blocks, model.layout_R.blocks  # noqa: E741
    contexts, scratch = workspace(model, 0, 9)
    nobody = np.zeros(0, np.int64)
    losses = train_epoch(
        U_O, U_R, O, R, W, s, x, labels, nobody, contexts, order, settings, new_state(9), scratch
    )
    state = new_state(9)
    total_O = total_R = 0.0
    for j in order:
        words, t_x = np.array([X, [1]][j]), x.times[j]
        for h in range(2):
            total_O += train_hop(
                V_O, O, words, s, supports[j, :h], t_x, supports[j, h], 0, 3, contexts, settings,
                state, scratch,
            )  # fmt: skip
            t_x = TIMES[supports[j, h]]
        total_R += train_response(
            V_R, R, W, words, s, supports[j], answers[j], contexts, settings, state, scratch
        )
    assert losses == pytest.approx((total_O, total_R))
    assert np.array_equal(U_O, V_O)
    assert np.array_equal(U_R, V_R)


def test_hidden_words_have_the_contexts_of_their_story():
    """All entities hidden: each has the known words on either side, and no hidden one."""
    model = model_for(0, unseen=True)
    entities = np.array([1, 3])
    contexts, scratch = workspace(model, 2, 9)
    story = texts([[1, 0, 3], [2, 1, 4, 1, 5], [3, 2]], [1, 2, 3])
    hide(entities, story, 0, 3, np.array([0]), contexts, 1000, new_state(0), scratch)
    assert contexts.rows.tolist() == [-1, 0, -1, 1, -1, -1]

    def side(k):
        return set(contexts.words[contexts.ptr[k] : contexts.ptr[k + 1]].tolist())

    assert side(0) == {2, 4}  # left of word 1
    assert side(1) == {0, 4, 5}  # right of it
    assert side(2) == {0}  # left of word 3
    assert side(3) == {2}
    hide(entities, story, 0, 3, np.array([0]), contexts, 0, new_state(0), scratch)
    assert contexts.rows.tolist() == [-1] * 6


def test_draws_are_uniform_and_repeatable():
    state = new_state(5)
    draws = [below(state, 10) for _ in range(10_000)]
    again = new_state(5)
    assert draws[:100] == [below(again, 10) for _ in range(100)]
    assert min(draws) == 0
    assert max(draws) == 9
    counts = np.bincount(draws)
    assert np.abs(counts - 1000).max() < 150  # 5 standard deviations


def test_a_lesion_only_takes_words_away():
    state, out = new_state(0), np.zeros(5, np.int64)
    words = np.array([4, 1, 4, 2])
    sizes = set()
    for _ in range(300):
        left = out[: lesion(words, state, out)].tolist()
        rest = iter(words.tolist())
        assert all(word in rest for word in left)  # a subsequence
        sizes.add(len(left))
    assert sizes == {0, 1, 2, 3, 4}


def test_the_layout_has_the_paper_s_number_of_features():
    """3|W|; 5|W| with contexts; and matches, of which the paper has one set and we two."""
    assert Layout(W, W).D == 3 * W
    assert Layout(W, W, time=True).D == 3 * W + 3
    assert Layout(W, W, unseen=True).D == 5 * W
    assert Layout(W, W, unseen=True, match=True).D == (8 + 3) * W
