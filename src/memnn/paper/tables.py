"""Tables 3 to 6 of the paper: the simulated world."""

from __future__ import annotations

from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.stories import (
    BASELINE_ROWS,
    MEMNN_ROWS,
    TASKS,
    baseline_accuracy,
    data,
    memnn_accuracy,
    streams,
)
from memnn.stories.evaluate import evaluate
from memnn.stories.examples import first_questions
from memnn.stories.network import network
from memnn.stories.recipe import Recipe
from memnn.stories.train import fit
from memnn.stories.train_recurrent import train_response
from memnn.stories.train_segmenter import train_segmenter
from memnn.text.cutting import segment


def table_of(rows: list[str], columns: list[str], figures: str) -> dict[tuple[str, str], float]:
    """The paper's figures from their rows, written as in the paper."""
    lines = [line.split() for line in figures.strip().splitlines()]
    return {
        (row, column): float(figure)
        for row, line in zip(rows, lines, strict=True)
        for column, figure in zip(columns, line, strict=True)
    }


def measure_table3(cell: Cell, size: Size) -> Values:
    difficulty, ask = TASKS[cell.column]
    if cell.row in BASELINE_ROWS:
        train, test = data(difficulty, ask, cell.seed, size, stream=True)
        return baseline_accuracy(cell.row, train, test, cell.seed, size)
    train, test, exact = streams(difficulty, ask, cell.seed, size)
    values = memnn_accuracy(train, test, seed=cell.seed, **MEMNN_ROWS[cell.row])
    return values | {"segments_exact": exact}


ROWS3 = [*BASELINE_ROWS, *MEMNN_ROWS]
COLUMNS3 = ["D1 actor w/o before", "D1 actor", "D1 actor+object", "D5 actor", "D5 actor+object"]
TABLE3 = Experiment(
    "table3",
    "Table 3: the simulated world, word streams",
    ROWS3,
    COLUMNS3,
    measure_table3,
    table_of(
        ROWS3,
        COLUMNS3,
        """
        100  60.9 27.9 23.8 17.8
        100  64.8 49.1 35.2 29.0
        97.8 31.0 24.0 21.9 18.5
        99.9 60.2 42.5 60.8 44.4
        100  100  100  100  99.9
        """,
    ),
    notes=[
        "Two choices of the segmenter followed failures seen on these very stories. On stories "
        "that nothing was chosen on (seeds 40 to 44, tested on 1040 to 1044) k = 2 with time has "
        "100, 100, 100, 100 and 99.99 %, and every statement is cut right.",
        "The paper's 97.8 % for k = 1 without time is out of reach over a whole story. Without "
        "time a network sees which statements were made and not in which order, and no function of "
        "the question and that set, both taken by their meaning, has more than 22.2 % right on D1 "
        "actor w/o before (mean of the five test stories, 21.8 to 22.3; `paper/bound.py`). With "
        "the literal sentences it is 39 %, for a function that has learnt by heart which answer "
        "goes with which set. Nor does a memory of two or three statements explain the 97.8: the "
        "bound by meaning is 94.0 % over stories of two and 89.7 % over stories of three (120,000 "
        "questions each). Unexplained.",
        "The paper optimised hidden size, BPTT steps and learning rate of its baselines for each "
        "data set and does not give them. Ours have one setting for all data sets, chosen on "
        "validation stories. `memnn reproduce baselines-search` repeats the search: it finds the "
        "RNN's setting best again, and for the LSTM one that is 0.4 points better on average than "
        "the one used here, which is within noise. Our RNN is far ahead of the paper's and about "
        "as good as our LSTM: the paper's gap between them does not appear. Unexplained; ours has "
        "Adam and an orthogonal start.",
        "LSTM on D1 actor is a point or two below the paper's. “Before” questions decide it: ours "
        "ask about the rooms of an actor's two latest moves, and if the paper's asked about the "
        "latest alone they were easier (`memnn simulate --before 1` makes such stories).",
    ],
    torch_rows=frozenset(BASELINE_ROWS),
)


def measure_table4(cell: Cell, size: Size) -> Values:
    difficulty, ask = TASKS[cell.column]
    train, test = data(difficulty, ask, cell.seed, size, stream=True)
    few = first_questions(train, min(int(cell.row), size.questions))
    segmenter = train_segmenter(few)
    return memnn_accuracy(segment(few, segmenter)[0], segment(test, segmenter)[0], seed=cell.seed)


ROWS4 = ["100", "500", "1000", "3000"]
COLUMNS4 = ["D1 actor", "D1 actor+object", "D5 actor", "D5 actor+object"]
TABLE4 = Experiment(
    "table4",
    "Table 4: learning curves, k = 2 (+time), word streams, by number of training questions",
    ROWS4,
    COLUMNS4,
    measure_table4,
    table_of(
        ROWS4,
        COLUMNS4,
        """
        73.8 64.9 74.4 49.8
        99.9 99.2 99.8 95.1
        99.9 100  100  98.4
        100  100  100  99.9
        """,
    ),
    notes=[
        "With fewer than 3,000 questions we make as many steps as the paper does with 3,000 "
        "(300 epochs at most); the paper makes 10 epochs in all experiments.",
        "With 100 questions we are above the paper on D1 actor and D5 actor+object and below it on "
        "the other two. Smaller initial embeddings, lesions and more steps each helped (see the "
        "log); what the paper did better on D5 actor is unexplained. Seeds differ by several "
        "points.",
    ],
    plot="curve",
    chance=20.0,
    x_label="training questions",
)


def measure_table5(cell: Cell, size: Size) -> Values:
    difficulty, ask = TASKS[cell.column]
    train, test = data(difficulty, ask, cell.seed, size)
    if cell.row in BASELINE_ROWS:
        return baseline_accuracy(cell.row, train, test, cell.seed, size)
    return memnn_accuracy(train, test, seed=cell.seed, **MEMNN_ROWS[cell.row])


ROWS5 = ["RNN", *MEMNN_ROWS]
COLUMNS5 = [
    "D1 actor w/o before", "D1 actor w/o before + object",
    "D5 actor w/o before", "D5 actor w/o before + object",
]  # fmt: skip
TABLE5 = Experiment(
    "table5",
    "Table 5: sentence level",
    ROWS5,
    COLUMNS5,
    measure_table5,
    table_of(
        ROWS5,
        COLUMNS5,
        """
        100 58    29  17
        90  9     46  21
        100 73    100 73
        100 99.95 100 99.4
        """,
    ),
    notes=[
        "k = 1 without time on D1 actor w/o before + object: the paper prints 9, and the error "
        "columns that stand commented out in its own source give 81 % wrong, that is 19, which is "
        "ours. The other error columns there agree with the table, so 9 is most likely a misprint.",
        "k = 1 without time on actor w/o before: as in Table 3, no function of the question and "
        "the set of statements has more than 22.2 % (difficulty 1) or 22.6 % (difficulty 5) right, "
        "against the paper's 90 and 46. Unexplained.",
    ],
    torch_rows=frozenset({"RNN"}),
)


def measure_table6(cell: Cell, size: Size) -> Values:
    kind = BASELINE_ROWS[cell.row]
    if cell.column == "Word features":
        train, test = data(5, "actor+object", cell.seed, size, stream=True, sentences=True)
        return baseline_accuracy(cell.row, train, test, cell.seed, size, sentences=True)
    train, test, _ = streams(5, "actor+object", cell.seed, size, sentences=True)
    net = network(fit(train, Recipe(seed=cell.seed, habits=False)))
    net.R = train_response(train, kind, seed=cell.seed)
    result = evaluate(net, test)
    return {"accuracy": result.accuracy, "support_accuracy": result.support_accuracy}


ROWS6 = list(BASELINE_ROWS)
COLUMNS6 = ["MemNN: [x, m_o1, m_o2]", "Word features"]
TABLE6 = Experiment(
    "table6",
    "Table 6: sentences as answers, difficulty 5 actor+object, word streams",
    ROWS6,
    COLUMNS6,
    measure_table6,
    table_of(ROWS6, COLUMNS6, "68.83 13.97\n90.98 14.01"),
    notes=["Judged by the rule of Appendix F: the right place, no wrong subject or pronoun."],
    torch_rows=frozenset(ROWS6),
)
