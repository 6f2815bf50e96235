"""Questions whose words are replaced, and the systems that facts are compared with."""

from __future__ import annotations

import numpy as np

from memnn.facts.evaluate import evaluate
from memnn.facts.index import in_memory
from memnn.facts.triples import Asked, Triple
from memnn.paper.rivals import bm25, tf_idf, tuned_bm25
from memnn.paper.synonyms import aligned, replaced, written
from memnn.paper.toy import nicknamed, toy
from memnn.text.lemmas import lemmas_1

GOLD = Triple("Milne", "wrote", "the book")


def test_the_written_list_goes_both_ways():
    synonyms = written(lemmas_1)
    assert "film" in synonyms["movie"]
    assert "movie" in synonyms["film"]
    assert all(word not in others for word, others in synonyms.items())


def test_paraphrases_that_differ_in_one_word():
    pairs = [("who wrote the book", "who penned the book")] * 2
    pairs += [("who wrote the book", "who burned the book")]  # once is chance
    pairs += [("what is it", "where did they go")] * 5
    assert aligned(pairs, lemmas_1) == {"write": ["pen"], "pen": ["write"]}
    assert set(aligned(pairs, lemmas_1, least=1)["write"]) == {"pen", "burn"}


def test_only_words_of_the_fact_are_replaced_and_by_others():
    synonyms = {"write": ["book", "pen"], "milne": [], "who": ["which"], "book": ["volume"]}
    asked = [Asked("Who wrote the book?", GOLD), Asked("Who is Milne?", GOLD)]
    ((before, after),) = replaced(asked, synonyms, lemmas_1)
    assert before == asked[0]
    assert after == Asked("who pen the volume", GOLD), "a word of the fact is no replacement"


def test_tf_idf_is_the_cosine(facts_model, world):
    index = in_memory(facts_model, world.triples)
    find = tf_idf(index, facts_model.dictionary)
    idf, row = facts_model.dictionary.idf.astype(float), facts_model.dictionary.row

    def vector(text):
        v = np.zeros(len(idf))
        for word in facts_model.dictionary.normal(text):
            if word in row:
                v[row[word]] = idf[row[word]]
        return v / np.linalg.norm(v)

    for asked in world.test[:5]:
        found, candidates = find(asked.question)
        assert candidates == len(world.triples)
        expected = [vector(asked.question) @ vector(str(t)) for t in world.triples]
        np.testing.assert_allclose(found[0].score, max(expected), rtol=1e-4)
        np.testing.assert_allclose(found[0].score, expected[found[0].place], rtol=1e-4)


def test_bm25_is_tuned_on_the_questions_it_is_given(facts_model, world):
    index = in_memory(facts_model, world.triples)
    places = index.places()
    tuned = tuned_bm25(index, facts_model.dictionary, world.valid)
    plain = bm25(index, facts_model.dictionary, 1.2, 0.75)
    scores = [
        evaluate(find, world.valid, places).results(0.0)["hit@1"] for find in (tuned.find, plain)
    ]
    assert scores[0] >= scores[1]
    assert plain("Zyxxy?") == ([], 0)
    found, candidates = plain(world.test[0].question)
    assert candidates == len(world.triples)
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)


def test_the_made_up_world():
    world = toy(30, seed=3)
    assert world == toy(30, seed=3)
    assert world != toy(30, seed=4)
    assert len(set(world.triples)) == len(world.triples)
    parts = [{q.gold for q in part} for part in (world.train, world.valid, world.test)]
    assert set().union(*parts) == set(world.triples)
    assert sum(map(len, parts)) == len(world.triples), "no triple is in two parts"


def test_nicknames_are_in_no_fact():
    world, pairs = nicknamed(30)
    told = {word for triple in world.triples for word in lemmas_1(str(triple))}
    for asked in world.test + world.valid:
        assert not {w for w in lemmas_1(asked.question) if w.startswith("nick")} & told
        assert not set(lemmas_1(asked.gold.subject)) & set(lemmas_1(asked.question))
    assert len(pairs) == 30
    parts = [{q.gold for q in part} for part in (world.train, world.valid, world.test)]
    assert sum(map(len, parts)) == len(set().union(*parts))


def test_large_worlds_have_names_enough():
    assert (
        len({triple.subject for triple in toy(1000).triples if triple.relation == "wrote"}) == 1000
    )
