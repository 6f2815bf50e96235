"""How kernels are compiled."""

from __future__ import annotations

from memnn.kernels.jit import kernel


@kernel
def twice(n: int, by: int) -> int:
    return n * by


@kernel
def both(n: int) -> int:
    return twice(n, 2) + twice(3, n) + twice(n, by=5)


def test_constants_make_no_versions_of_their_own():
    """A kernel that was compiled for each constant took twice the time of all the others."""
    assert both(7) == 14 + 21 + 35
    assert len(twice.signatures) == 1
