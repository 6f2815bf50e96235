"""Made-up triples: the same for the same seed, spread as words are, and askable."""

from __future__ import annotations

from collections import Counter

import pytest
from benchmarks.synthetic import FUNCTION, World, made_up_words

from benchmarks import synthetic
from memnn.errors import InputError
from memnn.facts.triples import Skipped, triples

SMALL = {"made_up": 5000, "relations": 200}


@pytest.fixture
def world(monkeypatch):
    monkeypatch.setattr(synthetic, "CHUNK", 1000)  # several stretches of few triples
    return World(3500, **SMALL)


def test_the_file_has_the_triples_of_the_world(world, tmp_path):
    world.write(tmp_path / "triples.tsv")
    skipped = Skipped()
    read = list(triples(tmp_path / "triples.tsv", skipped))
    assert len(read) == 3500
    assert not skipped.total
    told = [world.triple(row) for chunk in range(world.chunks) for row in world.rows(chunk)]
    assert read == told


def test_the_first_triples_are_the_same_however_many_are_written(world, tmp_path):
    done = []
    world.write(tmp_path / "some.tsv", 1200, done.append)
    world.write(tmp_path / "all.tsv")
    some, all_ = ((tmp_path / name).read_text() for name in ("some.tsv", "all.tsv"))
    assert all_.startswith(some)
    assert some.count("\n") == 1200
    assert done == [1000, 1200]


def test_a_seed_decides(tmp_path):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        World(500, seed, **SMALL).write(tmp_path / name)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c


def test_words_are_spread_unevenly(world):
    counts = Counter(
        word for triple in world.sample(3000) for word in (triple.subject + triple.object).split()
    )
    frequent = sum(n for _, n in counts.most_common(len(counts) // 100))
    once = sum(n == 1 for n in counts.values())
    assert frequent > 0.1 * counts.total()
    assert once > 0.25 * len(counts)


def test_parts_have_one_to_four_words(world):
    for triple in world.sample(500):
        assert 1 <= len(triple.subject.split()) <= 3
        assert 1 <= len(triple.relation.split()) <= 4
        assert 1 <= len(triple.object.split()) <= 3


def test_half_of_the_questions_have_another_word(world):
    asked = world.questions(60)
    assert len(asked) == 60
    for i, (question, gold) in enumerate(asked):
        words = question.removesuffix("?").split()[1:]
        told = Counter(str(gold).split())
        others = [word for word in words if word not in told]
        if i % 2:
            assert len(others) <= 1  # the new word may be another one of the fact
            for word in others:
                assert word not in FUNCTION
        else:
            assert not others
    assert sum(any(w not in str(g).split() for w in q[:-1].split()[1:]) for q, g in asked) > 20


def test_questions_are_about_the_triples_that_were_written(world, tmp_path):
    world.write(tmp_path / "some.tsv", 1200)
    there = set(triples(tmp_path / "some.tsv"))
    assert all(asked.gold in there for asked in world.questions(40, 1200))


def test_made_up_words_differ():
    words = made_up_words(60_000)
    assert len(set(words)) == 60_000
    assert all(word.isalpha() for word in words)


def test_no_triples_at_all():
    with pytest.raises(InputError, match="at least 1"):
        World(0)
