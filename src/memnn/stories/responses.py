"""R by the names that recipes and the command line know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from memnn.components import Response
from memnn.errors import ModelError, UnknownName
from memnn.folder import STRANGE
from memnn.kernels.arrays import Floats
from memnn.layout import Layout
from memnn.stories.dictionary import Dictionary
from memnn.stories.invariants import Habits
from memnn.stories.recipe import Recipe
from memnn.stories.response import MemoryResponse, WordResponse

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
    from memnn.stories.recurrent import RecurrentResponse

    try:
        return RecurrentResponse.from_weights(model.R_settings, model.R_weights)
    except (*STRANGE, RuntimeError) as error:  # RuntimeError: shapes that PyTorch refuses
        what = " ".join(str(error).split())
        raise ModelError(f"the model's R is damaged ({what}); train it again") from None


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
