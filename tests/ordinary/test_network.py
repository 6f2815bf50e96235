"""The network for ordinary language over a memory: newest wins, the past, pronouns, silence."""

from __future__ import annotations

import numpy as np
import pytest

import memnn
from memnn.ordinary.network import load
from memnn.ordinary.parameters import FAR
from memnn.types import Question

VERBS = (
    "is in", "ran to", "hurried to", "was seen in", "has gone to", "moved to", "wandered into",
    "is sitting in", "walked over to", "is hiding in", "made his way to", "drove to",
    "sneaked into", "ended up in", "stormed into", "is now in", "returned to",
    "slipped into", "crept into", "went down to",
)  # fmt: skip


@pytest.fixture
def net(ordinary):
    return ordinary.with_memory(memnn.RamMemory())


def test_the_newest_wins_however_it_is_said(ordinary):
    wrong = []
    for verb in VERBS:
        net = ordinary.with_memory(memnn.RamMemory())
        net.tell("Joe went to the kitchen. Mary is in the park.")
        net.tell(f"Joe {verb} the cellar.")
        answer = net.ask("Where is Joe?")
        if answer.text != "cellar":
            wrong.append((verb, answer.text))
    assert not wrong


def test_the_past_and_what_was_forgotten(net):
    net.tell("Joe went to the kitchen.")
    before = net.ask("Where is Joe?")
    net.tell("Joe is in the cellar.")
    net.tell("Zork went to the frobozz.")
    assert net.ask("Where is Joe?").text == "cellar"
    past = net.ask("Where is Joe?", as_of=1)
    assert (past.text, past.probability) == (before.text, before.probability)
    assert past.text == "kitchen"
    net.forget(2)
    net.forget(3)
    again = net.ask("Where is Joe?")
    assert (again.text, again.probability) == (before.text, before.probability)


def test_what_a_pronoun_was_taken_for_is_shown(net):
    net.tell("Mary went to the kitchen.")
    net.tell("Then she went to the cellar.")
    found = net.O(Question("Where is Mary?"), net.memory)
    assert found.said == "cellar"
    assert found.hops[-1].taken == (("she", "Mary"),)
    assert found.hops[-1].text == "Then she went to the cellar."
    net.forget(1)  # nobody is left whom she could be
    found = net.O(Question("Where is Mary?"), net.memory)
    assert found.hops[-1].taken == ()


def test_evidence_adds_up(net):
    net.tell("Joe took the lamp. Ann is in the garden. Joe went to the attic. Ann has a dog.")
    answer = net.ask("Where is the lamp?")
    for hop in answer.evidence:
        won = hop.decisive
        assert won is not None
        assert hop.score - won.against_score == pytest.approx(won.margin, abs=1e-4)
        assert sum(won.terms.values()) == pytest.approx(won.margin, abs=1e-4)


def test_nothing_told_answers_it(net):
    assert net.ask("Where is Joe?").reason == "I have not been told anything yet"
    net.tell("The weather is nice.")
    net.tell("Joe went to the kitchen.")
    asked = [
        "When is Greta's birthday?", "How much is the lamp?", "Where is Greta?",
        "Who has the lamp?", "Why did Greta leave?", "What is Joe's phone number?",
    ]  # fmt: skip
    declined = [answer for answer in map(net.ask, asked) if answer.abstained]
    assert len(declined) == len(asked)
    assert any("says nothing of" in answer.reason for answer in declined)


def test_a_long_memory_is_no_harder(net):
    net.tell([f"Person{i} is in the room of Person{i + 1}." for i in range(500)])
    net.tell("Joe is in the cellar.")
    net.tell([f"Person{i} likes soup." for i in range(500)])
    answer = net.ask("Where is Joe?")
    assert (answer.text, answer.evidence[0].id) == ("cellar", 501)


def test_a_model_is_the_same_after_saving(toy, tmp_path):
    net = toy.with_memory(memnn.RamMemory())
    net.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.model.id == net.model.id == memnn.load(tmp_path / "model").model.id
    for each in (net, again):
        each.tell("Joe went to the kitchen.")
    first, second = (each.O(Question("Where is Joe?"), each.memory) for each in (net, again))
    assert (first.said, first.probability) == (second.said, second.probability)
    (tmp_path / "model" / "weights.safetensors").write_bytes(b"")
    with pytest.raises(memnn.ModelError, match="is damaged"):
        load(tmp_path / "model")


def test_many_who_are_newer_do_not_outweigh_the_one_who_is_asked_for(net):
    net.tell(" ".join(f"Person{n} lives in City{n}." for n in range(60)))
    assert net.ask("Where does Person17 live?").text == "City17"


def test_what_is_likely_to_answer(net):
    """Among statements by their ids; one that is not there, or not yet, is all but impossible."""
    net.tell("Joe went to the kitchen. It rained. Joe is in the cellar.")
    ids = np.array([1, 3, 9])
    older, newer, nowhere = net.O.among("Where is Joe?", net.memory, ids)[0]
    assert newer > older > nowhere == FAR
    assert net.O.among("Where is Joe?", net.memory, ids, 2)[0][1] == FAR
