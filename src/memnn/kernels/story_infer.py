"""Inference: k hops of Algorithm 1 over the memory (Eq. 2-3), and the ranking of answers (Eq. 4).

The bilinear form is multiplied out: A = U_x' U_y has a row for every feature of an input and a
column for every feature of a candidate (`layout`), so that p, the score of every feature,
is a sum of a few rows of A. From p come the scores e of tokens, matches included, and from these
the content of memories. Memories that say the same share one bag, which is scored once:
c[kinds[i]] is the content of memory i.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints, Kinds
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.phi import MM, MX, Contexts, L, M, R, T, X, Y
from memnn.kernels.write_time import phi_t

Doubles = NDArray[np.float64]
Flags = NDArray[np.bool_]


@kernel
def score_bags(c: Floats, e: Floats, ptr: Ints, words: Ints) -> None:
    """c_k = Σ e_t over the tokens of bag k."""
    for k in range(c.shape[0]):
        s = np.float32(0.0)
        for j in range(ptr[k], ptr[k + 1]):
            s += e[words[j]]
        c[k] = s


@kernel
def walk(
    c: Floats, kinds: Kinds, o: int, mode: int, w: Floats, found: Ints, numbers: Doubles
) -> None:
    """Algorithm 1 over all memories in write order, and the closest comparison its winner won.

    o is the last support, or the number of memories for a question, which is newer than all.
    Time is constant where memories are on the same side of o, so the comparison of the newer
    i with the winner t, s_Ot(q, m_i, m_t) > 0, is F_i > G_t with F = c + f and G = c - g.

    found    (winner, runner-up or -1)
    numbers  (winner's content, runner-up's content, write-time part of the comparison)
    """
    n = len(kinds)
    middle = min(o + 1, n)  # memories from here on are newer than o
    highest = c[0]
    for c_k in c:
        highest = max(highest, c_k)
    t = _winner(c, kinds, middle, o, mode, w, highest)
    deposed = _winner(c, kinds, t, o, mode, w, highest)
    f, g = _by_side(mode, 1, w)
    G = c[kinds[t]] - _by_side(mode, 0 if t == o else -1, w)[1]
    for i in range(middle, n):
        if c[kinds[i]] + f > G:
            deposed = t
            t = i
            G = c[kinds[i]] - g
    # Of the memories that the winner met, the closest: the one it deposed, or the best after it.
    rival, best = -1, np.float32(-np.inf)
    before, at = _by_side(mode, -1, w)[0], _by_side(mode, 0, w)[0]
    for i in range(t + 1, n):
        F = c[kinds[i]] + (f if i > o else at if i == o else before)
        if best < F:
            rival, best = i, F
    if deposed >= 0:
        won = _comparison(c, kinds, o, mode, w, t, deposed)
        if rival < 0 or won[0] + won[1] <= G - best:
            rival = deposed
    found[0], found[1] = t, rival
    numbers[0], numbers[1], numbers[2] = c[kinds[t]], 0.0, 0.0
    if rival >= 0:
        by_time = _comparison(c, kinds, o, mode, w, max(t, rival), min(t, rival))[1]
        numbers[1] = c[kinds[rival]]
        numbers[2] = by_time if t > rival else -by_time


@kernel
def _winner(
    c: Floats, kinds: Kinds, end: int, o: int, mode: int, w: Floats, highest: np.float32
) -> int:
    """The winner of Algorithm 1 over memories 0..end-1, none of them newer than o; -1 if end is 0.

    Where being newer never hurts (F >= G), the winner is the first memory that nothing after it
    beats. Coming from the newest, that is the last one found whose G no F so far exceeds, and the
    search is over when an F exceeds every G there could be: mostly after a few memories.
    """
    f, g = _by_side(mode, -1, w)
    f_o, g_o = _by_side(mode, 0, w)
    t = -1
    if f + g < 0 or f_o + g_o < 0:
        G = np.float32(-np.inf)
        for i in range(end):
            if c[kinds[i]] + (f_o if i == o else f) > G:
                t = i
                G = c[kinds[i]] - (g_o if i == o else g)
        return t
    most = highest - min(g, g_o)
    best = np.float32(-np.inf)
    for i in range(end - 1, -1, -1):
        if c[kinds[i]] - (g_o if i == o else g) >= best:
            t = i
        F = c[kinds[i]] + (f_o if i == o else f)
        if best < F:
            best = F
            if best > most:
                break
    return t


@kernel
def _by_side(mode: int, side: int, w: Floats) -> tuple[np.float32, np.float32]:
    """What time adds to a memory on a side of o (-1 before, 0 at, 1 after) as y, and as y'."""
    y = phi_t(mode, 0, side, side - 1)  # y is the newer one, so the third feature is its own
    y2 = phi_t(mode, 0, side + 1, side)
    return np.float32(w[0] * y[0] + w[2] * y[2]), np.float32(w[1] * y2[1])


@kernel
def _comparison(
    c: Floats, kinds: Kinds, o: int, mode: int, w: Floats, y: int, y2: int
) -> tuple[float, float]:
    """s_Ot(q, m_y, m_y'), y the newer, as its two parts: content and write time."""
    f = phi_t(mode, o, y, y2)
    return (
        float(c[kinds[y]]) - float(c[kinds[y2]]),
        w[0] * f[0] + w[1] * f[1] + w[2] * f[2],
    )


@inlined
def add_input(
    p: Floats, A: Floats, blocks: Ints, role: int, tokens: Ints, contexts: Contexts
) -> None:
    """p += Φ_x' A for tokens in the role of question (X) or support (M)."""
    for t in tokens:
        j = contexts.rows[t]
        if j < 0:
            _add_row(p, A, blocks[role] + t, np.float32(1.0))
            continue
        for side in range(2):
            start, end = contexts.ptr[2 * j + side], contexts.ptr[2 * j + side + 1]
            for k in range(start, end):
                row = blocks[L + side] + contexts.words[k]
                _add_row(p, A, row, np.float32(1.0 / np.sqrt(end - start)))


@inlined
def _add_row(p: Floats, A: Floats, row: int, scale: np.float32) -> None:
    for f in range(p.shape[0]):
        p[f] += scale * A[row, f]


@kernel
def context_score(p: Floats, left: int, right: int, j: int, contexts: Contexts) -> float:
    """The score of an unseen word by its context, in the blocks that start at left and right."""
    total = 0.0
    for side in range(2):
        start, end = contexts.ptr[2 * j + side], contexts.ptr[2 * j + side + 1]
        block = left if side == 0 else right
        for k in range(start, end):
            total += p[block + contexts.words[k]] / np.sqrt(end - start)
    return total


@inlined
def score_tokens(e: Floats, p: Floats, columns: Ints, words: int, contexts: Contexts) -> None:
    """e_t of every token as part of a candidate, matches aside; the first `words` have a row."""
    for t in range(e.shape[0]):
        j = contexts.rows[t]
        if j >= 0:
            e[t] = context_score(p, columns[L], columns[R], j, contexts)
        else:
            e[t] = p[columns[Y] + t] if t < words else np.float32(0.0)


@kernel
def add_matches(
    e: Floats,
    p: Floats,
    columns: Ints,
    block: int,
    tokens: Ints,
    contexts: Contexts,
    bow: float,
    seen: Kinds,
    source: int,
) -> None:
    """§3.6 for tokens of the question (block MX, source 1) or of a support (MM, 2).

    A token counts once per source; λ counts once, whatever the source.
    """
    for t in tokens:
        if seen[t] & source:
            continue
        if columns[block] >= 0:
            j = contexts.rows[t]
            if j < 0:
                e[t] += p[columns[block] + t]
            else:
                e[t] += context_score(p, columns[block + 1], columns[block + 2], j, contexts)
        if seen[t] == 0:
            e[t] += bow
        seen[t] |= source


@kernel
def most_content(
    e: Floats,
    barred: Flags,
    word_ptr: Ints,
    words: Ints,
    gap_ptr: Ints,
    name_ptr: Ints,
    names: Ints,
    spoilers: Ints,
) -> tuple[float, int]:
    """The most content of any memory that fits a pattern, barred names aside.

    Names beyond e are not of this time. Fills `spoilers` with the names of that memory and returns
    how many there are.
    """
    most, n = -np.inf, 0
    for k in range(len(word_ptr) - 1):
        total = 0.0
        for j in range(word_ptr[k], word_ptr[k + 1]):
            total += e[words[j]]
        for gap in range(gap_ptr[k], gap_ptr[k + 1]):
            total += _best_name(e, barred, names[name_ptr[gap] : name_ptr[gap + 1]])[0]
        if total > most:
            most, n = total, 0
            for gap in range(gap_ptr[k], min(gap_ptr[k + 1], gap_ptr[k] + len(spoilers))):
                best = _best_name(e, barred, names[name_ptr[gap] : name_ptr[gap + 1]])
                spoilers[n] = best[1]
                n += 1
    return most, n


@kernel
def _best_name(e: Floats, barred: Flags, names: Ints) -> tuple[float, int]:
    """The highest score of a name that may stand in a gap, and which; -inf if none may."""
    best, which = -np.inf, -1
    for t in names:
        if t < len(e) and not barred[t] and e[t] > best:
            best, which = e[t], t
    return best, which


@kernel
def by_side(mode: int, w: Floats) -> tuple[Floats, Floats]:
    """What time adds to memories before, at and after the last support, as y (f) and as y' (g)."""
    f, g = np.empty(3, np.float32), np.empty(3, np.float32)
    for side in range(-1, 2):
        f[side + 1], g[side + 1] = _by_side(mode, side, w)
    return f, g


@kernel
def find_supports(
    A: Floats,
    blocks: Ints,
    columns: Ints,
    x: Ints,
    ptr: Ints,
    words: Ints,
    kinds: Kinds,
    rows: Ints,
    context_ptr: Ints,
    context_words: Ints,
    mode: int,
    bow: float,
    found: Ints,
    numbers: Doubles,
) -> int:
    """Eq. 2-3 for k = len(found) hops; "the same support again" means stop.

    found (k, 2), numbers (k, 3): see `walk`. Returns the number of different supports, in order.
    """
    contexts = Contexts(rows, context_ptr, context_words)  # arrays are cheaper to hand over
    p = np.zeros(A.shape[1], np.float32)
    c = np.empty(ptr.shape[0] - 1, np.float32)
    e = np.empty(len(rows), np.float32)
    seen = np.empty(len(rows), np.int32)
    matching = columns[MX] >= 0 or bow != 0.0
    w = np.zeros(3, np.float32)
    o = len(kinds)
    add_input(p, A, blocks, X, x, contexts)
    for h in range(len(found)):
        score_tokens(e, p, columns, len(e), contexts)
        if matching:
            seen[:] = 0
            add_matches(e, p, columns, MX, x, contexts, bow, seen, 1)
            for g in range(h):
                k = kinds[found[g, 0]]
                m = words[ptr[k] : ptr[k + 1]]
                add_matches(e, p, columns, MM, m, contexts, bow, seen, 2)
        score_bags(c, e, ptr, words)
        if columns[T] >= 0:
            w[:] = p[columns[T] : columns[T] + 3]
        walk(c, kinds, o, mode, w, found[h], numbers[h])
        if h > 0 and found[h, 0] == o:
            return h
        o = int(found[h, 0])
        add_input(p, A, blocks, M, words[ptr[kinds[o]] : ptr[kinds[o] + 1]], contexts)
    return len(found)


@kernel
def rank(
    A: Floats,
    blocks: Ints,
    columns: Ints,
    words: int,
    answers: int,
    x: Ints,
    m: Ints,
    rows: Ints,
    context_ptr: Ints,
    context_words: Ints,
    e: Floats,
) -> int:
    """Eq. 4: fills e with s_R([x, m_o1, ...], r) of every candidate r and returns the best.

    Candidates are the words, then answers of several words, then the unseen words of the story,
    which are the last of the tokens.
    """
    contexts = Contexts(rows, context_ptr, context_words)
    p = np.zeros(A.shape[1], np.float32)
    add_input(p, A, blocks, X, x, contexts)
    add_input(p, A, blocks, M, m, contexts)
    n = len(rows)
    tokens = np.empty(n, np.float32)
    score_tokens(tokens, p, columns, words, contexts)
    if columns[MX] >= 0:
        seen = np.zeros(n, np.int32)
        add_matches(tokens, p, columns, MX, x, contexts, 0.0, seen, 1)
        add_matches(tokens, p, columns, MM, m, contexts, 0.0, seen, 2)
    best = 0
    for r in range(len(e)):
        if r < words:
            e[r] = tokens[r]
        elif r < answers:
            e[r] = p[columns[Y] + r]
        else:
            e[r] = tokens[n - len(e) + r]
        if e[r] > e[best]:
            best = r
    return best
