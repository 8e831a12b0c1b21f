"""Machine code for many steps of many states: the results of a step are where the next begins."""

from __future__ import annotations

from dyn_core.codegen.llvm import KERNEL, print_kernel
from dyn_core.codegen.memory import Rows
from dyn_core.codegen.number import pointer
from dyn_core.codegen.trace import Trace

ROLLOUTS = "rollouts"
"""Name of the printed function. It takes the numbers of states and of steps, and then for each
array its address and how many numbers it goes on by from state to state and from step to step."""


class Trajectories(Rows):
    """Arrays with a row for each step of each state, anywhere in memory."""

    leading = ("i64 %first", "i64 %count", "i64 %step")

    @property
    def parameters(self) -> str:
        """What the printed function takes."""
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
    """The module text of ``void rollouts(int64_t count, int64_t steps, arrays...)``.

    As many states as there are lanes go through all steps before the next do.
    """
    memory = Trajectories(trace, lanes)
    arrays = ", ".join(memory.arrays())
    loop = [
        f"define void @{ROLLOUTS}(i64 %count, i64 %steps, {arrays}) {{",
        "start:",
        "  %some = icmp sgt i64 %count, 0",
        "  %any = icmp sgt i64 %steps, 0",
        "  %both = and i1 %some, %any",
        "  br i1 %both, label %states, label %end",
        "states:",
        "  %first = phi i64 [0, %start], [%next, %done]",
        "  br label %stepping",
        "stepping:",
        "  %step = phi i64 [0, %states], [%following, %stepping]",
        f"  call void @{KERNEL}(i64 %first, i64 %count, i64 %step, {arrays})",
        "  %following = add i64 %step, 1",
        "  %further = icmp slt i64 %following, %steps",
        "  br i1 %further, label %stepping, label %done",
        "done:",
        f"  %next = add i64 %first, {lanes}",
        "  %more = icmp slt i64 %next, %count",
        "  br i1 %more, label %states, label %end",
        "end:",
        "  ret void",
        "}",
    ]
    return print_kernel(trace, memory) + "\n".join(loop) + "\n"
