# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kernels as functions of numba, for users' own ``@numba.njit`` code.

The types of arrays are checked when numba compiles the call, their sizes at each call, in
nanoseconds. The address of the machine code is valid in this process alone. So numba does not cache
callers on disk (``cache=True`` warns and compiles); the kernel's own code is cached. A function
that is unpickled in another process uses the code of that process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from dyn_core.compiler.runtime.build_spec import flattened
from dyn_core.compiler.signature import FLOAT64, Signature, in_words
from dyn_core.extras import optional

WHY = "calling kernels from compiled Python"

_called: list[object] = []
"""Owners of machine code that numba's code may call: they are never freed."""


class Owner(Protocol):
    """An object that keeps machine code alive."""

    @property
    def address(self) -> int:
        """The address of the machine code."""


def numba_function(
    owner: Owner,
    interpreted: Callable[..., Any],
    signature: Signature,
    fields: Sequence[str],
    states: str = "",
    dtype: np.dtype[np.floating] = FLOAT64,
) -> Callable[..., None]:
    """A function of numba that takes the inputs, then the outputs, and fills the outputs.

    Args:
        owner: of the machine code; it can be pickled.
        interpreted: computes outputs from inputs; called if ``NUMBA_DISABLE_JIT`` is set.
        signature: of the kernel.
        fields: the names of its outputs.
        states: a letter for the number of states of a batch: this number is then the first argument
            of the machine code, and arrays have a row per state.
        dtype: of the arrays' numbers.

    Raises:
        MissingExtraError: there is no numba.
        RuntimeError: there is no machine code.
    """
    _ = owner.address  # waits for the compilation, or raises
    numba = optional("numba", WHY, "numba")
    intrinsic = optional("numba.extending", WHY, "numba").intrinsic
    inputs, names = len(signature.inputs), [*signature.inputs, *fields]
    of_one = [*(x.shape for x in signature.inputs.values()), *signature.outputs]
    shapes = [(*((states,) if states else ()), *shape) for shape in of_one]
    call = intrinsic(_call(owner, names, shapes, inputs, dtype.name))

    def compute(*arrays: Any) -> None:
        call(arrays)

    def compute_interpreted(*arrays: Any) -> None:
        results = flattened(interpreted(*arrays[:inputs]))
        for array, result in zip(arrays[inputs:], results, strict=True):
            array[...] = result

    function = compute_interpreted if numba.config.DISABLE_JIT else numba.njit(nogil=True)(compute)
    function.__doc__ = f"Machine code for numba: f({', '.join(names)}) fills {', '.join(fields)}."
    return function


def _address(owner: Owner) -> int:
    _called.append(owner)
    return owner.address


def _call(
    owner: Owner,
    names: Sequence[str],
    shapes: Sequence[tuple[int | str, ...]],
    inputs: int,
    real: str,
) -> Callable[..., Any]:
    """The typing and the code of the call, for :func:`numba.extending.intrinsic`.

    The first ``inputs`` arrays are only read.
    """
    from llvmlite import ir
    from numba.core import cgutils, errors, types

    word = ir.IntType(64)

    def typed(context: Any, arrays: Any) -> Any:
        if len(arrays) != len(names):
            expected = f"{len(names)} arrays ({', '.join(names)})"
            raise errors.TypingError(f"expected {expected}, got {len(arrays)}")
        for k, (kind, name, shape) in enumerate(zip(arrays, names, shapes, strict=True)):
            if not isinstance(kind, types.Array) or kind.dtype != getattr(types, real):
                raise errors.TypingError(f"{name} must be an array of {real}, not {kind}")
            if kind.ndim != len(shape) or kind.layout != "C":
                expected = f"a C-contiguous array of shape {in_words(shape)}"
                raise errors.TypingError(f"{name} must be {expected}, not {kind}")
            if k >= inputs and not kind.mutable:  # such as one that is global to compiled code
                expected = "an array that can be written to: make it in the function or pass it"
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
        place = context.add_dynamic_addr(builder, _address(owner), info=", ".join(names))
        builder.call(builder.bitcast(place, function), values)
        return context.get_dummy_value()

    return typed
