"""The last decision: is this the answer, or is there none? Over path and answer together.

A logistic score of named measures (how far the path was ahead, what of the question it leaves out,
what newer statements there are) and of pairs of features as R has them: what is asked, and what the
answer looks like where it stands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.ordinary_answers import (
    AnswerDesk,
    AnswerRows,
    begin,
    copy_features,
    end,
    learnt_features,
    question_features,
    said_as,
)
from memnn.kernels.ordinary_features import MOST_WORDS, length
from memnn.kernels.ordinary_search import MENTIONS, OrdinaryBeam, older_mention
from memnn.kernels.ordinary_words import WordReading, WordTables, WordTexts
from memnn.kernels.path_features import Doubles, Hashes, cell, mix
from memnn.kernels.path_train import CellTable

MEASURES = (
    "path", "lead", "answer", "answer lead", "asked", "missed", "never told", "near", "hops",
    "unknown asked", "unknown told", "newer", "newer unknown", "learnt", "told",
)  # fmt: skip
"""Names of the measures, in order."""
BINS = 5
COPIED, SPOKEN = 7001, 7002
MEASURE = 300
MOST_PAIRS = 2048


class JudgedAnswers(NamedTuple):
    """What speaks for and against an answer."""

    measures: Doubles  # (MEASURES,)
    f: Hashes  # features of the question
    fv: Doubles
    c: Hashes  # features of the answer
    cv: Doubles


def new_judged() -> JudgedAnswers:
    return JudgedAnswers(
        np.zeros(len(MEASURES)), np.zeros(MOST_PAIRS, np.uint64), np.zeros(MOST_PAIRS),
        np.zeros(MOST_PAIRS, np.uint64), np.zeros(MOST_PAIRS),
    )  # fmt: skip


@kernel
def measure(
    out: Doubles,
    beam: OrdinaryBeam,
    found: int,
    certainty: float,
    margin: float,
    copied: bool,
    rows: AnswerRows,
    desk: AnswerDesk,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    latest: Ints,
    first: int,
    last: int,
) -> None:
    """The named measures; `desk` has the words of question and supports noted, `last` is the
    first memory that the question may not see."""
    total = 0.0
    for h in range(found):
        total += np.exp(beam.scores[h] - beam.scores[0])
    out[0] = -np.log(total)
    out[1] = min(beam.scores[0] - beam.scores[1], 10.0) if found > 1 else 10.0
    out[2] = certainty
    out[3] = min(margin, 10.0)
    out[4:] = 0.0
    newest = rows.told[len(rows.told) - 1]
    for w in asked:
        if not words.content[w]:
            continue
        s = words.stem[w]
        out[4] += 1.0
        out[9] += is_strange(w, words, reading)
        if desk.told[s] == 0:
            out[5] += 1.0
            y = latest[s]
            while y >= last:
                y = older_mention(texts, words, y, s)
            out[6] += y < first
            out[7] += desk.marks.near[w] == 1
            continue
        y, seen = latest[s], 0
        while y > newest and seen < MENTIONS:
            if y < last:
                out[11] += 1.0
                out[12] += unknown_in(y, words, reading, texts) > 0
                seen += 1
            y = older_mention(texts, words, y, s)
    out[8] = len(rows.told)
    for row in rows.told:
        out[10] += unknown_in(row, words, reading, texts)
    out[11], out[12] = min(out[11], 4.0), min(out[12], 4.0)
    out[13] = 0.0 if copied else 1.0
    out[14] = 0.2 * np.log(1.0 + last - first)


@kernel
def is_strange(w: int, words: WordTables, reading: WordReading) -> bool:
    """Whether a word is not read as itself."""
    return bool(reading.words[w, 0] == 0 or reading.words[w, 0] != words.literal[w])


@kernel
def unknown_in(row: int, words: WordTables, reading: WordReading, texts: WordTexts) -> int:
    """How many words of a text that name something are not read as themselves."""
    count = 0
    start = texts.ptr[row]
    for j in range(length(texts, row)):
        w = texts.words[start + j]
        count += words.content[w] and is_strange(w, words, reading)
    return count


@kernel
def describe(
    judged: JudgedAnswers,
    beam: OrdinaryBeam,
    found: int,
    answer: Ints,
    certainty: float,
    margin: float,
    rows: AnswerRows,
    desk: AnswerDesk,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    latest: Ints,
    first: int,
    last: int,
) -> tuple[int, int]:
    """Fill what is judged; how many features of the question and of the answer there are."""
    begin(desk, rows, asked, words, texts)
    copied = len(answer) > 0 and answer[0] >= 0
    measure(
        judged.measures, beam, found, certainty, margin, copied, rows, desk, asked, words,
        reading, texts, latest, first, last,
    )  # fmt: skip
    nf = question_features(desk, asked, words, reading, 0)
    judged.f[:nf], judged.fv[:nf] = desk.f[:nf], desk.fv[:nf]
    nc = 0
    n = learnt_features(desk, rows, asked, words, reading, texts, 0)
    for k in range(n):
        judged.c[nc], judged.cv[nc] = said_as(desk.c[k], SPOKEN), desk.cv[k]
        nc += 1
    if copied:
        n = copy_features(
            desk, answer[0] // MOST_WORDS, answer[0] % MOST_WORDS, rows, asked, words, reading,
            texts, 0,
        )  # fmt: skip
        for k in range(n):
            judged.c[nc], judged.cv[nc] = said_as(desk.c[k], COPIED), desk.cv[k]
            nc += 1
    for m in range(len(judged.measures)):
        value = judged.measures[m]
        if m in (1, 3):
            value /= 2.0
        elif m in (0, 2):
            value = -2.0 * value
        judged.c[nc], judged.cv[nc] = mix(MEASURE + m, min(int(value), BINS), 0), 1.0
        nc += 1
    end(desk, rows, asked, words, texts)
    return nf, nc


@kernel
def judge(judged: JudgedAnswers, nf: int, nc: int, weights: Doubles, J: Floats) -> float:
    """The logarithm of the odds that the answer is right."""
    total = weights[len(judged.measures)]
    for m in range(len(judged.measures)):
        total += weights[m] * judged.measures[m]
    for k in range(nc):
        for i in range(nf):
            total += judged.cv[k] * judged.fv[i] * J[cell(judged.f[i], judged.c[k], len(J))]
    return float(total)


@kernel
def learn_judgement(
    judged: JudgedAnswers,
    nf: int,
    nc: int,
    right: bool,
    weights: Doubles,
    squares: Doubles,
    table: CellTable,
    lr: float,
    lr_pairs: float,
) -> float:
    """One step of AdaGrad; returns the loss."""
    score = judge(judged, nf, nc, weights, table.weights)
    p = 1.0 / (1.0 + np.exp(-score))
    amount = (1.0 if right else 0.0) - p
    n = len(judged.measures)
    for m in range(n + 1):
        g = amount * (judged.measures[m] if m < n else 1.0)
        squares[m] += g * g
        weights[m] += lr * g / np.sqrt(squares[m])
    size = len(table.weights)
    for k in range(nc):
        for i in range(nf):
            g32 = np.float32(amount * judged.cv[k] * judged.fv[i])
            c = cell(judged.f[i], judged.c[k], size)
            table.squares[c] += g32 * g32
            table.weights[c] += np.float32(lr_pairs) * g32 / np.sqrt(table.squares[c])
    return float(-np.log(max(p if right else 1.0 - p, 1e-12)))
