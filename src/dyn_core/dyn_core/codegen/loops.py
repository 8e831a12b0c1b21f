"""Print a long program as functions that walk over tables.

A pattern of steps is printed once, as a loop over the rows of a table: where in the frame the
results of other steps are, where its own go, and its constants. The kernel itself copies the inputs
into the frame and calls these functions one after the other, each for as many steps as follow each
other and are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from dyn_core.codegen.fuse import fuse_recursion
from dyn_core.codegen.llvm import KERNEL, Printer, function
from dyn_core.codegen.memory import LANES, OneState
from dyn_core.codegen.number import DOUBLE, pointer
from dyn_core.codegen.sincos import SinCosPrinter
from dyn_core.codegen.steps import FRAME, KEPT, ROW, Pattern, Step, Steps
from dyn_core.codegen.tables import OFFSET, Place, Places, StepMemory, Table, base
from dyn_core.scalars import Expr, Scalar
from dyn_core.scalars.graph import Node

CALLS = 250
"""Calls in a function: LLVM's time grows faster than their number."""
MANY = 64
"""Zeros of an output, as of a mass matrix, from which on a loop stores them."""


def print_loops(steps: Steps) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    All inputs are read before any output is written, so the arrays may overlap.
    """
    return _Loops(steps).module()


class _Loops:
    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.places = Places(steps)
        self.memory = OneState(steps.trace)
        self.declarations: set[str] = set()
        self.tables: dict[str, tuple[str, int, int]] = {}
        """Of the functions their tables: name, entries, and entries in a row."""
        self.row = {step: k for p in steps.patterns for k, step in enumerate(map(id, p.steps))}
        self.carried = [_passed_on(pattern) for pattern in steps.patterns]
        results = [f"{DOUBLE.pointer} {x}" for x in self.memory.outputs.values()]
        self.arrays = ", ".join([*results, f"{DOUBLE.pointer} %frame"])

    def module(self) -> str:
        functions = [self._pattern(k) for k in range(len(self.steps.patterns))]
        if self.steps.angles:
            functions.append(self._waves())
        functions += [ZEROS, self._kernel()]
        return "\n".join([*sorted(self.declarations), *functions])

    def _pattern(self, number: int) -> str:
        """The function of a pattern, and its table."""
        pattern, table = self.steps.patterns[number], Table()
        places = self._places_of(pattern, table)
        constants = list(dict.fromkeys(pattern.rows))
        start = []
        if constants[0]:
            offset = {row: k * len(row) for k, row in enumerate(constants)}
            own = table.place("%constants", [offset[row] for row in pattern.rows])
            for k in range(len(constants[0])):
                places[ROW, k] = Place(own.base, own.distance + k)
        literals = [DOUBLE.literal(x) for row in constants for x in row]
        name = f"@constants{number}"
        start.append(_start("%constants", name, DOUBLE.name, len(literals)))
        program = fuse_recursion(pattern.program, self._carried(pattern))
        memory = StepMemory(program, places, self.carried[number])
        printer = Printer(program, memory)
        body = [*table.bases(), *printer.lines()]
        self.declarations |= printer.declarations
        before, phis = self._carry(self.carried[number], table, memory)
        offsets = [str(x) for x in table.rows()]
        width = len(table.columns)
        loop = self._steps(f"@pattern{number}", width, [*phis, *body], [*start, *before])
        own_table = self._table(f"@pattern{number}", offsets, width)
        return "\n".join([own_table, _constants(name, DOUBLE.name, literals), loop])

    def _places_of(self, pattern: Pattern, table: Table) -> dict[tuple[str, int], Place]:
        """Where a pattern finds and leaves what it has in common with other steps."""
        places: dict[tuple[str, int], Place] = {}
        for k, found in enumerate(zip(*(x.outside for x in pattern.steps), strict=True)):
            places[FRAME, k] = table.place("%frame", [self.places.of[x] for x in found])
        records = table.place("%frame", [self.places.records[x.number] for x in pattern.steps])
        for k in range(len(pattern.kept)):
            places[KEPT, k] = Place(records.base, records.distance + k)
        count: Counter[str] = Counter()
        rows = [self._results_of(pattern, step) for step in pattern.steps]
        for entries in zip(*rows, strict=True):
            name = entries[0][0]
            where = table.place(self.memory.outputs[name], [at for _, at in entries])
            places[name, count[name]] = where
            count[name] += 1
        return places

    def _results_of(self, pattern: Pattern, step: Step) -> list[tuple[str, int]]:
        """The entries of outputs that a step computes."""
        nodes = dict.fromkeys(k for k, _ in pattern.results)
        return [entry for k in nodes for entry in self.steps.results[step.nodes[k]]]

    def _carried(self, pattern: Pattern) -> dict[Node, Expr]:
        """Which inputs of a pattern's program are what it left in another step."""
        left = {step.nodes[k]: j for step in pattern.steps for j, k in enumerate(pattern.kept)}
        kept = pattern.program.outputs[KEPT]
        found: dict[Node, Expr] = {}
        for step in pattern.steps:
            for k, x in enumerate(step.outside):
                if x in left:
                    found["input", FRAME, k] = kept[left[x]]
        return found

    def _carry(
        self, carried: dict[int, int], table: Table, memory: StepMemory
    ) -> tuple[list[str], list[str]]:
        """What a step has of the one just before stays in registers; the first step loads it."""
        lines: dict[str, None] = {}
        loads, phis = OneState(self.steps.trace), []
        for k, j in carried.items():
            found, place = table.first(memory.places[FRAME, k])
            lines |= dict.fromkeys(found)
            loads.read(f"%first{k}", place.base, place.distance, 1)
            sources = f"[%first{k}, %start], [{memory.kept[j]}, %step]"
            phis.append(f"%carried{k} = phi {DOUBLE.name} {sources}")
        return [*lines, *loads.lines], phis

    def _waves(self) -> str:
        """The function that computes sines and cosines, as many at once as a vector holds."""
        angles = [self.places.of[x] for x in self.steps.angles]
        angles += angles[-1:] * (-len(angles) % LANES)
        offsets = []
        for k in range(0, len(angles), LANES):
            offsets += [*angles[k : k + LANES], self.places.waves + 2 * k]
        memory, vector = OneState(self.steps.trace), "undef"
        lines = memory.begin()
        for k in range(LANES + 1):
            lines += base(k, "%frame")
        for k in range(LANES):
            memory.read(f"%angle{k}", f"%base{k}", 0, 1)
            item = f"{DOUBLE.name} %angle{k}, i32 {k}"
            lines.append(f"%angles{k} = insertelement {DOUBLE.real(LANES)} {vector}, {item}")
            vector = f"%angles{k}"
        printer = SinCosPrinter("wave", LANES)
        sine, cosine = printer.emit(vector)
        lines += printer.lines
        memory.write("%sine", sine, f"%base{LANES}", 0, LANES)
        memory.write("%cosine", cosine, f"%base{LANES}", LANES, LANES)
        self.declarations |= printer.declarations()
        table = self._table("@waves", [str(x) for x in offsets], LANES + 1)
        return "\n".join([table, self._steps("@waves", LANES + 1, lines)])

    def _table(self, name: str, entries: Sequence[str], width: int) -> str:
        """The table of a function."""
        self.tables[name] = f"{name}.rows", len(entries), width
        return _constants(f"{name}.rows", OFFSET, entries)

    def _steps(self, name: str, width: int, body: Iterable[str], before: Iterable[str] = ()) -> str:
        """A function that does ``body`` for ``%count`` rows of its table, from ``%rows`` on."""
        row = pointer(OFFSET)
        here = [
            f"%row.offset = mul i64 %k, {width}",
            f"%row = getelementptr {OFFSET}, {row} %rows, i64 %row.offset",
        ]
        phis = [line for line in body if " = phi " in line]
        rest = [line for line in body if " = phi " not in line]
        parameters = f"{self.arrays}, {row} %rows, i64 %count"
        return _loop(name, parameters, [*phis, *here, *rest], before)

    def _kernel(self) -> str:
        """The function that copies the inputs and calls the others."""
        lines = self.memory.begin()
        for name, size in self.steps.trace.inputs.items():
            self._copy(self.memory.inputs[name], self.places.inputs[name], size)
        for name, scalars in self.steps.trace.outputs.items():
            self._store_constants(name, scalars)
        calls = [self._run(run) for run in self._runs(self.steps.before)]
        if self.steps.angles:
            calls.append(self._call("@waves", 0, -(-len(self.steps.angles) // LANES)))
        calls += [self._run(run) for run in self._runs(self.steps.after)]
        parts = [calls[k : k + CALLS] for k in range(0, len(calls), CALLS)]
        lines += [f"call void @part{k}({self.arrays})" for k in range(len(parts))]
        self._store_uncomputed()
        frame = f"%frame = alloca {DOUBLE.name}, i64 {max(1, self.places.size)}, align 64"
        heads = [f"internal void @part{k}({self.arrays})" for k in range(len(parts))]
        functions = [
            function(head, [line for call in part for line in call])
            for head, part in zip(heads, parts, strict=True)
        ]
        return "\n".join(
            [*functions, function(f"@{KERNEL}({self.memory.parameters})", [frame, *lines])]
        )

    def _copy(self, array: str, place: int, size: int) -> None:
        """Copy an input into the frame."""
        whole = size - size % LANES
        parts = [(k, LANES) for k in range(0, whole, LANES)]
        for k, width in [*parts, *((k, 1) for k in range(whole, size))]:
            value = self.memory.read(f"{array}.{k}", array, k, width)
            self.memory.write(f"{array}.{k}.kept", value, "%frame", place + k, width)

    def _store_constants(self, name: str, scalars: Sequence[Scalar]) -> None:
        """Store the entries of an output that depend on nothing, before all others."""
        constant = {k: x for k, x in enumerate(scalars) if not isinstance(x, Expr)}
        zeros = sum(x == 0.0 for x in constant.values())
        if zeros < MANY:
            self.memory.store_constants(name, constant)
            return
        array = f"{DOUBLE.pointer} {self.memory.outputs[name]}"
        self.memory.lines.append(f"call void @zeros({array}, i64 {len(scalars)})")
        for k, x in constant.items():
            if x != 0.0:
                self.memory.store(name, k, DOUBLE.literal(x))

    def _store_uncomputed(self) -> None:
        """Store entries of outputs that are inputs or sines."""
        computed = {x for step in self.steps.every for x in step.nodes}
        for x, found in self.steps.results.items():
            if x not in computed:
                self.memory.read(f"%n{x}", "%frame", self.places.of[x], 1)
                for name, k in found:
                    self.memory.store(name, k, f"%n{x}")

    def _runs(self, steps: Sequence[Step]) -> list[list[Step]]:
        """Steps that are alike one after the other, and pass on what the next one expects."""
        runs: list[list[Step]] = []
        for step in steps:
            before = runs[-1][-1] if runs else None
            if before and before.pattern == step.pattern and self._follows(before, step):
                runs[-1].append(step)
            else:
                runs.append([step])
        return runs

    def _follows(self, before: Step, step: Step) -> bool:
        kept, links = self.steps.patterns[step.pattern].kept, self.carried[step.pattern]
        return all(step.outside[k] == before.nodes[kept[j]] for k, j in links.items())

    def _run(self, run: Sequence[Step]) -> list[str]:
        return self._call(f"@pattern{run[0].pattern}", self.row[id(run[0])], len(run))

    def _call(self, name: str, first: int, count: int) -> list[str]:
        """The lines that call a function for rows of its table."""
        table, entries, width = self.tables[name]
        rows = f"%rows{name[1:]}.{first}"
        arguments = f"{self.arrays}, {pointer(OFFSET)} {rows}, i64 {count}"
        return [
            _start(rows, table, OFFSET, entries, first * width),
            f"call void {name}({arguments})",
        ]


def _passed_on(pattern: Pattern) -> dict[int, int]:
    """Which operands mostly come from the step just before, and what they are there."""
    found: Counter[frozenset[tuple[int, int]]] = Counter()
    for before, after in pairwise(pattern.steps):
        if after.number == before.number + 1:
            left = {before.nodes[k]: j for j, k in enumerate(pattern.kept)}
            found[frozenset((k, left[x]) for k, x in enumerate(after.outside) if x in left)] += 1
    if not found:
        return {}
    links, often = found.most_common(1)[0]
    return dict(sorted(links)) if 2 * often >= found.total() else {}


def _constants(name: str, kind: str, entries: Sequence[str]) -> str:
    """An array of constants; LLVM wants none to be empty."""
    known = entries or ["zeroinitializer"]
    numbers = ", ".join(f"{kind} {x}" for x in known)
    return f"{name} = internal constant [{len(known)} x {kind}] [{numbers}], align 64"


def _start(name: str, array: str, kind: str, size: int, first: int = 0) -> str:
    """The line that makes ``name`` the address of an entry of an array of constants."""
    whole = f"[{max(1, size)} x {kind}]"
    return f"{name} = getelementptr {whole}, {pointer(whole)} {array}, i64 0, i64 {first}"


def _loop(name: str, parameters: str, body: Iterable[str], before: Iterable[str] = ()) -> str:
    """A function that does ``body`` for each ``%k`` of a ``%count``, at least one."""
    lines = [
        f"define internal void {name}({parameters}) noinline {{",
        "start:",
        *(f"  {line}" for line in before),
        "  br label %step",
        "step:",
        "  %k = phi i64 [0, %start], [%next, %step]",
        *(f"  {line}" for line in body),
        "  %next = add i64 %k, 1",
        "  %more = icmp ult i64 %next, %count",
        "  br i1 %more, label %step, label %end",
        "end:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"


ZEROS = _loop(
    "@zeros",
    f"{DOUBLE.pointer} %to, i64 %count",
    [
        f"%place = getelementptr {DOUBLE.name}, {DOUBLE.pointer} %to, i64 %k",
        f"store {DOUBLE.name} 0.0, {DOUBLE.pointer} %place",
    ],
)
"""A function that fills an array with zeros."""
