# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Print a trace as LLVM IR: straight-line code, for one state or with a state in each lane.

A long program is cut into functions that are called in turn, since LLVM's time grows faster than
the length of a function. Values that a later function uses go through a spill area in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dyn_core.compiler.ir.graph import (
    CONSTANT,
    CONSTANTS,
    LANE,
    LANE_CONVERSIONS,
    LEAVES,
    PACK,
    Graph,
    Node,
)
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.targets.llvm.array_layouts import LANES, Memory
from dyn_core.compiler.targets.llvm.instructions import function
from dyn_core.compiler.targets.llvm.output_stores import Results
from dyn_core.compiler.targets.llvm.sine_cosine import SinCosPrinter
from dyn_core.spatial.scalars import operations as op
from dyn_core.spatial.scalars.operations import Operation

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
ANGULAR = (op.SIN, op.COS)
"""Functions that are printed in full, both at once, by :class:`SinCosPrinter`."""


ATTRIBUTES = '"frame-pointer"="all"'
"""With a frame pointer LLVM aligns stack frames to vectors: no spill slot crosses a cache line."""
BARRIER = "llvm.codeview.annotation"
"""An intrinsic that becomes a label, which takes no space and which no instruction passes when LLVM
reorders them."""
BARRIER_DISTANCE = 32
"""Nodes between two barriers."""


@dataclass(frozen=True)
class EmissionOptions:
    """The choices that a printer makes by the size of its program."""

    longest: float
    """The most lines of a function."""
    angles_together: bool
    """Whether sines and cosines of several angles are computed in one vector."""
    in_order: bool = False
    """Whether instructions stay near their place in the order of the trace."""
    transposing: bool = False
    """Whether outputs of limbs are transposed before they are stored."""


class Printer:
    """Prints the nodes of a trace in order."""

    def __init__(self, trace: Trace, memory: Memory, options: EmissionOptions) -> None:
        self.trace = trace
        self.options = options
        self.memory = memory
        self.type = memory.number
        self.nodes = trace.graph.nodes
        self.results = Results(trace, memory, options.transposing)
        self.live = trace.computed()
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

    def module(self, head: str) -> tuple[str, str]:
        """The text of the functions that compute, and the name of the first one.

        Args:
            head: linkage, type, name and parameters of the function that is called.
        """
        self._print_nodes()
        slots = self.memory.slots(self.spills.size)
        if not self.pieces:
            lines = [*slots, *self.memory.lines, "ret void"]
            functions, first = [function(head, lines, ATTRIBUTES)], ""
        else:
            parameters = f"{self.memory.parameters}, {self.type.pointer} %frame"
            bodies = [*self.pieces, self.memory.lines]
            names = [f"void @piece{k}({parameters})" for k in range(len(bodies))]
            functions = [
                function(f"internal {name}", [*body, "ret void"], ATTRIBUTES)
                for name, body in zip(names, bodies, strict=True)
            ]
            calls = (f"call {name}" for name in names)
            functions.append(function(head, [*slots, *calls, "ret void"]))
            first = "piece0"
        return "\n".join([*sorted(self.declarations), *functions]), first

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
        for angles in levels(self.trace.graph, self.live) if self.options.angles_together else ():
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
        if len(self.memory.lines) > self.options.longest:
            self._cut()
        self._print_operation(position)
        if self.options.in_order and len(self.printed) % BARRIER_DISTANCE == 0:
            self.declarations.add(f"declare void @{BARRIER}(metadata)")
            self.memory.lines.append(f'call void @{BARRIER}(metadata !{{!"order"}})')

    def _print_operation(self, position: int) -> None:
        node = self.nodes[position]
        if node.kind in ANGULAR:
            self._print_sincos(node.operands)
            return
        name, width = f"%n{position}", self._width(position)
        if node.kind in LANE_CONVERSIONS:
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


class SpillArea:
    """Slots of nodes in an array ``%frame`` of ``size`` numbers per state."""

    def __init__(self, graph: Graph, live: Sequence[int]) -> None:
        self.graph = graph
        self.size = 0
        self.place: dict[int, int] = {}
        """The slots of nodes, as indices into the array."""
        self._left = Counter(x for position in live for x in graph.nodes[position].operands)
        self._over: list[int] = []
        self._free: dict[int, list[int]] = {}

    def printed(self, position: int) -> None:
        """Count a use of the operands of a printed node; slots become free after the last use."""
        if self.graph.nodes[position].kind.is_condition:
            return
        for x in self.graph.nodes[position].operands:
            self._left[x] -= 1
            if not self._left[x] and x in self.place:
                self._over.append(x)

    def keep(self, positions: Iterable[int]) -> set[int]:
        """Give slots to those nodes that have uses left; return the nodes with a new slot.

        Conditions get none: functions compute them again from their operands. Slots whose node has
        no uses left are free after this round: the function that stores the new nodes may still
        read them.
        """
        needed = {x for x in positions if self._left[x] and x not in self.place}
        new = {x for x in needed if not self.graph.nodes[x].kind.is_condition}
        for position in sorted(new):
            self.place[position] = self._new_place(self.graph.nodes[position].width)
        for position in self._over:
            width = self.graph.nodes[position].width
            self._free.setdefault(width, []).append(self.place.pop(position))
        self._over = []
        return new

    def _new_place(self, width: int) -> int:
        free = self._free.get(width)
        if free:
            return free.pop()
        start = -(-self.size // width) * width  # a vector does not cross lines of the cache
        self.size = start + width
        return start


def levels(graph: Graph, live: Sequence[int]) -> list[list[int]]:
    """Arguments of sine and cosine, by the number of nested sines and cosines in them."""
    level: dict[int, int] = {}
    found: list[list[int]] = []
    for position in live:
        node = graph.nodes[position]
        level[position] = max((level[x] for x in node.operands), default=0)
        if node.kind in ANGULAR:
            depth = level[position]
            found.extend([] for _ in range(depth + 1 - len(found)))
            if node.operands[0] not in found[depth]:
                found[depth].append(node.operands[0])
            level[position] += 1
    return found


def groups(angles: Sequence[int], width: Callable[[int], int]) -> list[list[int]]:
    """The angles in groups that fit into a vector; ``width`` is the numbers in an angle."""
    found: list[list[int]] = [[]]
    for angle in sorted(angles, key=lambda x: -width(x)):
        if sum(map(width, found[-1])) + width(angle) > LANES:
            found.append([])
        found[-1].append(angle)
    return [group for group in found if group]
