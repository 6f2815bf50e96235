"""Reading many texts at once: where their words are, which are the same, what stands beside them.

Texts are bytes in one row, each ended by a NUL, ASCII unless they begin with SPLIT: then their
words are lower-case already and stand between spaces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import inlined, kernel

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.int32]

SPLIT, SPACE, GAP = 1, 32, -1


LOWER = np.zeros(256, np.uint8)
"""ASCII letters and digits as `words_1` has them, and 0 for everything else."""
for _c in b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
    LOWER[_c] = ord(chr(_c).lower())


@inlined
def _joins(c: int) -> bool:
    return c == 45 or c == 39 or c == 95  # - ' _


@kernel
def find_words(text: Bytes, lower: Bytes, ends: Ints, starts: Ints, stops: Ints) -> int:
    """As `text.tokens.words_1` does; lower-cases in place. Text i ends before word ends[i]."""
    n, t, i = 0, 0, 0
    while i < len(text):
        if text[i] == SPLIT:
            i += 1
            while text[i] != 0:
                starts[n] = i
                while text[i] != 0 and text[i] != SPACE:
                    i += 1
                stops[n] = i
                n += 1
                if text[i] == SPACE:
                    i += 1
        while text[i] != 0:
            c = lower[text[i]]
            if c == 0:
                i += 1
                continue
            starts[n] = i
            while c != 0:
                while c != 0:
                    text[i] = c
                    i += 1
                    c = lower[text[i]]
                if _joins(text[i]):
                    c = lower[text[i + 1]]
                    i += c != 0
            stops[n] = i
            n += 1
        ends[t] = n
        t += 1
        i += 1
    return n


@kernel
def number(
    values: Bytes | Ints, starts: Ints, stops: Ints, table: Numbers, numbers: Ints, firsts: Ints
) -> int:
    """Rows that are equal get the same number, in order of appearance; how many there are.

    `table` has a power of two of places, all -1; where it is too small, the result is -1.
    """
    n, mask = 0, np.uint64(len(table) - 1)
    for row in range(len(starts)):
        start, length = starts[row], stops[row] - starts[row]
        h = np.uint64(14695981039346656037)
        for i in range(start, start + length):
            h = (h ^ np.uint64(values[i])) * np.uint64(1099511628211)
        place = (h ^ h >> np.uint64(32)) & mask
        while True:
            known = table[place]
            if known < 0:
                if 2 * n >= len(table):
                    return -1
                table[place] = n
                firsts[n] = row
                numbers[row] = n
                n += 1
                break
            first = starts[firsts[known]]
            same = stops[firsts[known]] - first == length
            for i in range(length):
                if not same:
                    break
                same = values[first + i] == values[start + i]
            if same:
                numbers[row] = known
                break
            place = (place + np.uint64(1)) & mask
    return n


@kernel
def find_contexts(
    ptr: Ints, tokens: Ints, known: int, row: int, place: int,
    table: Ints, codes: Ints, rows: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    """Which known words stand left and right of which unseen ones (§3.5), each pair once.

    A code is (unseen · 2 + side) · known + word. Begins at a place of a row; returns how many were
    found, and where to go on when there is no more room.
    """
    n, mask = 0, np.uint64(len(table) - 1)
    while row + 1 < len(ptr):
        a, b = ptr[row], ptr[row + 1]
        while place < b - a:
            token = tokens[a + place]
            if token >= known:
                if n + b - a > len(codes):
                    return n, row, place
                for i in range(a, b):
                    if tokens[i] >= known:
                        continue
                    code = (2 * (token - known) + (i > a + place)) * known + tokens[i]
                    at = (np.uint64(code) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20) & mask
                    while table[at] != -1 and table[at] != code:
                        at = (at + np.uint64(1)) & mask
                    if table[at] == -1:
                        table[at] = code
                        codes[n], rows[n] = code, row
                        n += 1
            place += 1
        row += 1
        place = 0
    return n, row, 0


@kernel
def find_patterns(
    ptr: Ints, tokens: Ints, is_name: Flags, seen: Ints,
    pattern_ptr: Ints, patterns: Ints, name_ptr: Ints, names: Ints,
) -> None:  # fmt: skip
    """Rows with their names left open, and the names. With `seen` a token counts once in a row."""
    p, n = 0, 0
    for row in range(len(ptr) - 1):
        for token in tokens[ptr[row] : ptr[row + 1]]:
            if len(seen):
                if seen[token] == row:
                    continue
                seen[token] = row
            if is_name[token]:
                names[n] = token
                n += 1
                patterns[p] = GAP
            else:
                patterns[p] = token
            p += 1
        pattern_ptr[row + 1], name_ptr[row + 1] = p, n


@kernel
def sort_rows(ptr: Ints, tokens: Ints, as_sets: bool, new_ptr: Ints, new: Ints) -> None:
    """The bag of each row: its tokens in order, as sets each once."""
    n = 0
    for row in range(len(ptr) - 1):
        bag = np.sort(tokens[ptr[row] : ptr[row + 1]])
        for i in range(len(bag)):
            if not as_sets or i == 0 or bag[i] != bag[i - 1]:
                new[n] = bag[i]
                n += 1
        new_ptr[row + 1] = n
