"""What write time, mentions, rivals and stopping are worth in a step of a path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.path_features import (
    AGE,
    DISTANCE,
    LOG_AGE,
    NEWER,
    NEWEST,
    NEWEST_BEFORE,
    NEXT_TO,
    NONE_NEWER,
    NONE_OLDER,
    OLDER,
    OLDEST,
    OLDEST_AFTER,
    SIDE,
    STOP,
    Doubles,
)
from memnn.kernels.path_sums import AT_MENTION, AT_TIME, MARKS, StepInput, StepSums, worth


@kernel
def logarithms(n: int) -> Doubles:
    found = np.zeros(n)
    for i in range(1, n):
        found[i] = np.log2(i)
    return found


@inlined
def logarithm(logs: Doubles, i: int) -> float:
    return float(logs[i] if i < len(logs) else np.log2(i))


class TimeWorth(NamedTuple):
    """What write time is worth in a step; [1] after the last support, [0] before it."""

    age: float
    log_age: float
    side: Doubles
    distance: Doubles
    next_to: Doubles


@kernel
def worth_of_time(sums: StepSums, A: Floats, input: StepInput, last: int) -> TimeWorth:
    side, distance, next_to = np.zeros(2), np.zeros(2), np.zeros(2)
    if last >= 0:
        for s in range(2):
            side[s] = worth(sums, A, input, AT_TIME + 2 + s, SIDE, s, 0)
            distance[s] = worth(sums, A, input, AT_TIME + 4 + s, DISTANCE, s, 0)
            next_to[s] = worth(sums, A, input, AT_TIME + 6 + s, NEXT_TO, s, 0)
    return TimeWorth(
        worth(sums, A, input, AT_TIME, AGE, 0, 0),
        worth(sums, A, input, AT_TIME + 1, LOG_AGE, 0, 0),
        side, distance, next_to,
    )  # fmt: skip


@kernel
def worth_of_mentions(sums: StepSums, A: Floats, input: StepInput, present: int) -> Doubles:
    """What the newest and the oldest mention of a word are worth, and those beside the last
    support, by its membership: (4, MARKS), for those that are there."""
    found = np.zeros((4, MARKS))
    for g in range(1, MARKS):
        if present & (1 << g):
            at = AT_MENTION + g
            found[0, g] = worth(sums, A, input, at, NEWEST, g, 0)
            found[1, g] = 0.5 * worth(sums, A, input, at + MARKS, OLDEST, g, 0)
            found[2, g] = worth(sums, A, input, at + 2 * MARKS, NEWEST_BEFORE, g, 0)
            found[3, g] = worth(sums, A, input, at + 3 * MARKS, OLDEST_AFTER, g, 0)
    return found


@kernel
def worth_of_rivals(sums: StepSums, A: Floats, input: StepInput, side: int) -> Doubles:
    """What one newer and one older rival are worth, none and some newer, none and some older."""
    found, at = np.empty(6), AT_TIME + 8 + 6 * side
    found[0] = worth(sums, A, input, at, NEWER, side, 0)
    found[1] = worth(sums, A, input, at + 1, OLDER, side, 0)
    for some in range(2):
        found[2 + some] = worth(sums, A, input, at + 2 + some, NONE_NEWER, side, some)
        found[4 + some] = worth(sums, A, input, at + 4 + some, NONE_OLDER, side, some)
    return found


@kernel
def worth_of_stopping(sums: StepSums, A: Floats, input: StepInput) -> float:
    return worth(sums, A, input, AT_TIME + 26, STOP, 0, 0)
