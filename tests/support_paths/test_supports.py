"""O over paths: the past, the forgotten, the unknown, and evidence that adds up."""

from __future__ import annotations

import numpy as np
import pytest

import memnn
from memnn.generalization import Append
from memnn.kernels.path_features import MOST_WORDS
from memnn.network import MemoryNetwork
from memnn.stories.forgetting import LeastUseful, Oldest
from memnn.stories.train_utility import fit_utility
from memnn.types import Question

STORY = (
    "Joe went to the kitchen.",
    "Fred went to the garden.",
    "Joe took the milk.",
    "Joe went to the office.",
    "Joe dropped the milk.",
    "Joe went to the bathroom.",
)


@pytest.fixture
def net(over_paths):
    return over_paths.with_memory(memnn.RamMemory())


def found(net, question, as_of=None):
    return [hop.id for hop in net.ask(question, as_of=as_of).evidence]


def test_as_many_hops_as_a_question_needs(net):
    net.tell(" ".join(STORY))
    assert found(net, "Where is Fred?") == [2]
    assert found(net, "Where is the milk?") == [5, 4]
    assert net.ask("Where is the milk?").text == "office"


def test_the_past(net):
    net.tell(" ".join(STORY[:3]))
    before = net.ask("Where is the milk?")
    net.tell(" ".join(STORY[3:]))
    past = net.ask("Where is the milk?", as_of=3)
    assert (past.text, found(net, "Where is the milk?", 3)) == ("kitchen", [3, 1])
    assert [hop.score for hop in past.evidence] == [hop.score for hop in before.evidence]
    assert net.ask("Where is Joe?", as_of=0).reason == "I have not been told anything yet"


def test_what_is_told_later_does_not_change_the_past_of_unknown_words(net):
    """A word has one identity among strangers when it is asked about and another once told."""
    net.tell("Joe went to the kitchen. Fred went to the garden.")
    asked = ["Zork is where?", "Where is Joe zork?", "Zork zork?"]
    before = [net.model and net.O(Question(text), net.memory, 2) for text in asked]
    net.tell("The frobozz met Grue. Zork went to the office.")
    after = [net.O(Question(text), net.memory, 2) for text in asked]
    assert [[(h.id, h.score) for h in o.hops] for o in before] == [
        [(h.id, h.score) for h in o.hops] for o in after
    ]
    assert [o.missing for o in before] == [o.missing for o in after]


@pytest.mark.parametrize("name", ["Zork", "Xyzzy", "Plugh", "Naïve-Name"])
def test_a_name_never_seen_is_as_good_as_any_other(net, name):
    """What is read of a word that was never learnt is where it stands, not who it is."""
    scores = []
    for who in (name, "Grue"):
        fresh = net.with_memory(memnn.RamMemory())
        fresh.tell(f"Joe went to the kitchen. {who} went to the garden. Fred went to the office.")
        answer = fresh.ask(f"Where is {who}?")
        assert answer.text == "garden"
        scores.append([(hop.id, hop.score) for hop in answer.evidence])
        first = fresh.O(Question(f"{who} where is?"), fresh.memory)
        scores.append([(hop.id, hop.score) for hop in first.hops])
    assert scores[:2] == scores[2:]


def test_what_is_forgotten_is_gone(net):
    """As if it had never been told, the words and the times of others included."""
    net.tell(" ".join(STORY))
    assert net.ask("Where is Joe?").text == "bathroom"
    for forgotten in (6, 2, 5):
        net.forget(forgotten)
        left = [slot.text for slot in net.memory.scan()]
        twin = net.with_memory(memnn.RamMemory())
        twin.tell(" ".join(left))
        for question in ("Where is Joe?", "Where is the milk?", "Where is Fred?"):
            mine, other = net.ask(question), twin.ask(question)
            assert (mine.text, mine.reason) == (other.text, other.reason)
            assert [(h.text, h.score) for h in mine.evidence] == [
                (h.text, h.score) for h in other.evidence
            ]
    assert net.ask("Where is Fred?").abstained
    assert net.ask("Where is Joe?").text == "office"


@pytest.mark.parametrize("policy", ["oldest", "least useful"])
def test_a_full_memory_overwrites(net, policy):
    """H is plugged in as for the paper's network: what it overwrites is gone for O, too."""
    stories = memnn.simulate(statements=200, questions=60, story_length=10)
    H = Oldest(4) if policy == "oldest" else LeastUseful(4, fit_utility(stories))
    full = MemoryNetwork(I=net.I, G=Append(H), O=net.O, R=net.R, model=net.model)
    full.tell(" ".join(STORY))
    left = [slot.text for slot in full.memory.scan()]
    assert len(left) == 4
    assert left[-1] == STORY[-1]
    twin = net.with_memory(memnn.RamMemory())
    twin.tell(" ".join(left))
    for question in ("Where is Joe?", "Where is the milk?", "Where is Fred?"):
        assert full.ask(question).text == twin.ask(question).text
    assert full.ask("Where is Joe?").text == "bathroom"


def test_everything_forgotten(net):
    for slot in net.tell(" ".join(STORY)):
        net.forget(slot.id)
    assert net.ask("Where is Joe?").abstained


def test_terms_add_up(net):
    net.tell(" ".join(STORY))
    for question in ("Where is Joe?", "Where is the milk?", "Where was Joe before the office?"):
        for hop in net.ask(question).evidence:
            won = hop.decisive
            assert sum(won.terms.values()) == pytest.approx(won.margin)
            assert won.terms["write time"] == pytest.approx(won.write_time)
            assert won.against.id != hop.id


def test_the_evidence_of_the_best_path_wins(net):
    """Every step of the best path is at least as good as the path that was nearly taken."""
    net.tell(" ".join(STORY))
    first = net.ask("Where is Fred?").evidence[0]
    assert first.decisive.margin > 0


def test_one_memory(net):
    net.tell("Joe went to the kitchen.")
    (hop,) = net.ask("Where is Joe?").evidence
    assert hop.decisive is None
    assert net.ask("Where is Joe?").text == "kitchen"


def test_who_was_never_mentioned(net):
    net.tell(" ".join(STORY))
    answer = net.ask("Where is Gollum?")
    assert answer.abstained
    assert answer.reason == "nothing I was told mentions Gollum"
    assert not net.ask("Where is Fred?").abstained


@pytest.mark.parametrize(
    "question",
    ["?", "zork?", "Where " * 1_000 + "?", "Joe Joe Joe Joe?", "Is?", "7 8 9?", "北京在哪里?"],
    ids=lambda text: text[:12],
)
def test_any_question_has_an_answer(net, question):
    net.tell(" ".join(STORY))
    assert net.answer(Question(question)).text


def test_long_statements_are_read_in_part(net):
    filler = " ".join(f"word{n}" for n in range(MOST_WORDS))
    outputs = []
    for rest in ("", "Joe went to the office", "again " * 1_000):
        fresh = net.with_memory(memnn.RamMemory())
        fresh.tell(f"{filler} {rest}. Joe went to the kitchen. Fred went to the garden.")
        assert fresh.ask("Where is Joe?").text == "kitchen"
        outputs.append(fresh.O(Question("Where is word3?"), fresh.memory))
    scores = [[(hop.id, hop.score) for hop in output.hops] for output in outputs]
    assert scores[0] == scores[1] == scores[2]
    assert net.tell("Joe went to the kitchen " + "again " * 1_500)
    assert net.ask("Where is Joe?").text


def test_a_large_memory(net):
    names = [f"Person{n}" for n in range(500)]
    net.memory.write_many([f"{name} went to the garden." for name in names])
    net.tell("Joe went to the office.")
    assert net.ask("Where is Joe?").text == "office"
    assert net.ask("Where is Person77?").evidence[0].id == 78
    assert net.O(Question("Where is Joe?"), net.memory).looked_at == 501


def test_a_question_leaves_no_trace(net):
    """Marks are taken back: the same question, asked between others, has the same scores."""
    net.tell(" ".join(STORY))

    def scores():
        output = net.O(Question("Where is the milk?"), net.memory)
        return np.array([hop.score for hop in output.hops])

    before = scores()
    for question in ("Where is Joe?", "Where is Zork?", "milk?"):
        net.answer(Question(question))
    assert np.array_equal(scores(), before)
