"""Experiments by the names that `memnn reproduce` takes."""

from __future__ import annotations

from memnn.errors import UnknownName
from memnn.paper.ablations import ABLATIONS, DIFFICULTY, DROPOUT, FORGETTING, LENGTH, TARGETS
from memnn.paper.babi import JOINT, STRONG, WEAK
from memnn.paper.babi_swapped import SWAPS
from memnn.paper.babi_transfer import TRANSFER
from memnn.paper.conversations import CONVERSATIONS
from memnn.paper.dialogue import FIGURE4
from memnn.paper.figures import FIGURE1, FIGURE2, FIGURE3
from memnn.paper.path_tables import BESIDE
from memnn.paper.plan import Experiment
from memnn.paper.search import SEARCH
from memnn.paper.table1 import TABLE1
from memnn.paper.table2 import TABLE2
from memnn.paper.tables import TABLE3, TABLE4, TABLE5, TABLE6

EXPERIMENTS: dict[str, Experiment] = {
    e.name: e
    for e in (
        TABLE1, TABLE2, FIGURE1, TABLE3, TABLE4, TABLE5, TABLE6, FIGURE2, FIGURE3, FIGURE4,
        ABLATIONS, DROPOUT, LENGTH, TARGETS, DIFFICULTY, FORGETTING, SEARCH,
        STRONG, WEAK, JOINT, SWAPS, TRANSFER, BESIDE, CONVERSATIONS,
    )
}  # fmt: skip
GROUPS = {
    "ablations": ["ablations", "dropout", "lengths", "targets"],
    "babi": ["babi-strong", "babi-weak", "babi-joint"],
    "all": [name for name, e in EXPERIMENTS.items() if not e.extra],
}


def named(names: list[str]) -> list[Experiment]:
    """Experiments in the order of the paper, groups expanded."""
    wanted: set[str] = set()
    for name in names:
        if name not in EXPERIMENTS and name not in GROUPS:
            raise UnknownName("experiment", name, EXPERIMENTS.keys() | GROUPS.keys())
        wanted.update(GROUPS.get(name, [name]))
    return [e for name, e in EXPERIMENTS.items() if name in wanted]
