# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""External wrenches at frames of a simulated robot, each for a while."""

from dyn_ros.kernels.surroundings import Surroundings


class Pushes:
    """The wrenches that act now; each ends some steps after it was set."""

    def __init__(self, timeout: int) -> None:
        """Let a wrench act for `timeout` steps."""
        self._timeout = timeout
        self._active: dict[str, tuple[int, tuple[float, ...]]] = {}  # steps left, wrench

    def use(self, surroundings: Surroundings) -> None:
        """Push the robot through its `surroundings`, from now on without a wrench."""
        self._surroundings = surroundings
        self.reset()

    def reset(self) -> None:
        """End all wrenches."""
        self._active.clear()
        self._apply()

    def push(self, frame: str, wrench: tuple[float, ...]) -> None:
        """Let a wrench [force, torque] (N, N m; axes and origin of `frame`) act from now on.

        It replaces the one before at that frame. Raises InputRefusedError if there is no such
        frame.
        """
        self._surroundings.refuse_unknown_frame("a wrench", frame)
        self._active[frame] = (self._timeout, wrench)
        self._apply()

    def advance(self) -> None:
        """Count a step that is over."""
        if not self._active:
            return
        left = {name: (steps - 1, wrench) for name, (steps, wrench) in self._active.items()}
        self._active = {name: entry for name, entry in left.items() if entry[0]}
        if len(self._active) < len(left):
            self._apply()

    def _apply(self) -> None:
        self._surroundings.push((name, wrench) for name, (_, wrench) in self._active.items())
