"""R for ordinary language says its answer."""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.ordinary_answers import (
    END,
    AnswerDesk,
    AnswerRows,
    begin,
    end,
    question_features,
    score_answers,
    word_at,
)
from memnn.kernels.ordinary_features import MOST_WORDS
from memnn.kernels.ordinary_words import WordReading, WordTables, WordTexts

NEVER_FIRST = -1e9
"""The score of ending before anything was said."""


@kernel
def say(
    out: Ints,
    V: Floats,
    desk: AnswerDesk,
    rows: AnswerRows,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    learnt: int,
) -> tuple[int, float, float]:
    """The most probable words one after the other: how many, log p, the smallest margin.

    `out` gets the place of a copied word, or minus one and minus the row of a learnt one.
    """
    begin(desk, rows, asked, words, texts)
    room = learnt + len(rows.told) * MOST_WORDS
    z, places = np.empty(room), np.empty(room, np.int64)
    n, certainty, margin = 0, 0.0, 1e9
    for step in range(len(out)):
        nf = question_features(desk, asked, words, reading, step)
        m = score_answers(z, places, V, desk, nf, rows, asked, words, reading, texts, learnt, step)
        if step == 0:
            z[END] = NEVER_FIRST
        best = int(np.argmax(z[:m]))
        second = -1e9
        total = 0.0
        for k in range(m):
            total += np.exp(z[k] - z[best])
            same = k == best
            if not same and places[k] >= 0 and places[best] >= 0:
                same = word_at(places[k], rows, texts) == word_at(places[best], rows, texts)
            if not same:
                second = max(second, z[k])
        certainty -= np.log(total)
        margin = min(margin, z[best] - second)
        if places[best] == -1 - END:
            break
        out[n] = places[best]
        n += 1
        if places[best] >= 0:
            rows.said[places[best]] = 1
            rows.order[0] = places[best]
    end(desk, rows, asked, words, texts)
    return n, certainty, margin
