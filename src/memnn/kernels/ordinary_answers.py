"""R for ordinary language: an answer is said word by word, copied from a support or learnt.

Everything that could be said next is scored by pairs of features: of the question, and of the word
where it stands. Learnt words (yes, no, two) and the end are scored by what the supports leave of
the question. Copied words need never have been seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.ordinary_features import (
    IN_QUESTION,
    LITERAL,
    MOST_WORDS,
    NAMED,
    Marks,
    asked_symbol,
    is_near,
    length,
    symbol,
)
from memnn.kernels.ordinary_search import CACHE, new_marks
from memnn.kernels.ordinary_words import READINGS, WordReading, WordTables, WordTexts
from memnn.kernels.path_features import A1, Doubles, Hashes, cell, mix

END = 0
MOST_STEPS = 16
"""Words of an answer."""
MOST_F = 8 + (READINGS + 3) * MOST_WORDS
MOST_C = 64 + (3 * READINGS + 8) * MOST_WORDS

# What a feature is about. These numbers are part of a model.
STEP, ANY, ASKED, ASKED_CLASS, ASKED_PAIR, FIRST = range(100, 106)
MARK, CLASS_A, CLASS_B, CLASS_C, WORD, FROM_FIRST, FROM_LAST, ENDS = range(110, 118)
AFTER_SAID, AFTER_WORD, ELSEWHERE = range(120, 123)
MARKS, WORDS, CLASSES, NEXT, NEXT_MARK = 130, 140, 150, 160, 170
COUNT, SAID_COUNT, SMALL_WORD, MISSED, MISSED_CLASS, LAST_MISSED, FOUND, BOTH_LAST = range(180, 188)
MISSES, NEXT_OF, CLASS_OF, NEXT_AND_CLASS, HAS_WORD, HAS_CLASS = range(190, 196)


class AnswerRows(NamedTuple):
    """The supports of a question, in the order of telling, and what was said so far."""

    told: Ints  # (n,)
    said: Ints  # (n * MOST_WORDS,) whether a word was said
    order: Ints  # (1,) where the last word was copied from, or -1


class AnswerDesk(NamedTuple):
    """What R works with; as before after each answer."""

    f: Hashes
    fv: Doubles
    c: Hashes
    cv: Doubles
    keys: Hashes
    stamps: Ints
    sums: Doubles
    clock: Ints
    marks: Marks
    told: Ints  # (W,) words of the supports, by stem


class SaidAnswers(NamedTuple):
    """True answers: a word's identity, or minus one and minus the row of a learnt one."""

    ptr: Ints  # (Q + 1,)
    words: Ints


def new_answer_desk(words: int) -> AnswerDesk:
    return AnswerDesk(
        np.zeros(MOST_F, np.uint64), np.zeros(MOST_F), np.zeros(MOST_C, np.uint64),
        np.zeros(MOST_C), np.zeros(CACHE, np.uint64), np.zeros(CACHE, np.int64), np.zeros(CACHE),
        np.zeros(1, np.int64), new_marks(words),
        np.zeros(words, np.int64),
    )  # fmt: skip


@kernel
def question_features(
    desk: AnswerDesk, asked: Ints, words: WordTables, reading: WordReading, step: int
) -> int:
    out, values = desk.f, desk.fv
    out[0], values[0] = mix(STEP, min(step, 2), 0), 1.0
    out[1], values[1] = mix(ANY, 0, 0), 1.0
    n = 2
    nq = min(len(asked), MOST_WORDS)
    for j in range(nq):
        w = asked[j]
        a = asked_symbol(j, asked, words, reading, desk.marks)
        if a != NAMED:
            for r in range(READINGS):
                if reading.shares[w, r] > 0.0:
                    out[n], values[n] = mix(ASKED, reading.words[w, r], 0), reading.shares[w, r]
                    n += 1
        if words.content[w]:
            size = 0 if a == NAMED else 1
            out[n], values[n] = mix(ASKED_CLASS, words.classes[w, size], a == NAMED), 0.5
            n += 1
        b = asked_symbol(j + 1, asked, words, reading, desk.marks) if j + 1 < nq else -2
        out[n], values[n] = mix(ASKED_PAIR, a, b), 1.0
        n += 1
        if j == 0:
            out[n], values[n] = mix(FIRST, a, min(step, 2)), 1.0
            n += 1
    return n


@inlined
def mark_of(w: int, desk: AnswerDesk, asked: Ints, words: WordTables) -> int:
    """In the question, near one of its words, or neither; for what names something."""
    if not words.content[w]:
        return 4
    if desk.marks.stems[words.stem[w]] & IN_QUESTION:
        return 1
    return 2 if is_near(desk.marks, w, asked, words) else 0


@kernel
def copy_features(
    desk: AnswerDesk,
    i: int,
    j: int,
    rows: AnswerRows,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    step: int,
) -> int:
    """Copying word j of support i."""
    out, values = desk.c, desk.cv
    count = len(rows.told)
    start, size = texts.ptr[rows.told[i]], length(texts, rows.told[i])
    w = texts.words[start + j]
    small = 0 if words.content[w] else 1
    more = 1 if step > 0 else 0
    out[0], values[0] = mix(MARK, mark_of(w, desk, asked, words), more), 1.0
    out[1], values[1] = mix(CLASS_A, words.classes[w, 0], 0), 1.0
    out[2], values[2] = mix(CLASS_B, words.classes[w, 1], 0), 0.5
    out[3], values[3] = mix(CLASS_C, words.classes[w, 2], 0), 0.5
    out[4], values[4] = mix(FROM_FIRST, min(i, 3), more), 1.0
    out[5], values[5] = mix(FROM_LAST, min(count - 1 - i, 3), more), 1.0
    out[6], values[6] = mix(ENDS, min(size - 1 - j, 3), min(j, 2)), 1.0
    n = 7
    for r in range(READINGS):
        if reading.shares[w, r] > 0.0:
            out[n], values[n] = mix(WORD, reading.words[w, r], 0), LITERAL * reading.shares[w, r]
            n += 1
    before = rows.order[0]
    if before >= 0:
        bi, bj = before // MOST_WORDS, before % MOST_WORDS
        place = 4
        if i == bi and j == bj + 1:
            place = 1
        elif i == bi and j > bj:
            place = 2
        elif i > bi:
            place = 3
        out[n], values[n] = mix(AFTER_SAID, place, small), 1.0
        n += 1
        if i == bi and j > bj:
            v = texts.words[start + j - 1]
            out[n], values[n] = mix(AFTER_WORD, symbol(v, 0, words, reading), place), 1.0
            n += 1
    for k in range(size):
        if k == j:
            continue
        v = texts.words[start + k]
        mark, side = mark_of(v, desk, asked, words), 1 if k > j else 0
        if mark == 1 or mark == 2:
            out[n], values[n] = mix(MARKS + side, mark, 0), 1.0
            n += 1
        for r in range(READINGS):
            if mark != 1 and reading.shares[v, r] > 0.0:
                value = LITERAL * reading.shares[v, r]
                out[n], values[n] = mix(WORDS + side, reading.words[v, r], 0), value
                n += 1
        if words.content[v]:
            out[n], values[n] = mix(CLASSES + side, words.classes[v, 1], 0), 0.5
            n += 1
        if abs(k - j) <= 2:
            out[n], values[n] = mix(NEXT + k - j + 2, symbol(v, 1, words, reading), 0), 1.0
            n += 1
            if mark == 1 or mark == 2:
                out[n], values[n] = mix(NEXT_MARK + k - j + 2, mark, 0), 1.0
                n += 1
    elsewhere = 0
    for i2 in range(count):
        if i2 == i:
            continue
        other = texts.ptr[rows.told[i2]]
        for k in range(length(texts, rows.told[i2])):
            if words.stem[texts.words[other + k]] == words.stem[w]:
                elsewhere = 1 if i2 > i else max(elsewhere, 2)
    out[n], values[n] = mix(ELSEWHERE, elsewhere, small), 1.0
    return n + 1


@kernel
def learnt_features(
    desk: AnswerDesk,
    rows: AnswerRows,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    step: int,
) -> int:
    """Saying a word that stands nowhere, or ending."""
    out, values = desk.c, desk.cv
    count = len(rows.told)
    out[0], values[0] = mix(COUNT, min(count, 7), 1 if step > 0 else 0), 1.0
    out[1], values[1] = mix(SAID_COUNT, min(step, 4), 0), 1.0
    n = 2
    last = count - 1
    start, size = texts.ptr[rows.told[last]], length(texts, rows.told[last])
    missed = 0
    nq = min(len(asked), MOST_WORDS)
    final = -1
    for j in range(nq):
        w = asked[j]
        if not words.content[w]:
            continue
        final = j
        if desk.told[words.stem[w]] > 0:
            out[n], values[n] = mix(FOUND, words.classes[w, 0], 0), 1.0
            n += 1
            continue
        missed += 1
        out[n], values[n] = mix(MISSED, words.classes[w, 0], 0), 1.0
        out[n + 1], values[n + 1] = mix(MISSED_CLASS, words.classes[w, 1], 0), 1.0
        n += 2
    if final >= 0:
        s, here, near = words.stem[asked[final]], 0, 0
        for k in range(size):
            v = texts.words[start + k]
            here = 1 if words.stem[v] == s else here
            near = 1 if mark_of(v, desk, asked, words) == 2 else near
        found = 1 if desk.told[s] > 0 else 0
        out[n], values[n] = mix(BOTH_LAST, 2 * here + found, near), 1.0
        n += 1
    out[n], values[n] = mix(MISSES, min(missed, 3), 0), 1.0
    n += 1
    for k in range(size):
        v = texts.words[start + k]
        if not words.content[v]:
            out[n], values[n] = mix(SMALL_WORD, reading.words[v, 0], 0), 1.0
            n += 1
        else:
            mark = mark_of(v, desk, asked, words)
            out[n], values[n] = mix(HAS_CLASS, words.classes[v, 1], mark), 0.5
            n += 1
            for r in range(READINGS):
                if reading.shares[v, r] > 0.0:
                    value = LITERAL * reading.shares[v, r]
                    out[n], values[n] = mix(HAS_WORD, reading.words[v, r], mark), value
                    n += 1
    before = rows.order[0]
    if before >= 0:
        bi, bj = before // MOST_WORDS, before % MOST_WORDS
        start, size = texts.ptr[rows.told[bi]], length(texts, rows.told[bi])
        v = texts.words[start + bj]
        after, coarse = -3, -3
        if bj + 1 < size:
            after = symbol(texts.words[start + bj + 1], 0, words, reading)
            coarse = symbol(texts.words[start + bj + 1], 1, words, reading)
        out[n], values[n] = mix(NEXT_OF, after, min(count - 1 - bi, 2)), 1.0
        out[n + 1], values[n + 1] = mix(CLASS_OF, words.classes[v, 1], 0), 1.0
        out[n + 2], values[n + 2] = mix(NEXT_AND_CLASS, coarse, words.classes[v, 1]), 1.0
        n += 3
    return n


@inlined
def said_as(feature: np.uint64, answer: int) -> np.uint64:
    """The same feature for another learnt word."""
    return feature + np.uint64(answer + 1) * A1


@inlined
def weigh(V: Floats, desk: AnswerDesk, nf: int, feature: np.uint64) -> float:
    place = np.int64(feature & np.uint64(CACHE - 1))
    if desk.stamps[place] != desk.clock[0] or desk.keys[place] != feature:
        total = 0.0
        for i in range(nf):
            total += desk.fv[i] * V[cell(desk.f[i], feature, len(V))]
        desk.stamps[place], desk.keys[place], desk.sums[place] = desk.clock[0], feature, total
    return float(desk.sums[place])


@kernel
def begin(
    desk: AnswerDesk, rows: AnswerRows, asked: Ints, words: WordTables, texts: WordTexts
) -> None:
    """Note the words of the question and of the supports."""
    desk.marks.near[:] = 0
    for w in asked:
        desk.marks.stems[words.stem[w]] = IN_QUESTION
    for row in rows.told:
        for j in range(length(texts, row)):
            desk.told[words.stem[texts.words[texts.ptr[row] + j]]] += 1
    for j in range(min(len(asked), MOST_WORDS)):
        desk.marks.told[j] = 1 if desk.told[words.stem[asked[j]]] > 0 else 0
    rows.said[:] = 0
    rows.order[0] = -1


@kernel
def end(
    desk: AnswerDesk, rows: AnswerRows, asked: Ints, words: WordTables, texts: WordTexts
) -> None:
    """Leave the notes as they were."""
    for w in asked:
        desk.marks.stems[words.stem[w]] = 0
    for row in rows.told:
        for j in range(length(texts, row)):
            desk.told[words.stem[texts.words[texts.ptr[row] + j]]] = 0


@kernel
def score_answers(
    z: Doubles,
    places: Ints,
    V: Floats,
    desk: AnswerDesk,
    nf: int,
    rows: AnswerRows,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    learnt: int,
    step: int,
) -> int:
    """Everything that could be said next: learnt words by minus one and minus their row, words to
    be copied by their place."""
    desk.clock[0] += 1
    n = learnt_features(desk, rows, asked, words, reading, texts, step)
    m = 0
    for a in range(learnt):
        total = 0.0
        for k in range(n):
            total += desk.cv[k] * weigh(V, desk, nf, said_as(desk.c[k], a))
        z[m], places[m] = total, -1 - a
        m += 1
    for i in range(len(rows.told)):
        for j in range(length(texts, rows.told[i])):
            if rows.said[i * MOST_WORDS + j] or m >= len(z):
                continue
            n = copy_features(desk, i, j, rows, asked, words, reading, texts, step)
            total = 0.0
            for k in range(n):
                total += desk.cv[k] * weigh(V, desk, nf, desk.c[k])
            z[m], places[m] = total, i * MOST_WORDS + j
            m += 1
    return m


@kernel
def word_at(place: int, rows: AnswerRows, texts: WordTexts) -> int:
    return int(texts.words[texts.ptr[rows.told[place // MOST_WORDS]] + place % MOST_WORDS])
