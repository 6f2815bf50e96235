"""Words of ordinary language: how they are cut, compared and looked up."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.errors import InputError
from memnn.ordinary.lexicon import NO_STEM, WordTable
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


def test_a_table_grows_and_what_it_showed_stays():
    table = WordTable({"the": 1, "rushed": 2}, english())
    first = table.add("rushed")
    before = table.arrays()
    for i in range(600):
        table.add(f"zork{i}")
    rush = table.add("rush")
    after = table.arrays()
    assert table.add("rushed") == first
    assert (before.stems == after.stems[: len(before.stems)]).all()
    assert after.literals[first] == 2
    assert after.stems[rush] == after.stems[first]


def test_what_is_asked_stays_out_of_the_table():
    table = WordTable({}, english())
    table.add("kitchen")
    rows = table.rows(["kitchens", "the", "zork", "frobozz"])
    assert len(table) == 2
    assert rows.stems[0] == table.arrays().stems[1]
    assert rows.stems[1] == NO_STEM
    assert rows.stems[2] != rows.stems[3]
    assert rows.shapes[2] > 0


def test_without_vectors_words_have_shapes_alone():
    rows = WordTable({}, WordVectors.none()).rows(["hurried", "worried", "12"])
    assert rows.shapes[0] == rows.shapes[1] != rows.shapes[2]
    assert not rows.vectors.any()


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
