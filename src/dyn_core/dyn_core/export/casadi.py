# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of a robot as ``casadi.external`` takes them: value and Jacobian, in machine code.

CasADi's matrices are in Fortran order. The Jacobian of a function has a block for each output and
input, ``d vec(output) / d vec(input)``: in Fortran order that is the derivative itself, which has
an axis for each index of the output and one for the input. So functions and Jacobians follow one
rule: a kernel's outputs in C order are copied to Fortran order.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from dyn_core.compiler.runtime.build_spec import BuildSpec
from dyn_core.compiler.signature import Asked, requests_of
from dyn_core.compiler.single_state import print_one_state
from dyn_core.compiler.targets.c import identifier
from dyn_core.compiler.targets.llvm.functions import renamed
from dyn_core.compiler.targets.llvm.instructions import pointer
from dyn_core.dynamics import QUANTITIES
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.derivative import derivative
from dyn_core.errors import ModelError
from dyn_core.export.c_project import function_name
from dyn_core.export.constant_data import DataSection, function
from dyn_core.export.processors import processor_named
from dyn_core.export.shared_object import is_loaded, linked, replace
from dyn_core.model.model import Model

ANALYTICAL = {
    QUANTITIES[name].request(): QUANTITIES[f"{name}_derivatives"].request()
    for name in ("aba", "generalized_gravity", "rnea")
}
"""Quantities whose derivatives by all their arrays, in this order, are one quantity."""


def write_casadi(
    model: Model, functions: Sequence[Asked], folder: str | Path, target: str | None = None
) -> Path:
    """Write functions of a robot, and their Jacobians, for ``casadi.external``.

    ``<robot>_<quantity>`` takes vectors and returns vectors and matrices; names are those of the
    quantity. CasADi finds first derivatives in ``jac_<robot>_<quantity>``.

    Args:
        model: the robot, whose configurations form a vector space: no ball joint, no floating base.
        functions: what is computed, each by a function of its own.
        folder: where the file is written, made if it is not there.
        target: as of :func:`write_object`.

    Returns:
        The shared object, ``lib<robot>_casadi.so``; with a number before the dot where this process
        has loaded the file of that name, since ``casadi.external`` would return its functions.

    Raises:
        KeyError, TypeError, ValueError: a quantity does not exist or does not fit the model, takes
            anything but vectors, or gives arrays of more than two dimensions.
        ModelError: a robot with other positions, an unknown target, a linker that is missing or
            fails.
        OSError: the file cannot be written.
    """
    if model.nq != model.nv:
        raise ModelError(
            f"{model.name}: CasADi adds to positions, which quaternions and pairs of cosine and "
            f"sine do not allow: nq ({model.nq}) and nv ({model.nv}) have to be equal"
        )
    processor = processor_named(target)
    robot = identifier(model.name).lower()
    data, kernels, entries = DataSection(), list[str](), [GATHER]
    for request in requests_of(functions):
        for external in _externals(model, request, robot):
            kernels.append(external.kernel())
            entries += external.entries(data)
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    library, count = where / f"lib{robot}_casadi.so", 1
    while is_loaded(library):
        count += 1
        library = where / f"lib{robot}_casadi_{count}.so"
    if count > 1:
        warnings.warn(
            f"this process has loaded lib{robot}_casadi.so, and would get its old functions under "
            f"that name: the new ones are in {library.name}",
            stacklevel=2,
        )
    replace(library, linked([*kernels, data.text + "\n".join(entries)], processor))
    return library


@dataclass(frozen=True)
class _Matrix:
    """An array by its name, and its size for CasADi."""

    name: str
    rows: int
    columns: int = 1

    @property
    def sparsity(self) -> tuple[int, int, int]:
        """CasADi's word for a dense matrix."""
        return self.rows, self.columns, 1


@dataclass(frozen=True)
class _External:
    """One function by CasADi's conventions, and the kernel that computes it."""

    name: str
    spec: BuildSpec
    taken: list[_Matrix]
    """Inputs of the function; the kernel takes the inputs that it names."""
    filled: list[_Matrix]
    """Outputs of the function: all outputs of the kernel, as matrices."""

    def kernel(self) -> str:
        """The module text of the kernel."""
        text = print_one_state(self.spec.model, self.spec.requests)
        return renamed(text, f"{self.name}.kernel")

    def entries(self, data: DataSection) -> Iterator[str]:
        """The functions of CasADi's interface: the call, names and sizes."""
        kinds = (("in", self.taken), ("out", self.filled))
        for kind, matrices in kinds:
            yield f"define i64 @{self.name}_n_{kind}() {{ ret i64 {len(matrices)} }}"
            names = [data.string(x.name) for x in matrices]
            sparsities = [data.integers(x.sparsity) for x in matrices]
            yield self._lookup(f"name_{kind}", "i8", data.integers(names))
            yield self._lookup(f"sparsity_{kind}", "i64", data.integers(sparsities))
        yield self._work()
        yield self._call(data)

    def _lookup(self, what: str, of: str, table: str) -> str:
        """A function that gives an address from a table."""
        return function(
            f"define {pointer(of)} @{self.name}_{what}(i64 %k)",
            f"%place = getelementptr i64, {INTEGERS} inttoptr (i64 {table} to {INTEGERS}), i64 %k",
            f"%bits = load i64, {INTEGERS} %place, align 8",
            f"%address = inttoptr i64 %bits to {pointer(of)}",
            f"ret {pointer(of)} %address",
        )

    def _work(self) -> str:
        """The function that returns the number of arrays and the size of work memory."""
        needed = {"arg": len(self.taken), "res": len(self.filled), "iw": 0, "w": self._memory()}
        parameters = ", ".join(f"{INTEGERS} %{name}" for name in needed)
        stores = []
        for name, count in needed.items():
            stores += [
                f"%no.{name} = icmp eq {INTEGERS} %{name}, null",
                f"br i1 %no.{name}, label %after.{name}, label %say.{name}",
                f"say.{name}:",
                f"store i64 {count}, {INTEGERS} %{name}, align 8",
                f"br label %after.{name}",
                f"after.{name}:",
            ]
        return function(f"define i32 @{self.name}_work({parameters})", *stores, "ret i32 0")

    def _memory(self) -> int:
        return sum(prod(shape) for shape in self.spec.signature.outputs)

    def _call(self, data: DataSection) -> str:
        """The function itself: null pointers are zero inputs, and outputs that are not computed."""
        zeros = data.doubles([0.0] * max((x.rows for x in self.taken), default=1))
        lines, passed, stores, start = [], [], [], 0
        names = [x.name for x in self.taken]
        for name in self.spec.signature.inputs:
            k = names.index(name)
            lines += [
                f"%place.{k} = getelementptr {DOUBLES}, {ARRAYS} %arg, i64 {k}",
                f"%given.{k} = load {DOUBLES}, {ARRAYS} %place.{k}, align 8",
                f"%none.{k} = icmp eq {DOUBLES} %given.{k}, null",
                f"%in.{k} = select i1 %none.{k}, {DOUBLES} inttoptr (i64 {zeros} to {DOUBLES}), "
                f"{DOUBLES} %given.{k}",
            ]
            passed.append(f"{DOUBLES} %in.{k}")
        for k, shape in enumerate(self.spec.signature.outputs):
            size = prod(shape)
            table = data.integers(np.arange(size).reshape(shape).ravel(order="F").tolist())
            lines.append(f"%out.{k} = getelementptr double, {DOUBLES} %w, i64 {start}")
            passed.append(f"{DOUBLES} %out.{k}")
            stores += [
                f"%target.{k} = getelementptr {DOUBLES}, {ARRAYS} %res, i64 {k}",
                f"%to.{k} = load {DOUBLES}, {ARRAYS} %target.{k}, align 8",
                f"call void @gather({DOUBLES} %to.{k}, {DOUBLES} %out.{k}, "
                f"{INTEGERS} inttoptr (i64 {table} to {INTEGERS}), i64 {size})",
            ]
            start += size
        types = ", ".join([DOUBLES] * len(passed))
        call = f"call void @{self.name}.kernel({', '.join(passed)})"
        head = (
            f"i32 @{self.name}({ARRAYS} %arg, {ARRAYS} %res, {INTEGERS} %iw, {DOUBLES} %w, i32 %m)"
        )
        declared = f"declare void @{self.name}.kernel({types})\n"
        return declared + function(f"define {head}", *lines, call, *stores, "ret i32 0")


def _externals(model: Model, request: Request, robot: str) -> Iterator[_External]:
    """The function of a request, and its Jacobian."""
    value = BuildSpec(model, (request,))
    for name, x in value.signature.inputs.items():
        if len(x.shape) != 1:
            raise ValueError(f"{request!r}: '{name}' is no vector, and CasADi has its own matrices")
    taken = [_Matrix(name, *x.shape) for name, x in value.signature.inputs.items()]
    filled = []
    for output, shape in zip(value.outputs, value.signature.outputs, strict=True):
        if len(shape) > 2 or not prod(shape):
            raise ValueError(f"{request!r}: '{output.field}' of shape {shape} is no matrix")
        filled.append(_Matrix(output.field, *shape))
    name = function_name(robot, request)
    yield _External(name, value, taken, filled)
    analytical = ANALYTICAL.get(request)
    asked = (
        (analytical,)
        if analytical
        else tuple(derivative.request(request, by=x.name) for x in taken)
    )
    blocks = [
        _Matrix(f"jac_{y.name}_{x.name}", y.rows * y.columns, x.rows) for x in taken for y in filled
    ]
    given = [_Matrix(f"out_{y.name}", y.rows, y.columns) for y in filled]
    yield _External(f"jac_{name}", BuildSpec(model, asked), [*taken, *given], blocks)


DOUBLES, INTEGERS = pointer("double"), pointer("i64")
ARRAYS = pointer(DOUBLES)


GATHER = function(
    f"define internal void @gather({DOUBLES} %to, {DOUBLES} %from, {INTEGERS} %table, i64 %count)",
    f"%unwanted = icmp eq {DOUBLES} %to, null",
    "br i1 %unwanted, label %end, label %loop",
    "loop:",
    "%k = phi i64 [0, %0], [%next, %loop]",
    f"%place = getelementptr i64, {INTEGERS} %table, i64 %k",
    f"%index = load i64, {INTEGERS} %place, align 8",
    f"%source = getelementptr double, {DOUBLES} %from, i64 %index",
    f"%x = load double, {DOUBLES} %source, align 8",
    f"%target = getelementptr double, {DOUBLES} %to, i64 %k",
    f"store double %x, {DOUBLES} %target, align 8",
    "%next = add i64 %k, 1",
    "%more = icmp ult i64 %next, %count",
    "br i1 %more, label %loop, label %end",
    "end:",
    "ret void",
)
"""Copies numbers to an array, unless it is a null pointer, in the order of a table."""
