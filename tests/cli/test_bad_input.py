"""Bad input: exit code 2 and one plain line that says what to do; nothing half-written."""

from __future__ import annotations

import json

import pytest


def refused(result, *words):
    assert result.code == 2, (result.out, result.err)
    assert result.out == ""
    *before, last = result.err.splitlines()
    assert last.startswith("memnn: ")
    assert not [line for line in before if "rror" in line or "Traceback" in line or "╭" in line]
    for word in words:
        assert word in last, last


FILES = {
    "empty": (b"", ["is empty"]),
    "no-question": (b"1 Joe went home.\n2 Joe left.\n", ["no question"]),
    "no-such-support": (b"1 a b\n2 c d?\tx\t7\n", [":2:", "no statement 7"]),
    "before-any-statement": (b"1 where is joe?\tkitchen\t1\n", [":1:", "no statement 1"]),
    "no-support": (b"1 where is joe?\tkitchen\n", [":1:", "third column"]),
    "no-answer": (b"1 a b\n2 where?\t\t1\n", [":2:", "no answer"]),
    "more-supports": (b"1 a\n2 b\n3 c\n4 where?\tx\t1 2 3\n", [":4:", "--hops 3"]),
    "binary": (bytes(range(256)) * 9, [":1:", "not a text file"]),
    "latin-1": ("1 caf\xe9\n".encode("latin-1"), [":1:", "UTF-8"]),
    "long-line": (b"1 " + b"very " * 2_000_000 + b"\n", [":1:", "10,000"]),
    "not-babi": (b"Joe went home.\n", [":1:", "number"]),
}


ONLY_PAPER = {"more-supports", "no-support"}
"""Only the paper's network has a fixed number of hops, and needs the supports."""
CHOSEN = [(name, ()) for name in FILES if name not in ONLY_PAPER]
PAPER = [(name, ("--recipe", "paper")) for name in FILES]


@pytest.mark.parametrize(("name", "recipe"), CHOSEN + PAPER)
def test_files_that_cannot_be_learnt_from(memnn, name, recipe):
    data, words = FILES[name]
    (memnn.folder / name).write_bytes(data)
    result = memnn("train", name, "-o", "model", *recipe)
    refused(result, name, *words)
    assert result.err.count("\n") == 1, "no bar before an error"
    assert not (memnn.folder / "model").exists()


@pytest.mark.parametrize("name", ["empty", "no-question", "binary", "long-line", "not-babi"])
def test_files_that_cannot_be_evaluated(memnn, model, name):
    data, words = FILES[name]
    (memnn.folder / name).write_bytes(data)
    refused(memnn("evaluate", model, name), *words)


@pytest.mark.parametrize("name", ["binary", "latin-1", "long-line"])
def test_stories_that_cannot_be_told(memnn, model, name):
    data, words = FILES[name]
    (memnn.folder / name).write_bytes(data)
    refused(memnn("ask", model, "Where is Joe?", "--story", name), *words)


def test_a_question_before_any_statement_is_evaluated(memnn, model):
    (memnn.folder / "a").write_bytes(b"1 where is joe?\tkitchen\n2 joe went to the kitchen.\n")
    result = memnn("evaluate", model, "a", "--json")
    assert result.code == 0
    assert json.loads(result.out)["accuracy"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly"], ["fly"]),
        (["train"], ["files"]),
        (["train", "none.txt"], ["--output"]),
        (["train", "none.txt", "-o", "m"], ["no file none.txt"]),
        (["train", "a", "-o", "m", "--hops", "0"], ["hops"]),
        (["train", "a", "-o", "m", "--hops", "two"], ["hops"]),
        (["train", "a", "-o", "m", "--time", "soon"], ["soon", "ordered"]),
        (["train", "a", "-o", "m", "--response", "poem"], ["poem", "word"]),
        (["train", "a", "-o", "m", "--lr", "-1"], ["lr"]),
        (["train", "a", "-o", "m", "--lr", "nan"], ["lr"]),
        (["train", "a", "-o", "m", "--first", "0"], ["at least 1"]),
        (["train", "a", "-o", "m", "--seed", "-3"], ["seed"]),
        (["train", "a", "-o", "m", "--seed", str(2**64)], ["seed"]),
        (["train", "a", "-o", "m", "--dim", "1000000000"], ["dim", "10,000"]),
        (["train", "a", "-o", "m", "--hops", "1000000000"], ["hops", "100"]),
        (["train", "a", "-o", "m", "--margin", "inf"], ["margin"]),
        (["train", "a", "-o", "m", "--bow", "nan"], ["bow"]),
        (["train", "/dev/zero", "-o", "m"], ["/dev/zero", "not a file"]),
        (["train", "a", "-o", "m" * 300], ["cannot write"]),
        (["train", "a", "-o", "a/m"], ["cannot write"]),
        (["train", "a", "-o", "."], ["folder you are in"]),
        (["train", "a", "-o", "a"], ["not just a model"]),
        (["train", "a", "-o", "/proc/nowhere/m"], ["cannot write"]),
        (["simulate", "-o", "b", "--ask", "weather"], ["weather", "actor+object"]),
        (["simulate", "-o", "b", "--difficulty", "0"], ["difficulty"]),
        (["simulate", "-o", "b", "--difficulty", "99999999999999999999"], ["difficulty"]),
        (["simulate", "-o", "a/b"], ["cannot write"]),
        (["simulate", "-o", "b" * 300], ["cannot write"]),
        (["simulate", "-o", "b", "--statements", "0"], ["statement"]),
        (["simulate", "-o", "b", "--questions", "-1"], ["question"]),
        (["simulate", "-o", "b", "--story-length", "0"], ["length"]),
        (["simulate", "-o", "no/such/folder/b"], ["cannot write"]),
        (["evaluate", "m", "a"], ["no model at m", "memnn train"]),
        (["evaluate", "a", "a"], ["a is not a model"]),
        (["chat", "--store", "no/diary.db"], ["diary.db", "no folder"]),
    ],
    ids=lambda words: " ".join(words)[:60],
)
def test_arguments(memnn, arguments, words):
    (memnn.folder / "a").write_bytes(b"1 joe went\n2 fred left\n3 where is joe?\tgarden\t1\n")
    refused(memnn(*arguments), *words)
    assert sorted(path.name for path in memnn.folder.iterdir()) == ["a"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", ["no question"]),
        ("?!", ["no question"]),
        ("where " * 2_000 + "?", ["characters"]),
        (b"Where is J\xff?", ["Unicode"]),
        ("Joe left. Where is Joe?", ["one question at a time"]),
    ],
)
def test_questions(memnn, model, question, words):
    refused(memnn("ask", model, question), *words)


def test_as_of_that_is_no_time(memnn, model):
    refused(memnn("ask", model, "Where is Joe?", "--as-of", "noon"), "noon", "RFC 3339")
    refused(memnn("ask", model, "Where is Joe?", "--as-of", "9" * 5_000), "999", "RFC 3339")


def test_chat_survives_what_it_cannot_use(memnn, model):
    talk = b"\xef\xbb\xbfJoe went to the kitchen.\n" + b"x" * 20_000 + b"\n...\n\nWhere is Joe?\n"
    talk += b"/forget " + b"9" * 5_000 + b"\n" + b"where " * 2_000 + b"?\n/memory\n"
    result = memnn("chat", model, stdin=talk + b" /quit\nJoe went to the garden.\n")
    assert result.code == 0
    assert "20,000 characters" in result.err
    assert "12,001 characters" in result.err
    assert "/forget ID" in result.err
    assert "→ kitchen" in result.out
    assert result.out.endswith("   [1] Joe went to the kitchen.\n")


def test_chat_with_bytes_that_are_no_text(memnn, model):
    refused(memnn("chat", model, stdin=b"\xff\xfe\n"), "UTF-8")
