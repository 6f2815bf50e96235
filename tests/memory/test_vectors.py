"""Vectors are a cache that names its model: built, kept, rebuilt, never trusted blindly."""

from __future__ import annotations

import numpy as np
import pytest

import memnn
from memnn.memory.address import verify
from memnn.memory.sqlite import vectors
from memnn.memory.sqlite.store import SqliteStore
from memnn.stories.model import embedder
from tests.memory.conftest import Hashes

BLOCK = vectors.BLOCK


def check(memory, by):
    ids, array = memory.vectors(by)
    slots = list(memory.scan())
    assert ids.tolist() == [slot.id for slot in slots]
    expected = Hashes(by.id, by.dim).embed([slot.text for slot in slots])
    assert array.dtype == np.float16
    assert np.array_equal(array, expected.reshape(-1, by.dim))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(vectors, "BATCH", 16)
    monkeypatch.setattr(vectors, "BLOCK", 10)


def test_what_is_missing_is_embedded_and_no_more(store, path):
    memory, by = store.memory(), Hashes()
    check(memory, by)
    memory.write_many([f"statement {n}" for n in range(50)])
    check(memory, by)
    assert by.calls == 50
    memory.write_many([f"more {n}" for n in range(7)])
    memory.delete([1, 20, 57])
    check(memory, by)
    memory.delete([2])
    memory.write("last")
    check(memory, by)
    assert by.calls == 57
    with SqliteStore(path) as again:
        check(again.memory(), by)
    assert by.calls == 57, "kept on the disk"
    store.compact()
    check(memory, by)
    assert by.calls == 57
    assert verify(path).problems == []


@pytest.mark.parametrize("other", [Hashes("other"), Hashes(dim=6)], ids=["model", "dimension"])
def test_another_model_rebuilds(store, path, other):
    memory = store.memory()
    memory.write_many([f"statement {n}" for n in range(50)])
    check(memory, Hashes())
    assert store.info().model == "hashes"
    check(memory, other)
    assert store.info().model == other.id
    assert len(list(path.parent.glob("*-vectors-*"))) == 1


def test_interrupted_it_goes_on(store):
    memory = store.memory()
    memory.write_many([f"statement {n}" for n in range(100)])

    class Interrupted(Hashes):
        def embed(self, texts):
            if self.calls >= 32:
                raise KeyboardInterrupt
            return super().embed(texts)

    with pytest.raises(KeyboardInterrupt):
        memory.vectors(Interrupted())
    seen, by = [], Hashes()
    memory.vectors(by, lambda done, total: seen.append((done, total)))
    assert by.calls == 68
    assert seen[0] == (32, 100)
    assert seen[-1] == (100, 100)
    check(memory, by)


def test_what_is_told_and_deleted_meanwhile(store, path):
    memory = store.memory()
    memory.write_many([f"statement {n}" for n in range(40)])

    class Slow(Hashes):
        def embed(self, texts):
            if not self.calls:
                with SqliteStore(path) as other:
                    other.memory().delete([3, 30])
                    other.memory().write("meanwhile")
            return super().embed(texts)

    check(memory, Slow())


def test_rows_without_a_claim_are_cut_and_a_short_file_is_rebuilt(store, path):
    memory, by = store.memory(), Hashes()
    memory.write_many([f"statement {n}" for n in range(20)])
    check(memory, by)
    (file,) = path.parent.glob("*-vectors-*")
    with open(file, "ab") as end:
        end.write(b"\1" * 23)
    memory.write("more")
    check(memory, by)
    assert file.stat().st_size == 21 * by.dim * 2
    file.write_bytes(file.read_bytes()[:-1])
    assert verify(path).problems
    check(memory, by)
    next(iter(path.parent.glob("*-vectors-*"))).unlink()
    assert verify(path).problems
    check(memory, by)
    assert verify(path).problems == []


def test_a_map_outlives_what_comes_after_it(store):
    memory, by = store.memory(), Hashes()
    memory.write_many([f"statement {n}" for n in range(20)])
    array = memory.vectors(by).array
    before = array.copy()
    memory.delete([5])
    store.compact()
    memory.vectors(Hashes("other"))
    assert np.array_equal(array, before)


@pytest.mark.parametrize("what", ["shape", "nan"])
def test_vectors_that_are_none(store, what):
    class Bad(Hashes):
        def embed(self, texts):
            array = super().embed(texts)
            return array[:, 1:] if what == "shape" else array * np.float16(np.nan)

    memory = store.memory()
    memory.write("a")
    with pytest.raises(memnn.InputError, match="the model gives vectors"):
        memory.vectors(Bad())
    check(memory, Hashes())


def test_vectors_of_a_story_model(trained, store):
    """Σ U_O[Y + w] over the words that the dictionary has."""
    model = trained.model
    by = embedder(model)
    told = ["Joe went to the kitchen.", "kitchen the to went joe", "Zorg!", "the the"]
    store.memory().write_many(told)
    array = store.memory().vectors(by).array
    first = 2 * len(model.dictionary)
    for text, vector in zip(told, array, strict=True):
        rows = [first + row for row in model.dictionary.rows(text)]
        expected = model.U_O[rows].sum(axis=0) if rows else np.zeros(by.dim)
        assert np.allclose(vector, expected, atol=2e-3)
    assert (by.id, by.dim) == (model.id, model.recipe.dim)
