"""Print a trace as LLVM IR: one function, straight-line, no calls, no loops."""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.binding as llvm

from dyn_core.codegen.sincos import SinCosPrinter, double
from dyn_core.codegen.trace import Trace
from dyn_core.scalars import Expr, Scalar
from dyn_core.scalars.graph import LEAVES

KERNEL = "kernel"
"""Name of the printed function. Its parameters are the inputs, then the outputs."""
LANES = 4
"""Doubles in a vector: angles whose sine and cosine are computed together, zeros stored at once.

256 bits: while a 512-bit instruction is in flight, Intel's cores keep one of their two ports for
multiplication from all scalar code around it."""
FLAGS = "nsz contract"
"""Rounding may be skipped (fused multiply-add) and zeros have no sign; nothing else is relaxed."""
BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


def pointer(to: str) -> str:
    """The type of a pointer; LLVM 14 and older want to know what it points to."""
    return "ptr" if llvm.llvm_version_info[0] >= 15 else f"{to}*"


def print_llvm(trace: Trace) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    All inputs are read before any output is written, so the arrays may overlap.
    """
    return _Printer(trace).module()


class _Printer:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.nodes = trace.graph.nodes
        self.input = {name: f"%in{k}" for k, name in enumerate(trace.inputs)}
        self.output = {name: f"%out{k}" for k, name in enumerate(trace.outputs)}
        self.body: list[str] = []
        self.declarations: set[str] = set()
        self.value: dict[int, str] = {}
        self.destinations: dict[int, list[tuple[str, int]]] = {}

    def module(self) -> str:
        self._print_nodes()
        arrays = [*self.input.values(), *self.output.values()]
        parameters = ", ".join(f"{pointer('double')} {array}" for array in arrays)
        body = "\n  ".join([*self.body, "ret void"])
        head = "\n".join(sorted(self.declarations))
        return f"{head}\ndefine void @{KERNEL}({parameters}) {{\n  {body}\n}}\n"

    def _print_nodes(self) -> None:
        """Inputs, then level by level: a level ends where the next angles are ready.

        As all inputs are read first, an output can be stored as soon as it is known, which frees
        its register.
        """
        live = self.trace.live()
        leaves = [position for position in live if self.nodes[position][0] in LEAVES]
        for position in leaves:
            self._print_leaf(position)
        self._print_constants()
        for position in leaves:
            self._set(position, self.value[position])
        for angles in self._levels(live):
            for position in self.trace.graph.live(angles):
                self._print_node(position)
            for start in range(0, len(angles), LANES):
                self._print_sincos(angles[start : start + LANES], f"s{angles[start]}")
        for position in live:
            self._print_node(position)

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

    def _print_leaf(self, position: int) -> None:
        kind, *operands = self.nodes[position]
        if kind == "constant":
            self.value[position] = double(operands[0])  # type: ignore[arg-type]
        else:
            self.value[position] = self._load(f"%n{position}", *operands)  # type: ignore[arg-type]

    def _print_node(self, position: int) -> None:
        if position in self.value:
            return
        operation, *operands = self.nodes[position]
        name = f"%n{position}"
        args = [self.value[x] for x in operands]  # type: ignore[index]
        if operation in BINARY:
            text = f"{BINARY[operation]} {FLAGS} double {args[0]}, {args[1]}"
        elif operation == "neg":
            text = f"fneg {FLAGS} double {args[0]}"
        elif operation == "less":
            text = f"fcmp olt double {args[0]}, {args[1]}"
        elif operation == "select":
            text = f"select i1 {args[0]}, double {args[1]}, double {args[2]}"
        elif operation == "fma":
            text = self._call("llvm.fmuladd.f64", args)
        elif operation == "sqrt":
            text = self._call("llvm.sqrt.f64", args)
        elif operation == "exp":
            text = self._call("exp", args)
        elif operation == "arctan2":
            text = self._call("atan2", args)
        else:
            raise NotImplementedError(f"LLVM printer: unknown operation '{operation}'")
        self.body.append(f"{name} = {text}")
        self._set(position, name)

    def _call(self, function: str, args: list[str]) -> str:
        types = ", ".join(["double"] * len(args))
        self.declarations.add(f"declare double @{function}({types})")
        return f"call {FLAGS} double @{function}({', '.join(f'double {x}' for x in args)})"

    def _load(self, name: str, array: str, k: object) -> str:
        self.body.append(self._address(f"{name}.a", self.input[array], k))
        self.body.append(f"{name} = load double, {pointer('double')} {name}.a, align 8")
        return name

    def _address(self, name: str, array: str, k: object) -> str:
        return f"{name} = getelementptr double, {pointer('double')} {array}, i64 {k}"

    def _print_sincos(self, angles: list[int], prefix: str) -> None:
        lanes = max(2, 1 << (len(angles) - 1).bit_length())
        real, vector = f"<{lanes} x double>", "zeroinitializer"
        for lane, angle in enumerate(angles):
            name = f"%{prefix}.in{lane}"
            item = f"double {self.value[angle]}, i32 {lane}"
            self.body.append(f"{name} = insertelement {real} {vector}, {item}")
            vector = name
        printer = SinCosPrinter(prefix, lanes)
        results = dict(zip(("sin", "cos"), printer.emit(vector), strict=True))
        self.body += printer.lines
        self.declarations |= printer.declarations()
        graph = self.trace.graph
        for function, result in results.items():
            for lane, angle in enumerate(angles):
                position = graph.add(function, angle)
                self.body.append(f"%n{position} = extractelement {real} {result}, i32 {lane}")
                self._set(position, f"%n{position}")

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
        self.value[position] = value
        for array, k in self.destinations.get(position, ()):
            self._print_store(array, k, value, 1)

    def _print_store(self, array: str, k: int, value: str, width: int) -> None:
        """Store a number, or ``width`` numbers at once: mass matrices hold many zeros."""
        kind, address = "double", f"{array}.{k}"
        self.body.append(self._address(address, array, k))
        if width > 1:
            kind, number = f"<{width} x double>", f"{address}.i"
            self.body.append(f"{number} = ptrtoint {pointer('double')} {address} to i64")
            address = f"{address}.v"
            self.body.append(f"{address} = inttoptr i64 {number} to {pointer(kind)}")
        self.body.append(f"store {kind} {value}, {pointer(kind)} {address}, align 8")


def _run_of_zeros(scalars: Sequence[Scalar]) -> int:
    """The largest power of two of zeros that begin ``scalars``, at least 1."""
    zeros = 0
    while zeros < len(scalars) and isinstance(scalars[zeros], float) and scalars[zeros] == 0.0:
        zeros += 1
    return 1 << max(0, zeros.bit_length() - 1)
