# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Estimates what acts on a robot from outside: joint efforts, wrenches at frames, contact."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from dyn_msgs.msg import ExternalEfforts
from geometry_msgs.msg import WrenchStamped

import dyn_core
from dyn_core.control import Hysteresis, MomentumObserver, equivalent_wrench
from dyn_core.model import coordinate_names
from dyn_ros.arrays import Vector
from dyn_ros.inputs.friction import FRICTION
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.measured_effort import MeasuredEffort, added_gravity, refuse_other
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.kernels.robot import Quantities
from dyn_ros.messages.geometry import frame_topic
from dyn_ros.messages.joint_message import StampedMessage
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.part import KernelPart, Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.nodes.state_node import StateNode, TopicOutput

WRENCH = "~/wrench"
RELEASE_SHARE = 0.6  # of contact_threshold, below which a contact is over


@dataclass(frozen=True)
class EstimateSettings(Group):
    """How external efforts are estimated."""

    observer_bandwidth: float = parameter(
        30.0,
        "bandwidth of the momentum observer, rad/s; higher: less delay, more noise",
        limits=(0.01, 10000.0),
        live=True,
    )
    contact_threshold: float = parameter(
        5.0,
        "external effort of a joint, N m or N, above which it is in contact, until it falls "
        f"below {RELEASE_SHARE:g} times this value",
        limits=(0.0, 1e6),
        live=True,
    )
    wrench_frames: list[str] = parameter(
        [],
        "links or frames at which the equivalent wrench is published, in their axes, on "
        "~/wrench/NAME; characters that topics cannot have become _",
        kind=Kind.STRING_ARRAY,
    )


class ExternalEstimate(Part, KernelPart):
    """Efforts on the joints, wrenches at frames, contact; of what the node's results say."""

    ABOUT: ClassVar[dict[str, str]] = {
        "~/wrench/*": "equivalent wrench at this frame, in its axes",
        "joints_in_contact": "joints whose external effort exceeded contact_threshold; "
        "estimated only while a topic has a subscriber",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (
        MeasuredEffort,
        EstimateSettings,
    )

    node: StateHost

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse frames that share a topic."""
        frames = values[EstimateSettings].wrench_frames
        if len({frame_topic(WRENCH, frame) for frame in frames}) < len(frames):
            return f"wrench_frames {quoted(frames)} have the same topic: leave one of them out"
        return ""

    @classmethod
    def quantities(cls, values: Values) -> Quantities:
        """Return the momentum, its rate under known efforts, and a Jacobian for each frame."""
        jacobians = (
            dyn_core.frame_jacobian.request(frame)
            for frame in values[EstimateSettings].wrench_frames
        )
        known: tuple[Any, ...] = (FRICTION, *added_gravity(values))
        rate = dyn_core.generalized_momentum_rate.request(efforts=known)
        return (dyn_core.generalized_momentum.request(), rate, *jacobians)

    def install(self, model: dyn_core.Model) -> None:
        """Observe another robot from the next joint state on."""
        self._observer = MomentumObserver(
            model.nv, self.values[EstimateSettings].observer_bandwidth
        )
        self._contact = Hysteresis(model.nv)
        self._names = coordinate_names(model)
        self._last = 0  # ns
        self._inertia = self.node.surroundings.inertial_parameters.copy()
        momentum, rate, *_ = self.quantities(self.values)
        results = self.node.results  # these arrays stay
        self._momentum: Vector = results[momentum]
        self._rate: Vector = results[rate]

    def rewind(self) -> None:
        """Observe anew: a momentum of another time would look like a blow."""
        self._observer.reset()

    def ramp(self) -> None:
        """Go on with the estimate after a payload has changed: the robot has not been hit."""
        inertia = self.node.surroundings.inertial_parameters
        if not np.array_equal(inertia, self._inertia):
            self._inertia[:] = inertia
            self._observer.rebase()

    def start(self) -> None:
        """Know of no contact."""
        self._observer.reset()
        self._contact.reset()

    def inputs(self) -> tuple[Vector, ...]:
        """Return the efforts of the motors. Raises InputRefusedError if they are no torques."""
        refuse_other(self.values)
        return (self.node.state.effort,)

    def update(self) -> None:
        """Update the estimate by the node's results; a gap in joint states resets it."""
        state, values = self.node.state, self.values
        seconds = (state.nanoseconds - self._last) / NANOSECONDS
        self._last = state.nanoseconds
        observer = self._observer
        if seconds > values[JointStateSettings].joint_state_timeout:
            observer.reset()
        observer.bandwidth = values[EstimateSettings].observer_bandwidth
        residual = observer.update(seconds, self._momentum, self._rate)
        if not observer.finite:
            self.start()  # or it would stay so for ever
            raise InputRefusedError(
                "result not finite",
                "the estimate of external efforts is not finite: check velocities and efforts in "
                "joint_states; it begins anew",
            )
        threshold = values[EstimateSettings].contact_threshold
        self._contact.update(residual, threshold, RELEASE_SHARE * threshold)

    def fields(self, node: Any) -> dict[str, Any]:
        """Return those of ~/external_efforts."""
        contact = self._contact
        return {
            "effort": self._observer.residual,
            "joint_contact": contact.on,
            "contact": contact.any,
        }

    def wrench(self, frame: str, node: Any) -> dict[str, Any]:
        """Return the fields of the one wrench at a frame that explains the efforts best."""
        jacobian = self.node.results[dyn_core.frame_jacobian.request(frame)]
        wrench = equivalent_wrench(jacobian, self._observer.residual)
        fields = {"wrench.force": wrench[:3], "wrench.torque": wrench[3:]}
        return {"header.frame_id": frame, **fields}

    def report(self, report: Report) -> None:
        """Report contact."""
        names = [self._names[i] for i in np.flatnonzero(self._contact.on)]
        contact = "not estimated: no subscriber" if self.node.silent else ", ".join(names)
        report.values["joints_in_contact"] = contact or "none"


class ExternalTorque(StateNode):
    """joint_states with the motors' efforts in; ~/external_efforts and ~/wrench/FRAME out.

    What comes on wrench_topics is known, and so no part of the estimate.
    """

    NAME: ClassVar[str] = "external_torque"
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, ExternalEstimate)

    def outputs(self) -> tuple[TopicOutput, ...]:
        """Return the efforts, and a wrench for each frame."""
        estimate = self.part(ExternalEstimate)
        wrenches = (
            TopicOutput(
                frame_topic(WRENCH, x), WrenchStamped, partial(estimate.wrench, x), StampedMessage
            )
            for x in self.values[EstimateSettings].wrench_frames
        )
        return (TopicOutput("~/external_efforts", ExternalEfforts, estimate.fields), *wrenches)

    @property
    def needs_effort(self) -> bool:
        """Measured motor efforts; the momentum observer finds the external ones."""
        return True

    def publish(self, stamp: int) -> None:
        """Observe, then publish."""
        self.part(ExternalEstimate).update()
        super().publish(stamp)
