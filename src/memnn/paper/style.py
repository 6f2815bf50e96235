"""One look for every plot: colours that stay with a method, labels at the lines, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by the colour-blind, too (Okabe and Ito)."""
METHODS = {
    "paths": "#cc79a7",
    "memnn": "#0072b2",
    "strong": "#0072b2",
    "weak": "#d55e00",
    "joint": "#009e73",
    "rnn": "#d55e00",
    "lstm": "#009e73",
    "bm25": "#e69f00",
    "pytorch": "#d55e00",
    "numpy": "#009e73",
}
"""The colour of a method, wherever it is drawn: by the beginning of its name."""
STYLE: Any = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "grid.alpha": 0.25,
    "lines.linewidth": 2,
    "legend.frameon": False,
    "savefig.dpi": 130,
}
DARK = {"ground": "#14161c", "ink": "#e3e5ea"}
CELL = "cell"
"""The mark of texts that stand on a coloured ground of their own and keep their colour."""


def colour_of(method: str, others: int = 0) -> str:
    """The colour of a method by its name; of one that has none, by its place among others."""
    name = method.lower()
    found = [colour for start, colour in METHODS.items() if name.startswith(start)]
    return found[0] if found else COLOURS[others % len(COLOURS)]


@contextmanager
def picture(path: Path, panels: int = 1, size: tuple[float, float] = (8, 4.5)) -> Iterator[Any]:
    """The axes of a picture (one, or an array of them), written twice when they are filled: as
    `path`, and for dark pages as `…-dark.png` beside it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(1, panels, figsize=size, layout="constrained")
        try:
            yield axes
            figure.savefig(path)
            darken(figure)
            figure.savefig(dark_name(path))
        finally:
            pyplot.close(figure)


def dark_name(path: Path) -> Path:
    return path.with_name(f"{path.stem}-dark{path.suffix}")


def darken(figure: Any) -> None:
    """The same picture for dark pages: ground and ink change, colours stay."""
    from matplotlib.colors import to_rgb
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    def is_ink(colour: Any) -> bool:
        return isinstance(colour, str | tuple) and max(to_rgb(colour)) < 0.4

    figure.set_facecolor(DARK["ground"])
    for axes in figure.axes:
        axes.set_facecolor(DARK["ground"])
        axes.tick_params(colors=DARK["ink"], which="both")
        for spine in axes.spines.values():
            spine.set_color(DARK["ink"])
    for text in figure.findobj(Text):
        if text.get_gid() != CELL and is_ink(text.get_color()):
            text.set_color(DARK["ink"])
    for line in figure.findobj(Line2D):
        if is_ink(line.get_color()):
            line.set_color(DARK["ink"])
            line.set_markeredgecolor(DARK["ink"])


def label_ends(axes: Any, ends: dict[str, tuple[float, str]]) -> None:
    """A name beside the end of each line, `(y, colour)`, moved down where lines end close by."""
    low, high = axes.get_ylim()
    at = high + (high - low)
    for name, (y, colour) in sorted(ends.items(), key=lambda item: -item[1][0]):
        at = min(y, at - (high - low) * 0.055)
        axes.text(
            1.02, at, name, transform=axes.get_yaxis_transform(), color=colour, va="center",
            fontsize=9,
        )  # fmt: skip
