# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of LLVM IR: of one state, loops over states and steps, and the prefetching entry.

A controller calls a kernel once per millisecond, after other work has gone through the caches.
Straight-line code then misses the cache at every line, and each miss waits for the one before: the
290 KB of a humanoid's derivatives take 100 us, where they take 7 us from the cache. The entry
issues a prefetch per line before the code runs. Prefetches do not wait for each other; a core has
16 of them in flight: 35 us.

To avoid prefetches of code in the cache, the entry reads the processor's time-stamp counter, which
takes a few nanoseconds, and prefetches only if the last call was long ago.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.switches import used
from dyn_core.compiler.targets.llvm.array_layouts import LANES, ManyStates, OneState, StateRows
from dyn_core.compiler.targets.llvm.instructions import Emitter, function, pointer
from dyn_core.compiler.targets.llvm.printer import EmissionOptions, Printer

KERNEL = "kernel"
"""Name of the printed function. Its parameters are the inputs, then the outputs."""
COMPUTE_NAME = "straight"
"""Name of the function that computes, if the kernel prefetches its code."""
BATCH = "batch"
"""Name of the printed function of many states. Their number is its first argument."""
SHARED = "shared"
"""Name of the printed function that threads share."""
ROLLOUTS = "rollouts"
"""Name of the printed function. Its arguments are the number of steps, and for each array the
address and the strides in numbers from state to state and from step to step."""
COUNTER = pointer("i64")
MAX_FUNCTION_NODES = 7000
"""Programs of more nodes are cut into several functions."""
PIECE_LINES = 1000
"""Lines of each of these functions: with fewer, programs run slower."""
MATRICES = 100
"""Long programs with at least so many output entries keep the order of the trace, in which live
ranges are short: each output is stored as soon as it is known. LLVM's scheduler hides more latency
and spills more. Programs with few outputs at the ends of long dependency chains, such as forward
dynamics, gain by it."""
IN_ORDER = range(2500, 15000)
"""Numbers of nodes of such programs. They are not cut: LLVM is faster without scheduling."""
LINE = 64
"""Bytes of a cache line."""
LONG_AGO = 2**17
"""The least cycles of the time-stamp counter since the last call for code to be prefetched: 40 to
65 us on today's processors."""
MIN_PREFETCH_NODES = 2500
"""The least nodes of a kernel with this entry: to read the counter takes up to 20 ns, 5 % of the
time of so many nodes."""
READ, INTO_ALL_CACHES, DATA = 0, 3, 1
"""Arguments of LLVM's prefetch. No instruction prefetches into the instruction cache. The line goes
to the first-level data cache and to the unified second-level cache, 14 cycles away."""


def renamed(text: str, symbol: str) -> str:
    """The module text of a kernel under another name, for an object with several kernels."""
    return re.sub(rf"@{KERNEL}\b", f"@{symbol}", text)


def print_llvm(trace: Trace, cold: bool = False) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    All inputs are read before any output is written, so the arrays may overlap.

    Args:
        trace: the program.
        cold: whether calls come after pauses, in which other work goes through the caches.
    """
    options, memory = options_of_one_state(trace), OneState(trace)
    if not (used("prefetch") and cold and len(trace.computed()) >= MIN_PREFETCH_NODES):
        return Printer(trace, memory, options).module(f"void @{KERNEL}({memory.parameters})")[0]
    head = f"internal void @{COMPUTE_NAME}({memory.parameters})"
    text, first = Printer(trace, memory, options).module(head)
    first = first or COMPUTE_NAME
    return f"{text}\n{print_prefetching(KERNEL, memory.parameters, first, COMPUTE_NAME)}"


def print_kernel(trace: Trace, memory: ManyStates) -> str:
    """The module text of a function that computes on the arrays of ``memory``."""
    options = options_of_many_states(trace, memory.lanes)
    return Printer(trace, memory, options).module(f"void @{KERNEL}({memory.parameters})")[0]


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


def options_of_one_state(program: Trace) -> EmissionOptions:
    """The options of a program for one state."""
    nodes, entries = len(program.computed()), sum(x.entries for x in program.stores())
    in_order = used("order") and nodes in IN_ORDER and entries >= MATRICES
    whole = in_order or nodes <= MAX_FUNCTION_NODES or not used("chunks")
    longest = math.inf if whole else PIECE_LINES
    return EmissionOptions(longest, used("angles"), in_order, used("tiles") and whole)


def options_of_many_states(program: Trace, lanes: int) -> EmissionOptions:
    """The options of a program with a state in each lane: one angle may fill a vector.

    With more outputs than inputs it keeps the order of its trace: other states hide latency.
    """
    whole, entries = (
        len(program.computed()) <= MAX_FUNCTION_NODES,
        sum(x.entries for x in program.stores()),
    )
    in_order = used("order") and whole and entries > sum(program.inputs.values())
    longest = math.inf if whole else PIECE_LINES
    return EmissionOptions(longest, used("angles") and lanes < LANES, in_order)


def print_over_states(
    name: str, parameters: str, lanes: int, before: Sequence[str], each: Sequence[str]
) -> str:
    """The text of ``int64_t name(int64_t *taken, int64_t piece, int64_t count, parameters...)``.

    It returns the number of states that this call has computed. Calls with the same counter, which
    begins at zero, share the states: each takes ``piece`` states at a time, a multiple of the
    lanes, until all of ``count`` are taken.

    Args:
        name: of the function.
        parameters: of the function, after the first three.
        lanes: states that are computed at once.
        before: lines at the begin of the function.
        each: lines that compute the states from ``%first`` on.
    """
    out = Emitter()
    out.lines += [
        "start:",
        *before,
        "br label %take",
        "take:",
        "%done = phi i64 [0, %start], [%done.next, %first.done]",
        f"%from = atomicrmw add {COUNTER} %taken, i64 %piece monotonic",
        "%some = icmp slt i64 %from, %count",
        "br i1 %some, label %states, label %end",
    ]
    out.label("states")
    out.lines += [
        "%beyond = add i64 %from, %piece",
        "%whole = icmp slt i64 %beyond, %count",
        "%to = select i1 %whole, i64 %beyond, i64 %count",
    ]
    with out.loop("%first", "%from", "%to", lanes):
        out.lines += each
    out.lines += [
        "%size = sub i64 %to, %from",
        "%done.next = add i64 %done, %size",
        "br i1 %whole, label %take, label %end",
        "end:",
        "%computed = phi i64 [%done, %take], [%done.next, %first.done]",
        "ret i64 %computed",
    ]
    leading = f"{COUNTER} %taken, i64 %piece, i64 %count"
    return function(f"i64 @{name}({leading}, {parameters})", out.lines)


class Trajectories(StateRows):
    """Arrays with a row for each step of each state, at any strides."""

    leading = ("i64 %first", "i64 %count", "i64 %step")

    def arrays(self) -> list[str]:
        """Address and strides of each array."""
        kind = pointer("double")
        return [f"{kind} {x}, i64 {x}.by.state, i64 {x}.by.step" for x in self.sizes]

    def begin(self) -> None:
        """Begin a function: print the addresses of the rows of the step."""
        super().begin()
        self.lines[:0] = [
            f"{array}.behind = mul i64 %step, {array}.by.step" for array in self.sizes
        ]

    def row(self, array: str, lane: int, state: str) -> str:
        """The offset of the row of this step from the begin of the array, in numbers."""
        at, offset = f"{array}.at{lane}", f"{array}.offset{lane}"
        self.lines.append(f"{at} = mul i64 {state}, {array}.by.state")
        self.lines.append(f"{offset} = add i64 {at}, {array}.behind")
        return offset


def print_rollouts(trace: Trace, lanes: int) -> str:
    """The module text of the function that threads share, see :func:`print_over_states`.

    Its argument after the number of states is the number of steps, at least one. The states in the
    lanes go through all steps before the next states do.
    """
    memory = Trajectories(trace, lanes)
    arrays = ", ".join(memory.arrays())
    steps = Emitter()
    steps.label("start")
    with steps.loop("%step", 0, "%steps"):
        steps.lines.append(f"call void @{KERNEL}(i64 %first, i64 %count, i64 %step, {arrays})")
    head = f"internal void @steps(i64 %first, i64 %count, i64 %steps, {arrays})"
    each = [f"call void @steps(i64 %first, i64 %count, i64 %steps, {arrays})"]
    shared = print_over_states(ROLLOUTS, f"i64 %steps, {arrays}", lanes, [], each)
    return print_kernel(trace, memory) + function(head, [*steps.lines, "ret void"]) + shared


def print_prefetching(name: str, parameters: str, first: str, straight: str) -> str:
    """The text of ``void name(parameters)``, which prefetches code and calls ``straight``.

    The code is that from the function ``first`` up to this one, the last of the module so far.

    Args:
        name: of the function.
        parameters: of both functions, types with names.
        first: the first function of the code.
        straight: the function that computes.
    """
    word, byte = pointer("i64"), pointer("i8")
    prefetch = f"void @llvm.prefetch.{'p0' if byte == 'ptr' else 'p0i8'}"
    declared = [f"declare {prefetch}({byte}, i32, i32, i32)"]
    out = Emitter()
    out.label("start")
    if machine.has_time_stamps():
        declared += ["@called = internal global i64 0, align 8"]
        declared += ["declare i64 @llvm.readcyclecounter()"]
        now = out.op("call i64 @llvm.readcyclecounter()")
        then = out.op(f"load atomic i64, {word} @called monotonic, align 8")
        since = out.op(f"sub i64 {now}, {then}")
        recent = out.op(f"icmp ult i64 {since}, {LONG_AGO // 2}")
        out.lines.append(f"br i1 {recent}, label %compute, label %renew")
        out.label("renew")  # not at each call: threads that call in turn would exchange the line
        out.lines.append(f"store atomic i64 {now}, {word} @called monotonic, align 8")
        late = out.op(f"icmp ugt i64 {since}, {LONG_AGO}")
        out.lines.append(f"br i1 {late}, label %prefetch, label %compute")
        out.label("prefetch")
    begin = out.op(f"ptrtoint {_function(parameters)} @{first} to i64")
    end = out.op(f"ptrtoint {_function(parameters)} @{name} to i64")
    with out.loop("%line", begin, end, LINE):
        place = out.op(f"inttoptr i64 %line to {byte}")
        how = f"i32 {READ}, i32 {INTO_ALL_CACHES}, i32 {DATA}"
        out.lines.append(f"call {prefetch}({byte} {place}, {how})")
    out.lines += ["br label %compute", "compute:", f"call void @{straight}({parameters})"]
    head = f"void @{name}({parameters})"
    return "\n".join([*declared, function(head, [*out.lines, "ret void"])])


def _function(parameters: str) -> str:
    """The type of a pointer to a function of these parameters."""
    kinds = ", ".join(parameter.rsplit(" ", 1)[0] for parameter in parameters.split(", "))
    return pointer(f"void ({kinds})")
