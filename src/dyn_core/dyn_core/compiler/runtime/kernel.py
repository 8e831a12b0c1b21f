# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Compiled functions of one robot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, get_args

import numpy as np

from dyn_core.compiler.pipeline import Goal, print_one_state
from dyn_core.compiler.runtime.backend import chosen
from dyn_core.compiler.runtime.batch import Batch
from dyn_core.compiler.runtime.build_spec import BuildSpec
from dyn_core.compiler.runtime.data import Data
from dyn_core.compiler.runtime.numba_entry import numba_function
from dyn_core.compiler.runtime.python_entry import ENTRY, FILLING, open_entry, print_entries
from dyn_core.compiler.runtime.rollout_kernel import Rollouts
from dyn_core.compiler.signature import Asked, Extra, extras_of, requests_of
from dyn_core.compiler.targets.llvm.functions import KERNEL
from dyn_core.dynamics.declare.result_types import Result
from dyn_core.model.model import FloatArray, Model

FORM = "one state"
"""The part of the cache key that distinguishes a kernel from batches."""


class Kernel(Generic[Result]):
    """Compiled code that computes some quantities of a model together.

    Bind it to a Data and call the result::

        compute = compile(model, ["gravity", "mass_matrix"]).bind(data)
        g, M = compute(q)
    """

    def __init__(self, spec: BuildSpec) -> None:
        self.spec = spec
        self.model = spec.model
        self.requests = spec.requests
        """The requests, in the order of the results."""
        self.signature = spec.signature
        self._form = f"{FORM}, {spec.optimize_for}"
        self._code = spec.code(self._form, (KERNEL, ENTRY, FILLING), lambda: _printed(spec))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arguments, in order."""
        return tuple(self.signature.inputs)

    @property
    def origin(self) -> str:
        """The origin of its machine code: ``"compiled"`` or ``"from the cache"``.

        It is ``"interpreted"`` while there is no machine code.
        """
        return self.spec.origins[self._form]

    @property
    def ready(self) -> bool:
        """Whether there is machine code; else the tape computes."""
        return self._code.ready

    @property
    def address(self) -> int:
        """Address of ``void kernel(double *inputs..., double *outputs...)``, for other languages.

        It is valid while this Kernel lives. A compilation in the background is waited for.

        Raises:
            RuntimeError: there is no machine code, and there will be none.
        """
        return self._code.address(KERNEL)

    @cached_property
    def batch(self) -> Batch:
        """The kernel for many states at once, compiled at its first call: see the class."""
        return Batch(self.spec)

    @cached_property
    def rollouts(self) -> Rollouts:
        """Many steps of many states, for a kernel that computes one step: see the class.

        Raises:
            ValueError: its outputs do not have the shapes of its first inputs.
            RuntimeError: the backend is the tape, which has no machine code.
        """
        return Rollouts(self.spec)

    @cached_property
    def numba_function(self) -> Callable[..., None]:
        """The kernel for numba's compiled code: ``f(q, v, a, tau)`` fills ``tau``.

        Arrays must be C-contiguous, of float64; others are errors, as for numba itself. numba does
        not cache callers on disk: with ``cache=True`` it warns, and compiles them in each process.
        A compilation in the background is waited for.

        Raises:
            ImportError: there is no numba.
            RuntimeError: there is no machine code, and there will be none.
        """
        fields = [output.field for output in self.spec.outputs]
        return numba_function(self, self, self.signature, fields)

    def bind(self, data: Data) -> Callable[..., Result]:
        """A callable that takes the input arrays, by position or name, and fills ``data``.

        It always returns the same arrays of ``data``: an array per quantity (a tuple of arrays for
        a quantity with several outputs), alone or as a tuple if there are several quantities. NaN
        in an input gives NaN in the outputs that depend on it.

        Raises:
            ValueError: ``data`` belongs to another model. The callable raises TypeError or
                ValueError for arguments of the wrong type or size and computes nothing then.
        """
        data.check(self.model)
        arrays = [array for request in self.requests for array in data.arrays(request)]
        result: Result = self.spec.arranged(arrays)

        def checked_call(*arguments: Any, **named: Any) -> Result:
            self._fill(*self.signature.in_order(arguments, named), *arrays)
            return result

        self.signature.describe(checked_call, self.requests)

        def entry() -> Callable[..., Any]:
            return open_entry(self._code, ENTRY, result, arrays, checked_call)

        return entry() if self.ready else self._handing_over(checked_call, entry)

    def __call__(self, *arguments: FloatArray, **named: FloatArray) -> Result:
        """The outputs as new arrays, arranged as those of a bound callable.

        Raises:
            TypeError, ValueError: an argument has the wrong type or size.
        """
        arrays = [np.empty(shape) for shape in self.signature.outputs]
        inputs = self.signature.in_order(arguments, named) if named else arguments
        self._fill(*inputs, *arrays)
        result: Result = self.spec.arranged(arrays)
        return result

    def __reduce__(self) -> Any:
        """Another process compiles it anew, or finds it where this one has kept it."""
        spec = self.spec
        return compile, (self.model, self.requests, spec.extras, spec.backend, spec.optimize_for)

    def __repr__(self) -> str:
        return f"<kernel of {self.model!r}: {', '.join(map(repr, self.requests))}>"

    @property
    def _fill(self) -> Callable[..., None]:
        """A callable of the inputs and the arrays to fill."""
        return self._entry if self.ready else self._fill_patiently

    @cached_property
    def _entry(self) -> Callable[..., None]:
        def fill(*arrays: Any) -> None:
            self._fill_patiently(*arrays)

        return open_entry(self._code, FILLING, None, [], fill)

    def _fill_patiently(self, *arrays: Any) -> None:
        """The same for arguments that have to be copied or refused, and for the tape."""
        outputs = len(self.signature.outputs)
        inputs = self.signature.checked(arrays[:-outputs], {})
        for output, array in zip(self.spec.outputs, arrays[-outputs:], strict=True):
            if not array.flags.writeable:
                raise ValueError(
                    f"{output.field} ({output.meaning}) is to be filled, but its array was made "
                    f"read-only: keep results with {output.field}.copy(), and let this array be "
                    "written with setflags(write=True)"
                )
        if self.ready:
            self._call(*(array.ctypes.data for array in (*inputs, *arrays[-outputs:])))
        else:
            self.spec.tape.run(1, inputs, arrays[-outputs:])

    @cached_property
    def _call(self) -> Callable[..., None]:
        arrays = len(self.signature.inputs) + len(self.signature.outputs)
        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arrays)(self.address)

    def _handing_over(
        self, before: Callable[..., Any], entry: Callable[[], Callable[..., Any]]
    ) -> Callable[..., Any]:
        """A callable that calls ``before`` until the machine code is ready, then its entry."""
        opened: Callable[..., Any] | None = None

        def compute(*arguments: Any, **named: Any) -> Any:
            nonlocal opened
            if opened is None:
                if not self.ready:
                    return before(*arguments, **named)
                opened = entry()
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
    """Compile quantities of a robot into one function, which shares their operations.

    Args:
        model: the robot.
        quantities: functions of the package such as ``dyn_core.crba``, their names, or requests
            with options such as ``frame_jacobian.request("tool0")``.
        inputs: optional inputs, which are constants otherwise: ``"f_ext"`` (forces on bodies),
            ``"gravity"``, ``"inertial_parameters"``, ``payload(frame)``, ``wrench(frame)``.
        backend: ``"machine"`` (machine code, compiled now), ``"tape"`` (an interpreter: ready at
            once, a hundred times slower) or ``"auto"`` (the tape until another process has compiled
            the machine code). The default is the environment variable ``DYN_CORE_BACKEND``, or
            ``"machine"`` if it is not set.
        optimize_for: ``"latency"`` for a control loop, in which other work goes through the caches
            between calls: long kernels prefetch their code if the last call was 50 us ago or more.
            Such a call takes a third of the time, any other 20 ns more. ``"throughput"`` for
            successive calls; batches and rollouts are always optimized for throughput.

    Compiled code is kept with the model, and on disk for other processes of this user (see
    :mod:`dyn_core.compiler.runtime.code_cache`).

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
        kernel = Kernel(BuildSpec(model, requests, extras, kind, optimize_for))
        model.kernels[key] = kernel
    return kernel


def _printed(spec: BuildSpec) -> str:
    """The module text of the kernel and its entry from Python."""
    kernel = print_one_state(spec.model, spec.requests, spec.extras, spec.optimize_for)
    return kernel + print_entries(spec.signature)
