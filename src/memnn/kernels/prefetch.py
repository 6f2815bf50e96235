"""Fetching ahead: what is needed soon is on its way from memory while something else is computed.

It is a hint to the processor and reads nothing itself, so a place outside an array does no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats
from memnn.kernels.jit import inlined

LINE = 16
"""As many float32 come at once."""
FOR_READING, SOON, DATA = 0, 3, 1


def _fetch(typing: Any, array: Any, i: Any) -> tuple[Any, Callable[..., Any]]:
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        view = context.make_array(array)(context, builder, given[0])
        pointer_add: Any = cgutils.pointer_add
        place = pointer_add(builder, view.data, builder.mul(given[1], view.itemsize))
        pointer, number = cgutils.voidptr_t, ir.IntType(32)
        hint = builder.module.declare_intrinsic(
            "llvm.prefetch",
            (pointer,),
            ir.FunctionType(ir.VoidType(), (pointer, number, number, number)),
        )
        how = [ir.Constant(number, value) for value in (FOR_READING, SOON, DATA)]
        builder.call(hint, [builder.bitcast(place, pointer), *how])
        return context.get_dummy_value()

    return numba.types.void(array, numba.types.int64), code


_made: Any = intrinsic(_fetch)
fetch: Callable[[NDArray[Any], int], None] = _made
"""The line of memory with item i of an array that lies in one piece."""


@inlined
def fetch_row(U: Floats, row: int) -> None:
    """All of a row."""
    for d in range(0, U.shape[1], LINE):
        fetch(U, row * U.shape[1] + d)
