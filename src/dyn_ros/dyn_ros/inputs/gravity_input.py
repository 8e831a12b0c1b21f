# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where gravity points: from a parameter, a service or an IMU at rest."""

from dataclasses import dataclass
from math import acos, exp, hypot
from typing import Any, ClassVar

import numpy as np
from dyn_msgs.srv import SetGravity
from numpy.typing import NDArray
from rclpy.parameter import Parameter
from sensor_msgs.msg import Imu

import dyn_core
from dyn_ros.inputs.topic_input import TopicInput
from dyn_ros.messages.geometry import read_direction, xyz
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.part import Host, KernelPart
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.safety.plausible_limits import objection_to_gravity

GRAVITY = "gravity"
TOPIC = "imu/data"
PARAMETER, IMU = "parameter", "imu"
FILTER_S = 0.5
"""Time constant of the low-pass for gravity from an IMU."""
TOLERANCE = 1.0
"""m/s^2 by which an IMU's acceleration may differ from the strength of gravity."""
MAX_TURN = 0.5
"""Angle between a reading and the low-pass, rad, beyond which it is refused; a robot that turns at
1 rad/s stays below it."""
TIMEOUT_S = 1.0
"""Without plausible gravity from an IMU, after which diagnostics warn; the last one serves."""


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
        "sensor_msgs/Imu on imu/data, of a link or frame of the robot",
        choices=(PARAMETER, IMU),
    )


class GravityInput(TopicInput, KernelPart):
    """Gravity in the axes of the root link; a change is in force at once, and commands ramp."""

    ABOUT: ClassVar[dict[str, str]] = {
        TOPIC: "accelerometer of a robot at rest: the direction of gravity",
        "gravity_m_s2": "x, y, z in the axes of the root link; of the world with a floating base",
        "gravity_source": "parameter or imu",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (GravitySettings,)

    def __init__(self, node: Host) -> None:
        """Belong to a node whose kernels take its surroundings."""
        super().__init__(node)
        self._direction: NDArray[np.float64] | None = None  # low-pass, length 1, root's axes
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
        if source != PARAMETER and not any(gravity):
            return f"gravity_source {source} needs the strength of gravity: it is zero"
        return objection_to_gravity(gravity)

    def install(self, model: dyn_core.Model) -> None:
        """Let gravity pull at another robot."""
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
        self.opened.service(SetGravity, "~/set_gravity", self._set)
        if self._source == IMU:
            self.listen(Imu, TOPIC, self._take)

    def start(self) -> None:
        """Know of no reading."""
        super().start()
        self._direction = None
        self._known = False

    def watch(self) -> None:
        """Use the newest reading."""
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
                f"no gravity has come yet from {self._source}: is it published, and plausible?",
            )

    def report(self, report: Report) -> None:
        """Say where gravity points, and how old that is."""
        super().report(report)
        gravity = ", ".join(f"{x:.4g}" for x in self.node.surroundings.gravity)
        report.values["gravity_m_s2"] = gravity
        report.values["gravity_source"] = self._source
        is_old = self.clock.now() - self._read_at > TIMEOUT_S
        if self.node.active and self._source != PARAMETER and is_old:
            report.warn(f"no gravity from {self._source} for {TIMEOUT_S:g} s: using the last value")

    def _take(self, message: Imu) -> None:
        """Filter a reading; the first is taken as it is, and outputs ramp.

        In the axes of the root link: in those of a link that moves the low-pass would lag behind
        it, and gravity would turn with the link and drive it on.
        """
        frame, direction = read_direction(message, self._strength, TOLERANCE)
        self.node.surroundings.refuse_unknown_frame("the IMU", frame)
        placement = self.node.surroundings.placement(frame)
        if placement is None:  # before the first joint state
            return
        now, new, known = self.clock.now(), placement[:3, :3] @ direction, self._direction
        if known is None:
            self._direction, self._frame, self._known, self._read_at = new, frame, False, now
            return
        if frame != self._frame:  # it would be taken without the low-pass
            raise InputRefusedError(
                "other frame",
                f"the IMU is at frame '{frame}', but gravity comes from the one at "
                f"'{self._frame}': let one IMU publish on {TOPIC}; if it is mounted elsewhere "
                "now, activate the node again",
            )
        angle = acos(np.clip(known @ new, -1.0, 1.0))
        if angle > MAX_TURN:
            raise InputRefusedError(
                "implausible gravity",
                f"gravity from imu turned by {angle:.2g} rad at once, more than {MAX_TURN:g}, and "
                f"is ignored: check the axes of '{frame}'; if the robot was turned, activate the "
                "node again",
            )
        weight = 1.0 - exp((self._read_at - now) / FILTER_S) if FILTER_S else 1.0
        mixed = known + weight * (new - known)
        self._direction, self._read_at = mixed / hypot(*mixed), now

    def _turn(self) -> bool:
        """Let gravity pull as the readings say; return whether one has come."""
        if self._direction is None:
            return False
        self.node.surroundings.gravity[:] = self._strength * self._direction
        if not self._known:
            self._known = True
            self.node.ramp()
        return True

    def _set(self, request: SetGravity.Request, response: SetGravity.Response) -> Any:
        if self._source != PARAMETER:
            wrong = f"gravity comes from {self._source}: set gravity_source to parameter"
        else:
            change = Parameter(GRAVITY, Kind.DOUBLE_ARRAY, list(xyz(request.gravity)))
            wrong = self.node.set_parameters_atomically([change]).reason
        response.success = not wrong
        response.message = f"{wrong}; nothing changed" if wrong else "ok"
        return response
