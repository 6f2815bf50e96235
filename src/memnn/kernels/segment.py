"""The segmenter of §3.2: seg(c) = W_seg' U_S Φ_seg(c), its training (Appendix B) and its scan.

Φ_seg(c) is the bag of the words since the last break, in a dictionary of its own: |V| rows of U_S,
the first for words that are not in it. With 2|V| rows the last word of c counts once more, in the
second block. A bag alone cannot tell a whole fact from one that has run into the next, as
", joe took the milk" and "joe took the milk ," are the same bag; nor an unseen name that begins a
fact from an unseen thing that ends one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints, add_bag, dot, step_bag
from memnn.kernels.jit import kernel
from memnn.kernels.rng import State, below

Doubles = NDArray[np.float64]

UNKNOWN = 0
"""The row of every word that is not in the dictionary."""
NO_ROW = -1
"""A mark that is not in the dictionary: it is kept in the text and says nothing of segments."""

# What a token is to the scan: a word, a question word, a mark, the end of a sentence or question.
WORD, ASKS, MARK, ENDS, ENDS_QUESTION = 0, 1, 2, 3, 4
# What the scan finds: a segment that fired, or a sentence that may be a question.
SEGMENT, SENTENCE = 0, 1
# The state between two runs of a scan, besides the running sum of scores.
TOKENS, WORDS, LENGTH, COMPLETE, ASKED_AT, ASKING, AFTER_END = 0, 1, 2, 3, 4, 5, 6


def new_scan() -> tuple[Doubles, Ints]:
    """The state of a scan before the first word: nothing is pending."""
    return np.zeros(1), np.array([0, 0, 0, 0, -1, 0, 0], np.int64)


@kernel
def embed_segment(v: Floats, U_S: Floats, V: int, c: Ints) -> None:
    """v = U_S Φ_seg(c)."""
    v[:] = 0.0
    add_bag(v, U_S, 0, c, 1.0)
    if U_S.shape[0] > V:
        add_bag(v, U_S, V, c[len(c) - 1 :], 1.0)


@kernel
def step_segment(
    U_S: Floats, W_seg: Floats, V: int, c: Ints, y: int, gamma: float, lr: float, v: Floats
) -> float:
    """One SGD step on max(0, γ - y·seg(c)), y = 1 for a fact and -1 for none; returns the loss."""
    embed_segment(v, U_S, V, c)
    loss = gamma - y * dot(W_seg, v)
    if not loss > 0.0:
        return 0.0
    step_bag(U_S, 0, c, W_seg, y * lr)
    if U_S.shape[0] > V:
        step_bag(U_S, V, c[len(c) - 1 :], W_seg, y * lr)
    for d in range(v.shape[0]):
        W_seg[d] += np.float32(y * lr) * v[d]
    return loss


@kernel
def worsen(c: Ints, over: int, chance: Ints, omitted: int, state: State, spare: Ints) -> Ints:
    """The segment as if some words had never been seen and others were not said.

    A rate is drawn; then each word w is unknown with that rate times chance[w] in 1000. Of 1000
    words `omitted` are left out, but never the last: it says whether the segment is whole. If it
    is one too many (`over` is 1) it stays what it is, for an unknown word may well end a fact.
    """
    rate = below(state, 1000)
    n, last = 0, len(c) - 1
    for i in range(len(c)):
        if i < last and below(state, 1000) < omitted:
            continue
        unknown = i + over <= last and below(state, 1_000_000) < rate * chance[c[i]]
        spare[n] = UNKNOWN if unknown else c[i]
        n += 1
    return spare[:n]


@kernel
def train_segments(
    U_S: Floats,
    W_seg: Floats,
    V: int,
    words: Ints,
    start: Ints,
    end: Ints,
    label: Ints,
    over: Ints,
    order: Ints,
    gamma: float,
    lr: float,
    worsened: int,
    chance: Ints,
    omitted: int,
    state: State,
    spare: Ints,
    v: Floats,
) -> float:
    """Appendix B: one pass over the segments words[start:end] in the given order; the summed loss.

    Of 1000 segments `worsened` are read as `worsen` leaves them.
    """
    total = 0.0
    for j in order:
        c = words[start[j] : end[j]]
        if below(state, 1000) < worsened:
            c = worsen(c, over[j], chance, omitted, state, spare)
        total += step_segment(U_S, W_seg, V, c, label[j], gamma, lr, v)
    return total


@kernel
def word_scores(U_S: Floats, W_seg: Floats, scores: Doubles) -> None:
    """W_seg' U_S[row] for every row: seg is linear in Φ, so a scan needs no more than these."""
    for row in range(U_S.shape[0]):
        scores[row] = dot(W_seg, U_S[row])


@kernel
def find_breaks(
    scores: Doubles,
    V: int,
    threshold: float,
    rows: Ints,
    signs: Ints,
    lengths: Ints,
    longest: int,
    lead: int,
    total: Doubles,
    state: Ints,
    ends: Ints,
    kinds: Ints,
) -> int:
    """Read on in a stream of tokens; returns how many pieces ended, a few additions per token.

    With the bag alone (|V| scores) a segment ends as soon as seg(c) > threshold. With the last
    word (2|V|) it ends before the word that it would be no segment with: "joe left the milk" is
    one, and "joe left the milk there" still is. No piece holds more than `longest` characters.

    A question word begins a question after a full stop, and when nothing is pending, or a whole
    segment, or `lead` words at most ("and where is joe?"); it ends with the sentence. A question
    mark ends one anyhow.

    rows, signs, lengths   the new tokens; total, state  what `new_scan` made, kept between calls
    ends, kinds            out, room for two per token and two more: where pieces end, counted
                           from the first token that was pending before; SEGMENT or SENTENCE
    """
    wait = scores.shape[0] > V
    s = total[0]  # the bag's part of seg(c)
    tokens, words, length, asked_at = state[TOKENS], state[WORDS], state[LENGTH], state[ASKED_AT]
    complete, asking = state[COMPLETE] != 0, state[ASKING] != 0
    after_end = state[AFTER_END] != 0
    found = 0
    first = 0  # the first pending token
    for i in range(len(rows)):
        row, sign = rows[i], signs[i]
        known = row != NO_ROW
        last = scores[V + row] if wait and known else 0.0
        bag = scores[row] if known else 0.0
        follows = complete or (after_end and words > 0)  # what is pending ends before a question
        begins = sign == ASKS and not asking and (follows or words <= lead)
        # Does a piece end before this token?
        if sign == ENDS_QUESTION:
            if asked_at > 0 and not asking:
                # The question did not follow a break: what stands before it ends where it begins.
                ends[found], kinds[found] = first + asked_at, SEGMENT
                found += 1
                first += asked_at
                tokens -= asked_at
        elif tokens > 0 and (
            length + lengths[i] > longest
            or (begins and follows)
            or (wait and complete and not asking and known and not s + bag + last > threshold)
        ):
            ends[found], kinds[found] = first + tokens, SENTENCE if asking else SEGMENT
            found += 1
            first += tokens
            s, tokens, words, length, asked_at, complete, asking = 0.0, 0, 0, 0, -1, False, False
        if begins:
            asking = True
        elif sign == ASKS and not asking:
            asked_at = tokens
        tokens += 1
        words += 1 if sign in (WORD, ASKS) else 0
        length += lengths[i]
        if known:
            s += bag
            complete = s + last > threshold
        after_end = sign == ENDS
        # Does a piece end with this token?
        over = sign == ENDS_QUESTION or (asking and sign == ENDS)
        if over or (complete and not wait and not asking):
            ends[found], kinds[found] = first + tokens, SENTENCE if over else SEGMENT
            found += 1
            first += tokens
            s, tokens, words, length, asked_at, complete, asking = 0.0, 0, 0, 0, -1, False, False
    total[0] = s
    state[TOKENS], state[WORDS], state[LENGTH], state[ASKED_AT] = tokens, words, length, asked_at
    state[COMPLETE], state[ASKING] = 1 if complete else 0, 1 if asking else 0
    state[AFTER_END] = 1 if after_end else 0
    return found
