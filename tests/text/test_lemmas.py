"""The normaliser of facts: lemmas, possessives, and forms learned from pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memnn.facts.bags import (
    ASKING,
    REPEATED,
    ROLE,
    FactDictionary,
    Words,
    question_values,
    scales,
    words_of,
)
from memnn.text import lemmas
from memnn.text.lemmas import closer_lemma, learn_forms, lemma, lemmas_1, lemmas_2, near
from memnn.text.tokens import tokeniser


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Who wrote the books?", ["who", "write", "the", "book"]),
        ("Milne's books", ["milne", "book"]),
        ("the Joneses’ house", ["the", "jones", "house"]),
        ("Winnie-the-Pooh", ["winnie", "the", "pooh"]),
        ("a_b  c.d", ["a", "b", "c", "d"]),
        ("Größe 東京 1988", ["größe", "東京", "1988"]),
        ("?! … '", []),
    ],
)
def test_words_in_their_dictionary_form(text, words):
    assert lemmas_1(text) == words
    assert tokeniser("lemmas-1")(text) == words


@pytest.mark.parametrize("few", [0, 10**9])
def test_both_tables_of_words_say_the_same(few, monkeypatch):
    """Few words are looked up in the small one, many in the quick one."""
    lemma.cache_clear()
    closer_lemma.cache_clear()
    monkeypatch.setattr(lemmas, "FEW_WORDS", few)
    assert lemmas_1("written geese studied running zorbaxes") == [
        "write", "goose", "study", "run", "zorbaxes",
    ]  # fmt: skip
    assert lemmas_2("thinking developed hoping") == ["think", "develop", "hope"]


@given(st.text())
def test_any_text_has_words_without_spaces(text):
    for word in lemmas_1(text):
        assert word
        assert not set(word) & set(" \t\n")


def test_a_lemma_is_its_own_lemma_mostly():
    for word in ("write", "book", "be", "large", "city"):
        assert lemma(word) == word


def test_forms_are_learned_from_what_does_not_match():
    pairs = [(["who", "develope", name], [name, "develop", "x"]) for name in "abc"]
    assert learn_forms(pairs) == {"develope": "develop"}


def test_one_meeting_is_chance():
    assert learn_forms([(["develope", "a"], ["develop", "a"])]) == {}


def test_the_first_letter_alone_needs_four_meetings():
    pairs = [(["won", str(i)], ["win", str(i)]) for i in range(4)]
    assert learn_forms(pairs[:3]) == {}
    assert learn_forms(pairs) == {"won": "win"}


def test_words_that_mostly_stand_for_something_else_are_no_forms():
    pairs = [(["state"], ["station"])] * 2 + [(["state"], ["country"])] * 3
    assert learn_forms(pairs) == {}


def test_forms_never_form_chains():
    pairs = [(["aab"], ["aac"])] * 3 + [(["aac"], ["aad"])] * 2
    forms = learn_forms(pairs)
    assert not set(forms) & set(forms.values())


def dictionary(**changed):
    words = (ASKING, "milne", "write", "pooh", "the")
    idf = np.array([0, 3, 2, 4, 1], np.float32)
    return FactDictionary(words, idf, **changed)


def test_entries_know_their_part_and_what_is_repeated():
    words = Words(dictionary())
    entries = np.array(words.parts(["Milne the Milne", "wrote", "the Pooh"]), np.uint32)
    assert words_of(entries).tolist() == [1, 4, 2, 4, 3]
    assert ((entries >> ROLE) & 3).tolist() == [0, 0, 1, 2, 2]
    assert (entries >> REPEATED).tolist() == [0, 0, 0, 1, 0]
    alone = np.array(words.parts(["Milne wrote Pooh"]), np.uint32)
    assert ((alone >> ROLE) & 3).tolist() == [2, 2, 2], "a sentence is the third part"


def test_new_words_get_rows_and_the_weight_of_the_rarest():
    words = Words(dictionary(), ["tigger"])
    assert words.parts(["Tigger", "bounce", "Milne"])[0] & (2**ROLE - 1) == 5
    assert words.extra == ["tigger", "bounce"]
    assert words.idf.tolist() == [0, 3, 2, 4, 1, 4, 4]
    assert words.word(6) == "bounce"
    assert words.word(1) == "milne"
    rows, unknown = words.question("Does Tigger bounce the Heffalump, Tigger?")
    assert rows.tolist() == [0, 5, 6, 4]
    assert unknown == ["do", "heffalump"]


@pytest.mark.parametrize(
    ("word", "known", "read"),
    [
        ("liggins", {"liggin"}, "liggin"),
        ("lexuses", {"lexus"}, "lexus"),
        ("coombes", {"coombe", "coomb"}, "coombe"),
        ("netherland", {"netherlands"}, "netherlands"),
        ("owens", {"owens", "owen"}, "owens"),
        ("liggins", {"legion"}, "liggins"),
        ("news", {"new"}, "news"),
    ],
)
def test_a_word_that_nobody_wrote_is_read_as_the_one_that_differs_by_an_s(word, known, read):
    assert near(word, known) == read


def test_questions_find_words_that_differ_by_an_s():
    words = Words(dictionary(), ["tigger"])
    rows, unknown = words.question("Milnes Tiggers news")
    assert rows.tolist() == [0, 1, 5]
    assert unknown == ["news"]


def test_forms_are_applied_to_both_sides():
    forms = dictionary(forms={"poohs": "pooh"})
    assert forms.normal("Poohs") == ["pooh"]


def test_question_weights_have_length_one_beside_the_mark():
    values = question_values(np.array([0, 1, 3]), dictionary().idf)
    assert values[0] == 1
    np.testing.assert_allclose(values[1:], [0.6, 0.8], rtol=1e-6)
    assert question_values(np.array([0]), dictionary().idf).tolist() == [1]


def test_longer_facts_weigh_less_but_not_as_a_cosine_has_it():
    words = Words(dictionary())
    bags = [words.parts(["milne", "write", "pooh"]), words.parts(["milne", "write", "the pooh"])]
    ptr = np.array([0, 3, 7])
    entries = np.array(bags[0] + bags[1], np.uint32)
    norms = np.sqrt([29.0, 30.0])
    found = scales(ptr, entries, words.idf, 5.0)
    np.testing.assert_allclose(found, norms**-0.75 * 5.0**-0.25, rtol=1e-6)
    empty = scales(np.array([0, 0]), np.zeros(0, np.uint32), words.idf, 5.0)
    np.testing.assert_allclose(empty, [0.2], rtol=1e-6)
