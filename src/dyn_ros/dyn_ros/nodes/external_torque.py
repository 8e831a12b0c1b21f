"""Estimates what acts on a robot from outside: joint efforts, wrenches at frames, contact."""

import re
from functools import partial
from typing import Any, ClassVar

from builtin_interfaces.msg import Time
from dyn_msgs.msg import ExternalEfforts
from geometry_msgs.msg import WrenchStamped

import dyn_core
from dyn_core.control import Hysteresis, MomentumObserver, equivalent_wrench
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.joint_state import NANOSECONDS
from dyn_ros.adapters.wrench import WrenchMessage
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Kind, Setting
from dyn_ros.nodes.friction import FRICTION_SMOOTHING, friction
from dyn_ros.nodes.state_node import Output, StateNode
from dyn_ros.parts.bad_input import EFFORT_ABSENT
from dyn_ros.robot import Quantities
from dyn_ros.state_kernel import StateKernel

THRESHOLD = (0.0, 1e6)  # N m or N


class ExternalTorque(StateNode):
    """joint_states with the motors' efforts in; ~/external_efforts and ~/wrench/FRAME out.

    What comes on wrench_topics is known, and so no part of the estimate.
    """

    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        EFFORT_ABSENT,
        FRICTION_SMOOTHING,
        Setting(
            "observer_bandwidth",
            30.0,
            "rad/s; higher: less delay, more noise",
            limits=(0.01, 10000.0),
            live=True,
        ),
        Setting(
            "contact_threshold",
            5.0,
            "N m or N of external effort on a joint from which it counts as in contact",
            limits=THRESHOLD,
            live=True,
        ),
        Setting(
            "release_threshold",
            3.0,
            "N m or N below which the contact of a joint counts as over",
            limits=THRESHOLD,
            live=True,
        ),
        Setting(
            "wrench_frames",
            [],
            "links or frames at which the equivalent wrench is published, in their axes, on "
            "~/wrench/ and their name; what topics cannot have becomes _",
            kind=Kind.STRING_ARRAY,
        ),
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("external_torque", **options)

    @staticmethod
    def impossible(values: dict[str, Any]) -> str:
        """Refuse a contact that ends before it begins, and frames that share a topic."""
        upper, lower = values["contact_threshold"], values["release_threshold"]
        if lower > upper:
            return f"release_threshold {lower:g} is above contact_threshold {upper:g}: lower it"
        frames = values["wrench_frames"]
        if len({wrench_topic(frame) for frame in frames}) < len(frames):
            return f"wrench_frames {quoted(frames)} have the same topic: leave one of them out"
        return ""

    @classmethod
    def quantities(cls, values: dict[str, Any]) -> Quantities:
        """Return the terms of the momentum's rate, and a Jacobian for each frame."""
        jacobians = (dyn_core.frame_jacobian.request(frame) for frame in values["wrench_frames"])
        return ("mass_matrix", "coriolis_matrix", "static_torque", friction(values), *jacobians)

    def outputs(self) -> tuple[Output, ...]:
        """Return the efforts, and a wrench for each frame."""
        frames = self.values["wrench_frames"]
        return (
            Output("~/external_efforts", ExternalEfforts, lambda node: node.efforts()),
            *(
                Output(
                    wrench_topic(frame),
                    WrenchStamped,
                    partial(lambda frame, node: node.wrench(frame), frame),
                    partial(WrenchMessage, frame=frame),
                )
                for frame in frames
            ),
        )

    @property
    def needs_effort(self) -> bool:
        """What the motors give is known, the rest comes from outside."""
        return True

    def install(self, prepared: StateKernel) -> None:
        """Observe another robot from the next joint state on."""
        size = prepared.model.nv
        self._observer = MomentumObserver(size, self.values["observer_bandwidth"])
        self._contact = Hysteresis(size)
        self._friction = friction(self.values)
        self._last = 0  # ns
        super().install(prepared)

    def start(self) -> None:
        """Know of no contact."""
        self._observer.reset()
        self._contact.reset()

    def publish(self, stamp: Time) -> None:
        """Observe, then publish; a gap in joint states starts anew."""
        results, state, values = self.results, self.state, self.values
        seconds = (state.nanoseconds - self._last) / NANOSECONDS
        self._last = state.nanoseconds
        if seconds > values["joint_state_timeout"]:
            self._observer.reset()
        self._observer.bandwidth = values["observer_bandwidth"]
        drive = state.effort + results["coriolis_matrix"].T @ state.velocity
        drive += results[self._friction] - results["static_torque"]
        self._observer.update(seconds, results["mass_matrix"] @ state.velocity, drive)
        thresholds = values["contact_threshold"], values["release_threshold"]
        self._contact.update(self._observer.residual, *thresholds)
        super().publish(stamp)

    def efforts(self) -> dict[str, Any]:
        """Return what each joint feels."""
        on = self._contact.on.tolist()
        return {"effort": self._observer.residual, "joint_contact": on, "contact": any(on)}

    def wrench(self, frame: str) -> dict[str, Any]:
        """Return the one wrench at a frame that explains it best."""
        jacobian = self.results[dyn_core.frame_jacobian.request(frame)]
        return {"wrench": equivalent_wrench(jacobian, self._observer.residual)}

    def report(self, report: Report) -> None:
        """Tell of contact."""
        names = [
            name for name, on in zip(self._kernel.joint_names, self._contact.on, strict=True) if on
        ]
        report.values["joints in contact"] = ", ".join(names) or "none"


def wrench_topic(frame: str) -> str:
    """Return the topic of the wrench at a frame."""
    token = re.sub("[^A-Za-z0-9_]", "_", frame)
    return f"~/wrench/_{token}" if token[:1].isdigit() else f"~/wrench/{token}"
