# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Braking without a model takes energy out of arms of any inertia, by states that are late too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from robots import example_robots
from ros_helpers import UR5

from dyn_ros.safety.braking import SHARE, SINKING_VELOCITY, Brakes
from dyn_ros.safety.effort_policy import EffortPolicy, EffortSettings, Event, Trust
from dyn_ros.safety.overspeed import VelocityGuard

STEP, TICK, STATE = 1, 5, 4  # ms: of the plant, between commands, between joint states
FOLDER = example_robots()
ARMS: dict[str, Path] = {
    "ur5": UR5,
    "panda": FOLDER / "panda_description/urdf/panda.urdf",
    "kinova": FOLDER / "kinova_description/robots/kinova.urdf",
}
Sensor = Callable[[np.ndarray], "np.ndarray | None"]


class Arm:
    """Pinocchio's model of an arm without fingers, friction and rotors, and how it is braked."""

    def __init__(self, path: Path, seed: int, *, falls: bool) -> None:
        whole = pin.buildModelFromUrdf(str(path))
        fingers = [i for i, name in enumerate(whole.names) if "finger" in name]
        self.model = pin.buildReducedModel(whole, fingers, pin.neutral(whole))
        if not falls:
            self.model.gravity.linear = np.zeros(3)
        self.data, n = self.model.createData(), self.model.nv
        random = np.random.default_rng(seed)
        speed = np.where(self.model.velocityLimit > 0.0, self.model.velocityLimit, 3.0)
        self.q = pin.integrate(self.model, pin.neutral(self.model), random.uniform(-2.0, 2.0, n))
        self.v = 1.5 * speed * random.uniform(-1.0, 1.0, n)
        self.limit = self.model.effortLimit

    @property
    def energy(self) -> float:
        return float(pin.computeKineticEnergy(self.model, self.data, self.q, self.v))

    def run(
        self,
        seconds: float,
        sensor: Sensor = lambda v: v,
        delay: int = 0,
        wrong: float | None = 0.0,
    ) -> tuple[list[float], list[float]]:
        """Energies and largest speeds while it is damped, by states `delay` ms late.

        `sensor` is what a velocity sensor measures; if it is NaN, so is the position. The model's
        mass matrix is `wrong` times the unit matrix, and so is its gravity; None: no effort.
        """
        n = len(self.v)
        guard = VelocityGuard([f"j{i}" for i in range(n)], np.full(n, 3.0), [])
        settings = EffortSettings(self.limit, self.limit / 0.1, damp=1e6)
        policy = EffortPolicy([f"j{i}" for i in range(n)], settings)
        policy.begin(np.zeros(n), 0.0)
        policy.step(0.0, Event.FOLLOW, wanted=np.zeros(n))
        policy.trust = Trust.NO_MODEL
        way, effort = -0.1 * self.v, np.zeros(n)  # it has moved so before
        states: list[tuple[float, np.ndarray, np.ndarray | None]] = []
        energies, speeds = [self.energy], [float(np.abs(self.v).max())]
        for k in range(-100, round(1000 * seconds), STEP):
            now = 10.0 + 0.001 * k
            if k % STATE == 0:
                measured = sensor(self.v)
                unknown = np.zeros(n) if measured is None else 0.0 * measured
                states.append((now, way + unknown, measured))
                stamp, position, measured = states[max(0, len(states) - 1 - delay // STATE)]
                guard.overspeed(measured, position, stamp, now)
            if k >= 0 and k % TICK == 0 and wrong is not None:
                age = now - stamp
                shown = guard.checked_velocity(measured, position, stamp, now, 0.1, age)
                model = {"gravity": np.full(n, wrong), "mass": wrong * np.eye(n)}
                command = policy.step(now, Event.DAMP, velocity=shown, age=age, **model)
                assert command is not None
                effort = command
                assert (np.abs(effort) <= SHARE * self.limit).all()
            if k >= 0:
                a = pin.aba(self.model, self.data, self.q, self.v, effort)
                self.v = self.v + 0.001 * a
                self.q = pin.integrate(self.model, self.q, 0.001 * self.v)
                energies.append(self.energy)
                speeds.append(float(np.abs(self.v).max()))
            way = way + 0.001 * self.v
        return energies, speeds


SENSORS: dict[str, Sensor] = {
    "right": lambda v: v,
    "absent": lambda v: None,
    "other sign": lambda v: -v,
    "encoder broken": lambda v: np.where(np.arange(len(v)) == 2, np.nan, v),
}


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("measured", SENSORS)
def test_braking_takes_energy_out_whatever_velocities_are_measured(arm: str, measured: str) -> None:
    """No model has a part in it: one with 1000 kg too many brakes as one with none."""
    energies, speeds = Arm(ARMS[arm], 1, falls=False).run(0.6, SENSORS[measured])
    same, _ = Arm(ARMS[arm], 1, falls=False).run(0.6, SENSORS[measured], wrong=1e3)
    assert energies == same
    assert max(energies) < 1.05 * energies[0]
    if measured != "encoder broken":
        assert energies[-1] < 0.1 * energies[0] or np.median(speeds[500:]) < 1.5 * SINKING_VELOCITY


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("delay", [20, 60])
def test_braking_by_late_states_takes_energy_out(arm: str, delay: int) -> None:
    energies, _ = Arm(ARMS[arm], 2, falls=False).run(1.0, delay=delay)
    assert max(energies) < 1.1 * energies[0]
    assert energies[-1] < 0.6 * energies[0]


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("seed", [3, 4])
def test_an_arm_that_falls_without_gravity_compensation_sinks(arm: str, seed: int) -> None:
    """It begins at up to 1.5 times its velocity limits; without any effort it only falls.

    Gravity turns joints round, too: brakes that took that for their own had 4 to 10 times the
    energy of the beginning after a second.
    """
    _, fallen = Arm(ARMS[arm], seed, falls=True).run(1.0, wrong=None)
    energies, speeds = Arm(ARMS[arm], seed, falls=True).run(1.0)
    assert energies[-1] < 0.5 * energies[0]
    assert max(speeds) < 0.5 * max(fallen)
    assert np.median(speeds[500:]) < 0.1 * max(fallen)


@pytest.mark.parametrize("delay", [0, 1, 4])
@pytest.mark.parametrize("inertia", [5e-3, 1e-2, 0.1, 1.0, 10.0])
def test_the_gain_of_a_joint_follows_from_its_response(inertia: float, delay: int) -> None:
    """It slows down within 0.6 s, and turns round by less than it moved before."""
    brakes, limit = Brakes(np.array([150.0])), 150.0
    velocity, measured = np.array([3.0]), [np.array([3.0])] * (delay + 1)
    seen = []
    for k in range(200):
        age = 0.005 * delay
        effort = brakes.efforts(measured[-1 - delay], 0.005 * k, 0.1, age)
        assert abs(effort[0]) <= SHARE * limit
        velocity = velocity + 0.005 * effort / inertia
        measured.append(velocity)
        seen.append(float(velocity[0]))
    assert np.abs(seen[120:]).max() < 1.2 * SINKING_VELOCITY
    assert np.abs(seen).max() <= 3.0


@pytest.mark.parametrize("delay", [0, 1, 2])
@pytest.mark.parametrize("inertia", [1e-4, 3e-4, 1e-3])
def test_a_light_joint_with_a_placeholder_limit_is_not_driven(inertia: float, delay: int) -> None:
    """At 125 Hz it was 40 to 4600 times as fast by its limit of 300 N m alone."""
    brakes, velocity = Brakes(np.array([300.0])), np.array([5.0])
    measured, mass = [velocity] * (delay + 1), np.array([[inertia]])
    for k in range(75):
        effort = brakes.efforts(measured[-1 - delay], 0.008 * k, 0.1, 0.008 * delay, mass)
        velocity = velocity + 0.008 * effort / inertia
        measured.append(velocity)
    assert np.abs(measured).max() == 5.0
    assert abs(velocity[0]) < 2.0 * SINKING_VELOCITY


def test_a_model_makes_the_first_gain_smaller_only_and_to_a_hundredth_at_most() -> None:
    def first(inertia: float | None) -> float:
        mass = None if inertia is None else np.array([[inertia]])
        return float(Brakes(np.array([150.0])).efforts(np.array([2.0]), 0.0, 0.1, 0.0, mass)[0])

    assert first(None) == first(0.0) == first(1.0) == first(1e3)
    assert first(0.01) == pytest.approx(-0.25 * 0.01 / 0.1 * 2.0)
    assert first(1e-9) == pytest.approx(0.01 * first(None))


def test_a_joint_that_is_not_known_or_has_no_effort_is_not_braked() -> None:
    brakes = Brakes(np.array([150.0, 0.0, np.finfo(float).max]))
    for k in range(40):
        effort = brakes.efforts(np.array([np.nan, 2.0, 2.0]), 0.005 * k, 0.1)
        assert list(effort[:2]) == [0.0, 0.0]
        assert -50.0 <= effort[2] < 0.0  # no limit is given


def test_a_long_pause_of_the_process_changes_a_gain_by_a_factor_of_two() -> None:
    brakes = Brakes(np.array([150.0]))
    before = brakes.efforts(np.array([2.0]), 0.0, 0.1)
    assert brakes.efforts(np.array([2.0]), 5.0, 0.1) == pytest.approx(2.0 * before)
