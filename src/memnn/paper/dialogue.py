"""Figure 4 (§5.3): one dialogue over what was told and what is known of the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memnn import default
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.network import Ensemble
from memnn.dialogue.wordings import shipped, worded, wordings, world
from memnn.dialogue.written import written
from memnn.paper.plan import Cell, Experiment, Size, Values

SAID = "Fred went to the kitchen. Fred picked up the milk. Fred travelled to the office."


class Line(NamedTuple):
    """A question of the dialogue, what the paper's system said, and which answers are sensible."""

    question: str
    paper: str
    sensible: tuple[str, ...]


STORY = (
    Line("Where is the milk ?", "office", ("office",)),
    Line("Where was Fred before the office ?", "kitchen", ("kitchen",)),
    Line("Where is Fred ?", "(not in the paper)", ("office",)),
)
WORLD = (
    Line("Where does milk come from ?", "milk come from cow", ("milk comes from cows",)),
    Line(
        "What is a cow a type of ?",
        "cow be female of cattle",
        ("a cow is a kind of farm animal", "the cow is a female of cattle"),
    ),
    Line(
        "Where are cattle found ?",
        "cattle farm become widespread in brazil",
        ("cattle are found on farms and ranches",),
    ),
    Line(
        "What does milk taste like ?",
        "milk taste like milk",
        ("milk tastes mild and slightly sweet",),
    ),
    Line(
        "What does milk go well with ?",
        "milk go with coffee",
        ("milk goes well with coffee", "cookies go well with milk"),
    ),
)


def _plain(question: str) -> str:
    return question.rstrip(" ?").lower()


def in_sample(lines: Sequence[Line] = WORLD) -> tuple[int, int]:
    """How many of these questions the ensemble was calibrated on, word for word, and how many are
    among the wordings that its facts network is trained on."""
    calibrated = {_plain(line.split("\t")[0]) for line in shipped("asked.tsv").splitlines()}
    calibrated |= {_plain(each.question) for each in written()}
    ways = wordings()
    trained = {_plain(text) for triple in world() for text in worded(triple, ways)}
    asked = [_plain(line.question) for line in lines]
    return sum(text in calibrated for text in asked), sum(text in trained for text in asked)


def in_sample_note() -> str:
    """What of Figure 4 was there in training: a demonstration, not a measurement."""
    calibrated, trained = in_sample()
    return (
        f"In-sample: of the {len(WORLD)} world questions {calibrated} stand word for word among "
        f"those the ensemble is calibrated on (`asked.tsv`, `written.tsv`) and {trained} among the "
        "wordings its facts network is trained on (`wordings.tsv`), and `world.tsv` has the facts "
        "that answer them. The story is in the simulator's own words, which the story network is "
        "trained on. So Figure 4 shows the ensemble at work and measures nothing."
    )


def figure4(model: EnsembleModel) -> list[dict[str, object]]:
    """The dialogue, answered by our ensemble and by the paper's own."""
    ours, paper = Ensemble(model), Ensemble.of_the_paper(model)
    ours.tell(SAID)
    paper.tell(SAID)
    rows: list[dict[str, object]] = []
    for line in (*STORY[:1], *WORLD, *STORY[1:]):
        answer, by_score = ours.ask(line.question), paper.ask(line.question)
        rows.append(
            {
                "question": line.question,
                "paper": line.paper,
                "sensible": answer.text in line.sensible,
                "answer": answer.text,
                "source": answer.source,
                "probability": answer.score,
                "by_score": by_score.text,
            }
        )
    return rows


CALIBRATED, BY_SCORE = "calibrated", "the highest score, as in the paper"
"""The second is the paper's ensemble: a story network that hears everything and one over the
world's facts, and whichever scores higher answers."""
COLUMNS = {"story questions": STORY, "world questions": WORLD}


def measure_figure4(cell: Cell, size: Size) -> Values:
    """The default ensemble."""
    net = (Ensemble.of_the_paper if cell.row == BY_SCORE else Ensemble)(default.ensemble())
    net.tell(SAID)
    lines = COLUMNS[cell.column]
    answers = [net.ask(line.question) for line in lines]
    right = [a.text in line.sensible for a, line in zip(answers, lines, strict=True)]
    said = [
        {"question": line.question, "answer": a.text, "evidence": [hop.text for hop in a.evidence]}
        for a, line in zip(answers, lines, strict=True)
    ]
    return {"accuracy": sum(right) / len(right), "said": said}


FIGURE4 = Experiment(
    "figure4",
    "Figure 4: a dialogue about a story and the world",
    [CALIBRATED, BY_SCORE],
    list(COLUMNS),
    measure_figure4,
    notes=[
        "The paper shows one dialogue. Its three statements are told, then its questions asked, "
        "and “Where is Fred?”. Of world questions the share with a sensible fact is shown; which "
        "are sensible stands in `paper/dialogue.py`.",
        f"“{BY_SCORE}” is the paper's ensemble: two networks, one for the story, which hears "
        "everything that is told, and one for the world's facts; whichever scores higher answers. "
        "“calibrated” has a third for told sentences and turns scores into probabilities.",
        "Ours has the world facts of this package, the paper's 14M extracted triples.",
    ],
    conclude=lambda means: [in_sample_note()],
    seeds=1,
)
