"""Print a trace as LLVM IR: straight-line code without loops.

A long program is cut into functions that are called one after the other, as LLVM's time grows
faster than a function. What one of them computes and a later one uses goes through a frame in
memory, where most of it would be anyway.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import llvmlite.binding as llvm

from dyn_core.codegen.frame import Frame
from dyn_core.codegen.sincos import SinCosPrinter, double
from dyn_core.codegen.trace import Trace
from dyn_core.scalars import Expr, Scalar
from dyn_core.scalars.graph import LEAVES

KERNEL = "kernel"
"""Name of the printed function. Its parameters are the inputs, then the outputs."""
LONG = 8000
"""Nodes from which on a program is cut, and
"""
PIECE = 1000
"""lines of each of its functions: the fewest that do not make calls slower."""
LANES = 4
"""Doubles in a vector: angles whose sine and cosine are computed together, zeros stored at once.

256 bits: while a 512-bit instruction is in flight, Intel's cores keep one of their two ports for
multiplication from all scalar code around it."""
FLAGS = "nsz contract"
"""Rounding may be skipped (fused multiply-add) and zeros have no sign; nothing else is relaxed."""
BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}

INTRINSICS = {"fma": "fmuladd", "sqrt": "sqrt"}
LIBRARY = {"arctan2": "atan2", "exp": "exp"}
BETWEEN = frozenset({"pack", "lane", "total"})


def real(width: int) -> str:
    """The type of a node of some lanes."""
    return "double" if width == 1 else f"<{width} x double>"


def suffix(width: int) -> str:
    """How LLVM's intrinsics name that type."""
    return "f64" if width == 1 else f"v{width}f64"


def pointer(to: str) -> str:
    """The type of a pointer; LLVM 14 and older want to know what it points to."""
    return "ptr" if llvm.llvm_version_info[0] >= 15 else f"{to}*"


def _function(head: str, body: Sequence[str]) -> str:
    """The definition of a function; what is not internal is void too."""
    lines = "\n  ".join([*body, "ret void"])
    kind = "" if head.startswith("internal") else "void "
    return f"define {kind}{head} noinline {{\n  {lines}\n}}\n"


def print_llvm(trace: Trace) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    All inputs are read before any output is written, so the arrays may overlap.
    """
    return _Printer(trace).module()


class _Printer:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.nodes = trace.graph.nodes
        self.width = trace.graph.widths
        self.input = {name: f"%in{k}" for k, name in enumerate(trace.inputs)}
        self.output = {name: f"%out{k}" for k, name in enumerate(trace.outputs)}
        self.live = trace.live()
        self.longest = PIECE if len(self.live) > LONG else math.inf
        self.frame = Frame(trace.graph, self.live)
        self.pieces: list[list[str]] = []
        self.body: list[str] = []
        self.declarations: set[str] = set()
        self.number: dict[int, str] = {}
        """Constants, as LLVM writes them."""
        self.value: dict[int, str] = {}
        """Names of what is known in the current function."""
        self.printed: set[int] = set()
        self.spread: dict[tuple[int, int], str] = {}
        self.destinations: dict[int, list[tuple[str, int]]] = {}

    def module(self) -> str:
        self._print_nodes()
        arrays = [*self.input.values(), *self.output.values()]
        parameters = ", ".join(f"{pointer('double')} {array}" for array in arrays)
        if not self.pieces:
            functions = [_function(f"@{KERNEL}({parameters})", self.body)]
        else:
            parameters_of_pieces = f"{parameters}, {pointer('double')} %frame"
            bodies = [*self.pieces, self.body]
            names = [f"@piece{k}({parameters_of_pieces})" for k in range(len(bodies))]
            functions = [
                _function(f"internal void {name}", body)
                for name, body in zip(names, bodies, strict=True)
            ]
            frame = f"%frame = alloca double, i64 {self.frame.size}, align 64"
            calls = [f"call void {name}" for name in names]
            functions.append(_function(f"@{KERNEL}({parameters})", [frame, *calls]))
        head = "\n".join(sorted(self.declarations))
        return "\n".join([head, *functions])

    def _print_nodes(self) -> None:
        """Inputs, then level by level: a level ends where the next angles are ready.

        As all inputs are read first, an output can be stored as soon as it is known, which frees
        its register.
        """
        leaves = [position for position in self.live if self.nodes[position][0] in LEAVES]
        for position in leaves:
            self._print_leaf(position)
        self._print_constants()
        for position in leaves:
            self._set(position, self._known(position))
        for angles in self._levels(self.live):
            for position in self.trace.graph.live(angles):
                self._print_node(position)
            for group in self._filled(angles):
                self._print_sincos(group)
        for position in self.live:
            self._print_node(position)

    def _cut(self) -> None:
        """Begin another function; what is needed later is stored where it was computed."""
        known = {name: x for x, name in self.value.items()}
        kept = self.frame.keep(known.values())
        piece: list[str] = []
        for line in self.body:
            piece.append(line)
            position = known.get(line.split(" = ", 1)[0])
            if position in kept:
                piece += self._frame_access(position, "store")
        self.pieces.append(piece)
        self.body, self.spread, self.value = [], {}, {}

    def _known(self, position: int) -> str:
        """The value of a node in the current function."""
        if position in self.number:
            return self.number[position]
        if position not in self.value:
            if position in self.frame.place:
                self.body += self._frame_access(position, "load")
                self.value[position] = f"%n{position}"
            else:
                self._print_operation(position)
        return self.value[position]

    def _frame_access(self, position: int, verb: str) -> list[str]:
        """Store a node in the frame, or load it from there."""
        name, kind = f"%n{position}", real(self.width[position])
        at, number = f"{name}.{verb}", f"{name}.{verb}.i"
        lines = [self._address(f"{at}.d", "%frame", self.frame.place[position])]
        lines.append(f"{number} = ptrtoint {pointer('double')} {at}.d to i64")
        lines.append(f"{at} = inttoptr i64 {number} to {pointer(kind)}")
        if verb == "load":
            return [*lines, f"{name} = load {kind}, {pointer(kind)} {at}, align 8"]
        return [*lines, f"store {kind} {name}, {pointer(kind)} {at}, align 8"]

    def _levels(self, live: list[int]) -> list[list[int]]:
        """Arguments of sine and cosine, by how many of these functions they depend on."""
        level: dict[int, int] = {}
        levels: list[list[int]] = []
        for position in live:
            operands = self.trace.graph.operands(position)
            level[position] = max((level[x] for x in operands), default=0)
            if self.nodes[position][0] in ("sin", "cos"):
                depth = level[position]
                levels.extend([] for _ in range(depth + 1 - len(levels)))
                if operands[0] not in levels[depth]:
                    levels[depth].append(operands[0])
                level[position] += 1
        return levels

    def _filled(self, angles: Sequence[int]) -> list[list[int]]:
        """The angles in groups that fill a vector."""
        groups: list[list[int]] = [[]]
        for angle in sorted(angles, key=lambda x: -self.width[x]):
            if sum(self.width[x] for x in groups[-1]) + self.width[angle] > LANES:
                groups.append([])
            groups[-1].append(angle)
        return [group for group in groups if group]

    def _print_leaf(self, position: int) -> None:
        kind, *operands = self.nodes[position]
        if kind == "constant":
            self.number[position] = double(operands[0])  # type: ignore[arg-type]
        elif kind == "constants":
            numbers = (f"double {double(x)}" for x in operands)  # type: ignore[arg-type]
            self.number[position] = f"<{', '.join(numbers)}>"
        else:
            self.value[position] = self._load(f"%n{position}", *operands)  # type: ignore[arg-type]

    def _print_node(self, position: int) -> None:
        if position in self.printed:
            return
        if len(self.body) > self.longest:
            self._cut()
        self._print_operation(position)

    def _print_operation(self, position: int) -> None:
        operation, *operands = self.nodes[position]
        name, width = f"%n{position}", self.width[position]
        if operation in BETWEEN:
            self._print_between(name, str(operation), operands)  # type: ignore[arg-type]
            self._set(position, name)
            return
        args = [self._operand(x, width) for x in operands]  # type: ignore[arg-type]
        kind = real(width)
        if operation in BINARY:
            text = f"{BINARY[operation]} {FLAGS} {kind} {args[0]}, {args[1]}"
        elif operation == "neg":
            text = f"fneg {FLAGS} {kind} {args[0]}"
        elif operation == "less":
            text = f"fcmp olt double {args[0]}, {args[1]}"
        elif operation == "select":
            text = f"select i1 {args[0]}, double {args[1]}, double {args[2]}"
        elif operation in INTRINSICS:
            text = self._call(f"llvm.{INTRINSICS[operation]}.{suffix(width)}", args, kind)
        elif operation in LIBRARY:
            text = self._call(LIBRARY[operation], args, kind)
        else:
            raise NotImplementedError(f"LLVM printer: unknown operation '{operation}'")
        self.body.append(f"{name} = {text}")
        self._set(position, name)

    def _operand(self, position: int, width: int) -> str:
        """The value of a node as an operand of ``width`` lanes; a number serves all of them."""
        value = self._known(position)
        if self.width[position] == width:
            return value
        if self.nodes[position][0] == "constant":
            return f"<{', '.join([f'double {value}'] * width)}>"
        if (position, width) not in self.spread:
            name, kind = f"%n{position}.x{width}", real(width)
            self._insert(f"{name}.0", "undef", position, 0, width)
            zeros = f"<{width} x i32> zeroinitializer"
            self.body.append(f"{name} = shufflevector {kind} {name}.0, {kind} undef, {zeros}")
            self.spread[position, width] = name
        return self.spread[position, width]

    def _insert(self, name: str, vector: str, position: int, lane: int, width: int) -> None:
        number = f"double {self._known(position)}, i32 {lane}"
        self.body.append(f"{name} = insertelement {real(width)} {vector}, {number}")

    def _print_between(self, name: str, operation: str, operands: list[int]) -> None:
        """From numbers to the lanes of a vector and back."""
        if operation == "pack":
            vector, last = "undef", len(operands) - 1
            for lane, position in enumerate(operands):
                filled = name if lane == last else f"{name}.{lane}"
                self._insert(filled, vector, position, lane, len(operands))
                vector = filled
            return
        vector, width = self._known(operands[0]), self.width[operands[0]]
        if operation == "lane":
            self._extract(name, vector, width, operands[1])
            return
        while width > 2:  # the sum of its halves
            width //= 2
            for half in range(2):
                self._part(f"{name}.{width}.{half}", vector, 2 * width, half * width, width)
            vector = f"{name}.{width}"
            halves = f"{vector}.0, {vector}.1"
            self.body.append(f"{vector} = fadd {FLAGS} {real(width)} {halves}")
        for lane in range(2):
            self._extract(f"{name}.{lane}", vector, 2, lane)
        self.body.append(f"{name} = fadd {FLAGS} double {name}.0, {name}.1")

    def _extract(self, name: str, vector: str, width: int, lane: int) -> None:
        self.body.append(f"{name} = extractelement {real(width)} {vector}, i32 {lane}")

    def _part(self, name: str, vector: str, width: int, start: int, count: int) -> None:
        lanes = ", ".join(f"i32 {start + k}" for k in range(count))
        kind = real(width)
        mask = f"<{count} x i32> <{lanes}>"
        self.body.append(f"{name} = shufflevector {kind} {vector}, {kind} undef, {mask}")

    def _call(self, function: str, args: list[str], kind: str) -> str:
        types = ", ".join([kind] * len(args))
        self.declarations.add(f"declare {kind} @{function}({types})")
        return f"call {FLAGS} {kind} @{function}({', '.join(f'{kind} {x}' for x in args)})"

    def _load(self, name: str, array: str, k: object) -> str:
        self.body.append(self._address(f"{name}.a", self.input[array], k))
        self.body.append(f"{name} = load double, {pointer('double')} {name}.a, align 8")
        return name

    def _address(self, name: str, array: str, k: object) -> str:
        return f"{name} = getelementptr double, {pointer('double')} {array}, i64 {k}"

    def _print_sincos(self, angles: list[int]) -> None:
        """Sine and cosine of angles side by side in one vector."""
        prefix = f"s{angles[0]}"
        starts = [sum(self.width[x] for x in angles[:k]) for k in range(len(angles) + 1)]
        lanes = max(2, 1 << (starts[-1] - 1).bit_length())
        vector = self._side_by_side(angles, prefix, lanes)
        printer = SinCosPrinter(prefix, lanes)
        results = dict(zip(("sin", "cos"), printer.emit(vector), strict=True))
        self.body += printer.lines
        self.declarations |= printer.declarations()
        for function, result in results.items():
            for start, angle in zip(starts, angles, strict=False):
                position = self.trace.graph.add(function, angle)
                name, width = f"%n{position}", self.width[angle]
                if width == 1:
                    self._extract(name, result, lanes, start)
                else:
                    self._part(name, result, lanes, start, width)
                self._set(position, name)

    def _side_by_side(self, angles: list[int], prefix: str, lanes: int) -> str:
        """The name of a vector of all lanes of the angles; what is left of it is zero."""
        vector, filled = "zeroinitializer", 0
        for angle in angles:
            for lane in range(self.width[angle]):
                number = self._known(angle)
                if self.width[angle] > 1:
                    number = f"%{prefix}.of{filled}"
                    self._extract(number, self._known(angle), self.width[angle], lane)
                name = f"%{prefix}.in{filled}"
                item = f"double {number}, i32 {filled}"
                self.body.append(f"{name} = insertelement {real(lanes)} {vector}, {item}")
                vector, filled = name, filled + 1
        return vector

    def _print_constants(self) -> None:
        """Store what does not depend on the inputs; note where to store all else."""
        for name, scalars in self.trace.outputs.items():
            array, k = self.output[name], 0
            while k < len(scalars):
                width, scalar = _run_of_zeros(scalars[k : k + LANES]), scalars[k]
                if isinstance(scalar, Expr):
                    self.destinations.setdefault(scalar.position, []).append((array, k))
                else:
                    value = "zeroinitializer" if width > 1 else double(scalar)
                    self._print_store(array, k, value, width)
                k += width

    def _set(self, position: int, value: str) -> None:
        """The value of a node is known: store it where it is an output."""
        if position not in self.number:
            self.value[position] = value
        if position in self.printed:
            return
        self.printed.add(position)
        self.frame.printed(position)
        for array, k in self.destinations.get(position, ()):
            self._print_store(array, k, value, 1)

    def _print_store(self, array: str, k: int, value: str, width: int) -> None:
        """Store a number, or ``width`` numbers at once: mass matrices hold many zeros.

        The store is volatile for LLVM not to compare each with all others, which it would merge
        if it could: that takes the square of their number.
        """
        kind, address = "double", f"{array}.{k}"
        self.body.append(self._address(address, array, k))
        if width > 1:
            kind, number = f"<{width} x double>", f"{address}.i"
            self.body.append(f"{number} = ptrtoint {pointer('double')} {address} to i64")
            address = f"{address}.v"
            self.body.append(f"{address} = inttoptr i64 {number} to {pointer(kind)}")
        self.body.append(f"store volatile {kind} {value}, {pointer(kind)} {address}, align 8")


def _run_of_zeros(scalars: Sequence[Scalar]) -> int:
    """The largest power of two of zeros that begin ``scalars``, at least 1."""
    zeros = 0
    while zeros < len(scalars) and isinstance(scalars[zeros], float) and scalars[zeros] == 0.0:
        zeros += 1
    return 1 << max(0, zeros.bit_length() - 1)
