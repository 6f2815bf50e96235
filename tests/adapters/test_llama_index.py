"""LlamaIndex's retriever, with LlamaIndex itself."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")

from memnn.adapters.llama_index import MemnnNodeRetriever
from tests.adapters.simple import simple_network


def test_a_retriever():
    net = simple_network()
    net.tell("I moved to Oslo.", speaker="Bob", said="2023-05-08T12:00:00Z", meta={"a": [1]})
    net.tell("I live in Rome.", speaker="Ann")
    (first,) = MemnnNodeRetriever(net, 1).retrieve("Where did Bob move?")
    assert (first.node.get_content(), first.node.node_id) == ("I moved to Oslo.", "1")
    assert first.score > 0
    assert first.node.metadata["said"].startswith("2023-05-08")
    found = MemnnNodeRetriever(net, speaker="Ann").retrieve("Who lives or moved where?")
    assert [each.node.node_id for each in found] == ["2"]
    assert asyncio.run(MemnnNodeRetriever(net).aretrieve("Oslo"))[0].node.node_id == "1"
