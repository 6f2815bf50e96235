"""A recurrent language model over words, shared by R (§3.1) and the baselines (§5.2).

PyTorch is imported when a model is made, never before: it comes with the extra `recurrent`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, ModelError, UnknownName
from memnn.stories.dictionary import Dictionary
from memnn.text.tokens import DEFAULT_TOKENISER, surface_words, tokeniser
from memnn.types import Story

if TYPE_CHECKING:
    import torch

    State: TypeAlias = torch.Tensor | tuple[torch.Tensor, torch.Tensor]

CELLS = ("lstm", "rnn")


def require_torch(what: str) -> Any:
    """PyTorch, or one line that says how to get it."""
    try:
        import torch
    except ImportError:
        raise InputError(f"{what} needs PyTorch: pip install 'memnn[recurrent]'") from None
    return torch


@contextmanager
def one_thread() -> Iterator[None]:
    """The same sums in the same order every time; small cells are fastest so, too."""
    torch = require_torch("a recurrent network")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def vocabulary(stories: Iterable[Story]) -> Dictionary:
    """Every word of statements, questions and answers, with the form in which it is said.

    How answers write a word outweighs how statements and questions do.
    """
    forms: dict[str, Counter[str]] = {}
    for story in stories:
        for line in story.lines:
            for form in surface_words(line.text):
                forms.setdefault(form.lower(), Counter())[form] += 1
        for question in story.questions:
            for form in surface_words(question.answer or ""):
                forms.setdefault(form.lower(), Counter())[form] += 1_000_000
    surfaces = tuple(counts.most_common(1)[0][0] for counts in forms.values())
    return Dictionary(words=tuple(forms), answers=surfaces)


class LanguageModel:
    """Words to vectors, an Elman or LSTM layer over them, and a score for every next word.

    Besides the |W| words it reads three signs: `stop` ends an answer, `bar` stands between the
    sentences of R's input, `ask` says that an answer comes next. Of these it can say `stop` alone.
    """

    def __init__(
        self, cell: str, dictionary: Dictionary, *, dim: int, hidden: int, seed: int = 0
    ) -> None:
        if cell not in CELLS:
            raise UnknownName("recurrent cell", cell, CELLS)
        torch = require_torch(f"the {cell.upper()}")
        nn = torch.nn
        W = len(dictionary.words)
        self.cell, self.dictionary, self.dim, self.hidden = cell, dictionary, dim, hidden
        self.stop, self.bar, self.ask = W, W + 1, W + 2
        self._row = {word: row for row, word in enumerate(dictionary.words)}
        self._tokenise = tokeniser(dictionary.tokeniser)
        with torch.random.fork_rng(devices=[]):  # the caller's own chance stays as it was
            torch.manual_seed(seed)
            self.net = nn.ModuleDict(
                {
                    "embed": nn.Embedding(W + 3, dim),
                    "cell": (nn.LSTM if cell == "lstm" else nn.RNN)(dim, hidden),
                    "out": nn.Linear(hidden, W + 1),
                }
            )
            if cell == "rnn":
                # Keeps what was read long ago: an orthogonal matrix neither shrinks nor blows up.
                nn.init.orthogonal_(self.net["cell"].weight_hh_l0)

    def words(self, text: str) -> list[int]:
        """A text in order; unknown words are left out."""
        return [self._row[word] for word in self._tokenise(text) if word in self._row]

    def text(self, words: Iterable[int]) -> str:
        return " ".join(self.dictionary.answers[w] for w in words)

    def read(self, words: torch.Tensor, state: State | None = None) -> tuple[torch.Tensor, State]:
        """Hidden states h after every word: (T, B) words to (T, B, hidden), and the last state."""
        h, state = self.net["cell"](self.net["embed"](words), state)
        return h, state

    def scores(self, h: torch.Tensor) -> torch.Tensor:
        """(…, hidden) to (…, |W| + 1): every word, then `stop`, as next."""
        scores: torch.Tensor = self.net["out"](h)
        return scores

    def say(
        self, h: torch.Tensor, state: State, longest: int
    ) -> tuple[list[list[int]], list[float], State]:
        """Greedy answers from the states after `ask`, h (B, hidden), each until its `stop`.

        Returns the words of each, their mean log-probabilities (`stop` included), and the state
        after the `stop` of the last of them.
        """
        torch = require_torch("a recurrent network")
        said: list[list[int]] = [[] for _ in range(len(h))]
        sums, open_ = [0.0] * len(h), set(range(len(h)))
        for step in range(longest + 1):
            p = torch.log_softmax(self.scores(h), dim=-1)  # (B, |W| + 1)
            if step == longest:
                p = p[:, self.stop :]  # long enough: what it says ends here
            logs, best = p.max(dim=-1)
            best = best + (self.stop if step == longest else 0)
            for b, (word, log) in enumerate(zip(best.tolist(), logs.tolist(), strict=True)):
                if b in open_:
                    sums[b] += log
                    if word == self.stop:
                        open_.remove(b)
                    else:
                        said[b].append(word)
            out, state = self.read(best.unsqueeze(0), state)
            if not open_:
                break
            h = out[0]
        return said, [s / (len(w) + 1) for s, w in zip(sums, said, strict=True)], state

    def settings(self) -> dict[str, Any]:
        """What must be known besides the weights, as JSON."""
        return {
            "cell": self.cell,
            "dim": self.dim,
            "hidden": self.hidden,
            "words": list(self.dictionary.words),
            "surfaces": list(self.dictionary.answers),
            "tokeniser": self.dictionary.tokeniser,
        }

    def weights(self) -> dict[str, NDArray[np.float32]]:
        state = self.net.state_dict()
        return {name: np.array(tensor.numpy(), np.float32) for name, tensor in state.items()}

    @classmethod
    def from_weights(
        cls, settings: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]]
    ) -> LanguageModel:
        dictionary = Dictionary(
            words=tuple(settings["words"]),
            answers=tuple(settings["surfaces"]),
            tokeniser=settings.get("tokeniser", DEFAULT_TOKENISER),
        )
        model = cls(settings["cell"], dictionary, dim=settings["dim"], hidden=settings["hidden"])
        torch = require_torch("a recurrent network")
        wanted = {name: tuple(tensor.shape) for name, tensor in model.net.state_dict().items()}
        if wanted != {name: array.shape for name, array in weights.items()}:
            raise ModelError("the weights of the recurrent network do not fit its words and sizes")
        model.net.load_state_dict(
            {name: torch.tensor(np.asarray(array)) for name, array in weights.items()}
        )
        return model


def cross_entropy(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Minus the mean log likelihood of the targets (M,) under scores (M, |W| + 1)."""
    F = require_torch("a recurrent network").nn.functional
    value: torch.Tensor = F.cross_entropy(scores, targets)
    return value


def detached(state: State) -> State:
    """The same state, through which no gradient goes back."""
    if isinstance(state, tuple):
        h, c = state
        return h.detach(), c.detach()
    return state.detach()


def step(model: LanguageModel, optimiser: Any, loss: torch.Tensor, clip: float) -> float:
    """One step down the gradient, its norm limited; the loss as a number, NaN and all."""
    torch = require_torch("a recurrent network")
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.net.parameters(), clip)
    optimiser.step()
    return float(loss.detach())


def diverged(losses: Sequence[float]) -> bool:
    return not all(math.isfinite(loss) for loss in losses)
