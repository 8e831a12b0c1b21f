# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The joint_states subscription of a node: validation, staleness, statistics."""

from collections.abc import Callable
from contextlib import suppress
from math import inf, nan
from typing import Any, ClassVar

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

import dyn_core
from dyn_ros.arrays import Vector
from dyn_ros.inputs.bad_input import STALE, reaction_to
from dyn_ros.inputs.joint_state_bytes import JOINT_STATES
from dyn_ros.inputs.joint_state_publishers import Conflict, JointStatePublishers
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.joint_state_settings import (
    DEADLINE_S,
    MAX_LOST_SHARE,
    SETTLE_COUNT,
    SETTLE_S,
    JointStateSettings,
)
from dyn_ros.inputs.robot_state import StateHost, scalar_coordinates, scalar_names
from dyn_ros.inputs.sample_statistics import ABOUT as STATISTICS
from dyn_ros.inputs.sample_statistics import SampleStatistics
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.description import Structure
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.node.safe_lifecycle import LOG_PERIOD
from dyn_ros.node.settings import Group, Values
from dyn_ros.node.shared_topics import subscribe
from dyn_ros.registry import NODES
from dyn_ros.safety.plausible_limits import Plausible

QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Of older states that wait no more are answered: a busy node is behind by ten periods at most."""
# s after activation without an error about missing joint states, for discovery
DISCOVERY_TIME_S = 1.0
MIN_SLOW_GAPS = 3  # gaps beyond the time-out in a row that are taken for the publisher's rate


class Freshness:
    """Stale after a time-out; fresh again only after a settled stretch of samples.

    A publisher at the edge of the time-out would otherwise switch the output on and off in every
    cycle. All times are given, s of a steady clock.
    """

    def __init__(self) -> None:
        """Start with times that never expire; `set` and `start` come next."""
        self.stale = False
        self._period = 0.0  # s between samples that come too slowly; 0: they do not
        self._timeout = inf
        self._settle_count, self._settle_duration = 1, 0.0
        self._last = 0.0  # when the last sample came, or the start
        self._before = 0.0  # when the one before came
        self._since = 0.0  # start of the stretch without a gap
        self._count = 0  # samples in that stretch
        self._late = 0  # gaps in a row

    def set(self, timeout: float, settle_count: int, settle_duration: float) -> None:
        """Be stale after `timeout`; back after so many samples and seconds without a gap."""
        self._timeout = timeout
        self._settle_count, self._settle_duration = settle_count, settle_duration

    def start(self, now: float, patience: float = 0.0) -> None:
        """Count as fresh, for `patience` and the time-out from now."""
        self.stale = False
        self._period = 0.0
        self._last = self._before = self._since = now + patience
        self._count = self._late = 0

    def due(self, now: float) -> bool:
        """Return whether `expire` would say so."""
        return not self.stale and now - self._last > self._timeout

    def expire(self, now: float) -> bool:
        """Return whether samples have just become stale."""
        if not self.due(now):
            return False
        self.stale = True
        self._count = 0
        return True

    def accept(self, now: float) -> bool:
        """Take a good sample; return whether it may be used."""
        self._before = self._last
        gap, self._last = now - self._last, now
        if gap > self._timeout:
            self._since, self._count = now, 0
            self._late += 1
            self._period = gap if self._late >= MIN_SLOW_GAPS else 0.0
        else:
            self._late = 0
            self._period = 0.0
        self._count += 1
        settled = self._count >= self._settle_count and now - self._since >= self._settle_duration
        if self.stale and settled:
            self.stale = False
        return not self.stale

    def wait(self, now: float) -> None:
        """Take note that no time has gone by for who sends the samples."""
        if self._count and not self.stale:
            self._last = now

    def reject(self) -> None:
        """Take the last good sample back: nothing could be computed from it."""
        self._last = self._before

    def settling(self, now: float) -> bool:
        """Return whether samples are back, but not for long enough."""
        return self.stale and self._count > 1 and now - self._last <= self._timeout

    def slow_period(self, now: float) -> float:
        """Return the time between samples that come regularly but too slowly, else 0, s."""
        return self._period if now - self._last <= 2 * self._period else 0.0


class JointStateInput(Part):
    """Feeds good joint states to a node and notices when they stop or get lost."""

    ABOUT: ClassVar[dict[str, str]] = {
        "joint_states": "positions of the joints by name; velocities and efforts where needed",
        **STATISTICS,
        "sample_age_s": "since the last joint state was received",
        "stamp_age_s": "the node's time minus the stamp of the last joint state",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (JointStateSettings,)
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node; its `take_state` gets good states, `answer_bad_input` what to do."""
        super().__init__(node)
        self.reader = JointStateReader([], needs_velocity=False)
        self._active = False
        self._freshness = Freshness()
        self._last_refusal = ""
        self.last = 0.0  # s, when the last message came; 0: none
        self._stamp = 0  # ns, of the last message
        self._answered = 0, 0  # ns, simulated time and stamp of the last state that was
        self._said_slow = False
        self._simulated = False  # whether time comes from /clock
        self._stamp_clock: Callable[[], int] = self.clock.since_1970
        self._conflict = Conflict()
        self._publishers = JointStatePublishers(node)
        self.statistics = SampleStatistics(self.clock)

    def install(self, model: dyn_core.Model) -> None:
        """Read the joints of a model from the next joint state on."""
        values, is_commanding = self.values, self.reader.is_commanding
        self.reader = JointStateReader(
            scalar_names(model), needs_velocity=False, passive=values[Structure].passive_joints
        )
        self.reader.since_1970 = self.clock.since_1970
        self.reader.is_commanding = is_commanding
        self._plausible = Plausible.of(model, scalar_coordinates(model))
        self.changed()

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if there is no joint to read, or a passive one is not in the model."""
        names = scalar_names(model)
        unknown = [name for name in values[Structure].passive_joints if name not in names]
        if unknown:
            raise ValueError(
                f"passive joint {quoted(unknown)} is not in the model: choose among {quoted(names)}"
            )
        if not names:
            raise ValueError(
                f"robot '{model.name}' has no joint of one degree of freedom: joint_states would "
                "bring nothing"
            )

    def changed(self) -> None:
        """Use the parameters as they are now."""
        values = self.values
        self._simulated = self.node.get_clock().ros_time_is_active
        self.reader.needs_velocity = self.node.needs_velocity
        self.reader.needs_effort = self.node.needs_effort
        ignored = values[JointStateSettings].stamps == "ignored"
        self.reader.repeats = ignored
        self._stamp_clock = self.node.ros_time if self._simulated else self.clock.since_1970
        self.reader.clock = None if ignored else self._stamp_clock
        self.reader.most_age = round(values[JointStateSettings].joint_state_timeout * NANOSECONDS)
        self.reader.expect(self._plausible)
        self.statistics.deadline = 1e6 * DEADLINE_S
        self._freshness.set(values[JointStateSettings].joint_state_timeout, SETTLE_COUNT, SETTLE_S)

    def open(self) -> None:
        """Subscribe."""
        entry = NODES.get(self.node.NAME)
        how = {"first": entry is not None and entry.commands, "raw": True}

        def receive(data: bytes, info: dict[str, Any]) -> None:
            if (message := JOINT_STATES.whole(data)) is not None:
                self.receive(message, info, self.clock.now())

        self.opened.callback(subscribe(self.node, JointState, "joint_states", receive, QOS, **how))

    def start(self) -> None:
        """Begin to listen, with all counts at zero."""
        self.statistics.reset()
        self.reader.forget()
        self._freshness.start(self.clock.now(), DISCOVERY_TIME_S)
        self._last_refusal = ""
        self.last = 0.0
        self._said_slow = False
        self._conflict = Conflict()
        self._publishers = JointStatePublishers(self.node)
        self._active = True

    def stop(self) -> None:
        """Ignore joint states from now on."""
        self._active = False

    def watch(self) -> None:
        """Notice that joint states have stopped; to be called often while active."""
        if self.node.get_clock().ros_time_is_active != self._simulated:
            self.changed()
        if self.paused:
            self._freshness.wait(self.clock.now())
        if self._freshness.expire(self.clock.now()):
            text = self._stale_text()
            self.node.get_logger().error(text, throttle_duration_sec=LOG_PERIOD)
            self.node.answer_bad_input(reaction_to(STALE, self.values), text)

    @property
    def paused(self) -> bool:
        """Whether simulated time has not gone on since the last state that was answered, or hardly.

        It goes on where /clock does, and where stamps of joint states do, good ones or not.
        """
        if not self._simulated or not self._stamp_clock():
            return False
        since = np.subtract((self._stamp_clock(), self._stamp), self._answered)
        return bool(np.abs(since).max() <= self.reader.most_age)

    @property
    def positions(self) -> Vector | None:
        """The newest of all joints, [n] rad or m, each by itself good; None: nobody knows them."""
        seen = self.reader.seen
        unknown = seen.late(0.0) or self._conflict.lasts
        return None if unknown else seen.position

    def report(self, report: Report) -> None:
        """Add counts, times since the last report, and problems."""
        interval = self.statistics.take_interval()
        if self._active and self._freshness.stale:
            report.error(self._stale_text())
        if self._active and self._conflict.lasts:
            report.error(self._publishers.conflict_text(self._conflict.what))
        elif self._active:
            self._publishers.report(report, self.statistics.senders, self.reader.joint_names)
        if interval.refused:
            report.warn(f"{interval.refused} joint states refused, the last: {self._last_refusal}")
        if lost := interval.loss(MAX_LOST_SHARE):
            report.warn(lost)
        if interval.late > MAX_LOST_SHARE * interval.samples_out:
            report.warn(
                f"{interval.late} of {interval.samples_out} results came later than the deadline "
                f"of {DEADLINE_S:g} s, the slowest after "
                f"{interval.latencies[2] / 1e6:.3g} s: is the processor overloaded?"
            )
        report.values.update(self.statistics.report_values(interval))
        age = self.clock.now() - self.last if self.last else inf
        report.values["sample_age_s"] = f"{age:.3f}"
        by_stamp = (self._stamp_clock() - self._stamp) / NANOSECONDS if self.last else inf
        report.values["stamp_age_s"] = f"{by_stamp:.3f}"

    def receive(self, message: JointState, info: dict[str, Any], now: float) -> None:
        """Take a message that came at `now`, s, with the middleware's info."""
        if not self._active:
            if self.node.busy:  # positions and velocities are needed for damping
                with suppress(InputRefusedError):
                    self.reader.read(message, now)
                self._go_on()
            return
        freshness = self._freshness
        if freshness.due(now):  # a gap that ends now counts too
            self.watch()
        before, good = self.reader.nanoseconds, False
        self.statistics.arrived.append((info, message.name))
        self.last = now
        try:
            if not self._read(message, info, now):
                self._go_on()
                return  # nothing to compute with
            good = True
            if not (self._is_back(now) if freshness.stale else freshness.accept(now)):
                self.node.take_unsettled(self.reader)
                self.statistics.held_back += 1
                self._go_on()
                return
            self.node.take_state(self.reader)
            if self._simulated:
                self._answered = self._stamp_clock(), self._stamp
        except InputRefusedError as refusal:
            if good:
                freshness.reject()  # a state that gives no result does not count as usable
            if before - self.reader.nanoseconds > self.reader.most_age:
                for part in self.node.parts:  # not for messages that overtake each other
                    part.rewind()
            self._refuse(refusal)
            return
        since = info["received_timestamp"]  # 0: the middleware does not tell
        self.statistics.latencies.append(self.clock.since_1970() - since if since else nan)
        if now >= self.node.next_look:
            self.node.look_after()

    def _read(self, message: JointState, info: dict[str, Any], now: float) -> bool:
        """Read a message; return whether the state of all joints is known now.

        Raises InputRefusedError if it cannot be used.
        """
        reader = self.reader
        reader.received = info["received_timestamp"]
        try:
            if not reader.read(message, now):
                return False  # another robot's joints
        finally:
            self._stamp = reader.stamp
        if not self._conflict.quiet and self._conflict.accept():
            text = self._publishers.conflict_text(self._conflict.what)
            raise InputRefusedError("publishers disagree", text)
        if reader.is_partial and self._late(now):
            self.statistics.held_back += 1
            return False
        return True

    def _late(self, now: float) -> list[str]:
        """Return the joints whose last state is older than the time-out."""
        return self.reader.late(now - self.values[JointStateSettings].joint_state_timeout)

    def _is_back(self, now: float) -> bool:
        """Take a good sample after a time-out; return whether it may be used."""
        fresh = self._freshness.accept(now)
        if fresh:
            text = "joint states resumed; publishing again"
            self.node.get_logger().info(text, throttle_duration_sec=LOG_PERIOD)
        elif self._freshness.slow_period(now) and not self._said_slow:
            self._said_slow = True
            self.node.get_logger().error(self._stale_text())
        return fresh

    def _refuse(self, refusal: InputRefusedError) -> None:
        self.statistics.reasons[refusal.reason] += 1
        self._last_refusal = str(refusal)
        if refusal.reason == "position jump":
            self._conflict.jump(str(refusal))
        self.node.warn_seldom("joint state", f"joint state refused: {refusal}")
        self.node.answer_bad_input(reaction_to(refusal.reason, self.values), str(refusal))
        self._go_on()

    def _go_on(self) -> None:
        """Let the node send what is due: its timer waits behind joint states that are of no use."""
        for part in self.node.parts:
            part.go_on()

    def _stale_text(self) -> str:
        topic = self.node.resolve_topic_name("joint_states")
        now, timeout = self.clock.now(), self.values[JointStateSettings].joint_state_timeout
        period = self._freshness.slow_period(now)
        if period:
            return (
                f"{topic} comes every {period:.3g} s only, which is too slow for "
                f"joint_state_timeout {timeout:g} s, no output: publish it faster, or set "
                f"joint_state_timeout above {2 * period:.2g} s"
            )
        if self._freshness.settling(now):
            return f"joint states on {topic} are back after a time-out, no output until they settle"
        late, which = self._late(now), ""
        if 0 < len(late) < len(self.reader.joint_names):
            which = f" of joint {quoted(late)}, while others come"
        return (
            f"no usable joint state on {topic} for {timeout:g} s{which}, no output: is the robot "
            "driver or joint_state_broadcaster running?"
        )
