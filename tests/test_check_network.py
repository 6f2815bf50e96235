"""Every network of the package passes the public checks, and the checks can fail."""

from __future__ import annotations

import pytest

import memnn
from memnn.components import Response, abstain
from memnn.dialogue.network import Ensemble
from memnn.facts.response import FactResponse
from memnn.generalization import Append
from memnn.stories.network import network
from memnn.testing import check_network
from memnn.text.sentences import Sentences
from memnn.types import Answer, Output


def test_a_story_network(trained):
    check_network(lambda: trained.with_memory(memnn.RamMemory()))


def test_a_story_network_on_a_store(trained, tmp_path):
    made = iter(range(100))
    check_network(lambda: network(trained.model, memnn.open_memory(tmp_path / f"{next(made)}.db")))


def test_a_path_network(over_paths):
    check_network(lambda: over_paths.with_memory(memnn.RamMemory()))


def test_a_path_network_on_a_store(over_paths, tmp_path):
    made = iter(range(100))
    check_network(lambda: over_paths.with_memory(memnn.open_memory(tmp_path / f"{next(made)}.db")))


def test_a_facts_network(facts_model):
    check_network(
        lambda: memnn.MemoryNetwork(
            I=Sentences(), G=Append(), O=facts_model.lookup(), R=FactResponse(0.0)
        )
    )


@pytest.mark.parametrize("rule", [Ensemble, Ensemble.of_the_paper])
def test_an_ensemble(small, rule):
    net = rule(small)
    check_network(lambda: net.with_memory(memnn.RamMemory()))


class Last(Response):
    """Anybody's own."""

    def __call__(self, output: Output) -> Answer:
        if not output.hops:
            return abstain(output, "nothing was told")
        return Answer(output.hops[-1].text, 1.0, evidence=output.hops)


def test_anybody_s_own(trained):
    check_network(lambda: memnn.MemoryNetwork(I=trained.I, G=trained.G, O=trained.O, R=Last()))


class Forgetful(memnn.MemoryNetwork):
    def forget(self, id: int) -> None:
        """Only says so."""


class Silent(Response):
    def __call__(self, output: Output) -> Answer:
        return Answer("I don't know", 0.0, abstained=True)


@pytest.mark.parametrize(
    ("made", "broken"),
    [
        (lambda n: Forgetful(I=n.I, G=n.G, O=n.O, R=n.R), "what is forgotten is gone"),
        (lambda n: memnn.MemoryNetwork(I=n.I, G=n.G, O=n.O, R=Silent()), "who abstains says why"),
    ],
)
def test_what_is_no_network_is_found(trained, made, broken):
    with pytest.raises(AssertionError, match=broken):
        check_network(lambda: made(trained))
