"""Parameters kept in bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from memnn.ordinary.kept import LARGE, from_bytes, rounded, to_bytes

sizes = st.sampled_from([(LARGE, 40), (40, LARGE), (3, 40), (40,), (LARGE, LARGE)])


@given(size=sizes, seed=st.integers(0, 99), scale=st.sampled_from([1e-6, 0.01, 1.0, 1e3, 1e5]))
def test_saving_changes_nothing_that_was_rounded(size, seed, scale):
    array = np.random.default_rng(seed).normal(0, scale, size).astype(np.float32)
    once = rounded(array)
    np.testing.assert_array_equal(rounded(once), once)
    np.testing.assert_array_equal(from_bytes(to_bytes({"a": once}))["a"], once)
    assert once.dtype == np.float32


@pytest.mark.parametrize("size", [(128, 512), (512, 128), (3000, 32)])
def test_rounding_is_small_and_takes_a_byte(size):
    array = np.random.default_rng(0).normal(0, 0.1, size).astype(np.float32)
    error = np.abs(rounded(array) - array)
    assert error.max() <= np.abs(array).max() / 127
    assert len(to_bytes({"a": rounded(array)})) < 1.1 * array.size + 500


def test_what_was_not_rounded_keeps_half_precision():
    array = np.random.default_rng(0).normal(0, 0.1, (32, 32)).astype(np.float16)
    kept = from_bytes(to_bytes({"a": array.astype(np.float32), "zeros": np.zeros((20, 20), "f")}))
    np.testing.assert_array_equal(kept["a"], array)
    np.testing.assert_array_equal(kept["zeros"], 0)


@pytest.mark.parametrize(
    ("steps", "scale"),
    [((20, 30), (1, 20)), ((300,), (300, 1)), ((20, 1, 30), (20, 1)), ((20, 30), None)],
)
def test_scales_that_do_not_fit(steps, scale):
    tensors = {"a": np.ones(steps, np.int8)}
    if scale is not None:
        tensors["a.scale"] = np.ones(scale, np.float16)
    with pytest.raises((ValueError, KeyError)):
        from_bytes(save(tensors))


def test_scales_of_nothing_or_of_another_kind():
    scales = np.ones((1, 30), np.float32)
    with pytest.raises(ValueError, match="of nothing"):
        from_bytes(save({"a.scale": scales}))
    with pytest.raises(ValueError, match="do not fit"):
        from_bytes(save({"a": np.ones((20, 30), np.int8), "a.scale": scales}))
