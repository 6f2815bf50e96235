"""Questions that were written for facts teach how to ask for others."""

from __future__ import annotations

import random

import numpy as np
import pytest

from memnn import default
from memnn.dialogue.folds import examples_of, look, to_rank
from memnn.dialogue.kinds import OBJECT, SUBJECT, Kinds
from memnn.dialogue.ranking import learn_ranking
from memnn.dialogue.train_kinds import fit_kinds
from memnn.dialogue.wordings import world
from memnn.dialogue.written import Written, as_wording, unsupported, with_written, written
from memnn.facts.triples import Triple


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("What do the cows eat all day?", "What do {s} eat all day"),
        ("which animals have grass for breakfast", "which animals have {o} for breakfast"),
        ("Do cows eat grass?", None),
        ("Which farm animal gives milk?", None),
        ("What is a coward afraid of?", None),
    ],
)
def test_a_question_is_a_wording_where_it_names_one_part(question, wording):
    assert as_wording(question, Triple("a cow", "eats", "grass")) == wording


def test_wordings_of_people_stand_beside_those_made_by_rule():
    cow = Triple("a cow", "eats", "grass")
    asked = [Written("a", "What fills a cow?", cow), Written("b", "What does a cow eat?", cow)]
    ways = with_written({"eats": ["What does {s} eat"]}, asked)
    assert ways == {"eats": ["What does {s} eat", "What fills {s}"]}


def test_every_written_question_has_its_fact_and_no_writer_wrote_one_twice():
    facts = set(world())
    rows = written()
    assert len(rows) > 5_000
    assert {each.triple for each in rows} <= facts
    assert len(set(rows)) == len(rows)
    asked = {each.question.lower() for each in rows}
    assert not asked & {question.lower() for _, question in unsupported()}
    assert {each.writer for each in rows} == {writer for writer, _ in unsupported()}


def examples():
    eats = [(["what", "do", "eat"], ("eat", OBJECT)), (["who", "eat"], ("eat", SUBJECT))]
    lives = [(["where", "do", "live"], ("live in", OBJECT))]
    return (eats + lives) * 40


def test_kinds_are_learnt_from_words_and_hold_for_words_of_the_same_meaning():
    kinds = fit_kinds(examples())
    for words, name in examples()[:3]:
        assert kinds.names[int(kinds(words).argmax())] == name
    assert kinds.names[int(kinds(["where", "do", "dwell"]).argmax())] == ("live in", OBJECT)
    assert np.exp(kinds(["xyzzy"])).sum() == pytest.approx(1.0, abs=1e-5)


def test_the_same_seed_learns_the_same_kinds():
    first, second = fit_kinds(examples(), 3), fit_kinds(examples(), 3)
    assert first.words == second.words
    assert np.array_equal(first.own, second.own)
    assert np.array_equal(first.out, second.out)


def test_kinds_that_do_not_fit_together_are_refused():
    kinds = fit_kinds(examples())
    with pytest.raises(ValueError, match="incomplete"):
        Kinds(kinds.names, kinds.words[1:], kinds.own, kinds.meaning, kinds.out, kinds.usual)
    with pytest.raises(ValueError, match="not numbers"):
        Kinds(
            kinds.names, kinds.words, kinds.own, kinds.meaning, kinds.out, kinds.usual * np.nan
        )  # fmt: skip


def test_a_ranking_learns_what_the_right_ones_have():
    lists = [
        [({"good": 1.0, "noise": i % 3}, True), ({"good": 0.0, "noise": 1 - i % 2}, False)]
        for i in range(60)
    ]
    ranking = learn_ranking(lists, ["good", "noise"])
    assert ranking["good"] > 4 * abs(ranking["noise"])
    assert learn_ranking([], ["good"]) == {"good": 0.0}


def test_questions_are_looked_up_with_their_facts_and_without_some():
    model = default.ensemble()
    rows = [each for each in written() if each.writer == "a"][:60]
    looked = list(look(model, rows, ["Who ate the moon?"], random.Random(0)))
    there = [each for each in looked if each.supported]
    assert len({each.question for each in rows}) <= len(there) < 2 * len(rows)
    assert sum(not each.golds for each in looked) == 1
    right = [any(is_right for _, is_right in each) for each in to_rank(there)]
    assert sum(right) > 0.8 * len(right)
    found = examples_of(looked, model.ranking)
    assert any(not each.answerable for each in found)
    assert not any(each.right and not each.answerable for each in found)
