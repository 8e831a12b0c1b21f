# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Plays an exciting motion, records it, and identifies the robot's parameters from it."""

import json
import re
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

import dyn_core
from dyn_core.control import Trajectory
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Excitation,
    Parameters,
    Recording,
    excitation,
    identify,
    plain,
    self_collision,
    write_recording,
    write_urdf,
)
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.inputs.recorder import Recorder, refuse_unwritable
from dyn_ros.inputs.robot_position import MAX_LAG_S, RobotPosition
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.messages.joint_trajectory import points_of, stop_messages
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.description import Reading
from dyn_ros.node.dynamics_node import DynamicsNode
from dyn_ros.node.interfaces import Interfaces
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Values, parameter
from dyn_ros.outputs.motion_commands import MotionScale
from dyn_ros.safety.motion_policy import MotionLimits, Stop
from dyn_ros.safety.plausible_limits import MARGIN
from dyn_ros.tracking.motion import approach_time

PERIOD_S = 10.0  # about which the motion repeats: it ends at rest, after whole periods
POINTS = 100  # of the motion in each period: 20 in that of its fastest part
CUTOFF_HZ = 5.0  # above it nothing is used: the motion has harmonics to 5 / PERIOD_S Hz
MAX_STATE_RATE_HZ = 2000.0  # joint states a second that there is room for
RECORDING_TAIL_S = 1.0  # s after the motion until the recording is complete
LOWER_SCALE = "set limits.motion_scale lower"
BEHIND = (
    "the robot is not at rest where the motion ends, and is stopped: set the speed scaling of its "
    "controller, or the robot's speed slider, to 100 %"
)
MAX_MOTION_S = 2000.0  # s, of a motion: 20 000 points
NO_FILE_NAME = re.compile(r"[^\w.-]|^[.]+")  # in the name of a robot: would lead elsewhere


class Stage(Enum):
    """States of the node."""

    IDLE = "idle"
    PLANNING = "planning a motion"
    PLAYING = "playing and recording"
    IDENTIFYING = "identifying"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class IdentificationSettings(Group):
    """Where results go, and how long it takes."""

    output: str = parameter(
        "",
        "folder for recording, result and URDF",
        live=True,
    )
    duration: float = parameter(
        60.0,
        f"duration of the motion, s; it repeats about every {PERIOD_S:g} s",
        limits=(1.0, MAX_MOTION_S),
        live=True,
    )


class IdentificationNode(DynamicsNode):
    """joint_states in, ~/joint_trajectory and ~/result out; ~/start begins, ~/stop ends early.

    What follows ~/joint_trajectory is a controller's matter: remap it to computed_torque's or to a
    joint_trajectory_controller. The motion starts with an approach from where the robot is. It ends
    with the node's activity, by a `Stop`.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/joint_trajectory": "the exciting motion",
        "~/result": "the result, as text",
        "~/start": "plans the exciting motion, then plays it",
        "~/stop": "stops the motion: ~/joint_trajectory of one point at rest",
        "joint_states": "recorded during the motion",
        "stage": "what the node does: idle, planning a motion, ...",
        "stage_detail": "the result, or why it failed",
        "base_parameters": "number of parameters to identify",
        "rows_recorded": "recorded joint states",
        "rows_dropped": "joint states that did not fit into memory",
    }
    SERVES: ClassVar[bool] = True
    LISTENS_APART: ClassVar[bool] = True
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (IdentificationSettings, MotionScale)

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._base: BaseParameters
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="identification")
        self._job: Future[Any] | None = None
        self._recorder = Recorder((), 0)
        self._position = RobotPosition(self, self._record)
        self._stage, self._detail = Stage.IDLE, ""
        self._started = self._begins = self._ends = 0.0  # s of ROS time
        super().__init__("identification", **options)

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the regressor's parameters and the limits of the motion."""
        return KernelRequest(("joint_torque_regressor",)), KernelRequest(("inverse_dynamics",))

    def prepare(self, model: dyn_core.Model, values: Values) -> BaseParameters:
        """Find the base parameters. Raises ValueError, worded, if joints cannot be identified."""
        try:
            return BaseParameters.of(Parameters(model))
        except ModelError as error:
            raise ValueError(str(error)) from error

    def install(self, prepared: BaseParameters) -> None:
        """Identify another robot from the next start on; a motion of the old one ends."""
        self._halt()
        self._base = prepared
        self._position.install(prepared.parameters.model)
        self._reset()

    def open(self, opened: Interfaces) -> None:
        """Create topics, services and timers."""
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._trajectory = opened.publisher(JointTrajectory, "~/joint_trajectory", 1)
        self._result = opened.publisher(String, "~/result", latched)
        self._position.open(opened)
        opened.service(Trigger, "~/start", self._begin)
        opened.service(Trigger, "~/stop", self._end)

    def start(self) -> None:
        """Wait for ~/start."""
        self._reset()

    def stop(self) -> None:
        """Stop a motion that is under way: where the controller stops is where it stays."""
        self._halt()
        self._reset()

    def watch(self) -> None:
        """Go from stage to stage."""
        if self._job is not None and self._job.done():
            job, self._job = self._job, None
            if error := job.exception():
                worded = isinstance(error, (ValueError, OSError))
                self._fail(str(error) if worded else f"{type(error).__name__}: {error}")
            elif self._stage is Stage.PLANNING:
                self._play(*job.result())
            else:
                self._stage = Stage.DONE
                self._result.publish(String(data=job.result()))
                self.get_logger().info(
                    f"identified; written to {self.values[IdentificationSettings].output}"
                )
        elif self._stage is Stage.PLAYING:
            self._position.read()
            if why := self._interruption():
                self._halt()
                self._fail(why)
            elif self._now() > self._ends:
                self._stage = Stage.IDENTIFYING
                recording = self._recorder.recording(self._begins)
                self._job = self._worker.submit(
                    identified, self._base, recording, self.values, self.description
                )

    def _interruption(self) -> str:
        """Return why the motion cannot go on, empty if it can."""
        if self._now() < self._started:
            return "time ran backwards during the motion, which is stopped: call ~/start again"
        if why := self._position.silence(self._started):
            return why
        return BEHIND if self._now() > self._ends and self._is_behind() else ""

    def report(self, report: Report) -> None:
        """Report the state of the node."""
        report.values["stage"] = self._stage.value
        report.values["stage_detail"] = self._detail
        report.values["base_parameters"] = len(self._base)
        report.values["rows_recorded"] = self._recorder.count
        report.values["rows_dropped"] = self._recorder.lost

    def _reset(self) -> None:
        self._stage, self._detail, self._job = Stage.IDLE, "", None
        self._position.command(moves=False)

    def _record(self, message: JointState) -> None:
        if self._stage is Stage.PLAYING:
            self._recorder.add(message)

    def _begin(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.message = self._refusal()
        response.success = not response.message
        if response.success:
            self._reset()
            self._stage = Stage.PLANNING
            self._job = self._worker.submit(planned, self._base, self.values, self.description)
            response.message = "planning; the motion begins by itself"
        return response

    def _refusal(self) -> str:
        if not self.active:
            return "activate the node first"
        if self._stage in (Stage.PLANNING, Stage.PLAYING, Stage.IDENTIFYING):
            return f"still {self._stage.value}: call ~/stop, or wait"
        if not self.values[IdentificationSettings].output:
            return "set the parameter output: the folder for the result"
        try:
            refuse_unwritable(Path(self.values[IdentificationSettings].output))
        except OSError as error:
            return f"nothing can be written to the folder output: {error}"
        return self._position.absence() or self._position.motion()

    def _halt(self) -> None:
        """Stop a motion where the robot should be, or where it is if it does not follow."""
        if self._stage is not Stage.PLAYING:
            return
        model = self._base.parameters.model
        at = self._position.at_stop(self._expected, self._tolerance)
        stop = Stop.of(model, *at, self._deceleration)
        for message in stop_messages(model.dof_names, *stop):
            self._trajectory.publish(message)

    def _is_behind(self) -> bool:
        """Whether the robot is not where the motion ends, or has moved there of late."""
        end, _ = self._expected(self._now())
        return bool(self._position.motion() or self._position.distance(end, self._tolerance))

    def _expected(self, when: float) -> tuple[Matrix, Matrix]:
        """Return position and velocity by the motion, [1, nv]."""
        approach = self._begins - self._started
        since = min(when, self._ends - RECORDING_TAIL_S) - self._started
        if since > approach:  # it repeats
            since = approach + (since - approach) % (self._course.end - approach)
        position, velocity, _ = self._course.sample(since)
        return np.atleast_2d(position), np.atleast_2d(velocity)

    def _end(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._stage is not Stage.IDLE
        response.message = f"was {self._stage.value}"
        self.stop()
        return response

    def _play(self, motion: Excitation, note: str) -> None:
        """Play a motion after an approach from where the robot is, and record it."""
        self.get_logger().info(note)
        if why := self._position.absence() or self._position.motion():
            self._fail(why)
            return
        model = self._base.parameters.model
        here = self._position.reader.position.copy()
        duration = self.values[IdentificationSettings].duration
        count = POINTS * round(duration / motion.period)
        times: Vector = np.arange(count + 1) / (count / duration)
        states = motion.states(times)
        approach = approach_time(model, states[0][0] - here, self.values[MotionScale].motion_scale)
        once = times[: POINTS + 1]
        rest = here, 0.0 * here, 0.0 * here
        first = [np.vstack([x, y[: len(once)]]) for x, y in zip(rest, states, strict=True)]
        self._course = Trajectory(np.append(0.0, approach + once), *first)
        limits = MotionLimits(model, ())
        try:
            limits.refuse(self._course, first, here, self.surroundings, advice=LOWER_SCALE)
        except InputRefusedError as refusal:
            self._fail(f"the motion is refused: {refusal}")
            return
        self._started = self._now()
        self._begins = self._started + approach
        self._ends = self._begins + float(times[-1]) + RECORDING_TAIL_S
        rows = int(MAX_STATE_RATE_HZ * (self._ends - self._started))
        self._recorder = Recorder(model.dof_names, rows)
        _, fastest, self._deceleration = (np.abs(x).max(axis=0) for x in states)
        self._tolerance = MAX_LAG_S * fastest + MARGIN
        self._stage = Stage.PLAYING
        self._position.command(moves=True)
        points = points_of(approach + times, *states)
        message = JointTrajectory(joint_names=list(model.dof_names), points=points)
        self._trajectory.publish(message)
        self.get_logger().info(f"playing for {approach + times[-1]:.0f} s")

    def _now(self) -> float:
        return 1e-9 * self.ros_time()

    def _fail(self, why: str) -> None:
        self._stage, self._detail = Stage.FAILED, why
        self.get_logger().error(f"identification failed: {why}")


def planned(base: BaseParameters, values: Values, description: str) -> tuple[Excitation, str]:
    """Find a motion and a note about self-collision. Raises ModelError."""
    apart = self_collision(base.parameters.model, description)
    duration = values[IdentificationSettings].duration
    period, share = duration / max(1, round(duration / PERIOD_S)), values[MotionScale].motion_scale
    motion = excitation(base, period=period, share=share, checker=apart.checker)
    return motion, apart.note


def identified(base: BaseParameters, recording: Recording, values: Values, description: str) -> str:
    """Identify, write everything, and return the result as JSON. Raises ModelError or OSError.

    The recording is written first: a user who cannot use it as it is may drop rows.
    """
    model, folder = base.parameters.model, Path(values[IdentificationSettings].output)
    folder.mkdir(parents=True, exist_ok=True)
    name = NO_FILE_NAME.sub("_", model.name)
    ends = {"recording": "recording.csv", "result": "identified.json", "urdf": "identified.urdf"}
    files = {kind: str(folder / f"{name}_{end}") for kind, end in ends.items()}
    write_recording(model, recording, files["recording"])
    try:
        found = identify(base.parameters, recording, CUTOFF_HZ)
    except ModelError as error:
        raise ModelError(f"{error}; the recording is {files['recording']}") from error
    before = folder / f"{name}_description.urdf"
    before.write_text(description, encoding="utf-8")
    ignore = values[Reading].ignore
    write_urdf(found.model, before, files["urdf"], ignore)
    result = json.dumps(
        {
            "files": files,
            **plain(found),
            "urdf_residual": found.residual_of(
                dyn_core.Model.from_urdf(files["urdf"], ignore=ignore)
            ),
        },
        indent=2,
    )
    Path(files["result"]).write_text(result, encoding="utf-8")
    return result
