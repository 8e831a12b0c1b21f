# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot as its driver shows it: commands and pushes in, measured states out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.simulation import Ground, StepError
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.simulator.motors import SimulatedMotors
from dyn_ros.simulator.pushes import Pushes
from dyn_ros.simulator.sensors import Measurement, Sensors
from dyn_ros.simulator.simulated_robot import SimulatedRobot, base_size

STEP = 0.001  # s; of the integration and of the measurements
POSE, BASE = 7, 13  # numbers of a floating base: position and quaternion, and with its twist


@dataclass(frozen=True)
class Imperfections:
    """What is imperfect about a robot; times in simulated s."""

    command_timeout: float = 0.1
    brakes_until_command: bool = True
    brake_release_time: float = 1.0
    wrench_timeout: float = 0.1
    position_noise: float = 0.0  # standard deviation, rad or m
    velocity_noise: float = 0.0  # rad/s or m/s
    effort_noise: float = 0.0  # N m or N
    state_delay: float = 0.0
    command_delay: float = 0.0
    state_loss: float = 0.0  # share of measurements that get lost
    command_loss: float = 0.0
    random_seed: int = 0


class Simulation:
    """Advances a robot by steps of STEP; `time` is in ns, so that it does not drift."""

    def __init__(
        self,
        model: dyn_core.Model,
        start: NDArray[np.float64],
        options: Imperfections,
        ground: Ground | None = None,
    ) -> None:
        """Put the robot at rest at `start` [nv] (rad, m). Raises ValueError as SimulatedRobot."""
        self.model = model
        self.robot = SimulatedRobot(model, STEP, start, ground)
        self.floating = base_size(model) > 0
        self._joints = slice(base_size(model), None)  # the coordinates with motors
        self.joint_names: tuple[str, ...] = tuple(model.dof_names[self._joints])
        self._effort = np.zeros(model.nv)
        self._base = np.zeros(BASE if self.floating else 0)
        self.motors = SimulatedMotors(
            np.array(model.effort_limit)[self._joints],
            max(1, steps(options.command_timeout)) if options.command_timeout else 0,
            steps(options.command_delay),
            options.brakes_until_command,
            steps(options.brake_release_time),
        )
        noise = (options.position_noise, options.velocity_noise, options.effort_noise)
        delay = steps(options.state_delay)
        self._sensors = Sensors(len(self.joint_names), noise, delay, len(self._base))
        self._pushes = Pushes(max(1, steps(options.wrench_timeout)))
        self.surround(Surroundings(model))
        self._options = options
        self.time = 0  # ns, simulated; goes on when the robot is reset
        self.age = delay * nanoseconds(STEP)  # of measurements, ns
        self.paused = False
        self.reset()

    def surround(self, surroundings: Surroundings) -> None:
        """Put the robot into these `surroundings`, whose payloads it carries from now on."""
        self.robot.surroundings = surroundings
        self._pushes.use(surroundings)

    def reset(self) -> None:
        """Start again: the robot where it started, no commands, the same random numbers."""
        for part in (self.robot, self.motors, self._sensors, self._pushes):
            part.reset()
        self._random = np.random.default_rng(self._options.random_seed)
        self.states_lost = self.commands_lost = 0
        self.failure = ""

    def command(self, effort: NDArray[np.float64]) -> None:
        """Let the motors give `effort` [joints] (N m, N), unless the command gets lost."""
        if self._is_lost(self._options.command_loss):
            self.commands_lost += 1
        else:
            self.motors.command(effort)

    def push(self, frame: str, wrench: Sequence[float]) -> None:
        """Let a wrench [force, torque] (N, N m) act at a frame, in its axes, for a while.

        Raises InputRefusedError if the robot has no such frame.
        """
        self._pushes.push(frame, tuple(wrench))

    def advance(self) -> Measurement | None:
        """Do one step unless paused; return the measurement that arrives now, None if none does.

        While paused time stands still, but the sensors go on to measure. A step without result
        is a `failure`, in words: the robot stands still from then on.
        """
        if not self.paused:
            self._step()
        robot, joints = self.robot, self._joints
        if self.floating:
            self._base[:POSE] = robot.q[:POSE]
            self._base[POSE:] = robot.velocity[: joints.start]
        measured = self._sensors.measure(
            robot.position[joints],
            robot.velocity[joints],
            self.motors.effort,
            self._base,
            self._random,
        )
        if measured is not None and self._is_lost(self._options.state_loss):
            self.states_lost += 1
            return None
        return measured

    def _step(self) -> None:
        self.time += nanoseconds(STEP)
        self.motors.advance()
        if not (self.motors.braked or self.failure):
            try:
                self._effort[self._joints] = self.motors.effort
                self.robot.step(self._effort)
            except StepError as error:
                self.failure = str(error)
                self.robot.velocity[:] = 0.0
        self._pushes.advance()

    def _is_lost(self, share: float) -> bool:
        return share > 0.0 and self._random.random() < share


def steps(seconds: float) -> int:
    """Return the nearest number of steps."""
    return round(seconds / STEP)


def nanoseconds(seconds: float) -> int:
    """Return the nearest number of nanoseconds."""
    return round(seconds * 1_000_000_000)
