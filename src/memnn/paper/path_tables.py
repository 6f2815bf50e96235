"""The paper's tables and figures with the path network beside the paper's: same data, same seeds.

The simulated world of the paper, whose stories are the longest that a path network is trained on.
Word streams come to both as one segmenter cuts them; sentences are said by one kind of R.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import mean, stdev
from typing import Any

from memnn.network import MemoryNetwork
from memnn.paper.figures import FIGURE_1, FIGURE_3, RECIPES_3, ask_all, rename
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.shown import figure, table
from memnn.paper.stories import TASKS, data, streams
from memnn.paper.tables import COLUMNS3, COLUMNS4, COLUMNS5, ROWS4
from memnn.stories import network as paper_networks
from memnn.stories.evaluate import evaluate
from memnn.stories.examples import first_questions
from memnn.stories.recipe import Recipe
from memnn.stories.train import fit as fit_paper
from memnn.stories.train_recurrent import train_response
from memnn.stories.train_segmenter import train_segmenter
from memnn.support_paths import network as path_networks
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit as fit_paths
from memnn.text.cutting import segment
from memnn.types import Story

PAPER, PATHS = "MemNN k=2 (+time)", "paths"
SENTENCES = "Table 6 and Figure 2, LSTM as R"
STORY_1, STORY_3, RENAMED = "Figure 1", "Figure 3", "Figure 3, all names replaced"
ROWS = [
    *(f"Table 3, {column}" for column in COLUMNS3),
    *(f"Table 4, {row} questions, {column}" for row in ROWS4[:-1] for column in COLUMNS4),
    *(f"Table 5, {column}" for column in COLUMNS5),
    SENTENCES, STORY_1, STORY_3, RENAMED,
]  # fmt: skip
SAME = 2.0
"""Standard errors of the difference within which two figures are the same."""


def trained(column: str, train: list[Story], seed: int, recipe: Recipe) -> MemoryNetwork:
    """One network or the other."""
    if column == PATHS:
        return path_networks.network(fit_paths(train, PathRecipe(seed=seed)))
    return paper_networks.network(fit_paper(train, replace(recipe, seed=seed)))


def measure_both(cell: Cell, size: Size) -> Values:
    """One row by one network."""
    plain = Recipe(habits=False)
    place, *rest = cell.row.split(", ")
    if cell.row in (STORY_1, STORY_3, RENAMED):
        train, test = data(5, "actor+object", cell.seed, size)
        unseen = plain if cell.row == STORY_1 else RECIPES_3["--unseen --match"]
        net = trained(cell.column, train, cell.seed, unseen)
        if cell.row == RENAMED:
            return {"accuracy": evaluate(net, rename(test)).accuracy}
        return ask_all(net, *(FIGURE_1 if cell.row == STORY_1 else FIGURE_3))
    if cell.row == SENTENCES:
        train, test, _ = streams(5, "actor+object", cell.seed, size, sentences=True)
        net = trained(cell.column, train, cell.seed, plain)
        net.R = train_response(train, "lstm", seed=cell.seed)
    else:
        train, test = stories_of(place, rest, cell.seed, size)
        net = trained(cell.column, train, cell.seed, plain)
    result = evaluate(net, test)
    return {"accuracy": result.accuracy, "support_accuracy": result.support_accuracy}


def stories_of(
    place: str, rest: list[str], seed: int, size: Size
) -> tuple[list[Story], list[Story]]:
    """What Tables 3, 4 and 5 train on and are tested with."""
    difficulty, ask = TASKS[rest[-1]]
    if place == "Table 5":
        return data(difficulty, ask, seed, size)
    if place == "Table 3":
        train, test, _ = streams(difficulty, ask, seed, size)
        return train, test
    train, test = data(difficulty, ask, seed, size, stream=True)
    few = first_questions(train, min(int(rest[0].split()[0]), size.questions))
    segmenter = train_segmenter(few)
    return segment(few, segmenter)[0], segment(test, segmenter)[0]


def show_both(cells: list[dict[str, Any]]) -> list[str]:
    """Accuracies side by side, and whether they differ."""
    rows = []
    for row in ROWS:
        paper, paths = (
            [100 * cell["accuracy"] for cell in cells if (cell["row"], cell["column"]) == (row, by)]
            for by in (PAPER, PATHS)
        )
        if paper and paths:
            rows.append([row, figure(paper, 2), figure(paths, 2), _verdict(paper, paths)])
    return [table(["", PAPER, PATHS, "paths is"], rows)]


def _verdict(paper: list[float], paths: list[float]) -> str:
    """Better, worse, or neither: by more than two standard errors of the seeds' differences."""
    gaps = [b - a for a, b in zip(paper, paths, strict=False)]
    error = stdev(gaps) / len(gaps) ** 0.5 if len(gaps) > 1 else 0.0
    if abs(mean(gaps)) <= SAME * error or not mean(gaps):
        return "the same"
    return "better" if mean(gaps) > 0 else "worse"


BESIDE = Experiment(
    "paths",
    "The paper's tables and figures by the path network, beside the paper's",
    ROWS,
    [PAPER, PATHS],
    measure_both,
    show=show_both,
    extra=True,
    topic="The path network beside the paper's",
    quick_rows=[ROWS[0], STORY_1],
    torch_rows=frozenset({SENTENCES}),
    notes=[
        "Per cent. Word streams (Tables 3, 4 and 6) come to both networks as the segmenter cuts "
        "them. In Figure 3 the paper's network has `--unseen --match`.",
        "“The same”: the mean difference is within two standard errors, over the same seeds.",
    ],
)
