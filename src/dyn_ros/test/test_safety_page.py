# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What docs/safety.md says of faults in a motion: a UR5 whose motors latch the last command."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf

import numpy as np
import pinocchio as pin
import pytest
from ros_helpers import UR5

from dyn_ros.safety.effort_policy import EffortPolicy, EffortSettings, Event, Phase
from dyn_ros.safety.overspeed import VelocityGuard

START = np.array([0.2, -1.0, 1.2, -0.6, 0.3, 0.2])
GOAL = START + np.array([0.6, 0.3, -0.3, 0.0, 0.0, 0.0])
MOTION, LOSS = 0.8, 0.3  # s, how long it takes, and when the input fails
FRICTION = 0.5  # N m


class Arm:
    """The arm, the law of computed_torque, and the policy between them."""

    def __init__(self) -> None:
        self.model = pin.buildModelFromUrdf(str(UR5))
        self.data, names = self.model.createData(), list(self.model.names)[1:]
        self.limit = self.model.effortLimit
        self.policy = EffortPolicy(names, EffortSettings(self.limit, self.limit / 0.1))
        self.guard = VelocityGuard(names, self.model.velocityLimit, [])
        self.q, self.v = START.copy(), np.zeros(6)
        self.latched = self.needed(0.0 * START)
        self.phases: list[tuple[float, Phase]] = []
        self.speeds: list[float] = []
        self.energies: list[float] = []

    def needed(self, acceleration: np.ndarray) -> np.ndarray:
        return np.array(pin.rnea(self.model, self.data, self.q, self.v, acceleration))

    def wanted(self, now: float) -> np.ndarray:
        """Efforts along a quintic from START to GOAL, with feedback."""
        s, way = min(max(now, 0.0) / MOTION, 1.0), GOAL - START
        place = START + way * (10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5)
        speed = way * (30.0 * s**2 - 60.0 * s**3 + 30.0 * s**4) / MOTION
        ahead = way * (60.0 * s - 180.0 * s**2 + 120.0 * s**3) / MOTION**2
        return self.needed(ahead + 20.0 * (speed - self.v) + 100.0 * (place - self.q))

    def run(self, seconds: float, says: Callable[[float], str], stop: float = inf) -> None:
        """Run at 1 kHz, with states at 250 Hz; `says` names their event, empty: none comes."""
        self.policy.begin(self.latched, -1.0)
        place, went = self.q, self.v
        velocity, last, ended = np.zeros(6), -1.0, False
        for k in range(-999, round(1000 * seconds)):
            now, event = 0.001 * k, ""
            if k % 4 == 0 and (event := says(now)):
                last = now
                self.guard.shown(self.v, self.q, now + 10.0, now)
                shown = self.guard.shown(self.v, self.q, now + 10.0, now)
                velocity = np.full(6, np.nan) if shown is None else shown
                place, went = self.q, np.nan_to_num(velocity)
            elif k % 5 == 0 and self.policy.ticking:
                event = "tick"
            if now >= stop:
                event, ended = "tick" if ended else "stop", True
            if event:
                moved = place + went * (now - last)
                gravity = pin.computeGeneralizedGravity(self.model, self.data, moved).copy()
                mass = pin.crba(self.model, self.data, moved)
                mass = np.triu(mass) + np.triu(mass, 1).T
                known = {"gravity": gravity, "mass": mass, "velocity": velocity}
                wanted = self.wanted(now) if event == "follow" else None
                command = self.policy.step(now, Event(event), wanted=wanted, **known)
                self.latched = self.latched if command is None else command
            losses = FRICTION * np.tanh(self.v / 0.05)
            effort = self.latched - losses
            self.v = self.v + 0.001 * pin.aba(self.model, self.data, self.q, self.v, effort)
            self.q = self.q + 0.001 * self.v
            self.speeds.append(float(np.abs(self.v).max()))
            self.energies.append(pin.computeKineticEnergy(self.model, self.data, self.q, self.v))
            self.phases.append((now, self.policy.phase))

    def changes(self) -> list[tuple[float, Phase]]:
        """When the policy entered which phase, s after the loss."""
        pairs = pairwise(self.phases)
        return [(now - LOSS, phase) for (_, before), (now, phase) in pairs if phase is not before]


def test_invalid_states_in_between_end_in_damping_at_rest() -> None:
    """Every other one, with the reaction hold."""
    arm = Arm()
    bad = lambda now: now > LOSS and round(now / 0.004) % 2  # noqa: E731
    arm.run(2.0, lambda now: "hold" if bad(now) else "follow")
    assert arm.policy.phase is Phase.DAMPING
    assert arm.changes()[-1][0] == pytest.approx(0.2, abs=0.02)
    assert arm.speeds[-1] < 0.05
    assert max(arm.speeds) < 1.7  # 1.4 in the motion


def test_a_shutdown_in_a_motion_brakes_the_arm_then_lets_it_sink() -> None:
    arm = Arm()
    arm.run(2.4, lambda now: "follow", stop=LOSS)
    assert arm.changes() == [(pytest.approx(0.0, abs=0.01), Phase.DAMPING), arm.changes()[1]]
    assert arm.changes()[1] == (pytest.approx(2.0, abs=0.01), Phase.WAITING)
    assert not arm.latched.any()
    braked = [x for x, (now, _) in zip(arm.speeds, arm.phases, strict=True) if 0.8 < now < 1.3]
    assert max(braked) < 0.05
