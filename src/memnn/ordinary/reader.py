"""What a reader has learnt, by name, and its layers; `reading` puts them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from memnn.kernels.arrays import Floats
from memnn.ordinary.across import AcrossLayer, Layer
from memnn.ordinary.lexicon import WordArrays
from memnn.ordinary.parameters import PAIR_PARTS, WITHOUT_BIAS, ReaderSize
from memnn.ordinary.passage import LinesInView
from memnn.ordinary.reading import PassageReading


@dataclass(frozen=True)
class PassageReader:
    """Parameters by their names in `shapes`."""

    parameters: Mapping[str, Floats]

    def __getitem__(self, name: str) -> Floats:
        return self.parameters[name]

    @cached_property
    def across(self) -> tuple[AcrossLayer, ...]:
        """In these every word looks at every other one."""
        return tuple(map(self._looking, self.size.across))

    @cached_property
    def again(self) -> tuple[AcrossLayer, ...]:
        """In these the words of a question and of a path do, once the path is known."""
        return tuple(map(self._looking, self.size.again))

    def _looking(self, name: str) -> AcrossLayer:
        parts = ("look", "seen", "more", "less")
        layers = (Layer(self[f"{name}_{part}"], self[f"{name}_{part}.b"]) for part in parts)
        return AcrossLayer(self[f"{name}_related"], *layers)

    @cached_property
    def size(self) -> ReaderSize:
        return ReaderSize.of(self.parameters)

    @cached_property
    def pairs(self) -> tuple[Floats, Floats, Floats]:
        """What counts of a pair of statements: both of them, the one, the other."""
        _, of_both, of_mine, of_its = np.split(self["pair"], PAIR_PARTS)
        return of_both, of_mine, of_its

    def layer(self, x: Floats, name: str) -> Floats:
        y: Floats = x @ self[name]
        if name not in WITHOUT_BIAS:
            y += self[f"{name}.b"]
        return y

    def words(self, arrays: WordArrays) -> Floats:
        """Words as numbers: (words, WORD)."""
        return np.concatenate(
            [
                arrays.vectors @ self["meaning"], self["literal"][arrays.literals],
                self["shape"][arrays.shapes], arrays.traits,
            ],
            axis=1,
        )  # fmt: skip

    def over(self, lines: LinesInView) -> PassageReading:
        """For paths over some lines: what depends on no path is done once."""
        return PassageReading(self, lines)
