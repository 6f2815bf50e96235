"""Write-time features Φ_t(x, y, y') of §3.4 and Appendix C, in the readings that were tried.

Three features: is y after x, is y' after x, and the order of y and y'.

ordered   [y newer than x], [y' newer than x], [y newer than y']   (default)
signed    sgn(t_y - t_x), sgn(t_y' - t_x), sgn(t_y - t_y')
literal   [y newer than x], [y' newer than x], [y older than y']   (the paper's words)
index     none of these: each memory's absolute index is a feature of its bag (`stories.bags`)
none      none

Algorithm 1 goes from old to new, so y is always the newer one there: under `literal` no feature
fires at hop 1, and time cannot matter. `ordered` and `signed` mend that. `ordered` trains each
pair in the order in which inference meets it; `signed` trains both orders, as Appendix C does.
"""

from __future__ import annotations

from memnn.kernels.jit import kernel

NONE, ORDERED, SIGNED, LITERAL = 0, 1, 2, 3
CODES = {"none": NONE, "index": NONE, "ordered": ORDERED, "signed": SIGNED, "literal": LITERAL}


@kernel
def sign(t: int) -> float:
    if t > 0:
        return 1.0
    return -1.0 if t < 0 else 0.0


@kernel
def phi_t(mode: int, t_x: int, t_y: int, t_y2: int) -> tuple[float, float, float]:
    """The three features for write times t_x, t_y, t_y'."""
    if mode == NONE:
        return 0.0, 0.0, 0.0
    if mode == SIGNED:
        return sign(t_y - t_x), sign(t_y2 - t_x), sign(t_y - t_y2)
    after = 1.0 if t_y > t_x else 0.0
    after2 = 1.0 if t_y2 > t_x else 0.0
    if mode == ORDERED:
        return after, after2, 1.0 if t_y > t_y2 else 0.0
    return after, after2, 1.0 if t_y < t_y2 else 0.0
