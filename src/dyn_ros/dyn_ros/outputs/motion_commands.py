# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion commands, as trajectories of one point or as velocities, with an end at rest."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import dyn_core
from dyn_core.configuration import position_limits
from dyn_ros.arrays import Vector
from dyn_ros.inputs.command_settings import CommandedJoints, commanded_joints
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.robot_state import RobotState, StateHost
from dyn_ros.kernels.robot import refuse_free_joints
from dyn_ros.messages.joint_message import CommandMessage
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Values, parameter
from dyn_ros.outputs.command_output import ACTIVE_TIME, CommandOutput
from dyn_ros.outputs.command_subscribers import ENDS_IN_MOTION, AskedSubscriber
from dyn_ros.safety.beginning import NotBegunError
from dyn_ros.safety.command_subscriber import Subscriber
from dyn_ros.safety.effort_policy import MAX_STEP_S
from dyn_ros.safety.motion_policy import MAX_LAST_BRAKING_S, MotionStream, tracking_error

MIN_PERIOD_SHARE = 0.9  # part of the period of commands after which the next one may come
TRAJECTORY, POSITIONS, VELOCITY = INTERFACES = (
    "joint_trajectory",
    "joint_positions",
    "velocity",
)
COMMAND_RATE_HZ = 250.0  # at most; joint states in between are ignored


@dataclass(frozen=True)
class MotionScale(Group):
    """Which part of the limits a motion may use."""

    motion_scale: float = parameter(
        0.5,
        "share of the description's limits that a motion may use: of velocity in ik (1 rad/s or "
        "m/s for a joint without a limit), of position, velocity and effort in identification",
        limits=(0.01, 1.0),
        name="limits.motion_scale",
    )


@dataclass(frozen=True)
class MotionSettings(Group):
    """How motion is commanded."""

    command_interface: str = parameter(
        TRAJECTORY,
        "joint_trajectory: ~/joint_trajectory with one point at time 0, for computed_torque or a "
        "joint_trajectory_controller, which hold it if this node is killed; joint_positions: the "
        "same without velocities and accelerations, for a joint_trajectory_controller without "
        "allow_nonzero_velocity_at_trajectory_end, which rejects the others; velocity: "
        "~/commands for a velocity controller, which keeps the last velocities if this node is "
        "killed",
        choices=INTERFACES,
    )
    acceleration: float = parameter(
        5.0,
        "largest acceleration of every joint, rad/s^2 or m/s^2, also when it brakes; more if a "
        "deactivation would take longer than 5 s",
        limits=(0.001, 1e6),
        name="limits.acceleration",
    )
    max_tracking_error: float = parameter(
        0.5,
        "rad or m between commanded and measured position beyond which the node deactivates "
        "itself; 0: no limit",
        limits=(0.0, 1e6),
        live=True,
    )


class MotionCommands(CommandOutput):
    """~/joint_trajectory or ~/commands out: positions or velocities for a controller.

    Trajectories go on from the last command, velocities from where the robot is measured to be.
    A motion ends at rest: it brakes, whatever ends it, and then nothing is sent.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/joint_trajectory": "one point at time 0, which names its joints",
        "~/commands": "velocities for a forward_command_controller, in its order of joints",
        "commands": "active, waiting or braking",
        ACTIVE_TIME: "s since commands began, or off",
        "largest_tracking_error": "largest difference of desired and measured position",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (MotionSettings, CommandedJoints, MotionScale)

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that calls `due`, then `move` or `rest`."""
        super().__init__(node)
        self._stream = MotionStream(0, 1.0)
        self._error = 0.0
        self._time, self._ticked = 0, 0.0  # ns, of the last sample; s, of the last command
        self._taken = 0  # ns, when that sample was commanded for

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if a joint cannot be commanded, or has no one position."""
        refuse_free_joints(model)
        CommandMessage(model.dof_names, commanded_joints(model, values))

    def install(self, model: dyn_core.Model) -> None:
        """Command the joints of a model; a motion under way comes to rest where it is."""
        self._model = model
        before = self._stream
        acceleration = self.values[MotionSettings].acceleration
        self._stream = MotionStream(model.nv, acceleration, position_limits(model))
        joints = tuple(commanded_joints(model, self.values))
        if before.begun and len(before.position) == model.nv:  # its joints are the same then
            self._stream.begin(before.position, before.velocity)
            joints = self._message.joint_names
        self._command(joints)
        self.rest()

    def open(self) -> None:
        """Create publisher and timer."""
        if self.values[MotionSettings].command_interface == VELOCITY:
            self.connect(Float64MultiArray, "~/commands", VELOCITY)
        else:
            self.connect(JointTrajectory, "~/joint_trajectory")

    def start(self) -> None:
        """Begin anew with the first target; until it comes, braking continues."""
        self._waits_for, self._changes_known, self._error = None, -1, 0.0

    # Every good state ------------------------------------------------------------------------

    def due(self, state: RobotState) -> float:
        """Return the s since the last sample that was commanded for; 0: it is too early.

        One period while it brakes, for it has moved on since. No more than has gone by here, for
        stamps may jump ahead.
        """
        self.node.part(JointStateInput).reader.moves = False
        simulated = self.node.get_clock().ros_time_is_active
        taken = self.node.ros_time() if simulated else self.clock.nanoseconds()
        now = state.nanoseconds or taken
        passed = min(now - self._time, taken - self._taken) / NANOSECONDS
        if 0.0 <= passed < MIN_PERIOD_SHARE / COMMAND_RATE_HZ:
            return 0.0
        self._time, self._taken = now, taken
        known = self._stream.begun and not self._stream.braking and passed > 0.0
        return min(passed, MAX_STEP_S) if known else 1.0 / COMMAND_RATE_HZ

    def ready(self, state: RobotState) -> tuple[Vector, Vector] | None:
        """Return position and velocity [nv] from which the next command goes on, or None.

        None: no command subscriber yet. Raises InputRefusedError if the robot does not follow.
        """
        if not self._ready(self.clock.now()):
            return None
        stream = self._stream
        if self._sends_velocities:
            stream.position[:] = state.position
        else:
            stream.position[self._others] = state.position[self._others]
            self._refuse_distance(state.position)
        return stream.position, stream.velocity

    def move(self, velocity: Vector, seconds: float) -> None:
        """Command velocities [nv] for so long."""
        self._timer.cancel()
        self._stream.follow(velocity, seconds)
        self._send()

    def rest(self) -> None:
        """Brake, if anything moves or may move."""
        if self._stream.begun and not self._stream.braking:
            self._stream.brake()
            self._ticked = self.clock.now()
            self._start_timer()

    def _break_off(self) -> None:
        self.rest()

    @property
    def _successors(self) -> list[AskedSubscriber]:
        """None: their robot may stand elsewhere."""
        return []

    def _begin(self, taking: Sequence[Subscriber], now: float) -> None:
        if self.values[MotionSettings].command_interface == TRAJECTORY:
            self._refuse_rejecting(taking)
        stream, state, joints = self._stream, self.node.state, self._order_of(taking)
        if joints != self._message.joint_names:
            stream.halt()
            self._command(joints)
        if not stream.begun:
            most = self.node.motion.most
            stream.begin(state.position, np.clip(state.velocity, -most, most))
            self.node.begin_motion(state.position)

    def _refuse_rejecting(self, taking: Sequence[Subscriber]) -> None:
        """Raise NotBegunError if points with velocities are rejected, or may be."""
        for name, accepts in ((x.name, x.ends_in_motion) for x in taking):
            if accepts is False:
                self._subscribers.ask_again(name, ENDS_IN_MOTION)
                self._stream.end()  # it has obeyed no point, but would obey the last one of braking
                raise NotBegunError(
                    f"{name} rejects points with velocities, and would jump to where this motion "
                    f"ends: set its {ENDS_IN_MOTION} to true, or command_interface of this node to "
                    "joint_positions"
                )
            if accepts is None and self._subscribers.awaits(name, ENDS_IN_MOTION):
                raise NotBegunError(f"waiting for {name} to report {ENDS_IN_MOTION}", usual=True)

    def _refuse_distance(self, position: Vector) -> None:
        most = self.values[MotionSettings].max_tracking_error
        away = (self._stream.position - position)[self._rows]
        self._error = float(np.abs(away).max())
        advice = "does its controller run, and is it strong enough for this motion?"
        if text := tracking_error(self._message.joint_names, away, most, advice):
            raise InputRefusedError("tracking error", text)

    # Anything else ---------------------------------------------------------------------------

    def react(self, reaction: str) -> None:
        """React to an input that cannot be used, if commands have begun."""
        if not self._stream.begun:
            return
        if reaction in ("hold", "damp"):
            self.rest()
        elif reaction == "zero":
            self._timer.cancel()
            self._stream.halt()
            self._send()

    def stop(self) -> None:
        """Brake, before nothing is sent."""
        self.rest()
        self._stream.brake(MAX_LAST_BRAKING_S)

    def rewind(self) -> None:
        """Brake: times do not fit each other."""
        self.rest()

    def report(self, report: Report) -> None:
        """Say whether commands are sent."""
        report.values["commands"] = self._stream.phase.value
        if not self._sends_velocities:
            report.values["largest_tracking_error"] = f"{self._error:.6f}"
        self._report_commands(report)

    @property
    def _sends_velocities(self) -> bool:
        return bool(self.values[MotionSettings].command_interface == VELOCITY)

    def _command(self, joints: tuple[str, ...]) -> None:
        """Send commands for these joints, in this order, from now on."""
        names = self._model.dof_names
        self._message = CommandMessage(names, joints)
        self._rows = [names.index(name) for name in joints]
        self._others = [i for i, name in enumerate(names) if name not in joints]
        self._point = JointTrajectoryPoint()
        self._trajectory = JointTrajectory(joint_names=list(joints), points=[self._point])
        self.node.motion.allow(joints)

    def _tick(self) -> None:
        now, before = self.clock.now(), self._ticked
        if self._left_alone():
            self._stream.halt()
        if not self._stream.braking:
            self._timer.cancel()
            return
        self._ticked = now
        self._stream.brake_on(now - before)
        self._send()

    def _send(self) -> None:
        """Publish the present command."""
        stream = self._stream
        self.node.part(JointStateInput).reader.moves = True
        if self._sends_velocities:
            self._give_out(self._message.fill(self._message.select(stream.velocity)))
            return
        point = self._point
        point.positions = array("d", stream.position[self._rows])
        if self.values[MotionSettings].command_interface == TRAJECTORY:
            point.velocities = array("d", stream.velocity[self._rows])
            point.accelerations = array("d", stream.change[self._rows])
        else:
            point.velocities = point.accelerations = array("d")
        self._give_out(self._trajectory)
