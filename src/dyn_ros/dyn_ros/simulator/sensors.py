# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the sensors of a simulated robot tell: with noise, late, and not always."""

from dataclasses import dataclass

import numpy as np

from dyn_ros.arrays import Vector


@dataclass(frozen=True)
class Measurement:
    """A state as it was measured; arrays that later measurements overwrite."""

    position: Vector  # [joints] rad, m
    velocity: Vector  # [joints] rad/s, m/s
    effort: Vector  # [joints] N m, N
    base: (
        Vector  # [13] of a floating one: position, quaternion x y z w, twist in its axes; else [0]
    )


class Sensors:
    """Measures with normally distributed noise and hands out measurements `delay` steps later."""

    def __init__(self, size: int, noise: tuple[float, float, float], delay: int, base: int) -> None:
        """Set standard deviations of position, velocity and effort, and the delay in steps.

        `size` is the number of joints, `base` that of the numbers that tell where the base is.
        """
        self._noise = noise
        sizes = (size, size, size, base)
        self._ring = [Measurement(*map(np.zeros, sizes)) for _ in range(delay + 1)]
        self.reset()

    def reset(self) -> None:
        """Forget what is under way."""
        self._count = 0

    def measure(
        self,
        position: Vector,
        velocity: Vector,
        effort: Vector,
        base: Vector,
        random: np.random.Generator,
    ) -> Measurement | None:
        """Measure now; return the measurement that arrives now, None before the first one.

        Where the base is has no noise.
        """
        new = self._ring[self._count % len(self._ring)]
        new.base[:] = base
        targets = (new.position, new.velocity, new.effort)
        for target, true, noise in zip(
            targets, (position, velocity, effort), self._noise, strict=True
        ):
            target[:] = true
            if noise:
                target += noise * random.standard_normal(len(target))
        self._count += 1
        if self._count < len(self._ring):
            return None
        return self._ring[self._count % len(self._ring)]
