# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of a robot as ``casadi.external`` takes them, with their derivatives, in machine code.

CasADi finds the derivatives of a function ``f`` by name: ``jac_f`` has a block for each output and
input, ``adj1_f`` multiplies given factors of the outputs by the Jacobian, and ``jac_adj1_f``, the
Jacobian of that, has the Hessians of a Lagrange function. CasADi's matrices are in Fortran order,
so a table for each result says which number of the kernel's outputs each of its numbers is.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.pipeline import print_one_state
from dyn_core.compiler.runtime.build_spec import BuildSpec
from dyn_core.compiler.signature import Asked, Extra, extras_of, requests_of
from dyn_core.compiler.targets.c import identifier, identifiers
from dyn_core.compiler.targets.llvm.functions import renamed
from dyn_core.compiler.targets.llvm.instructions import pointer
from dyn_core.compiler.tracing import trace
from dyn_core.dynamics import QUANTITIES
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.jacobian import jacobian
from dyn_core.dynamics.vector_jacobian_product import VECTOR, vector_jacobian_product
from dyn_core.errors import ModelError
from dyn_core.export.c_project import function_name
from dyn_core.export.constant_data import DataSection, function
from dyn_core.export.processors import linked, not_loaded, processor_named, replace
from dyn_core.model.model import Model

ANALYTICAL = {
    QUANTITIES[name].request(): QUANTITIES[f"{name}_derivatives"].request()
    for name in ("aba", "generalized_gravity", "rnea")
}
"""Quantities whose derivatives by all their arrays, in this order, are one quantity.

They are along the manifold: of robots whose configurations are vectors, they are Jacobians."""


def write_casadi(
    model: Model,
    functions: Sequence[Asked],
    folder: str | Path,
    target: str | None = None,
    inputs: Sequence[Extra] = (),
    hessians: bool = False,
) -> Path:
    """Write functions of a robot, and their derivatives, for ``casadi.external``.

    ``<robot>_<quantity>`` takes vectors and returns vectors and matrices; names are those of the
    quantity. CasADi's names begin with a letter and have single underscores: a robot ``2dof`` is
    ``robot_2dof``. The derivatives are by the numbers of the inputs; a quaternion has four.

    Args:
        model: the robot.
        functions: what is computed, each by a function of its own.
        folder: where the file is written, made if it is not there.
        target: as of :func:`write_object`.
        inputs: optional inputs, as of :func:`dyn_core.compile`: of each function that takes them.
            ``payload("tool0")`` is called ``payload_tool0``, and a matrix is a vector of its rows.
        hessians: whether CasADi gets the derivatives of second order too.

    Returns:
        The shared object, ``lib<robot>_casadi.so``; with a number before the dot where this process
        has loaded the file of that name, since ``casadi.external`` would return its functions.

    Raises:
        KeyError, TypeError, ValueError: a quantity or input does not exist or does not fit the
            model, or a quantity gives arrays of more than two dimensions.
        ModelError: an unknown target, a linker that is missing or fails, two functions or inputs of
            the same name in C.
        OSError: the file cannot be written.
    """
    extras, requests = extras_of(inputs), requests_of(functions)
    for extra in extras:
        if not any(_takes(model, request, extra) for request in requests):
            raise ValueError(f"none of {list(requests)} takes the input {extra!r}")
    processor = processor_named(target)
    robot = identifier(model.name).lower()
    robot = f"robot{robot}".rstrip("_") if robot.startswith("_") else robot
    data, kernels, entries = DataSection(), list[str](), [GATHER]
    names = {_name(robot, request) for request in requests}
    if len(names) < len(requests):
        raise ModelError(f"two of {list(functions)} have the same name in C: write them apart")
    for request in requests:
        for external in _externals(model, request, robot, extras, hessians):
            kernels.append(external.kernel())
            entries += external.entries(data)
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    code = linked([*kernels, data.text + "\n".join(entries)], processor)
    library, notes = not_loaded(where / f"lib{robot}_casadi.so", code)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    replace(library, code)
    return library


@dataclass(frozen=True)
class _Matrix:
    """An array by its name, and its size for CasADi."""

    name: str
    rows: int
    columns: int = 1

    @property
    def sparsity(self) -> tuple[int, ...]:
        """CasADi's word for a dense matrix."""
        return self.rows, self.columns, 1

    @property
    def rows_first(self) -> NDArray[np.int64]:
        """For each number row by row, as kernels have them, its place column by column."""
        return np.arange(self.rows * self.columns).reshape(self.columns, -1).T.ravel()


@dataclass(frozen=True)
class _Result:
    """A result of a function: a matrix whose numbers are in an output of its kernel."""

    name: str
    output: int
    places: NDArray[np.int64]
    """For each entry of the matrix its place in the output, -1 for a zero."""

    @property
    def order(self) -> list[int]:
        """The places of the numbers that are no zeros, column by column."""
        places = self.places.ravel(order="F")
        return [int(x) for x in places if x >= 0]

    @property
    def sparsity(self) -> tuple[int, ...]:
        """CasADi's words for the pattern: where each column begins, and the row of each number."""
        rows = [np.flatnonzero(column >= 0).tolist() for column in self.places.T]
        starts = np.cumsum([0, *map(len, rows)]).tolist()
        return (*self.places.shape, *starts, *(x for column in rows for x in column))


@dataclass(frozen=True)
class _External:
    """One function by CasADi's conventions, and the kernel that computes it."""

    name: str
    spec: BuildSpec
    taken: dict[str, _Matrix]
    """Inputs of the function, by the names that the kernel's inputs have, which may be fewer."""
    results: list[_Result]

    def kernel(self) -> str:
        """The module text of the kernel."""
        text = print_one_state(self.spec.model, self.spec.requests, self.spec.extras)
        return renamed(text, f"{self.name}.kernel")

    def entries(self, data: DataSection) -> Iterator[str]:
        """The functions of CasADi's interface: the call, names and sizes."""
        kinds = (("in", list(self.taken.values())), ("out", self.results))
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
        needed = {"arg": len(self.taken), "res": len(self.results), "iw": 0, "w": self._memory()}
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
        shapes = (x.shape for x in self.spec.signature.inputs.values())
        return sum(map(prod, (*self.spec.signature.outputs, *shapes)))

    def _call(self, data: DataSection) -> str:
        """The function itself: null pointers are zero inputs, and outputs that are not computed."""
        sizes = [prod(x.shape) for x in self.spec.signature.inputs.values()]
        zeros = data.doubles([0.0] * max(sizes, default=1))
        lines, passed, stores, start = [], [], [], 0
        names = list(self.taken)
        for name in self.spec.signature.inputs:
            k = names.index(name)
            lines += [
                f"%place.{k} = getelementptr {DOUBLES}, {ARRAYS} %arg, i64 {k}",
                f"%given.{k} = load {DOUBLES}, {ARRAYS} %place.{k}, align 8",
                f"%none.{k} = icmp eq {DOUBLES} %given.{k}, null",
                f"%in.{k} = select i1 %none.{k}, {DOUBLES} inttoptr (i64 {zeros} to {DOUBLES}), "
                f"{DOUBLES} %given.{k}",
            ]
            matrix = self.taken[name]
            if matrix.columns > 1:
                lines.append(f"%row.{k} = getelementptr double, {DOUBLES} %w, i64 {start}")
                lines.append(_gathered(data, f"%row.{k}", f"%in.{k}", matrix.rows_first.tolist()))
                start += matrix.rows * matrix.columns
            passed.append(f"{DOUBLES} %{'row' if matrix.columns > 1 else 'in'}.{k}")
        for k, shape in enumerate(self.spec.signature.outputs):
            lines.append(f"%out.{k} = getelementptr double, {DOUBLES} %w, i64 {start}")
            passed.append(f"{DOUBLES} %out.{k}")
            start += prod(shape)
        for k, result in enumerate(self.results):
            stores += [
                f"%target.{k} = getelementptr {DOUBLES}, {ARRAYS} %res, i64 {k}",
                f"%to.{k} = load {DOUBLES}, {ARRAYS} %target.{k}, align 8",
                _gathered(data, f"%to.{k}", f"%out.{result.output}", result.order),
            ]
        types = ", ".join([DOUBLES] * len(passed))
        call = f"call void @{self.name}.kernel({', '.join(passed)})"
        head = (
            f"i32 @{self.name}({ARRAYS} %arg, {ARRAYS} %res, {INTEGERS} %iw, {DOUBLES} %w, i32 %m)"
        )
        declared = f"declare void @{self.name}.kernel({types})\n"
        return declared + function(f"define {head}", *lines, call, *stores, "ret i32 0")


def _gathered(data: DataSection, to: str, source: str, order: list[int]) -> str:
    """A call that copies numbers in this order."""
    table = data.integers(order or [0])
    return (
        f"call void @gather({DOUBLES} {to}, {DOUBLES} {source}, "
        f"{INTEGERS} inttoptr (i64 {table} to {INTEGERS}), i64 {len(order)})"
    )


def _externals(
    model: Model, request: Request, robot: str, inputs: Sequence[Extra], hessians: bool
) -> Iterator[_External]:
    """The function of a request, and its derivatives."""
    own = [x for x in inputs if _takes(model, request, x)]
    value = BuildSpec(model, (request,), tuple(own))
    name = _name(robot, request)
    taken = {
        x: _Matrix(name, prod(value.signature.inputs[x].shape))
        for x, name in identifiers(value.signature.inputs).items()
    }
    places = []
    for output, shape in zip(value.outputs, value.signature.outputs, strict=True):
        if len(shape) > 2 or not prod(shape):
            raise ValueError(f"{request!r}: '{output.field}' of shape {shape} is no matrix")
        places.append(np.arange(prod(shape)).reshape(*shape, *[1] * (2 - len(shape))))
    fields = [output.field for output in value.outputs]
    results = [_Result(*x) for x in zip(fields, range(len(fields)), places, strict=True)]
    yield _External(name, value, taken, results)

    given = {f"out_{x}": _Matrix(f"out_{x}", *p.shape) for x, p in zip(fields, places, strict=True)}
    analytical = ANALYTICAL.get(request) if model.space.flat else None
    asked = [jacobian.request(request, by=x) for x in taken]
    if analytical:
        asked[: len(request.inputs)] = [analytical]
    first = changed(value, requests=tuple(asked))
    found = _places(first)
    blocks = [  # the kernel has all outputs by the first input, then all by the second
        _Result(f"jac_{fields[j]}_{x.name}", k, _by_columns(found[k], y, x))
        for j, y in enumerate(given.values())
        for i, x in enumerate(taken.values())
        for k in [i * len(given) + j]
    ]
    yield _External(f"jac_{name}", first, {**taken, **given}, blocks)
    if hessians:
        yield from _second_order(value, name, taken, given)


def _second_order(
    value: BuildSpec, name: str, taken: dict[str, _Matrix], given: dict[str, _Matrix]
) -> Iterator[_External]:
    """The product of factors and the Jacobian of a function, and its Jacobian."""
    (request,), names = value.requests, list(taken)
    products = [vector_jacobian_product.request(request, by=x) for x in names]
    product = changed(value, requests=tuple(products))
    factors = {
        f"{VECTOR}{x[3:]}": changed(matrix, name=f"adj{x[3:]}") for x, matrix in given.items()
    }
    results = [
        _Result(f"adj_{x.name}", k, np.arange(x.rows)[:, None])
        for k, x in enumerate(taken.values())
    ]
    arguments = {**taken, **given, **factors}
    yield _External(f"adj1_{name}", product, arguments, results)

    count = len(names)
    pairs = [(i, j) for i in range(count) for j in range(i, count)]
    asked = [jacobian.request(products[i], by=names[j]) for i, j in pairs]
    asked += [jacobian.request(request, by=x) for x in names]
    second = changed(value, requests=tuple(asked))
    found, blocks = _places(second), list[_Result]()
    block: NDArray[np.int64]
    for i, x in enumerate(taken.values()):
        for j, y in enumerate(taken.values()):
            k = pairs.index((min(i, j), max(i, j)))
            block = found[k].reshape((x if i <= j else y).rows, -1)
            blocks.append(_Result(f"jac_adj_{x.name}_{y.name}", k, block if i <= j else block.T))
        for y in given.values():
            block = np.full((x.rows, y.rows * y.columns), -1)
            blocks.append(_Result(f"jac_adj_{x.name}_{y.name}", 0, block))
        for j, y in enumerate(factors.values()):
            k = len(pairs) + i * len(factors) + j
            block = _by_columns(found[k], y, x).T
            blocks.append(_Result(f"jac_adj_{x.name}_{y.name}", k, block))
    adjoints = {f"out_adj_{x}": changed(m, name=f"out_adj_{m.name}") for x, m in taken.items()}
    yield _External(f"jac_adj1_{name}", second, {**arguments, **adjoints}, blocks)


def _name(robot: str, request: Request) -> str:
    """The name of a function; CasADi allows no two underscores in a row."""
    return re.sub("_+", "_", function_name(robot, request))


def _takes(model: Model, request: Request, extra: Extra) -> bool:
    """Whether a quantity depends on an optional input."""
    name = extra if isinstance(extra, str) else extra.name
    try:
        found = trace(model, (request,), (extra,), limbs=False)
    except ValueError:  # it takes no forces
        return False
    numbers = (x.position for y in found.outputs.values() for x in y if isinstance(x, Expr))
    return any(found.graph.nodes[x].name == name for x in found.graph.live(numbers))


def _places(spec: BuildSpec) -> list[NDArray[np.int64]]:
    """Arrays like the outputs of a kernel: the place of each number, -1 where it is always 0."""
    outputs = trace(spec.model, spec.requests, spec.extras, limbs=False).outputs.values()
    return [
        np.array(
            [-1 if isinstance(x, float) and x == 0.0 else k for k, x in enumerate(scalars)]
        ).reshape(shape)
        for scalars, shape in zip(outputs, spec.signature.outputs, strict=True)
    ]


def _by_columns(places: NDArray[np.int64], of: _Matrix, by: _Matrix) -> NDArray[np.int64]:
    """A derivative with a row for each number of ``of``, column by column."""
    whole = places.reshape(of.rows, of.columns, by.rows)
    return whole.transpose(1, 0, 2).reshape(-1, by.rows)


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
