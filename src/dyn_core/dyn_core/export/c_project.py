# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of a robot as a small C project: header, source, self-test and CMakeLists.txt."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.runtime.build_spec import BuildSpec, flattened
from dyn_core.compiler.runtime.kernel import Kernel, compile
from dyn_core.compiler.signature import Asked, requests_of
from dyn_core.compiler.targets.c import CFunction, CType, identifier, in_comment
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.declare.arrays import CONFIGURATION
from dyn_core.model.model import FloatArray, Model

TEST_STATES = 3
"""States whose results the self-test compares."""
TOLERANCE = {"double": 1e-12, "float": 1e-3}
"""Tolerance of the self-test, relative to the largest entry."""
ROUNDING_FACTOR = 100.0
"""Tolerance in multiples of the change that the last digits of the inputs cause, beside TOLERANCE.
The change is large for badly conditioned mass matrices, and where terms cancel, as in the residual
of a satisfied constraint."""
EPSILON = {"double": 2.0**-52, "float": 2.0**-23}
"""The relative rounding unit."""


def c_project(model: Model, functions: Sequence[Asked], real: CType = "double") -> dict[str, str]:
    """The files of the project, by name.

    The arguments of a function are arrays in C order, inputs first. It allocates nothing and has no
    state, so threads may share it.

    Args:
        model: the robot.
        functions: the quantities; each gets a function.
        real: the type of all numbers.

    Raises:
        KeyError, TypeError, ValueError: a quantity does not exist or does not fit the model.
    """
    robot = identifier(model.name).lower()
    named: dict[str, _Function] = {}
    for request in requests_of(functions):
        function = _Function.of(robot, model, request, real, named)
        named[function.c.name] = function
    printed = [*named.values()]
    stem = f"{robot}_dynamics"
    return {
        f"{stem}.h": _header(model, stem, printed),
        f"{stem}.c": _source(stem, printed),
        f"test_{stem}.c": _self_test(stem, printed, real),
        "CMakeLists.txt": CMAKE.format(stem=stem),
    }


def function_name(robot: str, request: Request) -> str:
    """The name of a function in C: robot, quantity and options that are not the defaults."""
    suffix = f"_{identifier(request.label)}" if request.label else ""
    return f"{robot}_{request.quantity.__name__}{suffix}"


@dataclass(frozen=True)
class _Function:
    """A function with its declaration."""

    spec: BuildSpec
    c: CFunction

    @classmethod
    def of(
        cls, robot: str, model: Model, request: Request, real: CType, others: Collection[str]
    ) -> _Function:
        """The function of a request, under a name that none of the ``others`` has."""
        spec = BuildSpec(model, (request,))
        program = spec.program(limbs=False)
        arrays = {name: identifier(name) for name in program.inputs}
        for name, output in zip(program.outputs, spec.outputs, strict=True):
            field = identifier(output.field)
            arrays[name] = f"{field}_out" if field in arrays.values() else field
        empty = [key for key, size in program.inputs.items() if not size]
        if empty or not all(program.outputs.values()):
            raise ValueError(f"{request!r} of {model!r} has arrays without entries, C has none")
        name = plain = function_name(robot, request)
        for number in itertools.count(2):
            if name not in others:
                break
            name = f"{plain}_{number}"
        return cls(spec, CFunction(name, program, arrays, real))

    def comment(self) -> str:
        """The request, the arrays and the number of operations."""
        (request,), signature = self.spec.requests, self.spec.signature
        meanings = [(x.array.meaning, x.array.unit, x.shape) for x in signature.inputs.values()]
        meanings += [
            (output.meaning, output.unit, shape)
            for output, shape in zip(self.spec.outputs, signature.outputs, strict=True)
        ]
        rows = [
            f"{name}: {meaning} ({unit}), shape ({', '.join(map(str, shape))})"
            for name, (meaning, unit, shape) in zip(self.c.arrays.values(), meanings, strict=True)
        ]
        taken = count(self.c.program)
        head = f"{request!r}: {taken['total']} operations, {taken['functions']} of them functions."
        return "\n".join(
            [f"/* {in_comment(head)}", *(f" *   {in_comment(x)}" for x in rows), " */"]
        )


def _header(model: Model, stem: str, functions: Sequence[_Function]) -> str:
    guard = f"{stem.upper()}_H"
    names = "\n".join(f" *   {in_comment(name)}" for name in model.names[1:])
    parts = "\n".join(f"{x.comment()}\n{x.c.prototype()};\n" for x in functions)
    return f"""\
/* Dynamics of {in_comment(repr(model.name))}, generated by dyn_core.
 *
 * Matrices are in C order; linear parts first, quaternions (x, y, z, w), SI units.
 * Joints, in the order of their coordinates:
{names}
 */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

{parts}
#ifdef __cplusplus
}}
#endif

#endif
"""


def _source(stem: str, functions: Sequence[_Function]) -> str:
    bodies = "\n".join(x.c.definition() for x in functions)
    return f'/* Generated by dyn_core. */\n#include "{stem}.h"\n\n#include <math.h>\n\n{bodies}'


def _self_test(stem: str, functions: Sequence[_Function], real: CType) -> str:
    checks = "\n".join(_check(x, real) for x in functions)
    calls = "\n".join(f"    failures += check_{x.c.name}();" for x in functions)
    return f"""\
/* Compares the functions with results that dyn_core computed. Generated by dyn_core. */
#include "{stem}.h"

#include <math.h>
#include <stdio.h>

static int differ(
    const char *name, const {real} *actual, const {real} *expected, int size, double tolerance)
{{
    double scale = 0.0, error = 0.0;
    int k, wrong;
    for (k = 0; k < size; ++k) {{
        const double difference = fabs((double)actual[k] - (double)expected[k]);
        if (!(difference <= error))
            error = difference;
        if (fabs((double)expected[k]) > scale)
            scale = fabs((double)expected[k]);
    }}
    wrong = !(error <= tolerance);
    if (wrong)
        printf("%s: off by %g, the largest entry is %g\\n", name, error, scale);
    return wrong;
}}

{checks}
int main(void)
{{
    int failures = 0;
{calls}
    return failures != 0;
}}
"""


def _check(function: _Function, real: CType) -> str:
    """A function of the self-test that compares results at a few states."""
    spec, c = function.spec, function.c
    states = example_states(spec, TEST_STATES)
    kernel = compile(spec.model, spec.requests)
    tables, calls = [], []
    names = list(c.arrays.values())
    for k in range(TEST_STATES):
        inputs = [array[k] for array in states]
        outputs = list(flattened(kernel(*inputs)))
        for kind, arrays, own in (
            ("", inputs, names[: len(inputs)]),
            ("wanted_", outputs, names[len(inputs) :]),
        ):
            for name, array in zip(own, arrays, strict=True):
                numbers = ", ".join(c.number(x) for x in np.ravel(array).tolist())
                size = np.size(array)
                tables.append(f"    static const {real} {kind}{name}{k}[{size}] = {{{numbers}}};")
        own = names[len(inputs) :]
        passed = ", ".join([*(f"{name}{k}" for name in names[: len(inputs)]), *own])
        calls.append(f"    {c.name}({passed});")
        for name, x, within in zip(own, outputs, _tolerances(kernel, inputs, real), strict=True):
            arguments = f'"{c.name}: {name}", {name}, wanted_{name}{k}, {np.size(x)}, {within:.1e}'
            calls.append(f"    failures += differ({arguments});")
    shapes = spec.signature.outputs
    local = [
        f"    {real} {name}[{prod(shape)}];"
        for name, shape in zip(names[-len(shapes) :], shapes, strict=True)
    ]
    lines = [*tables, *local, "    int failures = 0;", *calls, "    return failures;"]
    return f"static int check_{c.name}(void)\n{{\n" + "\n".join(lines) + "\n}\n"


def example_states(spec: BuildSpec, count: int) -> list[FloatArray]:
    """Random inputs, for each an array with a row per state; the same in every run.

    Configurations are random displacements of the neutral one.
    """
    random, model = np.random.default_rng(0), spec.model
    arrays = []
    for expected in spec.signature.inputs.values():
        if expected.array == CONFIGURATION:
            integrate = compile(model, ["integrate"])
            neutral = np.array(model.space.neutral())
            steps = random.normal(size=(count, model.nv))
            arrays.append(np.array([integrate(neutral, step) for step in steps]))
        else:
            arrays.append(random.normal(size=(count, *expected.shape)))
    return arrays


def _tolerances(kernel: Kernel, inputs: Sequence[FloatArray], real: CType) -> list[float]:
    """The tolerance of each output, from the effect of rounded inputs."""
    random, expected = np.random.default_rng(0), list(flattened(kernel(*inputs)))
    moved: FloatArray = np.zeros(len(expected))
    for _ in range(TEST_STATES):
        signs = [random.choice((-1.0, 1.0), x.shape) for x in inputs]
        near = [x + x * EPSILON["double"] * sign for x, sign in zip(inputs, signs, strict=True)]
        changes = zip(flattened(kernel(*near)), expected, strict=True)
        moved = np.maximum(moved, [np.abs(a - b).max() for a, b in changes])
    largest = np.array([np.abs(x).max() for x in expected])
    digits = EPSILON[real] / EPSILON["double"]
    tolerances: list[float] = (
        TOLERANCE[real] * largest + ROUNDING_FACTOR * digits * moved
    ).tolist()
    return tolerances


CMAKE = """\
cmake_minimum_required(VERSION 3.10)
project({stem} C)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
find_library(MATH m)

add_library({stem} {stem}.c)
target_include_directories({stem} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
if(MATH)
  target_link_libraries({stem} PUBLIC ${{MATH}})
endif()

enable_testing()
add_executable(test_{stem} test_{stem}.c)
target_link_libraries(test_{stem} {stem})
add_test(NAME {stem} COMMAND test_{stem})
"""
