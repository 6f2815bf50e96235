"""Indices of version 0.2.0 could hold vectors beside the facts; nothing reads them any more.

`tests/data/v0.2` was written by version 0.2.0: a model of eight facts, and an index of these and
one more, with vectors in `ivf`. What is expected is what that version answered.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memnn.errors import InputError
from memnn.facts.build import build_index
from memnn.facts.hashes import lookup_with
from memnn.facts.index import open_index
from memnn.facts.model import load
from memnn.facts.recipe import HASHES
from memnn.facts.triples import Triple
from memnn.facts.verify import verify
from tests.facts.test_index import as_of_old

OLD = Path(__file__).parents[1] / "data" / "v0.2"
FIRST = {
    "Who wrote Winnie-the-Pooh?": "A. A. Milne wrote Winnie-the-Pooh",
    "Where was Astrid Lindgren born?": "Astrid Lindgren was born in Vimmerby",
    "Who wrote The Great Flood?": "Tove Jansson wrote The Great Flood",
}


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copytree(OLD, tmp_path / "v0.2"))


def as_it_was(folder):
    assert json.loads((folder / "index" / "index.json").read_bytes())["ivf"]


def changed(folder):
    vectors = folder / "index" / "ivf" / "index.faiss"
    vectors.write_bytes(bytes(vectors.stat().st_size - 7))


def deleted(folder):
    shutil.rmtree(folder / "index" / "ivf")


def without_checksums(folder):
    as_of_old(folder / "index")


def answers(folder):
    model = load(folder / "model")
    index = open_index(folder / "index", model)
    assert len(index) == 9
    assert index.place(Triple("Tigger", "bounces over", "Heffalumps")) == 8
    reading = index.reading(model.dictionary)
    for hash in HASHES:
        lookup = lookup_with(model, index, hash)
        for question, first in FIRST.items():
            (found,) = lookup.search(question, reading).found
            assert str(index.triple(found.place)) == first


@pytest.mark.parametrize("how", [as_it_was, changed, deleted, without_checksums])
def test_it_opens_and_answers(old, how):
    how(old)
    answers(old)
    assert verify(old / "index").ok


def test_what_is_read_is_still_compared(old):
    text = old / "index" / "text.u8"
    text.write_bytes(text.read_bytes().replace(b"Milne", b"Milny"))
    (problem,) = verify(old / "index").problems
    assert "text.u8 was changed" in problem


def test_built_again_it_has_no_vectors(old):
    build_index(load(old / "model"), old / "books.tsv", old / "index")
    assert not (old / "index" / "ivf").exists()
    answers(old)


def test_building_that_was_stopped_starts_anew(old):
    index = old / "index"
    about = json.loads((index / "index.json").read_bytes())
    job = {name: about[name] for name in ("format", "model", "source", "ivf", "clusters")}
    (index / "index.json").unlink()
    state = {"job": job, "rows": 0, "facts": 0, "sizes": {}, "skipped": {}}
    (index / "progress.json").write_text(json.dumps(state))
    (index / "ivf" / "0-9.faiss.new").write_bytes(b"half of it")
    build_index(load(old / "model"), old / "books.tsv", index)
    assert not (index / "ivf").exists()
    answers(old)


def test_the_hash_is_gone(old):
    model = load(old / "model")
    with pytest.raises(InputError, match="'ivf' is gone; use 'word'"):
        lookup_with(model, open_index(old / "index", model), "ivf")
