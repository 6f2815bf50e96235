"""The parameters of a reader: their names and sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memnn.kernels.arrays import Floats
from memnn.ordinary.passage import MARKS, PATH_MARKS
from memnn.ordinary.relations import RELATIONS
from memnn.ordinary.words import SHAPES

MEANING, LITERAL, SHAPE, TRAITS = 64, 32, 8, 2
WORD = MEANING + LITERAL + SHAPE + TRAITS
"""How many numbers a word is read as."""
HIDDEN, ALIKE, ALIGN, ASKED, COVER, COVERED, PAIR, TASTE, KIND = 96, 64, 48, 48, 64, 32, 32, 16, 32
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
HEADS = 6
"""Ways in which it looks at them in each layer."""
OTHERS = 10
"""Where there are more other statements than these, all pairs together count as much."""
CLEAR = 6.0
"""Differences of content beyond this say no more."""
FAR = -1e4
MORE = 4 * HIDDEN
"""Units of a layer in ACROSS that think about what was seen."""


def looking(more: int) -> dict[str, tuple[int, int]]:
    """What each of the layers in ACROSS has."""
    return {
        "look": (HIDDEN, 3 * HIDDEN), "seen": (HIDDEN, HIDDEN), "related": (len(RELATIONS), HEADS),
        "more": (HIDDEN, more), "less": (more, HIDDEN),
    }  # fmt: skip


def shapes(
    literals: int, dim: int, said: int, across: Sequence[str] = ACROSS, more: int = MORE,
    supported: bool = True,
) -> dict[str, tuple[int, ...]]:  # fmt: skip
    """The parameters by name: a matrix has a row for each input, a vector is added."""
    d, word, said = HIDDEN, WORD, max(said, MEASURED)
    marks = LEARNT_MARKS + len(MARKS)
    sizes: dict[str, tuple[int, ...]] = {
        "meaning": (dim, MEANING), "alike": (dim, ALIKE), "literal": (literals + 1, LITERAL),
        "shape": (SHAPES, SHAPE), "aligned": (3,),
    }  # fmt: skip
    layers = {
        "asked_first": (word + 2, 3 * d), "asked_second": (d, 3 * d), "asked": (3 * d, d),
        "asked_again": (3 * d, d),
        "first": (word + marks, 3 * d), "align_told": (d, ALIGN), "align_asked": (d, ALIGN),
        "told": (d, d), "told_asked": (d, d), "told_both": (d, d), "told_for": (d, d),
        "told_aligned": (d, d), **dict.fromkeys(WIDE, (d, 3 * d)),
        "path": (d, 3 * d), "path_marks": (len(PATH_MARKS), 3 * d),
        "cover_asked": (d, ASKED), "cover_told": (d, COVERED),
        "cover": (ASKED + COVERED + 6, COVER), "whole": (2 * d + 2 * COVER, d), "content": (d, 1),
        "taste": (d, TASTE), "changes": (d, CHANGES),
        "pair": (TASTE + PAIRED + 2 * CHANGES, PAIR),
        "pair_out": (PAIR, 1), "stop": (2 * d + COVER, d), "stop_out": (d, 1), "inside": (d, 3),
        "say": (3 * d + 2 * COVER, d), "say_out": (d, said),
        "kind_asked": (d, KIND), "kind_told": (dim + SHAPES, KIND),
        **{f"{name}_{part}": size for name in across for part, size in looking(more).items()},
        "judge": (3 * d + 2 * COVER + 3 + MEASURED + KIND, d), "judge_out": (d, 1),
    }  # fmt: skip
    if supported:
        layers |= {"supported": (3 * d, d), "supported_out": (d, 1)}
    for name, size in layers.items():
        sizes[name] = size
        if name not in WITHOUT_BIAS:
            sizes[f"{name}.b"] = (d,) if name in WINDOWS else (size[1],)
    return sizes


def layers_of(parameters: Iterable[str]) -> Sequence[str]:
    """Those of ACROSS that a reader has: readers of before have fewer, none has nothing."""
    names = set(parameters)
    return [name for name in ACROSS if f"{name}_look" in names] or ACROSS


def more_of(parameters: Mapping[str, Floats]) -> int:
    """How many units think in each of its layers: readers of before have fewer of these, too."""
    return next((p.shape[-1] for name, p in parameters.items() if name.endswith("_more")), MORE)


def judges_all(parameters: Iterable[str]) -> bool:
    """Whether it says of all statements together if they answer a question: readers of before
    judge paths alone."""
    return "supported" in parameters or not set(parameters)


WINDOWS = frozenset({"first", "asked_first", "asked_second", "path", *WIDE})
WITHOUT_BIAS = frozenset({
    "told_both", "told_for", "told_aligned", "pair_out", "align_told", "align_asked", "path_marks",
    *(f"{name}_related" for name in ACROSS),
})  # fmt: skip
