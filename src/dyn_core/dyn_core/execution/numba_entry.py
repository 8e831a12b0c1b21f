"""Kernels as functions of numba, for users' own ``@numba.njit`` code.

Arrays are checked where they can be: their kinds when numba compiles the call, their sizes at each
call, which costs nanoseconds. The address of the machine code is a constant of the compiled
function, so numba cannot keep callers on disk (``cache=True``); the kernel's own code is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dyn_core.codegen.signature import FLOAT64, Signature, in_words
from dyn_core.extras import optional

WHY = "calling kernels from compiled Python"

_called: list[object] = []
"""Owners of machine code that numba's may call from now on, which is therefore never freed."""


def numba_function(
    owner: object,
    address: int,
    signature: Signature,
    fields: Sequence[str],
    states: str = "",
    dtype: np.dtype[np.floating] = FLOAT64,
) -> Callable[..., None]:
    """A function of numba that takes the inputs, then the outputs, and fills the outputs.

    Args:
        owner: what keeps the machine code alive.
        address: where that is.
        signature: of the kernel.
        fields: the names of its outputs.
        states: a letter for the number of states, if it is a batch: machine code then takes this
            number first, and arrays have a row per state.
        dtype: of the arrays' numbers.

    Raises:
        MissingExtraError: there is no numba.
    """
    numba = optional("numba", WHY, "numba")
    intrinsic = optional("numba.extending", WHY, "numba").intrinsic
    shapes = [*(x.shape for x in signature.inputs.values()), *signature.outputs]
    rows = (states,) if states else ()
    names = [*signature.inputs, *fields]
    call = intrinsic(_call(address, names, [(*rows, *shape) for shape in shapes], dtype.name))

    @numba.njit(nogil=True)  # type: ignore[untyped-decorator]
    def compute(*arrays: Any) -> None:
        call(arrays)

    compute.__doc__ = f"Machine code for numba: f({', '.join(names)}) fills {', '.join(fields)}."
    _called.append(owner)
    return compute  # type: ignore[no-any-return]


def _call(
    address: int, names: Sequence[str], shapes: Sequence[tuple[int | str, ...]], real: str
) -> Callable[..., Any]:
    """The typing and the code of the call, as :func:`numba.extending.intrinsic` wants them."""
    from llvmlite import ir
    from numba.core import cgutils, errors, types

    word = ir.IntType(64)

    def typed(context: Any, arrays: Any) -> Any:
        if len(arrays) != len(names):
            expected = f"{len(names)} arrays ({', '.join(names)})"
            raise errors.TypingError(f"expected {expected}, got {len(arrays)}")
        for kind, name, shape in zip(arrays, names, shapes, strict=True):
            if not isinstance(kind, types.Array) or kind.dtype != getattr(types, real):
                raise errors.TypingError(f"{name} must be an array of {real}, not {kind}")
            if kind.ndim != len(shape) or kind.layout != "C":
                expected = f"a C-contiguous array of shape {in_words(shape)}"
                raise errors.TypingError(f"{name} must be {expected}, not {kind}")
        return types.void(arrays), code

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args[0]
        parts = cgutils.unpack_tuple(builder, arguments[0], len(kinds))
        arrays = [
            context.make_array(kind)(context, builder, part)
            for kind, part in zip(kinds, parts, strict=True)
        ]
        rows: list[Any] = []
        for array, name, shape in zip(arrays, names, shapes, strict=True):
            sizes = cgutils.unpack_tuple(builder, array.shape, len(shape))
            for size, expected in zip(sizes, shape, strict=True):
                if isinstance(expected, str):
                    rows = rows or [size]
                right = rows[0] if isinstance(expected, str) else word(expected)
                with builder.if_then(builder.icmp_signed("!=", size, right), likely=False):
                    text = f"{name} must have shape {in_words(shape)}"
                    context.call_conv.return_user_exc(builder, ValueError, (text,))
        values = [*rows, *(builder.ptrtoint(array.data, word) for array in arrays)]
        function = ir.FunctionType(ir.VoidType(), [word] * len(values)).as_pointer()
        builder.call(builder.inttoptr(word(address), function), values)
        return context.get_dummy_value()

    return typed
