# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Commands in machine code are those of guard, echo and shaper, or are left to these."""

from __future__ import annotations

from collections import Counter

import numpy as np

from dyn_ros.adapters.command_shape import CommandShaper
from dyn_ros.commanding.steady import SteadyFollowing
from dyn_ros.commanding.watch import Echo, VelocityGuard

NAMES = ["a", "b", "c"]
DOFS, PLACES = np.array([3, 0, 2]), np.array([1, 4, 0])
STEP = 0.001  # s
BAD = (np.nan, np.inf, -np.inf)


def test_what_is_followed_steadily_is_what_all_others_let_through() -> None:
    """Thousands of efforts, measured efforts and velocities; some are odd."""
    random = np.random.default_rng(1)
    seen: Counter[str] = Counter()
    for k in range(4000):
        efforts, motors = random.normal(size=(2, 4)), random.normal(size=(2, 5))
        command = efforts[0, DOFS] + 0.01 * random.normal(size=3)
        hardware = bool(random.integers(0, 2))
        command -= hardware * efforts[1, DOFS]
        echo = not hardware and bool(random.integers(0, 2))
        motors[1, PLACES] = command + (k % 3) * 0.2 * random.normal(size=3)
        if k % 5 == 0:
            motors[1, PLACES] = command[[1, 2, 0]]  # of other joints
        if k % 7 == 0:
            efforts[0, random.integers(0, 4)] = random.choice(BAD)
        limits = np.array([np.full(3, 2.0), np.full(3, 25.0), np.full(3, 2.0)])

        shaper, guard, watch = (
            CommandShaper(NAMES),
            VelocityGuard(NAMES, limits[2], []),
            Echo(NAMES),
        )
        guard.scale = 1.0
        shaper.command[:] = before = command.copy()
        shaper.limit, shaper.most_rate = limits[0], limits[1]
        steady = SteadyFollowing(efforts, command, limits, DOFS, motors, PLACES, np.zeros(1))
        followed = steady.follow(STEP, hardware=hardware, echo=echo)

        guard.runaway(motors[0, PLACES], np.zeros(3), 0.0, 0.0)
        if echo:
            watch.misplaced(before, motors[1, PLACES], 0.0)
        wanted = (efforts[0] - hardware * efforts[1])[DOFS]
        usual = guard.calm and watch.calm and np.array_equal(shaper.update(wanted, STEP), wanted)
        assert followed == usual, k
        assert np.array_equal(command, wanted if usual else before), k
        seen[f"{usual} {guard.calm} {watch.calm}"] += 1
    assert seen["True True True"] > 500
    assert min(seen["False False True"], seen["False True False"], seen["False True True"]) > 20
