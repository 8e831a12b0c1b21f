"""Compiled functions of one robot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dyn_core.algorithms.quantities import Quantity
from dyn_core.codegen import cache, machine, trace
from dyn_core.codegen.llvm import KERNEL, print_llvm
from dyn_core.execution.data import FIELDS, Data
from dyn_core.execution.python_entry import ENTRY, open_door, print_entry, supported
from dyn_core.execution.signature import Signature, find_quantities
from dyn_core.model.model import FloatArray, Model


class Kernel:
    """Machine code that computes some quantities of one model together.

    Bind it to a Data and call the result::

        compute = compile(model, ["gravity", "mass_matrix"]).bind(data)
        g, M = compute(q)
    """

    def __init__(self, model: Model, signature: Signature, code: machine.LoadedCode) -> None:
        self.signature = signature
        self._robot = repr(model)
        self._fingerprint = model.fingerprint
        self._shapes = [FIELDS[name].shape(model) for name in signature.outputs]
        self._code = code
        arrays = len(signature.inputs) + len(signature.outputs)
        prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arrays)
        self._call = prototype(self.address)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arguments, in order."""
        return tuple(self.signature.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Fields of Data that are filled, in the order in which they are returned."""
        return self.signature.outputs

    @property
    def address(self) -> int:
        """Address of ``void kernel(double *inputs..., double *outputs...)``, for other languages.

        It is valid while this Kernel lives.
        """
        return self._code.address(KERNEL)

    def bind(self, data: Data) -> Callable[..., Any]:
        """A callable that takes the input arrays, by position or name, and fills ``data``.

        It returns the filled array, or a tuple of them if there are several: always the same
        objects. NaN in an input gives NaN in what depends on it.

        Raises:
            ValueError: ``data`` belongs to another model. The callable raises TypeError or
                ValueError for arguments of the wrong type or size and computes nothing then.
        """
        if data.model.fingerprint != self._fingerprint:
            raise ValueError(f"this kernel is for {self._robot}, not for {data!r}")
        arrays = [getattr(data, name) for name in self.outputs]
        result = arrays[0] if len(arrays) == 1 else tuple(arrays)

        def checked_call(*arguments: Any, **named: Any) -> Any:
            self._fill(arrays, arguments, named)
            return result

        self.signature.describe(checked_call)
        if not supported():
            return checked_call
        return open_door(self._code.address(ENTRY), result, arrays, checked_call)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The outputs as new arrays: one, or a tuple of them. Slower than a bound callable.

        Raises:
            TypeError, ValueError: an argument has the wrong type or size.
        """
        arrays = [np.empty(shape) for shape in self._shapes]
        self._fill(arrays, arguments, named)
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def _fill(
        self, outputs: Sequence[FloatArray], arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> None:
        inputs = self.signature.checked(arguments, named)
        self._call(*(array.ctypes.data for array in [*inputs, *outputs]))


def compile(model: Model, quantities: Sequence[str]) -> Kernel:
    """Trace and compile quantities of a robot to be computed together, sharing their work.

    Args:
        model: the robot.
        quantities: names from :data:`dyn_core.algorithms.quantities.QUANTITIES`, such as
            ``["gravity", "nonlinear_effects", "mass_matrix"]``.

    Compiled code is kept with the model, and on disk for other processes of this user (see
    :mod:`dyn_core.codegen.cache`).

    Raises:
        ValueError: a name is unknown or given twice.
    """
    chosen = find_quantities(quantities)
    names = tuple(quantities)
    kernel: Kernel | None = model.kernels.get(names)
    if kernel is None:
        kernel = model.kernels[names] = _compile(model, chosen)
    return kernel


def _compile(model: Model, quantities: Sequence[Quantity]) -> Kernel:
    signature = Signature.of(model, quantities)
    names = [quantity.name for quantity in quantities]
    entry = cache.key(machine.fingerprint(), model.fingerprint, *names)
    object_code = cache.load(entry)
    if object_code is None:
        ir = print_llvm(trace(model, quantities)) + print_entry(signature)
        object_code = machine.to_object_code(ir)
        cache.store(entry, object_code)
    return Kernel(model, signature, machine.LoadedCode(object_code))
