# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot as its driver shows it: commands and pushes in, measured states out."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

import dyn_core
from dyn_core.simulation import Ground, StepError
from dyn_ros.arrays import Vector
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.simulator.simulated_robot import SimulatedRobot, base_size

STEP, STEP_NS = 0.001, 1_000_000  # s, ns; of the integration and of the measurements
POSE, BASE = 7, 13  # numbers of a floating base: position and quaternion, and with its twist


@dataclass(frozen=True)
class Imperfections:
    """What is imperfect about a robot and its driver; times in simulated s."""

    command_timeout: float = 0.1  # 0: motors keep the last command, wrenches act on
    brake_release_time: float = 1.0  # after the first command; negative: no brakes
    noise: Sequence[float] = (0.0, 0.0, 0.0)  # standard deviations of position, velocity, effort
    delays: Sequence[float] = (0.0, 0.0)  # of measurements, of commands


class Measurement(NamedTuple):
    """A state as it was measured; arrays that later measurements overwrite."""

    position: Vector  # [joints] rad, m
    velocity: Vector  # [joints] rad/s, m/s
    effort: Vector  # [joints] N m, N
    base: Vector  # [13] if floating: position, quaternion x y z w, twist in its axes; else [0]


class Motors:
    """Brakes, effort limits, a time-out or a latch, late commands; time is counted in steps."""

    def __init__(self, effort_limit: Vector, options: Imperfections) -> None:
        """Set the limits [joints], N m or N."""
        self._limit, self._options = effort_limit, options
        timeout = options.command_timeout
        self.timeout = max(1, steps(timeout)) if timeout else inf  # steps
        self.effort = np.zeros(len(effort_limit))  # applied now, N m or N
        self.reset()

    def reset(self) -> None:
        """Forget all commands; brake, if that is how the robot starts."""
        self.deprived = True  # of efforts, if not `commanded`; false if the last ones were zero
        self._under_way: deque[tuple[int, Vector]] = deque()  # step when it acts, effort
        self._step = 0
        self._timed_out = 0.0  # step
        self._released = inf  # step; known once the first command has come
        self.braked = self._options.brake_release_time >= 0.0
        self.effort[:] = 0.0

    @property
    def commanded(self) -> bool:
        """Whether a command is in force."""
        return self._step < self._timed_out

    def command(self, effort: Vector) -> None:
        """Take a command; it acts after its delay."""
        delay = steps(self._options.delays[1])
        self._under_way.append((self._step + delay, effort.copy()))
        self._apply_arrived()

    def advance(self) -> None:
        """Let one step of time pass."""
        self._step += 1
        if self._step == self._timed_out:
            self.deprived = bool(self.effort.any())
            self.effort[:] = 0.0
        self._apply_arrived()

    def _apply_arrived(self) -> None:
        """Give the newest command, at most the limits; release the brakes when it is time."""
        while self._under_way and self._under_way[0][0] <= self._step:
            np.clip(self._under_way.popleft()[1], -self._limit, self._limit, out=self.effort)
            self._timed_out = self._step + self.timeout
            release = self._step + steps(self._options.brake_release_time)
            self._released = min(self._released, release)
        self.braked = self.braked and self._step < self._released


class Simulation:
    """Advances a robot by steps of STEP; `time` is in ns, so that it does not drift."""

    def __init__(
        self,
        model: dyn_core.Model,
        start: Vector,
        options: Imperfections,
        ground: Ground | None = None,
        seed: int = 0,
    ) -> None:
        """Put the robot at rest at `start` [nv] (rad, m). Raises ValueError as SimulatedRobot.

        `seed` is that of the random numbers.
        """
        self.model, self._options, self._seed = model, options, seed
        self.robot = SimulatedRobot(model, STEP, start, ground)
        self.floating = base_size(model) > 0
        self._joints = slice(base_size(model), None)  # the coordinates with motors
        self.joint_names: tuple[str, ...] = tuple(model.dof_names[self._joints])
        self._effort = np.zeros(model.nv)
        self.motors = Motors(np.array(model.effort_limit)[self._joints], options)
        joints, delay = len(self.joint_names), steps(options.delays[0])
        sizes = joints, joints, joints, BASE if self.floating else 0
        self._ring = [Measurement(*map(np.zeros, sizes)) for _ in range(delay + 1)]
        self.time = 0  # ns, simulated; goes on when the robot is reset
        self.age = delay * STEP_NS  # of measurements, ns
        self.paused = False
        self.reset()

    def surround(self, surroundings: Surroundings) -> None:
        """Put the robot into these `surroundings`, without a push."""
        self.robot.surroundings = surroundings
        self._push({})

    def reset(self) -> None:
        """Start again: the robot where it started, no commands, the same random numbers."""
        self.robot.reset()
        self.motors.reset()
        self._push({})
        self._random = np.random.default_rng(self._seed)
        self._count = 0
        self.failure = ""

    def command(self, effort: Vector) -> None:
        """Let the motors give `effort` [joints] (N m, N)."""
        self.motors.command(effort)

    def push(self, frame: str, wrench: Sequence[float]) -> None:
        """Let a wrench [force, torque] (N, N m) act at a frame, in its axes, for `command_timeout`.

        It replaces the one before at that frame. Raises InputRefusedError if the robot has no such
        frame.
        """
        self.robot.surroundings.refuse_unknown_frame("a wrench", frame)
        self._push({**self._pushes, frame: (self.motors.timeout, tuple(wrench))})

    def advance(self) -> Measurement | None:
        """Do one step unless paused; return the measurement that arrives now, None if none does.

        While paused time stands still, but the sensors go on to measure. A step without result
        is a `failure`, in words: the robot stands still from then on.
        """
        if not self.paused:
            self._step()
        return self._measure()

    def _step(self) -> None:
        self.time += STEP_NS
        self.motors.advance()
        if not (self.motors.braked or self.failure):
            try:
                self._effort[self._joints] = self.motors.effort
                self.robot.step(self._effort)
            except StepError as error:
                self.failure = str(error)
                self.robot.velocity[:] = 0.0
        if self._pushes:
            self._push({x: (left - 1, f) for x, (left, f) in self._pushes.items() if left > 1})

    def _push(self, pushes: dict[str, tuple[float, Sequence[float]]]) -> None:
        """Let wrenches act, each for so many steps, at frames, and no others."""
        self._pushes = pushes
        self.robot.surroundings.push((frame, wrench) for frame, (_, wrench) in pushes.items())

    def _measure(self) -> Measurement | None:
        """Measure now, with noise; return the measurement that arrives now, None before the first.

        Where the base is has no noise.
        """
        robot, new = self.robot, self._ring[self._count % len(self._ring)]
        true = robot.position[self._joints], robot.velocity[self._joints], self.motors.effort
        for target, value, noise in zip(new[:3], true, self._options.noise, strict=True):
            target[:] = value
            if noise:
                target += noise * self._random.standard_normal(len(target))
        if self.floating:
            new.base[:POSE], new.base[POSE:] = robot.q[:POSE], robot.velocity[: self._joints.start]
        self._count += 1
        late = self._count < len(self._ring)
        return None if late else self._ring[self._count % len(self._ring)]


def steps(seconds: float) -> int:
    """Return the nearest number of steps."""
    return round(seconds / STEP)
