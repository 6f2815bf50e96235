"""The four components of §2: I, G, O and R, each a small protocol with the paper's own part.

Python users pass objects; the command line knows the R components by the names in `RESPONSES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from memnn.components.generalization import Generalization, Store
from memnn.components.habits import Habits
from memnn.components.output import OutputMap, Supports
from memnn.components.response import MemoryResponse, Response, WordResponse
from memnn.errors import ModelError, UnknownName
from memnn.features.dictionary import Dictionary
from memnn.features.layout import Layout
from memnn.kernels.arrays import Floats
from memnn.recipe import Recipe
from memnn.text.sentences import Input, Sentences

__all__ = [
    "RECURRENT",
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

RECURRENT = ("rnn", "lstm")


class Parameters(Protocol):
    """What a component may need of a model."""

    @property
    def recipe(self) -> Recipe: ...
    @property
    def dictionary(self) -> Dictionary: ...
    @property
    def habits(self) -> Habits: ...
    @property
    def layout_R(self) -> Layout: ...
    @property
    def U_R(self) -> Floats: ...
    @property
    def R_settings(self) -> dict[str, Any]: ...
    @property
    def R_weights(self) -> dict[str, Floats]: ...


MakeResponse = Callable[[Parameters], Response]


def _recurrent(model: Parameters) -> Response:
    from memnn.components.recurrent import RecurrentResponse

    try:
        return RecurrentResponse.from_weights(model.R_settings, model.R_weights)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"the model's R is damaged ({error}); train it again") from None


RESPONSES: dict[str, MakeResponse] = {
    "word": lambda m: WordResponse(m.dictionary, m.layout_R, m.U_R, m.recipe, m.habits),
    "memory": lambda m: MemoryResponse(m.dictionary, m.habits),
    "rnn": _recurrent,
    "lstm": _recurrent,
}


def response_named(name: str) -> MakeResponse:
    try:
        return RESPONSES[name]
    except KeyError:
        raise UnknownName("response", name, RESPONSES) from None
