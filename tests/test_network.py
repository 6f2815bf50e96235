"""The network as users meet it: tell, ask, forget, as_of, evidence."""

from __future__ import annotations

import numpy as np
import pytest

import memnn
from memnn.generalization import Append
from memnn.kernels.write_time import CODES, phi_t
from memnn.stories.response import WordResponse
from memnn.types import Answer, Output, Slot

FIGURE_1 = (
    "Joe went to the kitchen. Fred went to the kitchen. Joe picked up the milk. "
    "Joe travelled to the office. Joe left the milk. Joe went to the bathroom."
)


def test_figure_1(net):
    net.tell(FIGURE_1)
    milk = net.ask("Where is the milk now?")
    assert milk.text == "office"
    assert [hop.text for hop in milk.evidence] == [
        "Joe left the milk.",
        "Joe travelled to the office.",
    ]
    assert net.ask("Where is Joe?").text == "bathroom"
    assert net.ask("Where was Joe before the office?").text == "kitchen"


def test_the_newest_fact_wins_and_history_stays_askable(net):
    slots = net.tell("Joe went to the kitchen. Joe went to the garden. Joe went to the office.")
    assert net.ask("Where is Joe?").text == "office"
    assert net.ask("Where was Joe before the office?").text == "garden"
    assert net.ask("Where is Joe?", as_of=slots[0].id).text == "kitchen"
    assert net.ask("Where is Joe?", as_of=0).abstained


def test_asking_as_of_a_time(net):
    for day, room in enumerate(("kitchen", "garden", "office"), start=1):
        net.memory.write(f"Joe went to the {room}.", time=f"2026-01-0{day}T12:00:00Z")
    assert net.ask("Where is Joe?", as_of="2026-01-02T12:00:00Z").text == "garden"
    assert net.ask("Where is Joe?", as_of="2026-01-02T11:59:59Z").text == "kitchen"


def test_nothing_that_was_told_supports_an_answer(net):
    net.tell("Joe went to the kitchen. Fred went to the office.")
    for question, missing in (
        ("Where is Dan?", "Dan"),
        ("Where is the football?", "football"),
        ("Where was Joe before the garden?", "garden"),
    ):
        answer = net.ask(question)
        assert answer.abstained
        assert answer.reason == f"nothing I was told mentions {missing}"
    assert net.ask("Where is Fred?", as_of=1).reason == "nothing I was told mentions Fred"
    net.forget(2)
    assert net.ask("Where is Fred?").abstained


def test_a_repeated_fact_is_a_new_event(net):
    net.tell("Joe went to the kitchen. Joe went to the office. Joe went to the kitchen.")
    answer = net.ask("Where is Joe?")
    assert (answer.text, answer.evidence[0].id) == ("kitchen", 3)


def test_forgetting(net):
    net.tell("Joe went to the kitchen. Joe went to the garden.")
    net.forget(2)
    assert net.ask("Where is Joe?").text == "kitchen"
    with pytest.raises(memnn.InputError, match="no memory with id 2"):
        net.forget(2)
    assert net.tell("Joe went to the office.")[0].id == 3
    assert net.ask("Where is Joe?").text == "office"


def test_evidence_adds_up(net):
    """margin = content + write time, and it is the triple score of Eq. 10 in the weights."""
    net.tell(FIGURE_1)
    model = net.model
    W, rows = len(model.dictionary), model.dictionary.rows
    U = model.U_O.astype(float)
    for question in ("Where is the milk now?", "Where is Joe?", "Where was Joe before the office?"):
        x = U[rows(question)].sum(0)
        t_x = 7
        for hop in net.ask(question).evidence:
            c = [x @ U[[2 * W + w for w in rows(s.text)]].sum(0)
                 for s in (hop.support, hop.decisive.against)]  # fmt: skip
            assert hop.score == pytest.approx(c[0], abs=1e-4)
            assert hop.decisive.against_score == pytest.approx(c[1], abs=1e-4)
            won = hop.id > hop.decisive.against.id
            newer, older = (
                max(hop.id, hop.decisive.against.id),
                min(hop.id, hop.decisive.against.id),
            )
            f = np.array(phi_t(CODES["ordered"], t_x, newer, older))
            time = x @ U[3 * W :].T @ f * (1 if won else -1)
            assert hop.decisive.write_time == pytest.approx(time, abs=1e-4)
            assert hop.decisive.content == pytest.approx(c[0] - c[1], abs=1e-4)
            assert hop.decisive.margin >= 0
            x = x + U[[W + w for w in rows(hop.text)]].sum(0)
            t_x = hop.id


def test_one_memory_has_no_rival(net):
    net.tell("Joe went to the kitchen.")
    (hop,) = net.ask("Where is Joe?").evidence
    assert hop.decisive is None


def test_respond_tells_statements_from_questions(net):
    said = list(net.respond("Joe went to the kitchen. Where is Joe? where is joe\nFred left."))
    assert [type(s) for s in said] == [Slot, Answer, Answer, Slot]


def test_a_slot_choice_that_names_nothing_changes_nothing(net):
    G = Append(H=lambda statement, memory: 77)
    with pytest.raises(memnn.InputError, match="no memory with id 77"):
        G(memnn.Statement("Joe left."), net.memory)
    assert len(net.memory) == 0


@pytest.mark.parametrize(
    "text",
    ["", "  ", "...", "Where is Joe?", "Joe left. Where is he?", "Joe left. " + "x" * 10_001],
)
def test_nothing_to_tell(net, text):
    with pytest.raises(memnn.InputError):
        net.tell(text)
    assert len(net.memory) == 0


def test_parts_are_replaceable(net):
    """An R of one's own, an H that keeps two memories only."""

    class Shout:
        def __call__(self, output: Output) -> Answer:
            return Answer(output.hops[-1].text.upper(), 1.0, evidence=output.hops)

    def keep_two(statement, memory):
        return next(memory.scan()).id if len(memory) >= 2 else None

    mine = memnn.MemoryNetwork(I=net.I, G=Append(H=keep_two), O=net.O, R=Shout())
    mine.tell("Joe went to the kitchen. Fred went to the office. Dan went to the garden.")
    assert [slot.id for slot in mine.memory.scan()] == [2, 3]
    assert mine.ask("Where is Dan?").text == "DAN WENT TO THE GARDEN."
    with pytest.raises(memnn.InputError, match="no model"):
        mine.save("anywhere")


def test_one_component_serves_many_memories(trained):
    one, two = (trained.with_memory(memnn.RamMemory()) for _ in range(2))
    one.tell("Joe went to the kitchen.")
    two.tell("Joe went to the office.")
    for _ in range(2):
        assert one.ask("Where is Joe?").text == "kitchen"
        assert two.ask("Where is Joe?").text == "office"


def test_unknown_words_are_said_not_guessed(net):
    net.tell("Joe went to the cave. Fred went to the office.")
    assert net.ask("Where is Fred?").text == "office"
    cave = net.ask("Where is Joe?")
    assert (cave.abstained, cave.text) == (True, "I don't know")
    assert "cave" in cave.reason
    assert "Gollum" in net.ask("Where is Gollum?").reason


def test_stories_in_other_scripts(net):
    net.tell("Иван пошёл на кухню. 乔去了厨房。 Joe went to the office. 🥛")
    assert net.ask("Where is Joe?").text == "office"


def test_word_response_without_a_network(trained):
    model = trained.model
    R = WordResponse(model.dictionary, model.layout_R, model.U_R, model.recipe)
    assert R(Output(memnn.Question("Where is Joe?"), ())).abstained


def test_contents_are_what_the_evidence_was_chosen_from(net):
    net.tell(FIGURE_1)
    for question in ("Where is the milk now?", "Where was Joe before the office?"):
        evidence = net.ask(question).evidence
        contents = net.O.contents(question, net.memory)
        assert len(contents) == len(evidence) == 2
        for hop, scores in zip(evidence, contents, strict=True):
            assert len(scores) == 6
            assert scores[hop.id - 1] == pytest.approx(hop.score, abs=1e-5)
            assert scores[hop.decisive.against.id - 1] == pytest.approx(
                hop.decisive.against_score, abs=1e-5
            )
