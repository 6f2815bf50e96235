"""Training R for ordinary language: every word of an answer by one softmax, on true supports."""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import kernel
from memnn.kernels.ordinary_answers import (
    END,
    AnswerDesk,
    AnswerRows,
    SaidAnswers,
    begin,
    copy_features,
    end,
    learnt_features,
    question_features,
    said_as,
    score_answers,
    word_at,
)
from memnn.kernels.ordinary_features import MOST_WORDS
from memnn.kernels.ordinary_train import AskedQuestions, Hiding
from memnn.kernels.ordinary_words import WordReading, WordTables, WordTexts, hide_words
from memnn.kernels.path_features import cell
from memnn.kernels.path_train import LITTLE, SURE, CellTable
from memnn.kernels.rng import State


@kernel
def learn_word(
    table: CellTable, desk: AnswerDesk, nf: int, n: int, answer: int, gradient: float, lr: float
) -> None:
    size = len(table.weights)
    for k in range(n):
        feature = said_as(desk.c[k], answer) if answer >= 0 else desk.c[k]
        for i in range(nf):
            g = np.float32(gradient * desk.cv[k] * desk.fv[i])
            c = cell(desk.f[i], feature, size)
            table.squares[c] += g * g
            table.weights[c] += np.float32(lr) * g / np.sqrt(table.squares[c])


@kernel
def train_answers(
    table: CellTable,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    labels: AskedQuestions,
    said: SaidAnswers,
    order: Ints,
    learnt: int,
    lr: float,
    hiding: Hiding,
    desk: AnswerDesk,
    state: State,
) -> float:
    """One pass over the answers, on the true supports; returns the summed loss."""
    total = 0.0
    for i in order:
        told = labels.supports[labels.ptr[i] : labels.ptr[i + 1]].copy()
        wanted = said.words[said.ptr[i] : said.ptr[i + 1]]
        if len(told) == 0 or len(wanted) == 0:
            continue
        told.sort()
        rows = AnswerRows(told, np.zeros(len(told) * MOST_WORDS, np.int64), np.zeros(1, np.int64))
        asked = labels.texts.words[labels.texts.ptr[i] : labels.texts.ptr[i + 1]]
        hide_words(reading, words, hiding.like, hiding.unknown, state)
        begin(desk, rows, asked, words, texts)
        room = learnt + len(told) * MOST_WORDS
        z, places, d = np.empty(room), np.empty(room, np.int64), np.empty(room)
        for step in range(len(wanted) + 1):
            want = wanted[step] if step < len(wanted) else -1 - END
            nf = question_features(desk, asked, words, reading, step)
            m = score_answers(
                z, places, table.weights, desk, nf, rows, asked, words, reading, texts, learnt,
                step,
            )  # fmt: skip
            top = z[:m].max()
            everything, right, best = 0.0, 0.0, -1
            for k in range(m):
                d[k] = np.exp(z[k] - top)
                everything += d[k]
                fits = places[k] == want
                if places[k] >= 0:
                    fits = word_at(places[k], rows, texts) == want
                if fits:
                    right += d[k]
                    if best < 0 or z[k] > z[best]:
                        best = k
            if best < 0:
                break
            total -= np.log(right / everything + 1e-12)
            if right / everything < SURE:
                for k in range(m):
                    fits = places[k] == want
                    if places[k] >= 0:
                        fits = word_at(places[k], rows, texts) == want
                    gradient = (d[k] / right if fits else 0.0) - d[k] / everything
                    if abs(gradient) < LITTLE:
                        continue
                    if places[k] < 0:
                        n = learnt_features(desk, rows, asked, words, reading, texts, step)
                        learn_word(table, desk, nf, n, -1 - places[k], gradient, lr)
                    else:
                        at = places[k]
                        n = copy_features(
                            desk, at // MOST_WORDS, at % MOST_WORDS, rows, asked, words, reading,
                            texts, step,
                        )  # fmt: skip
                        learn_word(table, desk, nf, n, -1, gradient, lr)
            if places[best] >= 0:
                rows.said[places[best]] = 1
                rows.order[0] = places[best]
        end(desk, rows, asked, words, texts)
    return total
