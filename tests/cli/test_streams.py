"""Word streams, sentences and unseen words from the command line."""

from __future__ import annotations

import json
import os
import sys

import pytest


@pytest.fixture(scope="session")
def streaming(streaming_folder):
    """What `memnn simulate --stream` and `memnn train --stream` make."""
    return streaming_folder


def test_a_stream_is_learnt_from(memnn, streaming):
    few = ("--statements", 700, "--questions", 300)
    assert memnn("simulate", "-o", "train.txt", "--stream", *few).code == 0
    trained = memnn("train", "train.txt", "-o", "model", "--stream")
    assert trained.code == 0, trained.err
    words = "Joe went to the kitchen and Fred moved to the garden then Joe travelled to"
    asked = memnn("ask", "model", "Where is Fred?", "--story", "-", "--json", stdin=words)
    assert json.loads(asked.out)["answer"] == "garden"


def test_a_stream_is_segmented_and_evaluated(memnn, streaming):
    memnn("simulate", "-o", "test.txt", "--stream", "--seed", 7)
    result = json.loads(memnn("evaluate", streaming, "test.txt", "--json").out)
    assert result["accuracy"] >= 0.99
    assert result["support_accuracy"] >= 0.99


def test_a_stream_that_ends_in_mid_sentence(memnn, streaming):
    words = "Joe went to the kitchen and Fred moved to the garden then Joe travelled to"
    asked = memnn("ask", streaming, "Where is Fred?", "--story", "-", "--json", stdin=words)
    assert asked.code == 0
    assert json.loads(asked.out)["answer"] == "garden"
    shown = memnn("chat", streaming, stdin=words + "\nWhere is Fred?\n/memory\n")
    assert "→ garden" in shown.out
    assert "Joe went to the kitchen" in shown.out


def test_a_hundred_thousand_words_without_a_boundary(memnn, streaming):
    (memnn.folder / "words").write_text("kitchen " * 1000 + "\n" + ("blah " * 1500 + "\n") * 70)
    asked = memnn("ask", streaming, "Where is Joe?", "--story", "words", "--json")
    assert asked.code == 0
    assert json.loads(asked.out)["abstained"] is True


def test_without_torch_it_says_which_extra(memnn):
    memnn("simulate", "-o", "a.txt", "--sentences", "--statements", 70, "--questions", 30)
    fake = memnn.folder / "fake" / "torch"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("raise ModuleNotFoundError('no torch', name='torch')\n")
    memnn.env["PYTHONPATH"] = os.pathsep.join([str(fake.parent), *filter(None, sys.path)])
    refused = memnn.process("train", "a.txt", "-o", "m", "--response", "lstm")
    assert refused.code == 2
    assert refused.err.splitlines()[-1].startswith("memnn: ")
    assert "memnn[recurrent]" in refused.err
    assert not (memnn.folder / "m").exists()
    base = memnn.process("train", "a.txt", "-o", "m", "--epochs", 1)
    assert base.code == 0, "the base needs no torch"


def test_sentences_with_an_rnn(memnn):
    pytest.importorskip("torch")
    memnn("simulate", "-o", "a.txt", "--sentences", "--statements", 700, "--questions", 300)
    assert memnn("train", "a.txt", "-o", "m", "--response", "rnn").code == 0
    told = "Joe went to the kitchen."
    asked = memnn("ask", "m", "Where is Joe?", "--story", "-", "--json", stdin=told)
    assert "kitchen" in json.loads(asked.out)["answer"]
    result = json.loads(memnn("evaluate", "m", "a.txt", "--json").out)
    assert result["accuracy"] >= 0.9


def test_names_of_one_s_own(memnn):
    memnn("simulate", "-o", "a.txt")
    assert memnn("train", "a.txt", "-o", "m", "--unseen", "--match").code == 0
    story = "Bilbo travelled to the cave.\nBilbo took the ring.\nBilbo went back to the Shire.\n"
    asked = memnn("ask", "m", "Where is the ring?", "--story", "-", "--json", stdin=story)
    answer = json.loads(asked.out)
    assert answer["answer"] == "Shire"
    assert [e["id"] for e in answer["evidence"]] == [2, 3]


def test_reproduce(memnn):
    done = memnn("reproduce", "figure1", "--quick", "-o", "out", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["cells"] == 1
    assert (memnn.folder / "out" / "report.html").exists()
    assert "office" in (memnn.folder / "out" / "report.md").read_text()
    wrong = memnn("reproduce", "table9", "-o", "out")
    assert wrong.code == 2
    assert "table9" in wrong.err
