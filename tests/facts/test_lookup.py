"""O over facts: everything, what a hash leaves, and what people tell it."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from weakref import ref

import numpy as np
import pytest

from memnn.errors import ModelError
from memnn.facts.hashes import lookup_with
from memnn.facts.index import in_memory
from memnn.facts.lookup import Lookup
from memnn.facts.recipe import FactsRecipe
from memnn.facts.response import FactResponse
from memnn.facts.train import fit
from memnn.facts.triples import Triple
from memnn.kernels.phi import PX, X, Y
from memnn.memory import RamMemory
from memnn.types import Question


@pytest.fixture(scope="module")
def index(facts_model, world):
    return in_memory(facts_model, world.triples)


def slow_score(model, reading, text, triple):
    """s_O(x, y) of a triple from its words, in float64: q·UΦ_y + λ Φ_x·Φ_y + its pattern."""
    normal, row, idf = model.dictionary.normal, reading.words.row, reading.idf.astype(float)
    asked = {row[w] for w in normal(text) if w in row}
    parts = [{row[w] for w in normal(part)} for part in triple]
    told = set().union(*parts)
    norm = np.sqrt(sum(idf[w] ** 2 for w in told))
    scale = norm**-0.75 * model.dictionary.typical**-0.25
    weight = {w: idf[w] / np.sqrt(sum(idf[v] ** 2 for v in asked)) for w in asked}
    blocks, U, known = model.layout.blocks, model.U_O.astype(float), len(model.dictionary)
    q = U[blocks[X] + row["?"]] + sum(weight[w] * U[blocks[X] + w] for w in asked if w < known)
    total = sum(idf[w] * scale * (q @ U[blocks[Y] + w]) for w in told if w < known)
    total += model.recipe.bow * sum(idf[w] * scale * weight[w] for w in told & asked)
    c = 0
    for part in parts:
        n = len(part & asked)
        c = 3 * c + (0 if not n else 2 if n == len(part) else 1)
    return total + (q @ U[blocks[PX] + c] if c else 0.0)


def test_exact_search_is_the_full_scoring_of_everything(facts_model, index, world):
    lookup = facts_model.lookup()
    reading = index.reading(facts_model.dictionary)
    for asked in world.test[:15]:
        scores = [slow_score(facts_model, reading, asked.question, t) for t in world.triples]
        search = lookup.search(asked.question, reading, k=5)
        assert search.candidates == len(world.triples)
        best = sorted(scores, reverse=True)[:5]
        np.testing.assert_allclose([f.score for f in search.found], best, rtol=1e-4, atol=1e-4)
        for found in search.found:
            assert found.score == pytest.approx(scores[found.place], rel=1e-4, abs=1e-4)


def test_scanning_in_parts_gives_the_same(facts_model, index, world, monkeypatch):
    reading = index.reading(facts_model.dictionary)
    one, two = facts_model.lookup(threads=1), facts_model.lookup(threads=2)
    asked = world.test[0].question
    alone = one.search(asked, reading, k=7)
    # Far more facts than the limit from which on threads help: the same ones again and again.
    many = in_memory(
        facts_model,
        [
            Triple(t.subject, t.relation, f"{t.object} {i}")
            for t in world.triples
            for i in range(260)
        ],
    )
    assert len(many) > 50_000
    wide = many.reading(facts_model.dictionary)
    assert two.search(asked, wide, k=7).found == one.search(asked, wide, k=7).found
    assert alone == two.search(asked, reading, k=7)


@pytest.mark.parametrize("bow", [True, False])
def test_everything_is_scanned_as_if_each_fact_were_scored(facts_model, world, bow):
    """Without patterns words that have no embedding go another way."""
    new = ["Tigger", "Heffalump", "Woozle"]
    extended = [
        Triple(t.subject, t.relation, f"{t.object} {new[i % 3]}" if i % 2 else t.object)
        for i, t in enumerate(world.triples)
    ]
    index = in_memory(facts_model, [*extended, Triple("Woozle", "met", "Heffalump")])
    reading = index.reading(facts_model.dictionary)
    everything = np.arange(len(index), dtype=np.int32)
    lookup = facts_model.lookup(match=False, bow=bow)
    for i, asked in enumerate(world.test[:30]):
        question = f"{asked.question} {new[i % 3] if i % 2 else ''} {new[0] if i % 5 == 0 else ''}"
        scanned = lookup.search(question, reading, k=9).found
        scored = lookup.search(question, reading, k=9, places=everything).found
        assert [f.score for f in scanned] == pytest.approx([f.score for f in scored], abs=1e-6)
        assert [f.place for f in scanned] == [f.place for f in scored]


@pytest.mark.parametrize("name", ["word", "cluster"])
def test_hashes_only_leave_facts_out(facts_model, index, world, name):
    exact = facts_model.lookup()
    hashed = lookup_with(facts_model, index, name, cap=20)
    reading = index.reading(facts_model.dictionary)
    fewer, same = 0, 0
    for asked in world.test:
        everything = exact.search(asked.question, reading, k=len(reading))
        some = hashed.search(asked.question, reading, k=len(reading))
        scores = {f.place: f.score for f in everything.found}
        assert len(some.found) == some.candidates <= everything.candidates
        for found in some.found:
            assert found.score == pytest.approx(scores[found.place], abs=1e-5)
        fewer += some.candidates < everything.candidates
        same += some.found[0] == everything.found[0]
    assert fewer == len(world.test)
    assert same >= 0.9 * len(world.test)


def test_a_word_hash_s_candidates_hold_a_rare_word_of_the_question(facts_model, index, world):
    hashed = lookup_with(facts_model, index, "word", cap=20)
    reading = index.reading(facts_model.dictionary)
    for asked in world.test[:10]:
        rows, _ = reading.words.question(asked.question)
        rare = [w for w in rows[1:].tolist() if 0 < reading.frequency[w] <= 20]
        for found in hashed.search(asked.question, reading, k=500).found:
            words = facts_model.dictionary.normal(str(index.triple(found.place)))
            assert any(reading.words.row[w] in rare for w in words)


# Sentences that people tell


def ask(lookup: Lookup, memory, text, as_of=None):
    return FactResponse(-1e9)(lookup(Question(text), memory, as_of))


@pytest.fixture
def told():
    memory = RamMemory()
    for text in ("Tigger likes malt", "Eeyore lives in the bog", "Owl wrote a letter"):
        memory.write(text)
    return memory


def test_what_is_told_is_found_even_with_new_words(facts_model, told):
    lookup = facts_model.lookup()
    assert ask(lookup, told, "Where does Eeyore live?").text == "Eeyore lives in the bog"
    told.write("Kanga jumps about the zoo")
    assert ask(lookup, told, "Who is Kanga?").text == "Kanga jumps about the zoo"


def test_as_of_sees_the_past(facts_model, told):
    lookup = facts_model.lookup()
    assert ask(lookup, told, "What did Owl write?").evidence[0].id == 3
    assert ask(lookup, told, "What did Owl write?", as_of=2).evidence[0].id != 3
    nothing = ask(lookup, told, "What did Owl write?", as_of=0)
    assert nothing.abstained
    assert nothing.evidence == ()


def test_what_is_deleted_is_not_found(facts_model, told):
    lookup = facts_model.lookup()
    assert ask(lookup, told, "What does Tigger like?").evidence[0].id == 1
    told.delete([1])
    answer = ask(lookup, told, "What does Tigger like?")
    assert all(hop.id != 1 for hop in answer.evidence)
    assert lookup(Question("What does Tigger like?"), told).missing == ("tigger", "like")


def test_words_that_nobody_wrote_make_it_abstain(facts_model, told):
    answer = ask(facts_model.lookup(), told, "Zyx quux?")
    assert answer.abstained
    assert "zyx or quux" in answer.reason
    assert ask(facts_model.lookup(), told, "?!").abstained
    assert ask(facts_model.lookup(), RamMemory(), "Who wrote it?").abstained


def test_two_memories_do_not_mix(facts_model, told):
    lookup = facts_model.lookup()
    other = RamMemory()
    other.write("Roo wrote a poem")
    for _ in range(2):
        assert ask(lookup, told, "What did Owl write?").text == "Owl wrote a letter"
        assert ask(lookup, other, "What did Owl write?").text == "Roo wrote a poem"


def test_asking_from_threads(facts_model, index, world):
    lookup = facts_model.lookup()
    reading = index.reading(facts_model.dictionary)
    questions = [asked.question for asked in world.test] * 3
    expected = [lookup.search(text, reading, k=3) for text in questions]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda t: lookup.search(t, reading, k=3), questions)) == expected


def test_a_rival_and_a_threshold(facts_model, index, world):
    output = facts_model.lookup()(Question(world.test[0].question), index)
    (hop,) = output.hops
    assert hop.decisive is not None
    assert hop.score - hop.decisive.against_score == pytest.approx(hop.decisive.content)
    assert FactResponse(hop.score)(output).text == hop.text
    assert FactResponse(hop.score + 0.01)(output).abstained


def test_the_words_that_carried_a_score_add_up(facts_model, index, world):
    """Without patterns the pairs of words are the whole score."""
    lookup = facts_model.lookup(match=False)
    reading = index.reading(facts_model.dictionary)
    for asked in world.test[:5]:
        (best,) = lookup.search(asked.question, reading, k=1).found
        matches = lookup.explain(asked.question, reading, best.place)
        assert sum(m.score for m in matches) == pytest.approx(best.score, abs=1e-4)
        assert matches == sorted(matches, key=lambda m: -m.score)
        assert any(m.exact and m.asked == m.told for m in matches)


def test_only_the_given_places_are_scored(facts_model, index, world):
    lookup = facts_model.lookup()
    reading = index.reading(facts_model.dictionary)
    places = np.array([3, 8, 5], np.int32)
    search = lookup.search(world.test[0].question, reading, k=10, places=places)
    assert {f.place for f in search.found} == {3, 5, 8}
    assert search.candidates == 3


def test_another_model_s_index_is_refused(facts_model, index, world):
    other = fit(world.triples[:20], recipe=FactsRecipe(dim=4, epochs=1, seed=3))
    with pytest.raises(ModelError, match="another model"):
        other.lookup()(Question("Who wrote it?"), index)
    again = replace(facts_model, dictionary=replace(facts_model.dictionary))
    with pytest.raises(ModelError, match="another model"):
        again.lookup()(Question("Who wrote it?"), index)


def test_a_memory_that_nobody_holds_goes(facts_model):
    lookup = facts_model.lookup()
    memory = RamMemory()
    memory.write("the cat sat on the mat")
    assert lookup.read(memory)[1] == 1
    gone = ref(memory)
    del memory
    gc.collect()
    assert gone() is None
