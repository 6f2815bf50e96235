"""A damaged or foreign index is found, or nothing changes; it never ends the process."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

from memnn.cli.app import run
from memnn.errors import DamagedStore, MemnnError, MemoryStoreError
from memnn.facts import build as building
from memnn.facts import index as indices
from memnn.facts.build import build_index
from memnn.facts.checksums import BLOCK
from memnn.facts.hashes import lookup_with
from memnn.facts.index import open_index
from memnn.facts.model import load, save
from memnn.facts.verify import verify
from tests.facts.test_index import as_of_old

FEW, MANY = 60, 1_000
HUGE = (2**62, -(2**62), 2**31 - 1, -1, 2**40)
QUESTIONS = 6


@pytest.fixture(scope="module")
def built(facts_model, facts_files, tmp_path_factory):
    """An index and its model."""
    folder = tmp_path_factory.mktemp("built")
    save(facts_model, folder / "model")
    new = [f"Tigger{n}\tbounces over\tHeffalump{n % 7}\n" for n in range(40)]
    (folder / "triples.tsv").write_text((facts_files / "triples.tsv").read_text() + "".join(new))
    build_index(facts_model, folder / "triples.tsv", folder / "index")
    shutil.copy(facts_files / "questions.tsv", folder)
    return folder


def answers(folder, model, questions, hashes=("none", "word", "cluster")):
    """All that a user can get out of an index with these questions."""
    index = open_index(folder, model)
    reading = index.reading(model.dictionary)
    found = [index.read([1, len(index)]), index.candidates(buckets=["the", "who", "of"]).tolist()]
    for name in hashes:
        lookup = lookup_with(model, index, name)
        for question in questions:
            search = lookup.search(question, reading, k=3)
            places = [each.place for each in search.found]
            found.append((search, [str(index.triple(place)) for place in places]))
            found.append([lookup.explain(question, reading, place) for place in places[:1]])
            support = lookup.search(question, reading, k=2, support=places[0] if places else -1)
            found.append(support)
    return found


def damage(rng, path):
    """A flipped bit, mostly; a cut, a huge cell, more bytes, zeros, noise, or a hole of a GB."""
    data = bytearray(path.read_bytes())
    kind = rng.choice(["flip"] * 5 + ["cell"] * 3 + ["cut", "longer", "hole", "zeros", "noise"])
    place = rng.randrange(len(data))
    if kind == "flip":
        data[place] ^= 1 << rng.randrange(8)
    elif kind == "cell":
        size = rng.choice([4, 8])
        place -= place % size
        value = rng.choice(HUGE) % 2 ** (8 * size)
        data[place : place + size] = value.to_bytes(size, "little")
    elif kind == "cut":
        del data[place:]
    elif kind == "longer":
        data += rng.randbytes(rng.randrange(1, 5_000))
    elif kind in ("zeros", "noise"):
        size = rng.choice([8, 64, 4096])
        data[place : place + size] = bytes(size) if kind == "zeros" else rng.randbytes(size)
    path.write_bytes(data)
    if kind == "hole":
        os.truncate(path, len(data) + 2**30)
    return kind


def attack(folder, count, seed, old=False):
    """How each of many damages ended; `old` is an index without checksums."""
    model = load(folder / "model")
    rows = (folder / "questions.tsv").read_text().splitlines()[1:]
    questions = [row.split("\t")[0] for row in rows[:QUESTIONS]]
    good, bad = folder / "index", folder / f"bad-{seed}"
    expected = answers(good, model, questions)
    rng = random.Random(seed)
    ends = dict.fromkeys(("said when opened or asked", "harmless", "answered otherwise"), 0)
    files = sorted(p.relative_to(good) for p in good.rglob("*") if p.is_file())
    for number in range(count):
        shutil.rmtree(bad, ignore_errors=True)
        shutil.copytree(good, bad)
        indices.AT_ONCE = 0 if number % 4 else 2**26  # blocks are compared as they are read
        if old:
            as_of_old(bad)
        file = rng.choice([f for f in files if (bad / f).exists()])
        kind = damage(rng, bad / file)
        case = f"{number}: {kind} of {file}, seed {seed}"
        try:
            found = answers(bad, model, questions)
        except MemnnError as error:
            ends["said when opened or asked"] += 1
            assert "\n" not in str(error), case  # noqa: PT017
            continue
        same = repr(found) == repr(expected)  # as text, since damage may give NaN
        assert same or old, case
        ends["harmless" if same else "answered otherwise"] += 1
        if not old and (bad / file).read_bytes() != (good / file).read_bytes():
            with suppress(MemoryStoreError):
                assert not verify(bad).ok, case
    return ends


def test_damage_is_said_or_harmless(built):
    ends = attack(built, FEW, seed=1)
    assert ends["said when opened or asked"] > FEW // 2, ends


def test_an_index_without_checksums_ends_no_process(built):
    assert attack(built, FEW, seed=2, old=True)["said when opened or asked"] > FEW // 4


@pytest.mark.soak
@pytest.mark.parametrize("old", [False, True], ids=["checksums", "old"])
@pytest.mark.parametrize("part", range(4))
def test_a_thousand_damages(built, part, old):
    """In a process of its own, which must end by itself."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.facts.test_damage", built, str(part), "old" * old],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    print(done.stdout)


# The bits and cells of the reports


@pytest.fixture
def copy(built, tmp_path):
    shutil.copytree(built, tmp_path / "copy")
    return tmp_path / "copy"


def put(path, dtype, place, value):
    cells = np.fromfile(path, dtype)
    cells[place] = value
    cells.tofile(path)


@pytest.mark.parametrize("at_once", [0, 2**26], ids=["lazily", "at once"])
@pytest.mark.parametrize(
    ("name", "dtype", "place", "value"),
    [
        ("ptr.i64", np.int64, 5, 2**45),
        ("ptr.i64", np.int64, 5, -(2**45)),
        ("entries.u32", np.uint32, 20, 2**28 - 1),
        ("postings.i32", np.int32, 30, 2**31 - 1),
        ("postings.i32", np.int32, 30, -5),
        ("postings-ptr.i64", np.int64, 9, 2**50),
        ("clusters.i32", np.int32, 3, 2**31 - 1),
        ("clusters.i32", np.int32, 3, -7),
        ("scale.f32", np.float32, 3, np.nan),
        ("idf.f32", np.float32, 3, np.inf),
        ("text-ptr.i64", np.int64, 3, 2**50),
    ],
)
@pytest.mark.parametrize("old", [False, True], ids=["checksums", "old"])
def test_cells_that_ended_the_process(
    copy, facts_model, monkeypatch, name, dtype, place, value, old, at_once
):
    monkeypatch.setattr(indices, "AT_ONCE", at_once)
    put(copy / "index" / name, dtype, place, value)
    if old:
        as_of_old(copy / "index")
    questions = ["who lives in the house?", "what is the capital of the country?"]
    try:
        index = open_index(copy / "index", facts_model)
        reading = index.reading(facts_model.dictionary)
        for hash in ("none", "word", "cluster"):
            lookup = lookup_with(facts_model, index, hash)
            for question in questions:
                for support in range(len(index)):
                    lookup.search(question, reading, support=support)
        for fact in range(len(index)):
            index.triple(fact)
    except MemoryStoreError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert old, "a change must be found when everything is read"
    if not old:
        assert any(name in line for line in verify(copy / "index").problems)


def test_what_a_question_does_not_read_is_not_compared(copy, facts_model, monkeypatch):
    """Opening is quick: a changed fact is found by whoever reads it."""
    monkeypatch.setattr(indices, "AT_ONCE", 0)
    text = copy / "index" / "text.u8"
    data = bytearray(text.read_bytes())
    assert len(data) > BLOCK
    data[-1] ^= 1
    text.write_bytes(data)
    index = open_index(copy / "index", facts_model)
    assert index.read([1])
    with pytest.raises(DamagedStore, match=r"text\.u8 was changed on disk; build it again"):
        index.read([len(index)])


def test_verify_from_the_command_line(copy, capsys):
    index = str(copy / "index")
    assert run(["facts", "verify", index]) == 0
    assert "as it was written" in capsys.readouterr().out
    put(copy / "index" / "postings.i32", np.int32, 3, 77)
    assert run(["facts", "verify", index]) == 1
    assert "postings.i32 was changed" in capsys.readouterr().out
    assert run(["facts", "verify", index, "--json"]) == 1
    assert not json.loads(capsys.readouterr().out)["ok"]
    assert run(["facts", "verify", str(copy / "model")]) == 2
    assert "not an index" in capsys.readouterr().err


def test_verify_of_an_index_without_checksums(copy, capsys):
    as_of_old(copy / "index")
    assert run(["facts", "verify", str(copy / "index")]) == 0
    assert "build it again" in capsys.readouterr().err
    put(copy / "index" / "ptr.i64", np.int64, 5, 2**45)
    assert run(["facts", "verify", str(copy / "index")]) == 1


def test_an_unfinished_index_that_was_changed(facts_model, facts_files, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "CHUNK", 50)
    monkeypatch.setattr(building, "postings_of", lambda *_: 1 / 0)
    source, folder = facts_files / "triples.tsv", tmp_path / "index"
    with pytest.raises(ZeroDivisionError):
        build_index(facts_model, source, folder)
    saved = {p: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    for name in ("text.u8", "entries.u32", "lengths.i32", "words.txt"):
        data = bytearray(saved[folder / name])
        if not data:
            continue
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)
        with pytest.raises(MemoryStoreError, match=f"{name} was changed on disk"):
            build_index(facts_model, source, folder)
        (folder / name).write_bytes(saved[folder / name])
    state = json.loads(saved[folder / "progress.json"])
    state["rows"] -= 1
    (folder / "progress.json").write_text(json.dumps(state))
    with pytest.raises(MemoryStoreError, match="choose another place"):
        build_index(facts_model, source, folder)


if __name__ == "__main__":
    from pathlib import Path

    kind = sys.argv[3] == "old"
    print(attack(Path(sys.argv[1]), MANY // 4, seed=100 + int(sys.argv[2]) + 50 * kind, old=kind))
