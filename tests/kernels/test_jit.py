"""How kernels are compiled."""

from __future__ import annotations

from memnn.kernels import jit


def test_constants_make_no_versions_of_their_own(tmp_path, monkeypatch):
    """A kernel that was compiled for each constant took twice the time of all the others."""
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)  # nothing an earlier run compiled

    @jit.kernel
    def twice(n: int, by: int) -> int:
        return n * by

    @jit.kernel
    def both(n: int) -> int:
        return twice(n, 2) + twice(3, n) + twice(n, by=5)

    assert both(7) == 14 + 21 + 35
    assert len(twice.signatures) == 1
