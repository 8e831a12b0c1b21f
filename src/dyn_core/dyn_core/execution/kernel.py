# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Compiled functions of one robot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, get_args

import numpy as np

from dyn_core.codegen.llvm import KERNEL
from dyn_core.codegen.one_state import Goal, print_one_state
from dyn_core.codegen.signature import Asked, Extra, extras_of, requests_of
from dyn_core.execution.backend import chosen
from dyn_core.execution.batch import Batch
from dyn_core.execution.data import Data
from dyn_core.execution.numba_entry import numba_function
from dyn_core.execution.order import Order
from dyn_core.execution.python_entry import (
    ENTRY,
    FILLING,
    open_door,
    print_entry,
    print_filling,
    supported,
)
from dyn_core.execution.rollouts import Rollouts
from dyn_core.model.model import FloatArray, Model
from dyn_core.quantities.results import Result

FORM = "one state"
"""The part of the cache key that differs from batches."""


class Kernel(Generic[Result]):
    """Code that computes some quantities of one model together.

    Bind it to a Data and call the result::

        compute = compile(model, ["gravity", "mass_matrix"]).bind(data)
        g, M = compute(q)
    """

    def __init__(self, order: Order) -> None:
        self.order = order
        self.model = order.model
        self.requests = order.requests
        """The requests, in the order of the results."""
        self.signature = order.signature
        self._form = f"{FORM}, {order.optimize_for}"
        self._code = order.code(self._form, (KERNEL, ENTRY, FILLING), lambda: _printed(order))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arguments, in order."""
        return tuple(self.signature.inputs)

    @property
    def origin(self) -> str:
        """Where its machine code has come from: ``"compiled"``, ``"from the cache"``.

        ``"interpreted"`` while there is none.
        """
        return self.order.origins[self._form]

    @property
    def ready(self) -> bool:
        """Whether there is machine code; until then, or for good, the tape computes."""
        return self._code.ready

    @property
    def address(self) -> int:
        """Address of ``void kernel(double *inputs..., double *outputs...)``, for other languages.

        It is valid while this Kernel lives. What is still built is waited for.

        Raises:
            RuntimeError: there is no machine code, and there will be none.
        """
        return self._code.address(KERNEL)

    @cached_property
    def batch(self) -> Batch:
        """The same for many states at once, compiled when it is first called: see the class."""
        return Batch(self.order)

    @cached_property
    def rollouts(self) -> Rollouts:
        """Many steps of many states, of a kernel that computes a step: see the class.

        Raises:
            ValueError: its outputs are no states from which its inputs go on.
            RuntimeError: it is a tape, which has no machine code.
        """
        return Rollouts(self.order)

    @cached_property
    def numba_function(self) -> Callable[..., None]:
        """The kernel for numba's compiled code: ``f(q, v, a, tau)`` fills ``tau``.

        Arrays are C-contiguous, of float64; wrong ones are an error as they are for numba itself.
        numba keeps no callers on disk: with ``cache=True`` it warns, and compiles them in each
        process. What is still built is waited for.

        Raises:
            ImportError: there is no numba.
            RuntimeError: there is no machine code, and there will be none.
        """
        fields = [output.field for output in self.order.outputs]
        return numba_function(self, self, self.signature, fields)

    def bind(self, data: Data) -> Callable[..., Result]:
        """A callable that takes the input arrays, by position or name, and fills ``data``.

        It returns what was asked for, always the same objects: an array for each quantity (a tuple
        of arrays for one that has several), alone or as a tuple if there are several. NaN in an
        input gives NaN in what depends on it.

        Raises:
            ValueError: ``data`` belongs to another model. The callable raises TypeError or
                ValueError for arguments of the wrong type or size and computes nothing then.
        """
        data.check(self.model)
        arrays = [array for request in self.requests for array in data.arrays(request)]
        result: Result = self.order.arranged(arrays)

        def checked_call(*arguments: Any, **named: Any) -> Result:
            self._fill(*self.signature.in_order(arguments, named), *arrays)
            return result

        self.signature.describe(checked_call, self.requests)

        def door() -> Callable[..., Any]:
            return open_door(self._code, ENTRY, result, arrays, checked_call)

        if not supported() or self.order.backend == "tape":
            return checked_call
        return door() if self.ready else self._handing_over(checked_call, door)

    def __call__(self, *arguments: FloatArray, **named: FloatArray) -> Result:
        """The outputs as new arrays, arranged as a bound callable's.

        Raises:
            TypeError, ValueError: an argument has the wrong type or size.
        """
        arrays = [np.empty(shape) for shape in self.signature.outputs]
        inputs = self.signature.in_order(arguments, named) if named else arguments
        self._fill(*inputs, *arrays)
        result: Result = self.order.arranged(arrays)
        return result

    def __reduce__(self) -> Any:
        """Another process compiles it anew, or finds it where this one has kept it."""
        order = self.order
        return compile, (self.model, self.requests, order.extras, order.backend, order.optimize_for)

    def __repr__(self) -> str:
        return f"<kernel of {self.model!r}: {', '.join(map(repr, self.requests))}>"

    @property
    def _fill(self) -> Callable[..., None]:
        """A callable that takes the inputs and the arrays to fill."""
        return self._door if self.ready else self._fill_patiently

    @cached_property
    def _door(self) -> Callable[..., None]:
        def fill(*arrays: Any) -> None:
            self._fill_patiently(*arrays)

        return open_door(self._code, FILLING, None, [], fill) if supported() else fill

    def _fill_patiently(self, *arrays: Any) -> None:
        """The same for arguments that are to be copied or refused, and for the tape."""
        outputs = len(self.signature.outputs)
        inputs = self.signature.checked(arrays[:-outputs], {})
        for output, array in zip(self.order.outputs, arrays[-outputs:], strict=True):
            if not array.flags.writeable:
                raise ValueError(
                    f"{output.field} ({output.meaning}) is to be filled, but its array was made "
                    f"read-only: keep results with {output.field}.copy(), and let this array be "
                    "written with setflags(write=True)"
                )
        if self.ready:
            self._call(*(array.ctypes.data for array in (*inputs, *arrays[-outputs:])))
        else:
            self.order.tape.run(1, inputs, arrays[-outputs:])

    @cached_property
    def _call(self) -> Callable[..., None]:
        arrays = len(self.signature.inputs) + len(self.signature.outputs)
        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arrays)(self.address)

    def _handing_over(
        self, before: Callable[..., Any], door: Callable[[], Callable[..., Any]]
    ) -> Callable[..., Any]:
        """A callable that is ``before`` until the machine code is ready, and then its door."""
        opened: Callable[..., Any] | None = None

        def compute(*arguments: Any, **named: Any) -> Any:
            nonlocal opened
            if opened is None:
                if not self.ready:
                    return before(*arguments, **named)
                opened = door()
            return opened(*arguments, **named)

        self.signature.describe(compute, self.requests)
        return compute


def compile(
    model: Model,
    quantities: Sequence[Asked],
    inputs: Sequence[Extra] = (),
    backend: str | None = None,
    optimize_for: Goal = "latency",
) -> Kernel:
    """Trace and compile quantities of a robot to be computed together, sharing their work.

    Args:
        model: the robot.
        quantities: what is computed: functions of the package such as ``dyn_core.crba``, their
            names, or, with options, such as ``frame_jacobian("tool0")``.
        inputs: what else is an input of the compiled function and not a constant of it: ``"f_ext"``
            (forces on bodies), ``"gravity"``, ``"inertial_parameters"``, ``payload(frame)``,
            ``wrench(frame)``.
        backend: ``"machine"`` (machine code, compiled now), ``"tape"`` (an interpreter of what was
            traced: nothing to wait for, a hundred times slower) or ``"auto"`` (the tape until the
            machine code is there, which another process compiles meanwhile). Where it is not said,
            the environment variable ``DYN_CORE_BACKEND`` says it, else it is ``"machine"``.
        optimize_for: ``"latency"`` for a control loop, where each call comes after other work has
            gone through the caches: long kernels prefetch their code if the last call was 50 us ago
            or more, which takes a third of the time then and 20 ns else. ``"throughput"`` for
            calls one after the other. Batches and rollouts are for those anyway.

    Compiled code is kept with the model, and on disk for other processes of this user (see
    :mod:`dyn_core.codegen.cache`).

    Raises:
        KeyError: the model has no such frame.
        TypeError, ValueError: a quantity or input that does not exist, lacks an option or is given
            twice; a backend or a goal that does not exist.
    """
    requests, extras, kind = requests_of(quantities), extras_of(inputs), chosen(backend)
    if optimize_for not in get_args(Goal):
        known = " or ".join(map(repr, get_args(Goal)))
        raise ValueError(f"optimize_for is {optimize_for!r}; choose {known}")
    key = requests, extras, kind, optimize_for
    kernel: Kernel | None = model.kernels.get(key)
    if kernel is None:
        kernel = Kernel(Order(model, requests, extras, kind, optimize_for))
        model.kernels[key] = kernel
    return kernel


def _printed(order: Order) -> str:
    """The module text of the kernel and its entry from Python."""
    signature = order.signature
    kernel = print_one_state(order.model, order.requests, order.extras, order.optimize_for)
    return kernel + print_entry(signature) + print_filling(signature)
