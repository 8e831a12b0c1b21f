# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Print a trace as LLVM IR: straight-line code, for one state or with a state in each lane.

A long program is cut into functions that are called one after the other, as LLVM's time grows
faster than a function. What one of them computes and a later one uses goes through a frame in
memory, where most of it would be anyway.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from dyn_core.codegen.angles import groups, levels
from dyn_core.codegen.form import Form
from dyn_core.codegen.memory import LANES, ManyStates, Memory, OneState
from dyn_core.codegen.over_states import COUNTER, print_over_states
from dyn_core.codegen.passes import used
from dyn_core.codegen.prefetch import print_prefetching
from dyn_core.codegen.results import Results
from dyn_core.codegen.schedule import scheduled
from dyn_core.codegen.sincos import SinCosPrinter
from dyn_core.codegen.spill_area import SpillArea
from dyn_core.codegen.trace import Trace
from dyn_core.scalars.graph import BETWEEN, LEAVES, Node

KERNEL = "kernel"
"""Name of the printed function. Its parameters are the inputs, then the outputs."""
STRAIGHT = "straight"
"""Name of the one that computes, where the kernel prefetches its code before."""
BATCH = "batch"
"""Name of the printed function of many states. It takes their number before the arrays."""
SHARED = "shared"
"""Name of the one that threads share."""
FLAGS = "nsz contract"
"""Rounding may be skipped (fused multiply-add) and zeros have no sign; nothing else is relaxed."""
BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
INTRINSICS = {"fma": "fmuladd", "sqrt": "sqrt"}
LIBRARY = {"arctan2": "atan2", "exp": "exp"}
"""Functions of the C library."""


def function(head: str, body: Sequence[str], attributes: str = "") -> str:
    """The definition of a function; what is not internal is void too."""
    lines = "\n  ".join([*body, "ret void"])
    kind = "" if head.startswith("internal") else "void "
    return f"define {kind}{head} noinline {attributes} {{\n  {lines}\n}}\n"


def renamed(text: str, symbol: str) -> str:
    """The module text of a kernel that has another name in an object, beside other kernels."""
    return re.sub(rf"@{KERNEL}\b", f"@{symbol}", text)


def print_llvm(trace: Trace, prefetched: bool = False) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    All inputs are read before any output is written, so the arrays may overlap.

    Args:
        trace: the program.
        prefetched: whether the kernel prefetches its code, if the last call was long ago.
    """
    trace = scheduled(trace) if Form.of(trace).scheduled else trace
    return Printer(trace, OneState(trace)).module(prefetched)


def print_kernel(trace: Trace, memory: Memory) -> str:
    """The module text of a function that computes with arrays as ``memory`` has them."""
    return Printer(trace, memory).module()


def print_batch(trace: Trace, memory: ManyStates) -> str:
    """The module text of ``void batch(int64_t count, double *inputs..., double *outputs...)``.

    A loop over as many states at a time as there are lanes, beside the one that threads share
    (:func:`print_over_states`). Of a state all inputs are read before any output is written.
    """
    kernel = print_kernel(trace, memory)
    arrays = ", ".join(f"{memory.number.pointer} {array}" for array in memory.sizes)
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
    """Prints the nodes of a trace, one after the other."""

    def __init__(self, trace: Trace, memory: Memory) -> None:
        self.trace = trace
        self.memory = memory
        self.type = memory.number
        self.nodes = trace.graph.nodes
        self.results = Results(trace, memory)
        self.live = self.results.live
        of_states = isinstance(memory, ManyStates)
        self.form = Form.of_batch(trace, memory.lanes) if of_states else Form.of(trace, self.live)
        self.spills = SpillArea(trace.graph, self.live)
        self.pieces: list[list[str]] = []
        self.body = memory.begin()
        self.declarations: set[str] = set()
        self.constants: dict[int, str] = {}
        """Constants, as LLVM writes them."""
        self.value: dict[int, str] = {}
        """Names of what is known in the current function."""
        self.printed: set[int] = set()
        self.spread: dict[tuple[int, int], str] = {}

    def module(self, prefetched: bool = False) -> str:
        """The text of the functions."""
        self._print_nodes()
        self.results.mirror()
        head, room = f"@{KERNEL}({self.memory.parameters})", self.memory.room(self.spills.size)
        if prefetched:
            head = f"internal void @{STRAIGHT}({self.memory.parameters})"
        if not self.pieces:
            functions = [function(head, [*room, *self.body], self.form.attributes)]
        else:
            parameters = f"{self.memory.parameters}, {self.type.pointer} %frame"
            bodies = [*self.pieces, self.body]
            names = [f"@piece{k}({parameters})" for k in range(len(bodies))]
            functions = [
                function(f"internal void {name}", body, self.form.attributes)
                for name, body in zip(names, bodies, strict=True)
            ]
            calls = (f"call void {name}" for name in names)
            functions.append(function(head, [*room, *calls]))
        if prefetched:
            first = "piece0" if self.pieces else STRAIGHT
            functions.append(print_prefetching(KERNEL, self.memory.parameters, first, STRAIGHT))
        return "\n".join([*sorted(self.declarations), *self.results.functions(), *functions])

    def _width(self, position: int) -> int:
        """How many numbers the value of a node is: one per lane unless it is a constant."""
        node = self.nodes[position]
        return node.width * (1 if node.kind == "constant" else self.memory.lanes)

    def _print_nodes(self) -> None:
        """Level by level: a level ends where the next angles are ready.

        As all inputs are read first, an output can be stored as soon as it is known, which frees
        its register, and arrays may overlap.
        """
        leaves = [position for position in self.live if self.nodes[position].kind in LEAVES]
        self.results.expect(whole=math.isinf(self.form.longest))
        for position in leaves:
            self._print_leaf(position)
        self.results.store_constants()
        for position in leaves:
            if self.results.take(position):
                self._set(position, self._known(position))
        wait = used("angles") and self.memory.lanes < LANES  # else each fills a vector by itself
        for angles in levels(self.trace.graph, self.live) if wait else ():
            for position in self.trace.graph.live(angles):
                self._print_node(position)
            for group in groups(angles, self._width):
                self._print_sincos(group)
        for position in self.live:
            self._print_node(position)

    def _cut(self) -> None:
        """Begin another function; what is needed later is stored where it was computed."""
        self.memory.end()
        known = {name: x for x, name in self.value.items()}
        kept = self.spills.keep(known.values())
        lines, self.memory.lines = self.body, []
        for line in lines:
            self.memory.lines.append(line)
            name = line.split(" = ", 1)[0]
            if known.get(name) in kept:
                place, width = self._place(known[name])
                self.memory.write(f"{name}.kept", name, "%frame", place, width)
        self.pieces.append(self.memory.lines)
        self.body, self.spread, self.value = self.memory.begin(), {}, {}

    def _place(self, position: int) -> tuple[int, int]:
        """Where in the frame a node is, and how many numbers it is."""
        return self.spills.place[position] * self.memory.lanes, self._width(position)

    def _known(self, position: int) -> str:
        """The value of a node in the current function."""
        if position in self.constants:
            return self.constants[position]
        if position not in self.value:
            if position in self.spills.place:
                place, width = self._place(position)
                self.value[position] = self.memory.read(f"%n{position}", "%frame", place, width)
            elif self.nodes[position].kind == "input":
                self._print_leaf(position)
            else:
                self._print_operation(position)
        return self.value[position]

    def _print_leaf(self, position: int) -> None:
        node = self.nodes[position]
        literals = [self.type.literal(x) for x in node.numbers]
        if node.kind == "constant":
            self.constants[position] = literals[0]
        elif node.kind == "constants":
            numbers = (f"{self.type.name} {x}" for x in literals)
            self.constants[position] = f"<{', '.join(numbers)}>"
        else:
            self.value[position] = self.memory.load(node.name, node.entry)

    def _print_node(self, position: int) -> None:
        if position in self.printed or self.nodes[position].kind in LEAVES:
            return
        if len(self.body) > self.form.longest:
            self._cut()
        self._print_operation(position)

    def _print_operation(self, position: int) -> None:
        node = self.nodes[position]
        operation = node.kind
        if operation in ("sin", "cos"):
            self._print_sincos(node.operands)
            return
        name, width = f"%n{position}", self._width(position)
        if operation in BETWEEN:
            self._print_between(position, node)
            self._set(position, name)
            return
        args = [self._operand(x, width) for x in node.operands]
        kind = self.type.real(width)
        if operation in BINARY:
            text = f"{BINARY[operation]} {FLAGS} {kind} {args[0]}, {args[1]}"
        elif operation == "neg":
            text = f"fneg {FLAGS} {kind} {args[0]}"
        elif operation == "less":
            text = f"fcmp olt {kind} {args[0]}, {args[1]}"
        elif operation == "select":
            condition = kind.replace(self.type.name, "i1")
            text = f"select {condition} {args[0]}, {kind} {args[1]}, {kind} {args[2]}"
        elif operation in INTRINSICS:
            text = self._call(f"llvm.{INTRINSICS[operation]}.{self.type.suffix(width)}", args, kind)
        elif operation in LIBRARY:
            self._print_library_call(name, LIBRARY[operation] + self.type.library, args, width)
            self._set(position, name)
            return
        else:
            raise NotImplementedError(f"LLVM printer: unknown operation '{operation}'")
        self.body.append(f"{name} = {text}")
        self._set(position, name)

    def _operand(self, position: int, width: int) -> str:
        """The value of a node as an operand of ``width`` lanes; a number serves all of them."""
        value = self._known(position)
        if self._width(position) == width:
            return value
        if self.nodes[position].kind == "constant":
            return self.type.constant(self.nodes[position].numbers[0], width)
        if (position, width) not in self.spread:
            name, kind = f"%n{position}.x{width}", self.type.real(width)
            self._insert(f"{name}.0", "undef", value, 0, width)
            zeros = f"<{width} x i32> zeroinitializer"
            self.body.append(f"{name} = shufflevector {kind} {name}.0, {kind} undef, {zeros}")
            self.spread[position, width] = name
        return self.spread[position, width]

    def _insert(self, name: str, vector: str, number: str, lane: int, width: int) -> None:
        self.body.append(self.type.inserted(name, vector, number, lane, width))

    def _print_between(self, position: int, node: Node) -> None:
        """From numbers to the lanes of a vector and back."""
        name, operands = f"%n{position}", node.operands
        if node.kind == "pack":
            vector, last = "undef", len(operands) - 1
            for lane, position in enumerate(operands):
                filled = name if lane == last else f"{name}.{lane}"
                self._insert(filled, vector, self._known(position), lane, len(operands))
                vector = filled
            return
        vector, width = self._known(operands[0]), self._width(operands[0])
        if node.kind == "lane":
            self.body.append(self.type.part(name, vector, width, node.entry))
            return
        while width > 2:  # the sum of its halves
            width //= 2
            for half in range(2):
                part = f"{name}.{width}.{half}", vector, 2 * width, half * width, width
                self.body.append(self.type.part(*part))
            vector = f"{name}.{width}"
            halves = f"{vector}.0, {vector}.1"
            self.body.append(f"{vector} = fadd {FLAGS} {self.type.real(width)} {halves}")
        for lane in range(2):
            self.body.append(self.type.part(f"{name}.{lane}", vector, 2, lane))
        self.body.append(f"{name} = fadd {FLAGS} {self.type.name} {name}.0, {name}.1")

    def _call(self, function: str, args: list[str], kind: str) -> str:
        types = ", ".join([kind] * len(args))
        self.declarations.add(f"declare {kind} @{function}({types})")
        return f"call {FLAGS} {kind} @{function}({', '.join(f'{kind} {x}' for x in args)})"

    def _print_library_call(self, name: str, function: str, args: list[str], width: int) -> None:
        """A call for each lane."""
        vector = "undef"
        if width == 1:
            self.body.append(f"{name} = {self._call(function, args, self.type.name)}")
            return
        for lane in range(width):
            numbers = [f"{name}.{k}.{lane}" for k in range(len(args))]
            for number, arg in zip(numbers, args, strict=True):
                self.body.append(self.type.part(number, arg, width, lane))
            self.body.append(f"{name}.r{lane} = {self._call(function, numbers, self.type.name)}")
            filled = name if lane == width - 1 else f"{name}.v{lane}"
            self._insert(filled, vector, f"{name}.r{lane}", lane, width)
            vector = filled

    def _print_sincos(self, angles: Sequence[int]) -> None:
        """Sine and cosine of angles side by side in one vector."""
        prefix = f"s{angles[0]}"
        starts = [sum(self._width(x) for x in angles[:k]) for k in range(len(angles) + 1)]
        lanes = max(2, 1 << (starts[-1] - 1).bit_length())
        printer = SinCosPrinter(prefix, lanes, self.type)
        results = printer.emit(self._side_by_side(angles, prefix, lanes))
        self.body += printer.lines
        self.declarations |= printer.declarations()
        for function, result in zip(("sin", "cos"), results, strict=True):
            for start, angle in zip(starts, angles, strict=False):
                position = self.trace.graph.add(function, angle)
                name, width = f"%n{position}", self._width(angle)
                if width == lanes:
                    name = result
                else:
                    self.body.append(self.type.part(name, result, lanes, start, width))
                self._set(position, name)

    def _side_by_side(self, angles: Sequence[int], prefix: str, lanes: int) -> str:
        """The name of a vector of all lanes of the angles; what is left of it is zero."""
        if self._width(angles[0]) == lanes:
            return self._known(angles[0])
        vector, filled = "zeroinitializer", 0
        for angle in angles:
            for lane in range(self._width(angle)):
                number = self._known(angle)
                if self._width(angle) > 1:
                    number = f"%{prefix}.of{filled}"
                    known, width = self._known(angle), self._width(angle)
                    self.body.append(self.type.part(number, known, width, lane))
                name = f"%{prefix}.in{filled}"
                self._insert(name, vector, number, filled, lanes)
                vector, filled = name, filled + 1
        return vector

    def _set(self, position: int, value: str) -> None:
        """The value of a node is known: store it where it is an output."""
        if position not in self.constants:
            self.value[position] = value
        if position in self.printed:
            return
        self.printed.add(position)
        self.spills.printed(position)
        if self.results.take(position):
            self.results.store(position, value)
