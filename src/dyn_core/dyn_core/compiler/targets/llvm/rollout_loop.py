# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Machine code for many steps of many states: the outputs of a step are inputs of the next."""

from __future__ import annotations

from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.targets.llvm.array_layouts import StateRows
from dyn_core.compiler.targets.llvm.instructions import Emitter, function
from dyn_core.compiler.targets.llvm.number_type import pointer
from dyn_core.compiler.targets.llvm.printer import KERNEL, print_kernel
from dyn_core.compiler.targets.llvm.state_loop import print_over_states

ROLLOUTS = "rollouts"
"""Name of the printed function. Its arguments are the number of steps, and for each array the
address and the strides in numbers from state to state and from step to step."""


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
