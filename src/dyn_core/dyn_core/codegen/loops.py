"""Print a long program as functions that walk over tables.

A pattern of steps is printed once, as a loop over the rows of a table: where in the frame the
results of other steps are, where its own go, and its constants. The kernel itself copies the inputs
into the frame and calls these functions one after the other, each for as many steps as follow each
other and are alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dyn_core.codegen.fuse import fuse_recursion
from dyn_core.codegen.llvm import KERNEL, Printer, function
from dyn_core.codegen.memory import LANES, OneState
from dyn_core.codegen.number import DOUBLE, pointer
from dyn_core.codegen.rows import Row, Step
from dyn_core.codegen.runs import Runs, function_of
from dyn_core.codegen.sincos import SinCosPrinter
from dyn_core.codegen.step_memory import StepMemory
from dyn_core.codegen.steps import FRAME, KEPT, RESULT, ROW, Pattern, Steps
from dyn_core.codegen.tables import OFFSET, Place, Places, Table, base
from dyn_core.codegen.trace import Store
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
        self.runs = Runs(steps)
        results = [f"{DOUBLE.pointer} {x}" for x in self.memory.outputs.values()]
        self.arrays = ", ".join([*results, f"{DOUBLE.pointer} %frame"])

    def module(self) -> str:
        functions = [self._walk(name) for name in self.runs.rows]
        if self.steps.angles:
            functions.append(self._waves())
        functions += [ZEROS, self._kernel()]
        return "\n".join([*sorted(self.declarations), *functions])

    def _walk(self, name: str) -> str:
        """The function of rows of a pattern, and its table."""
        rows, table = self.runs.rows[name], Table()
        pattern = self.steps.patterns[rows[0].steps[0].pattern]
        of_lane = [self._places_of(pattern, xs, table) for xs in _by_lane(rows)]
        places = {entry: [of[entry] for of in of_lane] for entry in of_lane[0]}
        start, constants = self._constants_of(name, pattern, table, places)
        program = fuse_recursion(pattern.program, self._carried(pattern))
        memory = StepMemory(program, places, self.runs.carried[name], self.runs.late(name))
        printer = Printer(program, memory)
        body = [*table.bases(), *printer.lines()]
        self.declarations |= printer.declarations
        before, phis = self._carry(self.runs.carried[name], table, memory)
        offsets = [str(x) for x in table.rows()]
        width = len(table.columns)
        loop = self._steps(name, width, [*phis, *body], [start, *before], memory.late_lines)
        return "\n".join([self._table(name, offsets, width), constants, loop])

    def _constants_of(
        self,
        name: str,
        pattern: Pattern,
        table: Table,
        places: dict[tuple[str, int], list[Place]],
    ) -> tuple[str, str]:
        """The line that finds the constants of a pattern's rows, and their array.

        Where each is in a row is added to ``places``: in several lanes they lie side by side.
        """
        own = [
            tuple(pattern.constants[x.number] for x in row.steps) for row in self.runs.rows[name]
        ]
        different = list(dict.fromkeys(own))
        lanes, size = len(own[0]), len(own[0][0])
        if size:
            offset = {row: k * size * lanes for k, row in enumerate(different)}
            first = table.place("%constants", [offset[row] for row in own])
            for k in range(size):
                places[ROW, k] = [Place(first.base, first.distance + k * lanes)]
        every = [x for row in different for column in zip(*row, strict=True) for x in column]
        array = f"@constants{name.removeprefix('@pattern')}"
        literals = [DOUBLE.literal(x) for x in every]
        start = _start("%constants", array, DOUBLE.name, len(every))
        return start, _constants(array, DOUBLE.name, literals)

    def _places_of(
        self, pattern: Pattern, steps: Sequence[Step], table: Table
    ) -> dict[tuple[str, int], Place]:
        """Where steps find and leave what they have in common with others."""
        places: dict[tuple[str, int], Place] = {}
        for k, found in enumerate(zip(*(x.outside for x in steps), strict=True)):
            places[FRAME, k] = table.place("%frame", [self.places.of[x] for x in found])
        records = table.place("%frame", [self.places.records[x.number] for x in steps])
        for k in pattern.starts[:-1]:
            places[KEPT, k] = Place(records.base, records.distance + k)
        rows = [self._results_of(pattern, step) for step in steps]
        for number, stores in enumerate(zip(*rows, strict=True)):
            array = self.memory.outputs[stores[0].output]
            where = table.place(array, [store.entry for store in stores])
            for k in range(stores[0].entries):
                places[RESULT.format(number), k] = Place(where.base, where.distance + k)
        return places

    def _results_of(self, pattern: Pattern, step: Step) -> list[Store]:
        """The entries of outputs that a step computes."""
        return [store for k in pattern.results for store in self.steps.results[step.nodes[k]]]

    def _carried(self, pattern: Pattern) -> dict[Node, Expr]:
        """Which inputs of a pattern's program are what it left in another step."""
        if pattern.steps[0].wide:
            return {}
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
        places, phis = {}, []
        for k in carried:
            found = [table.first(place) for place in memory.places[FRAME, k]]
            lines |= dict.fromkeys(line for some, _ in found for line in some)
            places[FRAME, k] = [place for _, place in found]
        first = StepMemory(self.steps.trace, places)
        for k, j in carried.items():
            sources = f"[{first.load(FRAME, k)}, %start], [{memory.kept[j]}, %step]"
            phis.append(f"%carried{k} = phi {DOUBLE.real(memory.lanes)} {sources}")
        return [*lines, *first.lines], phis

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

    def _steps(
        self,
        name: str,
        width: int,
        body: Iterable[str],
        before: Iterable[str] = (),
        after: Iterable[str] = (),
    ) -> str:
        """A function that does ``body`` for ``%count`` rows of its table, from ``%rows`` on."""
        row = pointer(OFFSET)
        here = [
            f"%row.offset = mul i64 %k, {width}",
            f"%row = getelementptr {OFFSET}, {row} %rows, i64 %row.offset",
        ]
        phis = [line for line in body if " = phi " in line]
        rest = [line for line in body if " = phi " not in line]
        parameters = f"{self.arrays}, {row} %rows, i64 %count"
        return _loop(name, parameters, [*phis, *here, *rest], before, after)

    def _kernel(self) -> str:
        """The function that copies the inputs and calls the others."""
        lines = self.memory.begin()
        for name, size in self.steps.trace.inputs.items():
            self._copy(self.memory.inputs[name], self.places.inputs[name], size)
        for name, scalars in self.steps.trace.outputs.items():
            self._store_constants(name, scalars)
        first = len(self.steps.before)
        calls = [self._run(run) for run in self.runs.of(self.steps.rows[:first])]
        if self.steps.angles:
            calls.append(self._call("@waves", 0, -(-len(self.steps.angles) // LANES)))
        calls += [self._run(run) for run in self.runs.of(self.steps.rows[first:])]
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
                for store in found:
                    self.memory.store(store.output, store.entry, f"%n{x}")

    def _run(self, run: Sequence[Row]) -> list[str]:
        return self._call(function_of(run[0]), self.runs.place[run[0].number], len(run))

    def _call(self, name: str, first: int, count: int) -> list[str]:
        """The lines that call a function for rows of its table."""
        table, entries, width = self.tables[name]
        rows = f"%rows{name[1:]}.{first}"
        arguments = f"{self.arrays}, {pointer(OFFSET)} {rows}, i64 {count}"
        return [
            _start(rows, table, OFFSET, entries, first * width),
            f"call void {name}({arguments})",
        ]


def _by_lane(rows: Sequence[Row]) -> list[tuple[Step, ...]]:
    """Of each lane its steps, row by row."""
    return list(zip(*(row.steps for row in rows), strict=True))


def _name(row: Row) -> str:
    """The function of a row."""
    lanes = len(row.steps)
    return f"@pattern{row.steps[0].pattern}{f'x{lanes}' if lanes > 1 else ''}"


def _constants(name: str, kind: str, entries: Sequence[str]) -> str:
    """An array of constants; LLVM wants none to be empty."""
    known = entries or ["zeroinitializer"]
    numbers = ", ".join(f"{kind} {x}" for x in known)
    return f"{name} = internal constant [{len(known)} x {kind}] [{numbers}], align 64"


def _start(name: str, array: str, kind: str, size: int, first: int = 0) -> str:
    """The line that makes ``name`` the address of an entry of an array of constants."""
    whole = f"[{max(1, size)} x {kind}]"
    return f"{name} = getelementptr {whole}, {pointer(whole)} {array}, i64 0, i64 {first}"


def _loop(
    name: str,
    parameters: str,
    body: Iterable[str],
    before: Iterable[str] = (),
    after: Iterable[str] = (),
) -> str:
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
        *(f"  {line}" for line in after),
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
