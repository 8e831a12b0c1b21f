# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where gravity points: from a parameter, a service, an IMU at rest or TF."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from math import acos, exp, hypot, inf
from typing import Any, ClassVar

import numpy as np
from dyn_msgs.srv import SetGravity
from numpy.typing import NDArray
from rclpy.parameter import Parameter
from rclpy.time import Time
from sensor_msgs.msg import Imu

import dyn_core
from dyn_core.spatial import Matrix3, Vector3
from dyn_ros.inputs.topic_input import TopicInput
from dyn_ros.kernels.robot import root_link
from dyn_ros.messages.geometry import read_direction, unit_quaternion, xyz
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.part import Host, KernelPart
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.safety.plausible_limits import objection_to_gravity

GRAVITY = "gravity"
TOPIC = "imu/data"
PARAMETER, IMU = "parameter", "imu"
FILTER_S = 0.5
"""Time constant of the low-pass for gravity from IMU and TF."""
TOLERANCE = 1.0
"""m/s^2 by which an IMU's acceleration may differ from the strength of gravity."""
MAX_TURN = 0.5
"""Angle between a reading and the low-pass, rad, beyond which it is refused; a robot that turns at
1 rad/s stays below it."""
TIMEOUT_S = 1.0
"""Without plausible gravity from IMU or TF, after which diagnostics warn; the last one serves."""


@dataclass(frozen=True)
class GravitySettings(Group):
    """Where gravity points."""

    gravity: list[float] = parameter(
        [0.0, 0.0, -9.81],
        "gravitational acceleration, m/s^2, at most 30, in the axes of the root link; "
        "~/set_gravity changes it too; with another gravity_source only its strength is used",
        kind=Kind.DOUBLE_ARRAY,
        live=True,
        local=True,
    )
    gravity_source: str = parameter(
        PARAMETER,
        "source of the direction of gravity: parameter, the parameter gravity; imu, "
        "sensor_msgs/Imu on imu/data, of a link or frame of the robot; any other text names a "
        "frame of TF whose z axis points up, such as world",
    )


class Transforms:
    """A listener to /tf and /tf_static."""

    def __init__(self, node: Any) -> None:
        """Begin to listen."""
        self._tf: Any = import_module("tf2_ros")
        self._buffer = self._tf.Buffer()
        self._listener = self._tf.TransformListener(self._buffer, node)

    def rotation(self, target: str, source: str) -> tuple[Matrix3, float]:
        """Return what turns vectors of `source` to `target`, the newest, and its time in s.

        Raises InputRefusedError if TF does not know it.
        """
        try:
            found = self._buffer.lookup_transform(target, source, Time())
        except self._tf.TransformException as error:
            raise InputRefusedError(
                "gravity absent", f"TF has no transform from '{source}' to '{target}': {error}"
            ) from error
        stamp = found.header.stamp
        turn = unit_quaternion(f"TF from '{source}' to '{target}'", found.transform.rotation)
        return Matrix3.quaternion(*turn), stamp.sec + stamp.nanosec / NANOSECONDS

    def forget(self) -> None:
        """Drop all transforms that are not static; the buffer would return the latest for ever."""
        self._buffer.clear()

    def close(self) -> None:
        """Listen no more."""
        self._listener.unregister()


class GravityInput(TopicInput, KernelPart):
    """Gravity in the axes of the root link; a change is in force at once, and commands ramp."""

    ABOUT: ClassVar[dict[str, str]] = {
        TOPIC: "accelerometer of a robot at rest: the direction of gravity",
        "gravity_m_s2": "x, y, z in the axes of the root link; of the world with a floating base",
        "gravity_source": "parameter, topic or frame that it comes from",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (GravitySettings,)

    def __init__(self, node: Host) -> None:
        """Belong to a node whose kernels take its surroundings."""
        super().__init__(node)
        self._transforms: Transforms | None = None
        self._root = ""
        self._direction: NDArray[np.float64] | None = None  # low-pass, length 1, axes of _frame
        self._frame = ""
        self._known = False  # whether it is in force
        self._read_at = 0.0  # s, when the last reading came

    @property
    def _source(self) -> str:
        return self.values[GravitySettings].gravity_source

    @property
    def _strength(self) -> float:
        return hypot(*self.values[GravitySettings].gravity)

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse invalid vectors, and sources without a known magnitude of gravity."""
        gravity, source = values[GravitySettings].gravity, values[GravitySettings].gravity_source
        if len(gravity) != 3:
            return f"parameter gravity is {list(gravity)}: give three numbers, m/s^2"
        if source in ("", "tf"):
            return (
                f"gravity_source is '{source}': name the frame of TF whose z axis points up, such "
                "as world, or choose parameter or imu"
            )
        if source != PARAMETER and not any(gravity):
            return f"gravity_source {source} needs the strength of gravity: it is zero"
        return objection_to_gravity(gravity)

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if gravity is to come from TF and there is none."""
        from_tf = values[GravitySettings].gravity_source not in (PARAMETER, IMU)
        if from_tf and find_spec("tf2_ros") is None:
            raise ValueError(
                "gravity_source names a frame of TF, but tf2_ros is not installed: install it "
                "(ros-<distro>-tf2-ros-py), or choose parameter or imu"
            )

    def install(self, model: dyn_core.Model) -> None:
        """Let gravity pull at another robot."""
        self._root = root_link(model)
        if self._frame not in {frame.name for frame in model.frames}:
            self._direction, self._known = None, False
        self._apply()

    def changed(self) -> None:
        """Ramp to the parameter, or the last value of another source."""
        self._apply()
        self.node.ramp()

    def _apply(self) -> None:
        if self._source == PARAMETER:
            self.node.surroundings.gravity[:] = self.values[GravitySettings].gravity
        else:
            self._turn()

    def open(self) -> None:
        """Offer the service; listen to the source."""
        self._transforms = None
        self.opened.service(SetGravity, "~/set_gravity", self._set)
        if self._source == IMU:
            self.listen(Imu, TOPIC, self._take)
        elif self._source != PARAMETER:
            self._transforms = Transforms(self.node)
            self.opened.callback(self._transforms.close)

    def start(self) -> None:
        """Know of no reading."""
        super().start()
        self._direction = None
        self._known = False

    def watch(self) -> None:
        """Use the newest reading; an IMU's frame may have moved since the last."""
        if self._transforms is not None:
            try:
                self._look_up(self._transforms)
            except InputRefusedError as refusal:
                self.node.warn_seldom("TF", str(refusal))
        self._turn()

    @property
    def may_be_absent(self) -> bool:
        """Only a source that sends something may be silent."""
        return self._source != PARAMETER

    def refuse_absence(self) -> None:
        """Raise InputRefusedError before the first gravity from the source."""
        if not self._known and not self._turn():
            raise InputRefusedError(
                "gravity absent",
                f"no gravity has come yet from {self._source_text}: is it published, and "
                "plausible?",
            )

    def report(self, report: Report) -> None:
        """Say where gravity points, and how old that is."""
        super().report(report)
        gravity = ", ".join(f"{x:.4g}" for x in self.node.surroundings.gravity)
        report.values["gravity_m_s2"] = gravity
        report.values["gravity_source"] = self._source_text
        is_old = self.clock.now() - self._read_at > TIMEOUT_S
        if self.node.active and self._source != PARAMETER and is_old:
            report.warn(
                f"no gravity from {self._source_text} for {TIMEOUT_S:g} s: using the last value"
            )

    @property
    def _source_text(self) -> str:
        source = self._source
        return source if source in (PARAMETER, IMU) else f"TF, frame '{source}'"

    def _take(self, message: Imu) -> None:
        frame, direction = read_direction(message, self._strength, TOLERANCE)
        self.node.surroundings.refuse_unknown_frame("the IMU", frame)
        known = self._direction
        if known is not None and frame != self._frame:  # it would be taken without the low-pass
            raise InputRefusedError(
                "other frame",
                f"the IMU is at frame '{frame}', but gravity comes from the one at "
                f"'{self._frame}': let one IMU publish on {TOPIC}; if it is mounted elsewhere "
                "now, activate the node again",
            )
        self._read(frame, direction)

    def _look_up(self, transforms: Transforms) -> None:
        turn, time = transforms.rotation(self._root, self._source)
        age = self.node.ros_time() / NANOSECONDS - time
        timeout = TIMEOUT_S if time else inf  # static ones have no time
        if age < -timeout:
            transforms.forget()
            self.node.warn_seldom(
                "TF of the future",
                f"TF to '{self._root}' is {-age:.1f} s in the future, and is ignored: was the "
                "clock set back, or do the clocks of two computers differ?",
            )
        if abs(age) > timeout:
            return
        self._read(self._root, turn.apply(Vector3(0.0, 0.0, -1.0)))

    def _read(self, frame: str, direction: Iterable[float]) -> None:
        """Filter a reading; the first of a frame is taken as it is, and outputs ramp.

        Raises InputRefusedError if gravity turned too far at once.
        """
        now, new = self.clock.now(), np.array([*direction])
        if self._direction is None or frame != self._frame:
            self._direction, self._frame, self._known = new, frame, False
        else:
            angle = acos(np.clip(self._direction @ new, -1.0, 1.0))
            if angle > MAX_TURN:
                raise InputRefusedError(
                    "implausible gravity",
                    f"gravity from {self._source_text} turned by {angle:.2g} rad at once, more "
                    f"than {MAX_TURN:g}, and is ignored: check the axes of '{frame}'; if the robot "
                    "was turned, activate the node again",
                )
            weight = 1.0 - exp((self._read_at - now) / FILTER_S) if FILTER_S else 1.0
            mixed = self._direction + weight * (new - self._direction)
            self._direction = mixed / hypot(*mixed)
        self._read_at = now

    def _turn(self) -> bool:
        """Rotate gravity into the axes of the root link; return whether that is possible."""
        if self._direction is None:
            return False
        gravity = self.node.surroundings.to_world(self._frame, self._strength * self._direction)
        if gravity is None:
            return False
        self.node.surroundings.gravity[:] = gravity
        if not self._known:
            self._known = True
            self.node.ramp()
        return True

    def _set(self, request: SetGravity.Request, response: SetGravity.Response) -> Any:
        if self._source != PARAMETER:
            wrong = f"gravity comes from {self._source_text}: set gravity_source to parameter"
        else:
            change = Parameter(GRAVITY, Kind.DOUBLE_ARRAY, list(xyz(request.gravity)))
            wrong = self.node.set_parameters_atomically([change]).reason
        response.success = not wrong
        response.message = f"{wrong}; nothing changed" if wrong else "ok"
        return response
