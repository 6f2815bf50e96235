"""Figures 1, 2 and 3 of the paper: stories with questions, and what the network says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memnn.memory import RamMemory
from memnn.network import MemoryNetwork
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.stories import data, streams
from memnn.simulator import PAPER_WORLD, read_aloud
from memnn.stories.evaluate import evaluate, is_right
from memnn.stories.model import Model
from memnn.stories.network import network
from memnn.stories.recipe import Recipe
from memnn.stories.supports import Supports
from memnn.stories.train import fit
from memnn.stories.train_recurrent import train_response
from memnn.types import Answer, Question, Statement, Story

FIGURE_1 = (
    "Joe went to the kitchen. Fred went to the kitchen. Joe picked up the milk. "
    "Joe travelled to the office. Joe left the milk. Joe went to the bathroom.",
    (
        ("Where is the milk now?", "office"),
        ("Where is Joe?", "bathroom"),
        ("Where was Joe before the office?", "kitchen"),
    ),
)
FIGURE_3 = (
    "Bilbo travelled to the cave. Gollum dropped the ring there. Bilbo took the ring. "
    "Bilbo went back to the Shire. Bilbo left the ring there. Frodo got the ring. "
    "Frodo journeyed to Mount-Doom. Frodo dropped the ring there. Sauron died. "
    "Frodo went back to the Shire. Bilbo travelled to the Grey-havens. The End.",
    (
        ("Where is the ring?", "Mount-Doom"),
        ("Where is Bilbo now?", "Grey-havens"),
        ("Where is Frodo now?", "Shire"),
    ),
)


def ask_all(net: MemoryNetwork, story: str, questions: Sequence[tuple[str, str]]) -> Values:
    """How many of the questions are right, and what was said with which evidence."""
    net = net.with_memory(RamMemory())
    net.tell(story)
    answers = [net.ask(question) for question, _ in questions]
    right = [a.text == true for a, (_, true) in zip(answers, questions, strict=True)]
    said = [
        {"question": q, "answer": a.text, "evidence": [hop.text for hop in a.evidence]}
        for a, (q, _) in zip(answers, questions, strict=True)
    ]
    return {"accuracy": sum(right) / len(right), "said": said}


def measure_figure1(cell: Cell, size: Size) -> Values:
    train, _ = data(5, "actor+object", cell.seed, Size())
    model = fit(train, Recipe(seed=cell.seed, habits=False))
    return ask_all(network(model), *FIGURE_1) | {"strip": heat(model, *FIGURE_1)}


def heat(model: Model, story: str, questions: Sequence[tuple[str, str]]) -> Values:
    """What every memory scores at every hop, for a plot."""
    net = network(model)
    O = Supports(model.dictionary, model.layout_O, model.U_O, model.recipe)  # noqa: E741
    slots = net.tell(story)
    shown = []
    for question, _ in questions:
        hops = net.ask(question).evidence
        scores = O.contents(question, net.memory)
        shown.append(
            {
                "question": question,
                "hops": [
                    {"scores": [round(float(s), 3) for s in c], "support": hop.id - slots[0].id}
                    for hop, c in zip(hops, scores, strict=True)
                ],
            }
        )
    return {"memories": [slot.text for slot in slots], "questions": shown}


FIGURE1 = Experiment(
    "figure1",
    "Figure 1: the milk, Joe, and where Joe was before",
    ["MemNN k=2 (+time)"],
    ["3 questions"],
    measure_figure1,
    {("MemNN k=2 (+time)", "3 questions"): 100.0},
)


def measure_figure2(cell: Cell, size: Size) -> Values:
    """Stream, sentence answers and LSTM together; a stretch of the test dialogue is kept."""
    train, test, _ = streams(5, "actor+object", cell.seed, size, sentences=True)
    net = network(fit(train, Recipe(seed=cell.seed, habits=False)))
    net.R = train_response(train, "lstm", seed=cell.seed)
    said: list[str] = []

    def note(question: Question, answer: Answer) -> None:
        said.append(answer.text)

    result = evaluate(net, test, on_answer=note)
    _, as_told = data(5, "actor+object", cell.seed, size, stream=True, sentences=True)
    return {"accuracy": result.accuracy, "dialogue": _dialogue(as_told[0], said, lines=32)}


def _dialogue(story: Story, said: list[str], lines: int) -> list[str]:
    """The first lines of a stream, joined as they were, with the answers to its questions."""
    answers = iter(said)
    shown: list[str] = []
    segments: list[str] = []
    for line in story.lines[:lines]:
        if isinstance(line, Statement):
            segments.append(line.text)
            continue
        if segments:
            shown.append(read_aloud(segments))
            segments = []
        shown.append(f"{line.text}  **A: {next(answers)}**")
    return shown


FIGURE2 = Experiment(
    "figure2",
    "Figure 2: word stream, sentences as answers, an LSTM as R",
    ["LSTM as R"],
    ["D5 actor+object"],
    measure_figure2,
    {("LSTM as R", "D5 actor+object"): 90.98},
    seeds=1,
    torch_rows=frozenset({"LSTM as R"}),
)

RECIPES_3 = {
    "--unseen --match": Recipe(unseen=True, match=True, habits=False),
    "--unseen": Recipe(unseen=True, habits=False),
    "--match": Recipe(match=True, habits=False),
    "plain": Recipe(habits=False),
}
STORY, ORDINARY, RENAMED = "Lord of the Rings", "ordinary test set", "all names replaced"


def rename(stories: Sequence[Story]) -> list[Story]:
    """Every name of the simulated world replaced by a word that nobody has seen."""
    world = PAPER_WORLD
    new = {name: f"Xu{letter}ar" for name, letter in zip(world.actors, "abcdefgh", strict=False)}
    for i, name in enumerate((*world.things, *world.rooms)):
        new[name] = f"plo{'abcdefghijklmn'[i]}k"
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, new))})\b")

    def other(text: str) -> str:
        return pattern.sub(lambda match: new[match[0]], text)

    def line(old: Statement | Question) -> Statement | Question:
        if isinstance(old, Statement):
            return Statement(other(old.text), old.id)
        return Question(other(old.text), old.id, other(old.answer or ""), old.supports)

    return [Story(tuple(map(line, story.lines)), story.source) for story in stories]


def measure_figure3(cell: Cell, size: Size) -> Values:
    """The story, the ordinary test set, or the same with every name replaced."""
    train, test = data(5, "actor+object", cell.seed, Size())
    net = network(fit(train, replace(RECIPES_3[cell.row], seed=cell.seed)))
    if cell.column == STORY:
        return ask_all(net, *FIGURE_3)
    if cell.column == ORDINARY:
        return {"accuracy": evaluate(net, test).accuracy}
    before: list[bool] = []

    def look(question: Question, answer: Answer) -> None:
        if "before" in question.text:
            before.append(is_right(question, answer))

    accuracy = evaluate(net, rename(test), on_answer=look).accuracy
    return {"accuracy": accuracy, "before": sum(before) / len(before)}


FIGURE3 = Experiment(
    "figure3",
    "Figure 3: words never seen before",
    list(RECIPES_3),
    [STORY, ORDINARY, RENAMED],
    measure_figure3,
    {("--unseen --match", STORY): 100.0},
    notes=[
        "The paper shows one story, answered right. `before` beside an accuracy is that of "
        "questions such as “Where was A before R?” alone.",
        "A network without unseen words names the words it does not know and abstains.",
    ],
    seeds=16,
    skip=lambda row, column: row != "--unseen --match" and column == ORDINARY,
)
