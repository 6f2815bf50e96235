"""H when the memory is full: what is overwritten, and that learning to forget pays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memnn
from memnn.generalization import Append
from memnn.kernels.story_utility import NAMES, ORDERS, step_utility, utility
from memnn.stories.dictionary import Dictionary
from memnn.stories.forgetting import AnySlot, LeastUseful, Oldest, Utility
from memnn.stories.train_utility import fit_utility

W = 5
bag = st.lists(st.integers(0, W - 1), min_size=1, max_size=4)


def ids(memory):
    return [slot.id for slot in memory.scan()]


def test_the_oldest_goes_first():
    G, memory = Append(Oldest(2)), memnn.RamMemory()
    for text in "abcd":
        G(memnn.Statement(text), memory)
    assert ids(memory) == [3, 4]


def test_chance_is_repeatable():
    def kept(seed):
        G, memory = Append(AnySlot(3, seed)), memnn.RamMemory()
        for text in "abcdefghij":
            G(memnn.Statement(text), memory)
        return ids(memory)

    assert len(kept(1)) == 3
    assert kept(1) == kept(1)
    assert any(kept(seed) != kept(1) for seed in range(2, 9))


@pytest.mark.parametrize("make", [Oldest, AnySlot])
def test_room_for_nothing_is_refused(make):
    with pytest.raises(memnn.InputError, match="at least 1"):
        make(0)


def slow_utility(b, V, i, texts, entities):
    """u(i) as it is defined."""
    total, order = sum(b[t] for t in texts[i]), 0
    for other in texts[i + 1 :]:
        names = len([t for t in texts[i] if t in entities and t in other])
        if names:
            V_j = V[min(names, NAMES) - 1, min(order, ORDERS - 1)]
            total += sum(V_j[t, u] for t in texts[i] for u in other)
            order += 1
    return total


@given(st.lists(bag, min_size=1, max_size=9), st.sets(st.integers(0, W - 1)), st.integers(0, 99))
@settings(max_examples=100, deadline=None)
def test_utility_equals_the_slow_version_and_its_step_the_gradient(texts, entities, seed):
    rng = np.random.default_rng(seed)
    b, V = rng.normal(size=W), rng.normal(size=(NAMES, ORDERS, W, W))
    ptr = np.concatenate([[0], np.cumsum([len(t) for t in texts])])
    words, entity = np.concatenate(texts), np.zeros(W, np.int64)
    entity[list(entities)] = 1
    i, n = 0, len(texts)
    before = utility(b, V, i, n, ptr, words, entity)
    assert before == pytest.approx(slow_utility(b, V, i, texts, entities))
    b2, V2 = np.zeros_like(b), np.zeros_like(V)
    step_utility(b2, V2, i, n, ptr, words, entity, 1.0)  # the gradient, since u is linear
    assert (b2 * b).sum() + (V2 * V).sum() == pytest.approx(before)


def test_least_useful_follows_what_is_told():
    """H keeps scores up to date as it goes; they must be those of the definition."""
    dictionary = Dictionary(tuple("abcde"), tuple("abcde"), frozenset("ab"))
    rng = np.random.default_rng(0)
    b, V = rng.normal(size=W), rng.normal(size=(NAMES, ORDERS, W, W))
    H = LeastUseful(4, Utility(dictionary, b, V))
    G, memory = Append(H), memnn.RamMemory()
    told: dict[int, list[int]] = {}
    for text in ("a c", "b d", "a b e", "c d", "a d", "b c", "a e", "a b"):
        rows = dictionary.rows(text)
        if len(memory) == 4:
            order = sorted(told)
            texts = [told[id] for id in order] + [rows]
            alive = {i: id for i, id in enumerate(order) if id in ids(memory)}
            worst = min(alive, key=lambda i: slow_utility(b, V, i, texts, {0, 1}))
            expected = alive[worst]
        else:
            expected = None
        assert H(memnn.Statement(text), memory) == expected
        told[G(memnn.Statement(text), memory).id] = rows


def test_learning_to_forget_pays(trained):
    train = memnn.simulate(seed=0, difficulty=50)
    test = memnn.simulate(seed=1, difficulty=50, statements=1400, questions=600)
    useful = fit_utility(train)

    def accuracy(H):
        net = memnn.MemoryNetwork(I=trained.I, G=Append(H), O=trained.O, R=trained.R)
        return memnn.evaluate(net, test).accuracy

    assert accuracy(LeastUseful(16, useful)) >= accuracy(Oldest(16)) + 0.05
