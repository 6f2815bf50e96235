"""The parameters of a reader: their names and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memnn.kernels.arrays import Floats
from memnn.ordinary.passage import MARKS, PATH_MARKS
from memnn.ordinary.relations import RELATIONS
from memnn.ordinary.words import SHAPES

MEANING, LITERAL, SHAPE, TRAITS = 64, 32, 8, 2
WORD = MEANING + LITERAL + SHAPE + TRAITS
"""How many numbers a word is read as."""
ALIKE, ALIGN, ASKED, COVER, COVERED, PAIR, TASTE, KIND = 64, 48, 48, 64, 32, 32, 16, 32
WIDE = {"wide": 2, "wider": 4}
"""Windows over words that stand this far apart."""
LEARNT_MARKS = 3
"""Marks of a word that depend on what was learnt: in the question, or like a word of it."""
MEASURED = 3
"""Of how probable it is to say something, the first that the judgement looks at."""
PAIRED, CHANGES = 9, 8
"""What is known of two statements beside the question, and what each of them says of changes."""
PAIR_PARTS = (TASTE, TASTE + PAIRED, TASTE + PAIRED + CHANGES)
"""Where the rows of the layer for pairs are parted."""
ACROSS = tuple(f"across_{n}" for n in ("first", "second", "third", "fourth", "fifth", "sixth"))
"""Layers in which every word looks at every other one, of the question and of all statements."""
AGAIN = ("again_first", "again_second")
"""Layers in which the words of the question and of a path look at each other once it is known."""
POOLED_AGAIN = 5
"""What is said of these words as a whole: the question's largest and first two, the path's largest
and their sum."""
SIGNS = 3
"""A word of a path is left out, added or taken away, where a number is worked out."""
OTHERS = 10
"""Where there are more other statements than these, all pairs together count as much."""
CLEAR = 6.0
"""Differences of content beyond this say no more."""
FAR = -1e4


class ReaderSize(NamedTuple):
    """How large a reader is. Readers of before are smaller."""

    hidden: int = 128
    """How many numbers a word is read as with its surroundings, and most else."""
    heads: int = 8
    """Ways in which words look at each other, in each layer of `across`."""
    across: Sequence[str] = ACROSS
    more: int = 512
    """Units of such a layer that think about what was seen."""
    supported: bool = True
    """Whether it says of all statements together if they answer a question."""
    again: Sequence[str] = AGAIN
    again_more: int = 256
    """Units of these layers that think about what was seen."""

    @classmethod
    def of(cls, parameters: Mapping[str, Floats]) -> ReaderSize:
        """None has no parameters."""
        if not parameters:
            return cls()
        across = [name for name in ACROSS if f"{name}_look" in parameters]
        heads = parameters[f"{ACROSS[0]}_related"].shape[1]
        hidden, more = parameters[f"{ACROSS[0]}_more"].shape
        if not heads or hidden % heads:
            raise ValueError(f"{heads} heads do not part {hidden} units")
        again = [name for name in AGAIN if f"{name}_look" in parameters]
        again_more = parameters[f"{AGAIN[0]}_more"].shape[1] if again else 0
        return cls(hidden, heads, across, more, "supported" in parameters, again, again_more)


Parts = tuple[int, ...]
"""What stands side by side in the rows or in the columns of a matrix: how many of each."""


def parts(literals: int, dim: int, said: int, size: ReaderSize) -> dict[str, tuple[Parts, Parts]]:
    """Of each matrix by name, the parts of its inputs and of its outputs."""
    d, more, cover = size.hidden, size.more, 2 * COVER
    read, window = WORD + LEARNT_MARKS + len(MARKS), (d, d, d)
    layers: dict[str, tuple[Parts, Parts]] = {
        "meaning": ((dim,), (MEANING,)), "alike": ((dim,), (ALIKE,)),
        "literal": ((literals + 1,), (LITERAL,)), "shape": ((SHAPES,), (SHAPE,)),
        "asked_first": ((WORD + 2,), window), "asked_second": ((d,), window),
        "asked": ((d, d, d), (d,)), "asked_again": ((d, d, d), (d,)),
        "first": ((read,), window), "align_told": ((d,), (ALIGN,)),
        "align_asked": ((d,), (ALIGN,)), "told": ((d,), (d,)), "told_asked": ((d,), (d,)),
        "told_both": ((d,), (d,)), "told_for": ((d,), (d,)), "told_aligned": ((d,), (d,)),
        **dict.fromkeys(WIDE, ((d,), window)),
        "path": ((d,), window), "path_marks": ((len(PATH_MARKS),), window),
        "cover_asked": ((d,), (ASKED,)), "cover_told": ((d,), (COVERED,)),
        "cover": ((ASKED + COVERED + 6,), (COVER,)), "whole": ((d, d, cover), (d,)),
        "content": ((d,), (1,)), "taste": ((d,), (TASTE,)), "changes": ((d,), (CHANGES,)),
        "pair": ((TASTE + PAIRED + 2 * CHANGES,), (PAIR,)), "pair_out": ((PAIR,), (1,)),
        "stop": ((d, d, COVER), (d,)), "stop_out": ((d,), (1,)), "inside": ((d,), (3,)),
        "say": ((d, d, d, cover), (d,)), "say_out": ((d,), (max(said, MEASURED),)),
        "kind_asked": ((d,), (KIND,)), "kind_told": ((dim + SHAPES,), (KIND,)),
        "judge": ((d, d, cover, d, 3 + MEASURED + KIND), (d,)), "judge_out": ((d,), (1,)),
    }  # fmt: skip
    units = dict.fromkeys(size.across, more) | dict.fromkeys(size.again, size.again_more)
    for name, between in units.items():
        layers |= {
            f"{name}_look": ((d,), window), f"{name}_seen": ((d,), (d,)),
            f"{name}_related": ((len(RELATIONS),), (size.heads,)),
            f"{name}_more": ((d,), (between,)), f"{name}_less": ((between,), (d,)),
        }  # fmt: skip
    if size.again:
        layers |= {
            "again": ((d,) * POOLED_AGAIN, (d,)), "again_say": ((d,), (max(said, MEASURED),)),
            "again_inside": ((d,), (3,)), "again_signs": ((d,), (SIGNS,)),
            "again_judge": ((d,), (1,)),
        }  # fmt: skip
    if size.supported:
        layers |= {"supported": ((d, d, d), (d,)), "supported_out": ((d,), (1,))}
    return layers


def shapes(
    literals: int, dim: int, said: int, size: ReaderSize | None = None
) -> dict[str, tuple[int, ...]]:
    """The parameters by name: a matrix has a row for each input, a vector is added."""
    size = size or ReaderSize()
    sizes: dict[str, tuple[int, ...]] = {"aligned": (3,)}
    for name, (rows, columns) in parts(literals, dim, said, size).items():
        sizes[name] = (sum(rows), sum(columns))
        if name not in WITHOUT_BIAS:
            sizes[f"{name}.b"] = (size.hidden if name in WINDOWS else sum(columns),)
    return sizes


WINDOWS = frozenset({"first", "asked_first", "asked_second", "path", *WIDE})
WITHOUT_BIAS = frozenset({
    "meaning", "alike", "literal", "shape", "told_both", "told_for", "told_aligned", "pair_out",
    "align_told", "align_asked", "path_marks",
    *(f"{name}_related" for name in (*ACROSS, *AGAIN)),
})  # fmt: skip
