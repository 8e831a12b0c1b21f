# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Machine code for many steps of many states: the results of a step are where the next begins."""

from __future__ import annotations

from dyn_core.codegen.llvm import KERNEL, print_kernel
from dyn_core.codegen.memory import StateRows
from dyn_core.codegen.number import pointer
from dyn_core.codegen.over_states import print_over_states
from dyn_core.codegen.trace import Trace

ROLLOUTS = "rollouts"
"""Name of the printed function. It takes the number of steps, and then for each array its address
and how many numbers it goes on by from state to state and from step to step."""


class Trajectories(StateRows):
    """Arrays with a row for each step of each state, anywhere in memory."""

    leading = ("i64 %first", "i64 %count", "i64 %step")

    @property
    def parameters(self) -> str:
        """Parameters of the printed function."""
        return ", ".join([*self.leading, *self.arrays()])

    def arrays(self) -> list[str]:
        """Address and strides of each array."""
        kind = pointer("double")
        return [f"{kind} {x}, i64 {x}.by.state, i64 {x}.by.step" for x in self.sizes]

    def begin(self) -> list[str]:
        """Where the rows of the step are."""
        super().begin()
        self.lines[:0] = [
            f"{array}.behind = mul i64 %step, {array}.by.step" for array in self.sizes
        ]
        return self.lines

    def row(self, array: str, lane: int, state: str) -> str:
        """How many numbers behind an array the row of this step begins."""
        at, offset = f"{array}.at{lane}", f"{array}.offset{lane}"
        self.lines.append(f"{at} = mul i64 {state}, {array}.by.state")
        self.lines.append(f"{offset} = add i64 {at}, {array}.behind")
        return offset


def print_rollouts(trace: Trace, lanes: int) -> str:
    """The module text of the function that threads share, see :func:`print_over_states`.

    After the number of states it takes that of steps. As many states as there are lanes go through
    all steps before the next do.
    """
    memory = Trajectories(trace, lanes)
    arrays = ", ".join(memory.arrays())
    steps = [
        f"define internal void @steps(i64 %first, i64 %count, i64 %steps, {arrays}) {{",
        "start:",
        "  %any = icmp sgt i64 %steps, 0",
        "  br i1 %any, label %stepping, label %end",
        "stepping:",
        "  %step = phi i64 [0, %start], [%following, %stepping]",
        f"  call void @{KERNEL}(i64 %first, i64 %count, i64 %step, {arrays})",
        "  %following = add i64 %step, 1",
        "  %further = icmp slt i64 %following, %steps",
        "  br i1 %further, label %stepping, label %end",
        "end:",
        "  ret void",
        "}\n",
    ]
    each = [f"call void @steps(i64 %first, i64 %count, i64 %steps, {arrays})"]
    shared = print_over_states(ROLLOUTS, f"i64 %steps, {arrays}", lanes, [], each)
    return print_kernel(trace, memory) + "\n".join(steps) + shared
