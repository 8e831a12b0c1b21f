# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A quadruped of 12 kg trots at 1 m/s over simulated ground.

Every 25 ms model predictive control plans the contact forces of the next half second (10 nodes of
50 ms). Every 2 ms a whole-body quadratic program computes efforts for these forces and for the
swing feet, within friction and effort limits. Simulated contacts obey Coulomb's law. Feet land
where the hip will be in the middle of stance (Raibert 1986).

    python examples/quadruped_trot.py
"""

from __future__ import annotations

import runpy
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dyn_core import (
    LOCAL_WORLD_ALIGNED,
    Contact,
    Model,
    center_of_mass,
    center_of_mass_velocity,
    centroidal_inertia,
    compile,
    frame_acceleration,
    frame_jacobian,
    frame_placements,
)
from dyn_core.control import CentroidalMPC, ContactTask, LowAccelerationTask, WholeBodyControl
from dyn_core.control.trajectory import Trajectory
from dyn_core.simulation import ContactStepper
from dyn_core.spatial import Matrix3
from dyn_core.view import draw_sticks

EXAMPLE = runpy.run_path(str(Path(__file__).with_name("quadruped_qp.py")))
FEET, FRICTION = EXAMPLE["FEET"], EXAMPLE["FRICTION"]
PAIRS = ((0, 3), (1, 2))
"""Diagonal feet that stand together."""
STANCE, STAND = 0.15, 0.3
"""s that a pair stands, and that all stand before the first step."""
STEP, CONTROL, PLAN = 1e-3, 2, 10
"""s of the simulation; steps of it from one program to the next, and from plan to plan."""
LIFT = 0.06
"""m, how high feet are lifted."""
FASTER = 1.5
"""m/s^2, by which the reference gets faster."""
BEHIND = 0.05
"""m by which the reference is ahead at most."""
SWING = (900.0, 60.0)
"""1/s^2 and 1/s, of the error of feet in the air."""
WEIGHTS = np.array([100.0] * 3 + [30.0] * 3 + [0.003] * 12)
"""Of accelerations in the whole-body program: the body's count most."""


@dataclass
class Trot:
    """The robot, its controller and the ground."""

    speed: float
    behind: float = BEHIND
    model: Model = field(default_factory=EXAMPLE["quadruped"])
    plan_times: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        model = self.model
        self.q, self.v = EXAMPLE["posture"](model), np.zeros(model.nv)
        world = {"reference": LOCAL_WORLD_ALIGNED}
        self._places = compile(model, [frame_placements.request(frames=tuple(FEET))])
        self._feet = compile(
            model,
            [
                frame_placements.request(frames=tuple(FEET)),
                *(frame_jacobian.request(frame=foot, **world) for foot in FEET),
                *(frame_acceleration.request(frame=foot, classical=True, **world) for foot in FEET),
            ],
        )
        self._body = compile(model, [center_of_mass, center_of_mass_velocity, centroidal_inertia])
        mass, inertia = self._mass()
        self.mpc = CentroidalMPC(mass, inertia, friction=FRICTION)
        contacts = [Contact(foot, 3, LOCAL_WORLD_ALIGNED) for foot in FEET]
        self._ground = ContactStepper(model, contacts, [FRICTION] * len(FEET))
        feet = [ContactTask(foot, friction=FRICTION, gain=0.0) for foot in FEET]
        self._motion = LowAccelerationTask(np.sqrt(WEIGHTS))
        self._whole_body = WholeBodyControl(model, [self._motion], feet, slowing=0.0)
        self._read()
        self._offsets = self.places - self.center  # of the feet below the hips
        self._swings: dict[int, Trajectory] = {}
        self._wanted = np.zeros(6)
        self._steps = 0
        self.time = 0.0

    def _mass(self) -> tuple[float, np.ndarray]:
        inertia = np.array(self._body(self.q, self.v)[2])
        return float(inertia[0, 0]), inertia[3:, 3:]

    def _read(self) -> None:
        """The measured state, and quantities computed from it."""
        places, *found = self._feet(self.q, self.v, np.zeros(self.model.nv))
        self.places = np.array(places[:, :3, 3])
        self._jacobians = [np.array(J[:3]) for J in found[:4]]
        self._drifts = [np.array(a[:3]) for a in found[4:]]
        center, rate, _ = self._body(self.q, self.v)
        self.center, self.rate = np.array(center), np.array(rate)
        self.rotation = np.array([[*row] for row in Matrix3.quaternion(*self.q[3:7]).rows])

    def standing(self, at: float) -> np.ndarray:
        """(4,) whether each foot is in stance at a time."""
        stands = np.ones(4, dtype=bool)
        if at >= STAND:
            stands[list(PAIRS[int((at - STAND) / STANCE + 1e-9) % 2])] = False
        return stands

    def advance(self) -> None:
        """One step of the simulation under the controller's efforts."""
        if self._steps % CONTROL == 0:
            self._read()
            if self._steps % PLAN < CONTROL:
                started = time.perf_counter()
                self._plan()
                self.plan_times.append(time.perf_counter() - started)
            self._efforts = self._control()
        gaps = self._places(self.q)[:, 2, 3]
        step = self._ground.step(self.q, self.v, self._efforts, STEP, gaps)
        self.q, self.v = np.array(step.q), np.array(step.v)
        self._steps += 1
        self.time = STEP * self._steps

    def _plan(self) -> None:
        """Plan the contact forces."""
        mpc, ends = self.mpc, self.mpc.dt * np.arange(1, self.mpc.nodes + 1)
        speed = self._speed(self.time + ends)
        reference = np.zeros((mpc.nodes, 12))
        late = np.clip(self._goal(self.time) - self.center[0], -self.behind, self.behind)
        reference[:, 3] = self.center[0] + late + mpc.dt * np.cumsum(speed)
        reference[:, 4:6] = 0.0, self._height
        reference[:, 9] = speed
        stance = np.array([self.standing(self.time + end - mpc.dt) for end in ends])
        feet = reference[:, None, 3:6] + self._offsets
        now = self.standing(self.time)
        for foot in np.flatnonzero(now):  # as long as it stays where it is
            stays = np.cumprod(stance[:, foot]).astype(bool)
            feet[stays, foot] = self.places[foot]
        turn = np.array(angles(self.rotation))
        spin = self.rotation @ self.v[3:6]
        state = np.concatenate([turn, self.center, spin, self.rate])
        forces = mpc.forces(state, reference, feet, stance)[0]
        arms = feet[0] - self.center
        push = forces.sum(axis=0) / mpc.mass - [0.0, 0.0, mpc.gravity]
        moment = np.cross(arms, forces).sum(axis=0)
        inertia = self.rotation @ mpc.inertia @ self.rotation.T
        self._wanted = np.concatenate([push, np.linalg.solve(inertia, moment)])

    @property
    def _height(self) -> float:
        return float(-self._offsets[:, 2].mean())

    def _speed(self, at: np.ndarray) -> np.ndarray:
        return np.clip(FASTER * (at - STAND), 0.0, self.speed)

    def _goal(self, at: float) -> float:
        """Advance the reference."""
        passed, ramp = max(at - STAND, 0.0), self.speed / FASTER
        return 0.5 * FASTER * min(passed, ramp) ** 2 + self.speed * max(passed - ramp, 0.0)

    def _control(self) -> np.ndarray:
        """Efforts (nv) for the desired motion of the body and of the swing feet."""
        stands = self.standing(self.time)
        wanted = np.zeros(self.model.nv)
        back, v = self.rotation.T, self.v
        wanted[:3] = back @ self._wanted[:3] - np.cross(v[3:6], v[:3])
        wanted[3:6] = back @ self._wanted[3:]
        for foot in range(4):
            if stands[foot]:
                self._swings.pop(foot, None)
                continue
            acceleration = self._swing(foot)
            J = self._jacobians[foot]
            own = slice(6 + 3 * foot, 9 + 3 * foot)
            rest = acceleration - self._drifts[foot] - J[:, :6] @ wanted[:6]
            wanted[own] = np.linalg.solve(J[:, own], rest)
        names = [FEET[k] for k in np.flatnonzero(stands)]
        self._motion.set_motion(acceleration=wanted)
        return self._whole_body.motion(self.q, self.v, names).efforts

    def _swing(self, foot: int) -> np.ndarray:
        """The acceleration (3,) of a swing foot."""
        begun = STAND + STANCE * np.floor((self.time - STAND) / STANCE + 1e-9)
        if foot not in self._swings:
            target = self.center + self._offsets[foot] + self.rate * (STANCE + 0.5 * STANCE)
            target[2] = -0.002  # until it touches
            top = 0.5 * (self.places[foot] + target)
            top[2] = LIFT
            still = np.zeros(3)
            middle = (target - self.places[foot]) / STANCE * np.array([1.5, 1.5, 0.0])
            self._swings[foot] = Trajectory(
                np.array([0.0, 0.5 * STANCE, STANCE]),
                np.array([self.places[foot], top, target]),
                np.array([still, middle, still]),
                np.zeros((3, 3)),
            )
        place, velocity, acceleration = self._swings[foot].sample(self.time - begun)
        moving = self._jacobians[foot] @ self.v
        off = SWING[0] * (place - self.places[foot]) + SWING[1] * (velocity - moving)
        return acceleration + off


def angles(R: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch and yaw."""
    roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
    return float(roll), float(-np.arcsin(np.clip(R[2, 0], -1, 1))), float(yaw)


def trotted(duration: float, speed: float = 1.0, behind: float = BEHIND) -> tuple[Trot, np.ndarray]:
    """The trot, and its log: time, centre of mass (3), its velocity (3), roll, pitch, yaw."""
    trot, log = Trot(speed, behind), []
    while trot.time < duration:
        trot.advance()
        if trot._steps % CONTROL == 0:
            log.append([trot.time, *trot.center, *trot.rate, *angles(trot.rotation)])
    return trot, np.array(log)


def main() -> None:
    """Trot for 4 s and print the results."""
    trot, log = trotted(4.0)
    steady = log[log[:, 0] > 2.0]
    print(f"speed {steady[:, 4].mean():.3f} m/s, centre of mass {steady[:, 3].mean():.3f} m high "
          f"(within {1e3 * np.ptp(steady[:, 3]):.0f} mm)")  # fmt: skip
    print(f"largest roll and pitch {np.degrees(np.abs(steady[:, 7:9])).max(axis=0).round(1)} deg")
    times = 1e3 * np.array(trot.plan_times)
    print(f"a plan takes {np.median(times):.2f} ms, {times.max():.2f} ms at most")


def picture(duration: float = 2.0) -> Any:
    """Strides from the side, and the speed of the trot."""
    from matplotlib.figure import Figure

    trot, strides = Trot(1.0), []
    course = []
    while trot.time < duration:
        trot.advance()
        if trot._steps % 10 == 0:
            course.append([trot.time, trot.rate[0]])
        if trot._steps % 250 == 0:
            strides.append(trot.q)
    figure = Figure(layout="constrained")
    robot, speed = figure.subplots(2, 1)
    draw_sticks(robot, trot.model, np.array(strides), FEET, azimuth=-90.0, elevation=10.0)
    speed.plot(*np.transpose(course))
    speed.axhline(trot.speed, color="0.6", ls=":")
    speed.set(xlabel="time [s]", ylabel="speed [m/s]")
    return figure


if __name__ == "__main__":
    main()
