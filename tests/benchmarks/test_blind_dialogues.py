"""What counts as right in the dialogues that were written without sight of the project."""

from __future__ import annotations

import pytest

import memnn
from benchmarks import blind_dialogues
from memnn.types import Answer


def case(accept=(), reject=(), all=(), decline=False):
    return {
        "kind": "newest", "told": ["Joe went to the cellar."], "question": "Where is Joe?",
        "accept": accept, "reject": reject, "all": all, "decline": decline,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "said", "right"),
    [
        (case(["cellar"]), "Joe went to the cellar.", True),
        (case(["cellar"]), "cellars", False),
        (case(["cellar"], ["kitchen"]), "from the kitchen to the cellar", False),
        (case(["Simon"]), "Simon's", True),
        (case(["yes"]), "Yes.", True),
        (case(["no"]), "yes", False),
        (case(["six"]), "6", True),
        (case(all=["milk", "bread"]), "milk,bread", True),
        (case(all=["milk", "bread"]), "milk", False),
        (case(decline=True), "cellar", False),
    ],
)
def test_what_is_right(wanted, said, right):
    assert blind_dialogues.is_right(wanted, Answer(said, 1.0)) == right


def test_a_run(trained):
    assert len(blind_dialogues.cases("dev")) == 285
    found = list(
        blind_dialogues.outcomes(lambda: trained.with_memory(memnn.RamMemory()), [case(["cellar"])])
    )
    shown = blind_dialogues.summary(
        [*found, blind_dialogues.Outcome(case(decline=True), Answer("", 0.0, True), True)]
    )
    assert shown["kinds"]["newest"]["cases"] == 2
    assert shown["right"] in (50.0, 100.0)
