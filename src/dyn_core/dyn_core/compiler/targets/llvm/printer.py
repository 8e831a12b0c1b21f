# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Print a trace as LLVM IR: straight-line code, for one state or with a state in each lane.

A long program is cut into functions that are called in turn, since LLVM's time grows faster than
the length of a function. Values that a later function uses go through a spill area in memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dyn_core.compiler.ir.graph import BETWEEN, CONSTANT, CONSTANTS, LANE, LEAVES, PACK, Node
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.ir.verify import verified
from dyn_core.compiler.passes.list_scheduling import scheduled
from dyn_core.compiler.targets.llvm.angle_groups import groups, levels
from dyn_core.compiler.targets.llvm.array_layouts import LANES, ManyStates, Memory, OneState
from dyn_core.compiler.targets.llvm.code_prefetch import print_prefetching
from dyn_core.compiler.targets.llvm.emission_options import Form
from dyn_core.compiler.targets.llvm.instructions import function
from dyn_core.compiler.targets.llvm.output_stores import Results
from dyn_core.compiler.targets.llvm.sine_cosine import SinCosPrinter
from dyn_core.compiler.targets.llvm.spill_slots import SpillArea
from dyn_core.compiler.targets.llvm.state_loop import COUNTER, print_over_states
from dyn_core.spatial.scalars import operations as op
from dyn_core.spatial.scalars.operations import Operation

KERNEL = "kernel"
"""Name of the printed function. Its parameters are the inputs, then the outputs."""
STRAIGHT = "straight"
"""Name of the function that computes, if the kernel prefetches its code."""
BATCH = "batch"
"""Name of the printed function of many states. Their number is its first argument."""
SHARED = "shared"
"""Name of the printed function that threads share."""
FLAGS = "nsz contract"
"""Multiplication and addition may be fused, and zeros have no sign; nothing else is relaxed."""
INSTRUCTIONS = {
    op.ADD: f"fadd {FLAGS} {{real}} {{0}}, {{1}}",
    op.SUB: f"fsub {FLAGS} {{real}} {{0}}, {{1}}",
    op.MUL: f"fmul {FLAGS} {{real}} {{0}}, {{1}}",
    op.DIV: f"fdiv {FLAGS} {{real}} {{0}}, {{1}}",
    op.NEG: f"fneg {FLAGS} {{real}} {{0}}",
    op.LESS: "fcmp olt {real} {0}, {1}",
    op.SELECT: "select {condition} {0}, {real} {1}, {real} {2}",
}
INTRINSICS = {op.FMA: "fmuladd", op.SQRT: "sqrt"}
"""LLVM's own functions, which take vectors."""
LIBRARY = {op.ARCTAN2: "atan2", op.EXP: "exp"}
"""Functions of the C library."""
ANGULAR = {op.SIN: "sine", op.COS: "cosine"}
"""Functions that are printed in full, both at once, by :class:`SinCosPrinter`."""


def renamed(text: str, symbol: str) -> str:
    """The module text of a kernel under another name, for an object with several kernels."""
    return re.sub(rf"@{KERNEL}\b", f"@{symbol}", text)


def print_llvm(trace: Trace, cold: bool = False) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    All inputs are read before any output is written, so the arrays may overlap.

    Args:
        trace: the program.
        cold: see :meth:`Form.of`.
    """
    form = Form.of(trace, cold)
    trace = verified(scheduled(trace), "schedule") if form.scheduled else trace
    return Printer(trace, OneState(trace), form).module()


def print_kernel(trace: Trace, memory: ManyStates) -> str:
    """The module text of a function that computes on the arrays of ``memory``."""
    return Printer(trace, memory, Form.of_batch(trace, memory.lanes)).module()


def print_batch(trace: Trace, memory: ManyStates) -> str:
    """The module text of ``void batch(int64_t count, double *inputs..., double *outputs...)``.

    It loops over the states, one in each lane at a time. Beside it stands the function that threads
    share (:func:`print_over_states`). All inputs of a state are read before outputs are written.
    """
    kernel = print_kernel(trace, memory)
    arrays = ", ".join(memory.arrays())
    each = [f"call void @{KERNEL}({memory.parameters})", *memory.after()]
    shared = print_over_states(SHARED, arrays, memory.lanes, memory.before(), each)
    alone = [
        f"define void @{BATCH}(i64 %count, {arrays}) {{",
        "%taken = alloca i64",
        f"store i64 0, {COUNTER} %taken",
        f"call i64 @{SHARED}({COUNTER} %taken, i64 %count, i64 %count, {arrays})",
        "ret void\n}\n",
    ]
    return kernel + memory.functions() + shared + "\n".join(alone)


class Printer:
    """Prints the nodes of a trace in order."""

    def __init__(self, trace: Trace, memory: Memory, form: Form) -> None:
        self.trace = trace
        self.form = form
        self.memory = memory
        self.type = memory.number
        self.nodes = trace.graph.nodes
        self.results = Results(trace, memory, form)
        self.live = trace.computed(form.mirrored)
        """Positions of the nodes that are printed, in order."""
        self.spills = SpillArea(trace.graph, self.live)
        self.pieces: list[list[str]] = []
        self.memory.begin()
        self.declarations: set[str] = set()
        self.constants: dict[int, str] = {}
        """LLVM's literals of constants."""
        self.value: dict[int, str] = {}
        """Names of the values that the current function has."""
        self.printed: set[int] = set()
        self.spread: dict[tuple[int, int], str] = {}

    def module(self) -> str:
        """The text of the functions."""
        self._print_nodes()
        self.results.mirror()
        head, room = f"void @{KERNEL}({self.memory.parameters})", self.memory.room(self.spills.size)
        if self.form.prefetched:
            head = f"internal void @{STRAIGHT}({self.memory.parameters})"
        if not self.pieces:
            functions = [self._function(head, [*room, *self.memory.lines])]
        else:
            parameters = f"{self.memory.parameters}, {self.type.pointer} %frame"
            bodies = [*self.pieces, self.memory.lines]
            names = [f"void @piece{k}({parameters})" for k in range(len(bodies))]
            functions = [
                self._function(f"internal {name}", body)
                for name, body in zip(names, bodies, strict=True)
            ]
            calls = (f"call {name}" for name in names)
            functions.append(function(head, [*room, *calls, "ret void"]))
        if self.form.prefetched:
            first = "piece0" if self.pieces else STRAIGHT
            functions.append(print_prefetching(KERNEL, self.memory.parameters, first, STRAIGHT))
        return "\n".join([*sorted(self.declarations), *self.results.functions(), *functions])

    def _function(self, head: str, lines: Sequence[str]) -> str:
        return function(head, [*lines, "ret void"], self.form.attributes)

    def _width(self, position: int) -> int:
        """Numbers in the value of a node: a constant serves all states."""
        node = self.nodes[position]
        return node.width * (1 if node.kind is CONSTANT else self.memory.lanes)

    def _print_nodes(self) -> None:
        """Print level by level: a level ends where the next angles are ready.

        All inputs are read first. So an output may be stored as soon as it is known, which frees
        its register, and arrays may overlap.
        """
        leaves = [position for position in self.live if self.nodes[position].kind in LEAVES]
        for position in leaves:
            self._print_leaf(position)
        self.results.store_constants()
        for position in leaves:
            if self.results.take(position):
                self._set(position, self._known(position))
        for angles in levels(self.trace.graph, self.live) if self.form.angles else ():
            for position in self.trace.graph.live(angles):
                self._print_node(position)
            for group in groups(angles, self._width):
                self._print_sincos(group)
        for position in self.live:
            self._print_node(position)

    def _cut(self) -> None:
        """Begin another function; values with later uses are stored where they were computed."""
        self.memory.end()
        known = {name: x for x, name in self.value.items()}
        kept = self.spills.keep(known.values())
        lines, self.memory.lines = self.memory.lines, []
        for line in lines:
            self.memory.lines.append(line)
            name = line.split(" = ", 1)[0]
            if known.get(name) in kept:
                place, width = self._place(known[name])
                self.memory.write(f"{name}.kept", name, "%frame", place, width)
        self.pieces.append(self.memory.lines)
        self.memory.begin()
        self.spread, self.value = {}, {}

    def _place(self, position: int) -> tuple[int, int]:
        """The spill slot of a node: offset and length in numbers."""
        return self.spills.place[position] * self.memory.lanes, self._width(position)

    def _known(self, position: int) -> str:
        """The value of a node in the current function."""
        if position in self.constants:
            return self.constants[position]
        if position not in self.value:
            if position in self.spills.place:
                place, width = self._place(position)
                self.value[position] = self.memory.read(f"%n{position}", "%frame", place, width)
            else:  # a condition
                self._print_operation(position)
        return self.value[position]

    def _print_leaf(self, position: int) -> None:
        node = self.nodes[position]
        literals = [self.type.literal(x) for x in node.numbers]
        if node.kind is CONSTANT:
            self.constants[position] = literals[0]
        elif node.kind is CONSTANTS:
            numbers = (f"{self.type.name} {x}" for x in literals)
            self.constants[position] = f"<{', '.join(numbers)}>"
        else:
            self.value[position] = self.memory.load(node.name, node.entry)

    def _print_node(self, position: int) -> None:
        if position in self.printed or self.nodes[position].kind in LEAVES:
            return
        if len(self.memory.lines) > self.form.longest:
            self._cut()
        self._print_operation(position)

    def _print_operation(self, position: int) -> None:
        node = self.nodes[position]
        if node.kind in ANGULAR:
            self._print_sincos(node.operands)
            return
        name, width = f"%n{position}", self._width(position)
        if node.kind in BETWEEN:
            self._print_between(position, node)
        else:
            args = [self._operand(x, width) for x in node.operands]
            if node.kind in LIBRARY:
                self._print_library_call(name, LIBRARY[node.kind] + self.type.library, args, width)
            else:
                self.memory.op(self._instruction(node.kind, args, width), name)
        self._set(position, name)

    def _instruction(self, operation: Operation, args: list[str], width: int) -> str:
        kind = self.type.real(width)
        if operation in INSTRUCTIONS:
            condition = kind.replace(self.type.name, "i1")
            return INSTRUCTIONS[operation].format(*args, real=kind, condition=condition)
        if operation in INTRINSICS:
            return self._call(f"llvm.{INTRINSICS[operation]}.{self.type.suffix(width)}", args, kind)
        raise NotImplementedError(f"LLVM printer: unknown operation '{operation}'")

    def _operand(self, position: int, width: int) -> str:
        """The value of a node as an operand of ``width`` lanes; a number is spread over them."""
        value = self._known(position)
        if self._width(position) == width:
            return value
        if self.nodes[position].kind is CONSTANT:
            return self.type.constant(self.nodes[position].numbers[0], width)
        if (position, width) not in self.spread:
            name = f"%n{position}.x{width}"
            self.spread[position, width] = self.memory.spread(name, value, width)
        return self.spread[position, width]

    def _print_between(self, position: int, node: Node) -> None:
        """Print a node between numbers and lanes: ``pack``, ``lane`` or ``total``."""
        name, operands, out = f"%n{position}", node.operands, self.memory
        if node.kind is PACK:
            out.packed(name, [self._known(x) for x in operands], len(operands))
            return
        vector, width = self._known(operands[0]), self._width(operands[0])
        if node.kind is LANE:
            out.part(name, vector, width, node.entry)
            return
        while width > 1:  # add the two halves
            half = width // 2
            tag = f"{name}.{half}" if half > 1 else name
            low, high = (out.part(f"{tag}.{k}", vector, width, k * half, half) for k in range(2))
            vector, width = out.op(f"fadd {FLAGS} {self.type.real(half)} {low}, {high}", tag), half

    def _call(self, function: str, args: list[str], kind: str) -> str:
        types = ", ".join([kind] * len(args))
        self.declarations.add(f"declare {kind} @{function}({types})")
        return f"call {FLAGS} {kind} @{function}({', '.join(f'{kind} {x}' for x in args)})"

    def _print_library_call(self, name: str, function: str, args: list[str], width: int) -> None:
        """Print a call for each lane."""
        out, kind, results = self.memory, self.type.name, []
        if width == 1:
            out.op(self._call(function, args, kind), name)
            return
        for lane in range(width):
            numbers = [out.part(f"{name}.{k}.{lane}", x, width, lane) for k, x in enumerate(args)]
            results.append(out.op(self._call(function, numbers, kind), f"{name}.r{lane}"))
        out.packed(name, results, width)

    def _print_sincos(self, angles: Sequence[int]) -> None:
        """Print sine and cosine of several angles in one vector, side by side if they fit."""
        prefix = f"s{angles[0]}"
        starts = [sum(self._width(x) for x in angles[:k]) for k in range(len(angles) + 1)]
        beside = self.memory.lanes == 1 and 2 * starts[-1] <= LANES
        lanes = 2 * starts[-1] if beside else max(2, 1 << (starts[-1] - 1).bit_length())
        vector = self._side_by_side([*angles] * (1 + beside), prefix, lanes)
        printer = SinCosPrinter(prefix, lanes, self.type)
        results = [printer.emit_beside(vector)] * 2 if beside else printer.emit(vector)
        self.memory.lines += printer.lines
        self.declarations |= printer.declarations()
        firsts = 0, starts[-1] * beside
        for kind, result, first in zip((op.SIN, op.COS), results, firsts, strict=True):
            for start, angle in zip(starts, angles, strict=False):
                position = self.trace.graph.add(kind, angle)
                name, width = f"%n{position}", self._width(angle)
                if width == lanes:
                    name = result
                else:
                    self.memory.part(name, result, lanes, first + start, width)
                self._set(position, name)

    def _side_by_side(self, angles: Sequence[int], prefix: str, lanes: int) -> str:
        """A vector of all lanes of the angles, filled up with zeros."""
        if self._width(angles[0]) == lanes:
            return self._known(angles[0])
        numbers: list[str] = []
        for angle in angles:
            value, width = self._known(angle), self._width(angle)
            for lane in range(width):
                name = f"%{prefix}.of{len(numbers)}"
                numbers.append(self.memory.part(name, value, width, lane) if width > 1 else value)
        return self.memory.packed(f"%{prefix}.in", numbers, lanes)

    def _set(self, position: int, value: str) -> None:
        """Note the value of a node, and store it where it is an output."""
        if position not in self.constants:
            self.value[position] = value
        if position in self.printed:
            return
        self.printed.add(position)
        self.spills.printed(position)
        if self.results.take(position):
            self.results.store(position, value)
