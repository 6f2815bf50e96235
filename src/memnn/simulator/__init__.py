"""The simulated world of Section 5.2 and Appendix A.

`simulate` makes random stories with labelled questions, `run` acts out a story written as
commands, `obey` carries out a request in a world, `describe` says what an actor just did, and
`simulate_tasks` makes stories of bAbI's twenty tasks (`twenty`), and `ordinary` has stories as
people tell them.
Meaning comes first (`world`, `actions`, `knowledge`, `questions`, `question_sets`), wording last
(`grammar`, `answers`). A new kind of question is a class of its own and a line in `question_sets`.
"""

from memnn.simulator.answers import is_correct_answer, is_correct_sentence
from memnn.simulator.grammar import CONNECTORS, Wording, read_aloud
from memnn.simulator.knowledge import Knowledge
from memnn.simulator.question_sets import QUESTION_SETS
from memnn.simulator.questions import sentence_answers
from memnn.simulator.script import run
from memnn.simulator.story import Teller, simulate
from memnn.simulator.tasks import Outcome, describe, obey
from memnn.simulator.twenty import TASKS, Vocabulary, simulate_tasks
from memnn.simulator.world import (
    FURNISHED_WORLD,
    PAPER_WORLD,
    Container,
    Place,
    World,
    WorldSpec,
)

__all__ = [
    "CONNECTORS",
    "FURNISHED_WORLD",
    "PAPER_WORLD",
    "QUESTION_SETS",
    "TASKS",
    "Container",
    "Knowledge",
    "Outcome",
    "Place",
    "Teller",
    "Vocabulary",
    "Wording",
    "World",
    "WorldSpec",
    "describe",
    "is_correct_answer",
    "is_correct_sentence",
    "obey",
    "read_aloud",
    "run",
    "sentence_answers",
    "simulate",
    "simulate_tasks",
]
