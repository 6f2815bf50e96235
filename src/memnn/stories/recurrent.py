"""R as RNN or LSTM (§3.1): it reads [x, m_o1, m_o2] word by word and writes the answer.

"The RNN is fed the sequence [x, o_1, o_2, r]. At test time we output its prediction r given
[x, o_1, o_2]": greedy, one word after another, until it says stop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.components import abstain
from memnn.stories.language_model import LanguageModel, one_thread, require_torch
from memnn.stories.response import unsupported
from memnn.types import Answer, Output

AT_ONCE = 256


class RecurrentResponse:
    """A language model conditioned on what O found.

    `longest` limits the words of an answer. `written` has the answers that are not written as
    their words in a row ("n s" is written "n,s"), so that these come out as they were learnt.
    """

    def __init__(
        self, model: LanguageModel, longest: int, written: Mapping[str, str] | None = None
    ) -> None:
        self.model = model
        self.longest = longest
        self.written = dict(written or {})

    def __call__(self, output: Output) -> Answer:
        return self.respond([output])[0]

    def respond(self, outputs: Sequence[Output]) -> list[Answer]:
        """Many answers at once: the same as one by one, and faster."""
        answers = [self._refused(output) for output in outputs]
        asked = [i for i, answer in enumerate(answers) if answer is None]
        # Sentences of about the same length together: less padding to read.
        inputs = {i: self.sequence(outputs[i]) for i in asked}
        asked.sort(key=lambda i: len(inputs[i]))
        for start in range(0, len(asked), AT_ONCE):
            some = asked[start : start + AT_ONCE]
            said, logs = self._say([inputs[i] for i in some])
            for i, words, log in zip(some, said, logs, strict=True):
                text = self.model.text(words)
                answers[i] = (
                    Answer(self.written.get(text, text), log, evidence=outputs[i].hops)
                    if words
                    else abstain(outputs[i], "I found no words for an answer")
                )
        return [answer for answer in answers if answer is not None]

    def _refused(self, output: Output) -> Answer | None:
        """The rules of `WordResponse`: unknown words are said, not guessed."""
        # R knows the words it has read, whatever O makes of the story's own.
        known = replace(output, lexicon=None) if output.hops else output
        problem = unsupported(known, self.model.dictionary, final=True)
        return abstain(output, problem) if problem else None

    def sequence(self, output: Output) -> list[int]:
        return read_aloud(
            self.model, output.question.text, (hop.support.text for hop in output.hops)
        )

    def _say(self, inputs: list[list[int]]) -> tuple[list[list[int]], list[float]]:
        torch = require_torch("a recurrent network")
        rnn = torch.nn.utils.rnn
        net = self.model.net
        with torch.inference_mode(), one_thread():
            lengths = torch.tensor([len(words) for words in inputs])
            padded = rnn.pad_sequence([torch.tensor(words) for words in inputs])  # (T, B)
            packed = rnn.pack_padded_sequence(net["embed"](padded), lengths, enforce_sorted=False)
            _, state = net["cell"](packed)  # after the last word of each, not of the padding
            h = (state[0] if isinstance(state, tuple) else state)[0]  # (B, hidden)
            said, logs, _ = self.model.say(h, state, self.longest)
        return said, logs

    def settings(self) -> dict[str, Any]:
        """What must be known besides the weights, as JSON."""
        return {**self.model.settings(), "longest": self.longest, "written": self.written}

    def weights(self) -> dict[str, NDArray[np.float32]]:
        return self.model.weights()

    @classmethod
    def from_weights(
        cls, settings: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]]
    ) -> RecurrentResponse:
        model = LanguageModel.from_weights(settings, weights)
        return cls(model, settings["longest"], settings["written"])


def read_aloud(model: LanguageModel, question: str, supports: Iterable[str]) -> list[int]:
    """[x, m_o1, m_o2] as one sequence: x | m_o1 | m_o2 ask."""
    sequence = model.words(question)
    for text in supports:
        sequence += [model.bar, *model.words(text)]
    return [*sequence, model.ask]
