"""LlamaIndex: a memory as a retriever. Needs `llama-index-core`."""

from __future__ import annotations

import json
from typing import Any

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "llama_index":
        raise
    from memnn.errors import InputError

    raise InputError(
        "this needs the package llama-index-core: pip install 'memnn[llama-index]'"
    ) from None

from memnn.as_json import slot_json
from memnn.network import Network
from memnn.types import FoundSlot


class MemnnNodeRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]
    """Finds what a network was told: `MemnnNodeRetriever(net, k=5).retrieve("Where …?")`."""

    def __init__(self, network: Network, k: int = 10, **filters: Any) -> None:
        """`filters` are those of `net.search`: `speaker`, `since`, `until`, `meta` …"""
        self.network, self.k, self.filters = network, k, filters
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self.network.search(query_bundle.query_str, self.k, **self.filters)
        return [NodeWithScore(node=_node(each), score=each.score) for each in found]


def _node(found: FoundSlot) -> TextNode:
    about: dict[str, Any] = {**slot_json(found.slot)}
    text = about.pop("text")
    if "meta" in about:  # values there must be flat
        about["meta"] = json.dumps(about["meta"])
    return TextNode(text=text, id_=str(found.id), metadata=about)
