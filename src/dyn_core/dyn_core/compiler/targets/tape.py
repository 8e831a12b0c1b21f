# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A program as a tape: a table of operations on registers, run by an interpreter.

The interpreter is one short function for all robots. With numba it is compiled once per user and
kept on disk; else it runs as plain Python, which is slower and computes the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import CONSTANT, INPUT
from dyn_core.compiler.ir.program import Trace
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars import operations as op
from dyn_core.spatial.scalars.operations import LARGEST_ANGLE

FloatArray = NDArray[np.float64]
LANES = 16
"""States that the interpreter computes at once, so that they share the cost of the table."""
ADD, SUB, MUL, DIV, NEG, FMA, SIN, COS, SQRT, EXP, ARCTAN2, LESS, SELECT = range(13)
CODES = {
    op.ADD: ADD, op.SUB: SUB, op.MUL: MUL, op.DIV: DIV,
    op.NEG: NEG, op.FMA: FMA, op.SIN: SIN, op.COS: COS,
    op.SQRT: SQRT, op.EXP: EXP, op.ARCTAN2: ARCTAN2,
    op.LESS: LESS, op.SELECT: SELECT,
}  # fmt: skip
"""Opcodes of :func:`interpret`."""
OPERANDS = 3
"""The most operands of an operation."""


class Tape:
    """A traced program that can be run."""

    def __init__(self, program: Trace, interpreter: Callable[..., None]) -> None:
        """Encode a program whose nodes have one lane.

        Args:
            program: the program.
            interpreter: :func:`interpret`, compiled or not.

        Raises:
            NotImplementedError: an operation that the interpreter does not know.
        """
        self._interpret = interpreter
        self._constants: list[float] = []
        self._register: dict[int, int] = {}
        nodes, live = program.graph.nodes, program.live()
        places = {name: self._inputs(size) for name, size in program.inputs.items()}
        self._input_registers = list(places.values())
        rows = []
        for position in live:
            node = nodes[position]
            if node.kind is INPUT:
                self._register[position] = int(places[node.name][node.entry])
                continue
            value = node.numbers[0] if node.kind is CONSTANT else np.nan
            self._register[position] = self._new(value)
            if node.kind is CONSTANT:
                continue
            if node.kind not in CODES:
                raise NotImplementedError(f"tape: unknown operation '{node.kind}'")
            operands = [self._register[x] for x in node.operands]
            padded = operands + [0] * (OPERANDS - len(operands))
            rows.append((CODES[node.kind], self._register[position], *padded))
        self._instructions = np.array(rows, dtype=np.int32).reshape(-1, 2 + OPERANDS)
        self._output_registers = [
            np.array([self._place(x) for x in scalars], dtype=np.intp)
            for scalars in program.outputs.values()
        ]
        self._initial = np.array(self._constants)

    def run(self, count: int, inputs: Sequence[FloatArray], outputs: Sequence[FloatArray]) -> None:
        """Compute ``count`` states, a row of each C-contiguous array.

        All inputs of a state are read before its outputs are written, so an output may be one of
        the inputs. Threads may share a tape.
        """
        read = [array.reshape(count, -1) for array in inputs] if count else []
        written = [array.reshape(count, -1) for array in outputs] if count else []
        for first in range(0, count, LANES):
            states = slice(first, min(first + LANES, count))
            registers = np.repeat(self._initial[:, None], states.stop - first, axis=1)
            for places, rows in zip(self._input_registers, read, strict=True):
                registers[places] = rows[states].T
            with np.errstate(all="ignore"):  # NaN and infinity propagate, as in machine code
                self._interpret(self._instructions, registers)
            for places, rows in zip(self._output_registers, written, strict=True):
                rows[states] = registers[places].T

    def _new(self, value: float) -> int:
        """A new register with its initial value."""
        self._constants.append(value)
        return len(self._constants) - 1

    def _inputs(self, size: int) -> NDArray[np.intp]:
        return np.array([self._new(np.nan) for _ in range(size)], dtype=np.intp)

    def _place(self, scalar: Scalar) -> int:
        return self._register[scalar.position] if isinstance(scalar, Expr) else self._new(scalar)


class Sparing:
    """An interpreter that runs its first operations as plain Python.

    To compile the fast interpreter takes seconds, once per user; to load it takes about as long as
    ``ENOUGH`` operations.
    """

    ENOUGH = 300_000
    """Operations on one number: about half a second in plain Python."""

    def __init__(self, slow: Callable[..., None], fast: Callable[..., None]) -> None:
        self._slow, self._fast = slow, fast
        self._done = 0

    def __call__(self, instructions: Any, registers: Any) -> None:
        """Run the operations: see :func:`interpret`."""
        self._done += len(instructions) * registers.shape[1]
        (self._slow if self._done < self.ENOUGH else self._fast)(instructions, registers)


def interpret(instructions: Any, registers: Any) -> None:
    """Run the operations in order; a register is a row with an entry per state.

    The function is written for numba and runs as plain Python too. Angles that a double does not
    resolve give NaN, as in machine code.
    """
    lanes = range(registers.shape[1])
    for i in range(len(instructions)):
        operation, result, a, b, c = instructions[i]
        x, y, z, to = registers[a], registers[b], registers[c], registers[result]
        if operation == MUL:
            for k in lanes:
                to[k] = x[k] * y[k]
        elif operation == ADD:
            for k in lanes:
                to[k] = x[k] + y[k]
        elif operation == SUB:
            for k in lanes:
                to[k] = x[k] - y[k]
        elif operation == NEG:
            for k in lanes:
                to[k] = -x[k]
        elif operation == FMA:
            for k in lanes:
                to[k] = x[k] * y[k] + z[k]
        elif operation == DIV:
            for k in lanes:
                to[k] = x[k] / y[k]
        elif operation == SIN:
            for k in lanes:
                to[k] = np.sin(x[k]) if abs(x[k]) < LARGEST_ANGLE else np.nan
        elif operation == COS:
            for k in lanes:
                to[k] = np.cos(x[k]) if abs(x[k]) < LARGEST_ANGLE else np.nan
        elif operation == SQRT:
            for k in lanes:
                to[k] = np.sqrt(x[k])
        elif operation == EXP:
            for k in lanes:
                to[k] = np.exp(x[k])
        elif operation == ARCTAN2:
            for k in lanes:
                to[k] = np.arctan2(x[k], y[k])
        elif operation == LESS:
            for k in lanes:
                to[k] = 1.0 if x[k] < y[k] else 0.0
        elif operation == SELECT:
            for k in lanes:
                to[k] = y[k] if x[k] != 0.0 else z[k]
