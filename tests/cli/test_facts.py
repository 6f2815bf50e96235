"""`memnn facts`, as users run it."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
from functools import partial

import pytest

from memnn.cli import app
from memnn.facts import triples
from tests.cli.test_bad_input import refused
from tests.commands import Commands, Result


def run(folder, capsys, *arguments):
    """In this process, since there are many commands here and each would load everything."""
    capsys.readouterr()
    with contextlib.chdir(folder):
        code = app.run(
            ["facts", *(os.fsdecode(a) if isinstance(a, bytes) else str(a) for a in arguments)]
        )
    return Result(code, *capsys.readouterr())


@pytest.fixture(scope="module")
def made(tmp_path_factory, facts_files):
    """A folder with triples, questions, a model of kind facts and an index: made as users do."""
    folder = tmp_path_factory.mktemp("commands")
    for name in ("triples.tsv", "questions.tsv", "train.tsv"):
        shutil.copy(facts_files / name, folder / name)
    memnn = Commands(folder, tmp_path_factory.mktemp("cache"))
    arguments = ("--questions", "train.tsv", "--match", "--epochs", 3, "--dim", 32)
    result = memnn("facts", "train", "triples.tsv", *arguments, "-o", "model", "--json")
    assert result.code == 0, result.err
    card = json.loads(result.out)
    assert card["model"] == "model"
    assert len(card["id"]) >= 16
    assert card["examples_per_second"] > 0
    result = memnn("facts", "index", "model", "triples.tsv", "-o", "index", "--json")
    assert result.code == 0, result.err
    about = json.loads(result.out)
    assert about["index"] == "index"
    assert about["facts"] == card["triples"]
    assert about["bytes"] > 0
    assert about["skipped"] == {}
    return folder


@pytest.fixture
def facts(made, capsys):
    """Runs commands beside that model and index."""
    return partial(run, made, capsys)


PROMISED = {"questions", "hit@1", "hit@10", "mrr", "f1", "candidates", "ms_per_question"}


@pytest.mark.parametrize("where", ["triples.tsv", "index"])
def test_evaluate(facts, where, world):
    result = facts("evaluate", "model", where, "--questions", "questions.tsv", "--json")
    assert result.code == 0, result.err
    values = json.loads(result.out)
    assert set(values) >= PROMISED
    assert values["questions"] == len(world.test)
    assert values["candidates"] == len(world.triples)
    assert 0.5 < values["hit@1"] <= values["hit@10"] <= 1
    assert values["hit@1"] <= values["mrr"] <= 1


def test_evaluate_in_words(facts):
    result = facts("evaluate", "model", "index", "--questions", "questions.tsv", "--hash", "word")
    assert result.code == 0, result.err
    assert "% first" in result.out
    assert "candidates" in result.out


@pytest.mark.parametrize("hash", ["word", "cluster"])
def test_hashes_look_at_less(facts, hash, world):
    arguments = ("--questions", "questions.tsv", "--hash", hash, "--cap", 30, "--json")
    values = json.loads(facts("evaluate", "model", "index", *arguments).out)
    assert 0 < values["candidates"] < len(world.triples)


def test_the_embedding_alone(facts):
    arguments = ("evaluate", "model", "triples.tsv", "--questions", "questions.tsv", "--json")
    both = [json.loads(facts(*arguments, bow).out)["mrr"] for bow in ("--bow", "--no-bow")]
    assert both[0] != both[1]


def test_labels(facts, made, world):
    header = "question\tnarg1\tnrel\tnarg2\tlabel\n"
    rows = []
    for asked in world.test[:5]:
        for triple in [asked.gold, *world.triples[:3]]:
            said = "right" if triple == asked.gold else "wrong"
            rows.append("\t".join([asked.question, *triple, said]) + "\n")
    rows.append("Who?\tno\tsuch\ttriple\tright\n")
    (made / "labels.tsv").write_text(header + "".join(rows))
    result = facts("evaluate", "model", "index", "--labels", "labels.tsv", "--json")
    assert result.code == 0, result.err
    values = json.loads(result.out)
    assert values["questions"] == 6
    assert values["missing"] == 1
    assert values["hit@1"] <= 5 / 6
    assert "1 gold triples are not among the facts" in result.err


def test_ask(facts, world):
    asked = world.test[0]
    arguments = ("ask", "model", "index", asked.question)
    answer = json.loads(facts(*arguments, "-k", 3, "--json").out)
    assert set(answer) >= {"answer", "score", "abstained", "evidence", "facts"}
    assert not answer["abstained"]
    assert answer["answer"] == " ".join(asked.gold)
    (hop,) = answer["evidence"]
    assert set(hop) >= {"hop", "id", "text", "time", "score"}
    assert world.triples[hop["id"] - 1] == asked.gold
    assert len(answer["facts"]) == 3
    assert answer["facts"][0]["text"] == answer["answer"]
    words = answer["facts"][0]["words"]
    assert set(words[0]) == {"asked", "told", "score", "exact"}
    shown = facts(*arguments)
    assert shown.code == 0
    assert shown.out.startswith(f"→ {' '.join(asked.gold)}")


def test_a_question_with_no_known_word_gets_no_answer(facts):
    result = facts("ask", "model", "triples.tsv", "Zyxxy plugh?", "--json")
    assert result.code == 0
    answer = json.loads(result.out)
    assert answer["abstained"]
    assert answer["answer"] is None or "know" in answer["answer"]
    assert "zyxxy" in answer["reason"]
    assert answer["facts"] == []


def test_two_hops(facts, made):
    result = facts("train", "triples.tsv", "--hops", 2, "--epochs", 1, "-o", "two", "--json")
    assert result.code == 0, result.err
    result = facts("ask", "two", "triples.tsv", "Who wrote it?", "--json")
    assert len(json.loads(result.out)["evidence"]) <= 2


def test_the_same_seed_gives_the_same_model(facts):
    ids = set()
    for out in ("a", "b"):
        arguments = ("--epochs", 1, "--dim", 8, "--seed", 5, "-o", out, "--json")
        ids.add(json.loads(facts("train", "triples.tsv", *arguments).out)["id"])
    assert len(ids) == 1


def test_gzip_paraphrases_and_what_is_left_out(facts, made):
    lines = (made / "triples.tsv").read_bytes()
    (made / "t.gz").write_bytes(
        gzip.compress(lines + b"two\tcolumns\n\xff\tb\tc\na\t\tc\n" + lines)
    )
    (made / "pairs.tsv").write_text("who wrote it\twho is its author\nalone\n")
    result = facts(
        "train", "t.gz", "--paraphrases", "pairs.tsv", "--epochs", 1, "-o", "m", "--json"
    )
    assert result.code == 0, result.err
    for reason in ("fewer than three columns", "not UTF-8", "empty field", "without two questions"):
        assert reason in result.err
    assert json.loads(result.out)["triples"] == lines.count(b"\n"), "duplicates count once"
    result = facts("index", "m", "t.gz", "-o", "i", "--json")
    assert result.code == 0, result.err
    assert json.loads(result.out)["skipped"]["that are there twice"] == lines.count(b"\n")
    arguments = ("--questions", "questions.tsv", "--hash", "word", "--json")
    assert facts("evaluate", "m", "i", *arguments).code == 0


def test_questions_about_other_triples(facts, made):
    (made / "other.tsv").write_text("question\tnarg1\tnrel\tnarg2\nWho?\tx\ty\tz\n")
    result = facts("train", "triples.tsv", "--questions", "other.tsv", "--epochs", 1, "-o", "o")
    assert result.code == 0
    assert "1 question left out" in result.err
    result = facts("evaluate", "model", "index", "--questions", "other.tsv", "--json")
    values = json.loads(result.out)
    assert (values["missing"], values["hit@1"]) == (1, 0)


# Bad input: one line, exit code 2

FILES = {
    "empty": (b"", ["fewer than two triples"]),
    "two-columns": (b"a\tb\nc\td\n", ["fewer than two triples"]),
    "empty-fields": (b"a\t\tc\n\tb\tc\n", ["fewer than two triples"]),
    "latin-1": ("caf\xe9\tb\tc\n".encode("latin-1") * 2, ["fewer than two triples"]),
    "duplicates": (b"a\tb\tc\n" * 5, ["fewer than two triples"]),
    "bomb": (gzip.compress(b"\n" * 2**22), ["200 times its size"]),
    "cut": (gzip.compress(bytes(range(256)) * 100)[:-9], ["damaged gzip"]),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_learnt_from(tmp_path, capsys, monkeypatch, name):
    monkeypatch.setattr(triples, "HARMLESS", 2**20)
    data, words = FILES[name]
    (tmp_path / name).write_bytes(data)
    refused(run(tmp_path, capsys, "train", name, "-o", "model"), *words)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("name", ["two-columns", "empty", "bomb"])
def test_files_that_cannot_be_indexed(facts, made, tmp_path, monkeypatch, name):
    monkeypatch.setattr(triples, "HARMLESS", 2**20)
    data, _ = FILES[name]
    (tmp_path / name).write_bytes(data)
    refused(facts("index", "model", tmp_path / name, "-o", tmp_path / "index"), name)
    refused(facts("ask", "model", tmp_path / name, "Who wrote it?"))


def test_an_index_of_another_model(facts):
    assert facts("train", "triples.tsv", "--epochs", 1, "--dim", 8, "-o", "other").code == 0
    refused(facts("ask", "other", "index", "Who wrote it?"), "another model", "memnn facts index")
    arguments = ("--questions", "questions.tsv")
    refused(facts("evaluate", "other", "index", *arguments), "another model")


def test_an_index_that_is_damaged_or_not_finished(facts, made):
    shutil.copytree(made / "index", made / "broken")
    (made / "broken" / "entries.u32").write_bytes(b"abc")
    refused(facts("ask", "model", "broken", "Who?"), "broken is damaged", "build it again")
    (made / "broken" / "index.json").unlink()
    refused(facts("ask", "model", "broken", "Who?"), "not an index")
    (made / "broken" / "progress.json").write_text("{}")
    refused(facts("ask", "model", "broken", "Who?"), "not finished")
    shutil.rmtree(made / "broken")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "none.tsv", "-o", "m"], ["cannot read none.tsv"]),
        (["train", ".", "-o", "m"], ["cannot read"]),
        (["train", "/dev/zero", "-o", "m"], ["/dev/zero"]),
        (["train", "triples.tsv"], ["--output"]),
        (["train", "triples.tsv", "-o", "."], ["folder you are in"]),
        (["train", "triples.tsv", "-o", "triples.tsv"], ["choose another place"]),
        (["train", "triples.tsv", "-o", "m", "--hops", "3"], ["hops must be between 1 and 2"]),
        (["train", "triples.tsv", "-o", "m", "--dim", "0"], ["dim"]),
        (["train", "triples.tsv", "-o", "m", "--threads", "0"], ["threads"]),
        (["train", "triples.tsv", "-o", "m", "--questions", "triples.tsv"], ["header"]),
        (["index", "none", "triples.tsv", "-o", "i"], ["no model at none"]),
        (["index", "model", "none.tsv", "-o", "i"], ["cannot read none.tsv"]),
        (["index", "model", "triples.tsv", "-o", "model"], ["not an index"]),
        (["index", "model", "triples.tsv", "-o", "triples.tsv"], ["cannot write"]),
        (["index", "model", "triples.tsv", "-o", "i", "--ivf"], ["gone", "--hash word"]),
        (["evaluate", "model", "index"], ["--questions or --labels"]),
        (["evaluate", "model", "index", "--questions", "triples.tsv"], ["header"]),
        (["evaluate", "model", "index", "--labels", "questions.tsv"], ["label is missing"]),
        (["ask", "model", "index", ""], ["nothing"]),
        (["ask", "model", "index", "a" * 10_001], ["10,001 characters"]),
        (["ask", "model", "index", b"\xff?"], ["Unicode"]),
        (["ask", "model", "index", "Who?", "--hash", "magic"], ["magic", "cluster"]),
        (["ask", "model", "index", "Who?", "--hash", "ivf"], ["'ivf' is gone", "use 'word'"]),
        (["ask", "model", "index", "Who?", "--cap", "0"], ["cap"]),
        (["ask", "model", "index", "Who?", "-k", "0"], ["k"]),
        (["ask", "model", "none.tsv", "Who?"], ["cannot read none.tsv"]),
        (["ask", "model", "model", "Who?"], ["not an index"]),
    ],
    ids=lambda words: " ".join(map(str, words))[:60],
)
def test_arguments(facts, made, arguments, words):
    before = sorted(path.name for path in made.iterdir())
    refused(facts(*arguments), *words)
    assert sorted(path.name for path in made.iterdir()) == before


def test_a_model_of_stories(memnn, model, facts_files):
    (memnn.folder / "t").write_bytes((facts_files / "triples.tsv").read_bytes())
    refused(memnn("facts", "ask", model, "t", "Who?"), "kind 'story'", "'facts'")
