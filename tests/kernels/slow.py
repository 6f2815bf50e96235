"""The equations written out: dense Φ vectors, one U, float64, no tricks. Slow and obvious."""

from __future__ import annotations

import numpy as np


def phi(D, block, words):
    """A bag of words in one block of the feature space."""
    v = np.zeros(D)
    for w in words:
        v[block + w] += 1
    return v


def phi_x(D, W, x, supports):
    return phi(D, 0, x) + sum((phi(D, W, m) for m in supports), np.zeros(D))


def phi_time(mode, t_x, t_y, t_y2):
    return {
        "none": [0, 0, 0],
        "ordered": [t_y > t_x, t_y2 > t_x, t_y > t_y2],
        "literal": [t_y > t_x, t_y2 > t_x, t_y < t_y2],
        "signed": [np.sign(t_y - t_x), np.sign(t_y2 - t_x), np.sign(t_y - t_y2)],
    }[mode]


def s_Ot(U, W, mode, x, supports, t_x, y, t_y, y2, t_y2):
    """Eq. 10: Φ_x' U' U (Φ_y(y) - Φ_y(y') + Φ_t(x, y, y')); U has its features in rows here."""
    D = U.shape[0]
    right = phi(D, 2 * W, y) - phi(D, 2 * W, y2)
    right[3 * W :] += phi_time(mode, t_x, t_y, t_y2)
    return phi_x(D, W, x, supports) @ U @ U.T @ right


def s_R(U, W, x, supports, r):
    D = U.shape[0]
    return phi_x(D, W, x, supports) @ U @ U.T @ phi(D, 2 * W, [r])


def algorithm_1(U, W, mode, x, supports, t_x, memories, times):
    return _walk(U, W, mode, x, supports, t_x, memories, times)[0]


def beaten_by_winner(U, W, mode, x, supports, t_x, memories, times):
    """The memories that the winner met on its walk."""
    return _walk(U, W, mode, x, supports, t_x, memories, times)[1]


def _walk(U, W, mode, x, supports, t_x, memories, times):
    t, beaten = 0, []
    for i in range(1, len(memories)):
        if s_Ot(U, W, mode, x, supports, t_x, memories[i], times[i], memories[t], times[t]) > 0:
            t, beaten = i, [t]
        else:
            beaten.append(i)
    return t, beaten


def find_supports(U, W, mode, x, t_x, memories, times, hops):
    supports = []
    for _ in range(hops):
        given = [memories[o] for o in supports]
        o = algorithm_1(U, W, mode, x, given, t_x, memories, times)
        supports.append(o)
        if supports[-2:] == [o, o]:
            return supports + [o] * (hops - len(supports))
        t_x = times[o]
    return supports
