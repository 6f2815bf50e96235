"""The four components of §2: I, G, O and R, each a small protocol with the paper's own part.

Python users pass objects; the command line knows the R components by the names in `RESPONSES`.
"""

from __future__ import annotations

from collections.abc import Callable

from memnn.components.generalization import Generalization, Store
from memnn.components.input import Input, Sentences
from memnn.components.output import OutputMap, Supports
from memnn.components.response import MemoryResponse, Response, WordResponse
from memnn.errors import UnknownName
from memnn.features.dictionary import Dictionary
from memnn.features.layout import Layout
from memnn.kernels.embed import Floats
from memnn.recipe import Recipe

__all__ = [
    "RESPONSES",
    "Generalization",
    "Input",
    "MemoryResponse",
    "OutputMap",
    "Response",
    "Sentences",
    "Store",
    "Supports",
    "WordResponse",
    "response_named",
]

MakeResponse = Callable[[Dictionary, Layout, Floats, Recipe], Response]

RESPONSES: dict[str, MakeResponse] = {
    "word": WordResponse,
    "memory": lambda dictionary, layout, U_R, recipe: MemoryResponse(dictionary),
}


def response_named(name: str) -> MakeResponse:
    try:
        return RESPONSES[name]
    except KeyError:
        raise UnknownName("response", name, RESPONSES) from None
