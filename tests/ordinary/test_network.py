"""A network for ordinary language over a memory: newest wins, the past, pronouns, silence."""

from __future__ import annotations

import pytest

import memnn
from memnn.ordinary.model import load as load_model
from memnn.ordinary.network import load, network
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import train_ordinary
from memnn.types import Question


@pytest.fixture
def net(ordinary):
    return ordinary.with_memory(memnn.RamMemory())


def test_the_newest_wins_however_it_is_said(net):
    for text in ("Joe went to the kitchen.", "Mary is in the park.", "Joe is in the cellar."):
        net.tell(text)
    found = net.O(Question("Where is Joe?"), net.memory)
    assert (found.said, [hop.id for hop in found.hops]) == ("cellar", [3])


def test_the_past_and_what_was_forgotten(net):
    net.tell("Joe went to the kitchen.")
    before = net.O(Question("Where is Joe?"), net.memory)
    net.tell("Joe is in the cellar.")
    net.tell("Zork went to the frobozz.")
    past = net.O(Question("Where is Joe?"), net.memory, 1)
    assert (
        (past.said, past.probability)
        == (before.said, before.probability)
        == ("kitchen", before.probability)
    )
    net.forget(2)
    net.forget(3)
    again = net.O(Question("Where is Joe?"), net.memory)
    assert (again.said, again.probability) == (before.said, before.probability)


def test_a_pronoun_is_resolved_when_it_is_heard(net):
    net.tell("Mary went to the kitchen.")
    net.tell("Then she went to the cellar.")
    found = net.O(Question("Where is Mary?"), net.memory)
    assert found.said == "cellar"
    assert found.hops[0].taken == (("she", "Mary"),)
    assert found.hops[0].text == "Then she went to the cellar."
    net.forget(1)  # nobody is left whom she could be
    found = net.O(Question("Where is Mary?"), net.memory)
    assert found.hops[0].taken == ()


def test_nothing_told_answers_it(net):
    assert net.ask("Where is Joe?").reason == "I have not been told anything yet"
    net.tell("The weather is nice.")
    net.tell("Joe went to the kitchen.")
    asked = [
        "When is Greta's birthday?", "How much is the lamp?", "Where is Greta?",
        "Who has the lamp?", "Why did Greta leave?", "What is Joe's phone number?",
    ]  # fmt: skip
    declined = [answer for answer in map(net.ask, asked) if answer.abstained]
    assert len(declined) > len(asked) / 2, "small as it is"
    assert any("says nothing of" in answer.reason for answer in declined)


def test_words_of_a_question_that_nobody_knows_stay_out_of_the_memory(net):
    net.tell("Joe went to the kitchen.")
    for word in ("zork", "frobozz", "grue"):
        net.ask(f"Where is {word}?")
    view = net.O.read(net.memory)
    assert not {"zork", "frobozz", "grue"} & set(view.table.strangers)


def test_a_model_is_the_same_after_saving(net, tmp_path):
    net.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.model.id == net.model.id
    assert memnn.load(tmp_path / "model").model.id == net.model.id
    for each in (net, again):
        each.tell("Joe went to the kitchen.")
    first, second = (each.ask("Where is Joe?") for each in (net, again))
    assert (first.text, first.probability) == (second.text, second.probability)
    (tmp_path / "model" / "weights.safetensors").write_bytes(b"")
    with pytest.raises(memnn.ModelError, match="is damaged"):
        load_model(tmp_path / "model")


def test_every_part_can_be_left_out():
    recipe = OrdinaryRecipe(
        epochs=1, answer_epochs=1, judge_epochs=1, bits=12, answer_bits=12, judge_bits=10,
        like=0.0, unknown=0.0, vectors=False, pronouns=False, unsupported=False,
    )  # fmt: skip
    model = train_ordinary(questions=60, recipe=recipe).model
    net = network(model)
    net.tell("Joe went to the kitchen. He is in the cellar.")
    found = net.O(Question("Where is Joe?"), net.memory)
    assert found.hops
    assert not any(hop.taken for hop in found.hops)


def test_the_same_seed_gives_the_same_model():
    recipe = OrdinaryRecipe(
        epochs=1, answer_epochs=1, judge_epochs=1, bits=12, answer_bits=12, judge_bits=10
    )
    first, second = (train_ordinary(questions=80, recipe=recipe).model.id for _ in range(2))
    assert first == second
