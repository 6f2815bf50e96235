"""Pairs of related words from a dictionary of a few lines, in WordNet's form."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from benchmarks import related_words
from memnn.text.vectors import english, same_words

FILES = {
    "data.noun": "  1 a licence\n"
    "00000001 18 n 02 doctor 0 physician 0 001 @ 00000002 n 0000 | heals\n"
    "00000002 18 n 01 person 0 000 | somebody\n",
    "index.noun": "  1 a licence\n"
    "doctor n 1 1 @ 1 1 00000001\nphysician n 1 1 @ 1 1 00000001\nperson n 1 0 1 1 00000002\n",
    "data.verb": "00000003 30 v 02 repair 0 fix 0 000 01 + 08 00 | mend\n"
    "00000004 30 v 01 fix 0 000 01 + 08 00 | decide\n",
    "index.verb": "repair v 1 0 1 1 00000003\nfix v 2 0 2 2 00000004 00000003\n"
    "stop v 1 0 1 1 00000003\n",
    "noun.exc": "men man\n", "verb.exc": "went go\n",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    for part in related_words.PARTS:
        for kind in (f"data.{part}", f"index.{part}", f"{part}.exc"):
            (tmp_path / kind).write_text(FILES.get(kind, ""))
    return tmp_path


def test_pairs_weigh_what_their_senses_do(folder):
    pairs = {(a, b): near for a, b, near in related_words.Dictionary(folder).pairs()}
    assert pairs == {
        ("doctor", "physician"): 1.0,
        ("doctor", "person"): 0.4,
        ("physician", "person"): 0.4,
        ("repair", "fix"): 0.5,  # the second sense of "fix"
    }


def test_forms_lead_to_their_words(folder):
    bases = related_words.Dictionary(folder).bases
    assert bases("repaired") == {"repair"}
    assert bases("doctors") == {"doctor"}
    assert bases("stopped") == {"stop"}
    assert bases("went") == {"go"}
    assert bases("s") == set()


def test_a_file_of_pairs(folder, monkeypatch, capsys):
    output = folder / "related.npz"
    monkeypatch.setattr(sys, "argv", ["related_words", str(folder), "-o", str(output)])
    related_words.main()
    assert "pairs of" in capsys.readouterr().out
    words = english().words
    with np.load(output) as found:
        pairs = {
            frozenset((words[a], words[b])): w
            for a, b, w in zip(found["first"], found["second"], found["weight"], strict=True)
        }
        assert int(found["words"]) == same_words(english())
        assert (found["first"] < found["second"]).all()
    assert pairs[frozenset(("doctor", "physician"))] == 255
    assert pairs[frozenset(("doctor", "person"))] == 102
    assert pairs[frozenset(("repaired", "repair"))] == 255
