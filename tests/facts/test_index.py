"""An index on disk: the same as one in memory, read-only, taken up again, found damaged."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from memnn.errors import InputError, MemoryStoreError, ModelError
from memnn.facts import build as building
from memnn.facts import index as indices
from memnn.facts.build import build_index
from memnn.facts.index import in_memory, open_index
from memnn.facts.model import save
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import fit
from memnn.facts.triples import Triple, triples
from memnn.locks import exclusive

NEW = "Tigger\tbounces over\tHeffalumps\n"


@pytest.fixture
def source(facts_files, tmp_path):
    """Triples, a few of them twice, some that cannot be used, and words the model never saw."""
    lines = (facts_files / "triples.tsv").read_text().splitlines(keepends=True)
    path = tmp_path / "triples.tsv"
    path.write_text("".join([*lines, NEW, *lines[:7], "two\tcolumns\n", NEW]))
    return path


@pytest.fixture
def built(facts_model, source, tmp_path):
    build_index(facts_model, source, tmp_path / "index")
    return tmp_path / "index"


def test_it_equals_an_index_in_memory(facts_model, source, built, world):
    mapped = open_index(built, facts_model)
    ram = in_memory(facts_model, triples(source))
    assert len(mapped) == len(ram) == len(world.triples) + 1
    a, b = (i.reading(facts_model.dictionary) for i in (mapped, ram))
    for left, right in zip(
        (*a.facts, *a.postings, a.idf), (*b.facts, *b.postings, b.idf), strict=True
    ):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    assert a.words.extra == b.words.extra
    assert [mapped.triple(i) for i in range(len(mapped))] == list(ram.places())
    wanted = [asked.gold for asked in world.test]
    nowhere = Triple("Tigger", "never", "was")
    assert mapped.places([*wanted, nowhere]) == {gold: ram.places()[gold] for gold in wanted}
    lookup = facts_model.lookup()
    for asked in world.test:
        assert lookup.search(asked.question, a, k=5) == lookup.search(asked.question, b, k=5)
    (found,) = lookup.search("What does Tigger bounce over?", a, k=1).found
    assert mapped.triple(found.place) == Triple(*NEW.strip().split("\t"))


def test_what_was_left_out_is_counted_each_time(facts_model, source, tmp_path):
    _, skipped = build_index(facts_model, source, tmp_path / "index")
    counts = {"with fewer than three columns": 1, "that are there twice": 8}
    assert skipped.reasons == counts
    assert "first in line" in str(skipped)
    _, again = build_index(facts_model, source, tmp_path / "index")
    assert again.reasons == counts, "a finished index remembers"


def test_it_is_a_memory_that_is_only_read(facts_model, built, world):
    index = open_index(built, facts_model)
    n = len(index)
    assert index.last_id == n
    assert index.deletions == 0
    slots = list(index.scan())
    assert [s.id for s in slots] == list(range(1, n + 1))
    assert slots[0].text == " ".join(world.triples[0])
    assert slots[0].time.endswith("Z")
    assert index.read([3, 1]) == [slots[2], slots[0]]
    assert list(index.scan(after=n - 2)) == slots[-2:]
    assert index.candidates().tolist() == list(range(1, n + 1))
    assert index.candidates(5).tolist() == [1, 2, 3, 4, 5]
    assert index.candidates("1999-01-01T00:00:00Z").tolist() == []
    assert len(index.candidates("2999-01-01T00:00:00Z")) == n
    assert not index.candidates().flags.writeable
    named = index.candidates(buckets=["Tigger", "nobody"])
    assert [s.text for s in index.read(named)] == [NEW.strip().replace("\t", " ")]
    assert index.candidates(as_of=3, buckets=["tigger"]).tolist() == []
    for refused in (
        lambda: index.write("a"), lambda: index.write_many(["a"]), lambda: index.delete([1]),
        lambda: index.read([n + 1]), lambda: index.read([0]), lambda: index.read([True]),
        lambda: index.candidates("noon"),
    ):  # fmt: skip
        with pytest.raises(InputError) as caught:
            refused()
        assert "\n" not in str(caught.value)
    index.close()


def contents(folder):
    """Every file's bytes; of index.json all but the time."""
    found = {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    about = json.loads(found["index.json"])
    assert about.pop("time")
    assert about.pop("checksum")
    return found | {"index.json": about}


class Died(BaseException):
    """As if the power had gone."""


def dying(left):
    """fsync that lets the process die at the n-th time that something is made durable."""

    def fsync(file):
        nonlocal left
        left -= 1
        if left == 0:
            raise Died

    return fsync


def test_dying_anywhere_and_going_on(facts_model, source, tmp_path, monkeypatch):
    """Each attempt dies a few steps later than where the last one did, until one gets through."""
    monkeypatch.setattr(building, "CHUNK", 50)
    whole, _ = build_index(facts_model, source, tmp_path / "whole")
    deaths = 0
    for left in range(1, 100):
        monkeypatch.setattr(building.os, "fsync", dying(left))
        try:
            _, skipped = build_index(facts_model, source, tmp_path / "again")
            break
        except Died:
            deaths += 1
            with pytest.raises(MemoryStoreError, match=r"not finished|no index\.json"):
                open_index(tmp_path / "again", facts_model)
    assert deaths > 5
    assert skipped.reasons["that are there twice"] == 8
    assert skipped.reasons["with fewer than three columns"] == 1
    assert len(whole) == len(open_index(tmp_path / "again", facts_model))
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")


KILLED = """
import os, signal, sys
import memnn.facts.build as build
from memnn.cli import main
build.CHUNK = 50
fsync, left = os.fsync, 23
def dying(file):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(file)
os.fsync = dying
main(["facts", "index", "model", "triples.tsv", "-o", "index"])
"""


def test_the_command_is_killed_and_run_again(facts_model, source, tmp_path):
    save(facts_model, tmp_path / "model")
    for argv, code in (
        (["-c", KILLED], -signal.SIGKILL),
        (["-m", "memnn", "facts", "index", "model", "triples.tsv", "-o", "index"], 0),
    ):
        done = subprocess.run(
            [sys.executable, *argv],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == code, done.stderr
        if code:
            rows = json.loads((tmp_path / "index" / "progress.json").read_bytes())["rows"]
            assert rows > 0, "it died in the middle"
    assert "8 that are there twice" in done.stderr
    build_index(facts_model, source, tmp_path / "whole")
    assert contents(tmp_path / "index") == contents(tmp_path / "whole")


def test_killed_after_the_last_word(facts_model, source, built):
    """index.json is there, what was needed for building, too."""
    before = contents(built)
    (built / "progress.json").write_text("{}")
    (built / "lengths.i32").write_bytes(b"")
    build_index(facts_model, source, built)
    assert contents(built) == before


def test_another_job_starts_anew(facts_model, source, built, world, tmp_path):
    other = fit(world.triples[:50], recipe=FactsRecipe(dim=8, epochs=1, seed=4))
    with pytest.raises(ModelError, match="another model; build it again"):
        open_index(built, other)
    index, _ = build_index(other, source, built, clusters=3)
    assert open_index(built, other).clusters.max() == 2
    assert len(index) == len(world.triples) + 1
    build_index(other, source, built, clusters=2)
    assert open_index(built, other).clusters.max() == 1, "K is part of the job"


def test_two_builders(facts_model, source, built):
    before = sorted(file.name for file in built.iterdir())
    with (
        exclusive(built / indices.LOCK, 0),
        pytest.raises(MemoryStoreError, match="another process"),
    ):
        build_index(facts_model, source, built)
    build_index(facts_model, source, built)
    assert sorted(file.name for file in built.iterdir()) == before


FILES = [*indices.PARTS, "words.txt"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("how", ["cut", "half", "empty", "gone"])
def test_a_damaged_file(facts_model, built, name, how):
    path = built / name
    data = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes({"cut": data[:-3], "half": data[: len(data) // 8 * 4], "empty": b""}[how])
    with pytest.raises(MemoryStoreError, match="damaged") as caught:
        open_index(built, facts_model)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"format": 1}', '{"format": "a"}', '{"format": 99}', "null"]
)
def test_a_damaged_index_json(facts_model, built, text):
    (built / "index.json").write_text(text)
    with pytest.raises(MemoryStoreError, match=r"damaged|newer"):
        open_index(built, facts_model)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null"])
def test_damaged_progress(facts_model, source, built, text):
    (built / "index.json").unlink()
    (built / "progress.json").write_text(text)
    with pytest.raises(MemoryStoreError, match="choose another place"):
        build_index(facts_model, source, built)


def test_chunks_that_are_shorter_than_they_were(facts_model, source, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "CHUNK", 50)
    monkeypatch.setattr(building, "postings_of", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build_index(facts_model, source, tmp_path / "index")
    (tmp_path / "index" / "text.u8").write_bytes(b"short")
    with pytest.raises(MemoryStoreError, match=r"text\.u8 is cut off"):
        build_index(facts_model, source, tmp_path / "index")


def as_of_old(folder):
    """An index as memnn built it before there were checksums."""
    about = json.loads((folder / "index.json").read_bytes())
    for name in ("bytes", "checksums", "checksum"):
        del about[name]
    (folder / "index.json").write_text(json.dumps(about))
    (folder / "checksums.u32").unlink()


def test_text_that_is_no_triple(facts_model, built):
    as_of_old(built)
    text = built / "text.u8"
    text.write_bytes(b"\xff" * text.stat().st_size)
    index = open_index(built, facts_model)
    with pytest.raises(MemoryStoreError, match="fact 1 cannot be read"):
        index.read([1])


def test_places_that_are_no_index(facts_model, source, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear Pooh")
    with pytest.raises(MemoryStoreError, match="choose another place"):
        build_index(facts_model, source, tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "Dear Pooh"
    with pytest.raises(MemoryStoreError, match="cannot write"):
        build_index(facts_model, source, source / "index")
    with pytest.raises(MemoryStoreError, match="not an index"):
        open_index(tmp_path / "mine", facts_model)
    with pytest.raises(InputError, match="cannot read"):
        build_index(facts_model, tmp_path / "none", tmp_path / "index")


def test_a_file_without_triples(facts_model, tmp_path):
    (tmp_path / "bad").write_text("a\tb\n")
    with pytest.raises(InputError, match="no triple: 1 with fewer than three columns"):
        build_index(facts_model, tmp_path / "bad", tmp_path / "index")
    assert not (tmp_path / "index").exists()
    with pytest.raises(InputError, match="no triple"):
        in_memory(facts_model, [])
