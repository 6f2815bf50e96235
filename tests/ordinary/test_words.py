"""Words of ordinary language: how they are cut, compared and looked up."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.errors import InputError
from memnn.ordinary.lexicon import WordLexicon, WordTable
from memnn.ordinary.texts import GrowingTexts
from memnn.ordinary.words import is_content, shape_of, stem_of, tokens
from memnn.text.vectors import SIZES, WordVectors, english


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Joe's hat isn't here.", ["joe", "'s", "hat", "is", "n't", "here"]),
        ("It costs $35.50, or 20%!", ["it", "costs", "$35.50", "or", "20%"]),
        ("Call 555-1234 at 10:30.", ["call", "555-1234", "at", "10:30"]),
        ("A well-known café: a@b.org", ["a", "well-known", "café", "a@b.org"]),
        ("The U.S. team won.", ["the", "u.s", "team", "won"]),
        ("...", []),
    ],
)
def test_texts_are_cut_into_words(text, words):
    assert [token.text for token in tokens(text)] == words


def test_forms_of_a_word_share_a_stem():
    assert stem_of("went") == stem_of("goes") == "go"
    assert stem_of("my") == stem_of("me") == "i"
    assert is_content("my")
    assert not is_content("the")


def test_a_word_without_a_vector_has_a_shape():
    shapes = [shape_of(word) for word in ("$3", "12", "1234", "12345", "3rd", "10:30", "zorked")]
    assert len(set(shapes)) == len(shapes)


def test_a_stranger_is_read_as_known_words_that_are_like_it():
    lexicon = WordLexicon(("rushed", "kitchen", "milk"), english())
    near, shares = lexicon.like("hurried")
    assert near[0] == lexicon.identity["rushed"]
    assert sum(shares) == pytest.approx(1.0)
    assert lexicon.like("qwertzuiop") == ([], [])
    assert lexicon.like("rushed")[0] != [lexicon.identity["rushed"]]


def test_without_vectors_words_have_shapes_alone():
    lexicon = WordLexicon(("rushed",), WordVectors.none())
    assert lexicon.like("hurried") == ([], [])
    assert lexicon.classes("hurried") == lexicon.classes("worried")


def test_a_table_grows_and_what_it_showed_stays():
    table = WordTable(WordLexicon(("rushed", "rush"), english()))
    before = table.words()
    for i in range(600):
        table.add(f"stranger{i}")
    assert len(before.stem) == 3
    assert table.add("stranger7") == table.add("stranger7")
    rushes, stranger = table.add("rushes"), table.add("stranger1")
    assert table.words().literal[rushes] == table.words().stem[1]
    assert table.words().literal[stranger] == 0


def test_mentions_know_the_one_before_and_after():
    growing = GrowingTexts()
    for words in ([1, 2], [3], [2, 1, 2]):
        growing.append(words, words)
    texts = growing.texts()
    assert texts.newer[:2].tolist() == [2, 2]
    assert texts.older[3:].tolist() == [0, 0, 0]
    growing.new_story()
    growing.append([1], [1])
    assert growing.texts().older[-1] == -1


def test_vectors_come_with_the_package():
    vectors = english()
    assert "kitchen" in vectors
    assert len(vectors.classes_of("kitchen")) == SIZES
    kitchen, cellar, ran = (vectors.of(w) for w in ("kitchen", "bathroom", "ran"))
    assert kitchen @ cellar > kitchen @ ran
    assert np.linalg.norm(kitchen) == pytest.approx(1.0, abs=1e-5)
    assert vectors.of("qwertzuiop") is None


def test_a_file_that_holds_no_vectors(tmp_path):
    (tmp_path / "v.npz").write_bytes(b"nothing")
    with pytest.raises(InputError, match="does not hold word vectors"):
        WordVectors.read(tmp_path / "v.npz")
    with pytest.raises(InputError, match="cannot read"):
        WordVectors.read(tmp_path / "w.npz")
