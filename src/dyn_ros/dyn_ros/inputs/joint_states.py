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
from dyn_ros.inputs.joint_state_publishers import FEW_JUMPS_SHARE, JointStatePublishers
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.robot_state import StateHost, scalar_coordinates, scalar_names
from dyn_ros.inputs.sample_statistics import ABOUT as STATISTICS
from dyn_ros.inputs.sample_statistics import SampleStatistics
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.description import Structure, reading
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.node.safe_lifecycle import LOG_PERIOD
from dyn_ros.node.settings import Group, Values
from dyn_ros.registry import NODES
from dyn_ros.safety.plausible_limits import Plausible, refuse_implausible

QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Of older states that wait no more are answered: a busy node is behind by ten periods at most."""
# s after activation without an error about missing joint states, for discovery
DISCOVERY_TIME_S = 1.0
SETTLE_COUNT, SETTLE_S = 10, 0.2
"""Joint states without a gap, and their time, after which the output comes back from a loss."""
MAX_LOCKED_ERROR = 0.1  # rad or m between a locked joint and where the robot has it
MIN_SLOW_GAPS = 3  # gaps beyond the time-out in a row that are taken for the publisher's rate


class Freshness:
    """Stale after a time-out; fresh again only after a settled stretch of samples.

    A publisher at the edge of the time-out would otherwise switch the output on and off in every
    cycle. All times are given, s of a steady clock.
    """

    def __init__(self) -> None:
        """Never expire, until `timeout` (s) is set and `start` called."""
        self.timeout = inf
        self.settle_count, self.settle_duration = 1, 0.0
        """Samples and s without a gap after which what was stale is fresh."""
        self.start(0.0)

    def start(self, now: float, patience: float = 0.0) -> None:
        """Count as fresh, for `patience` and the time-out from now."""
        self.stale = False
        self._last = self._before = now + patience  # when the last two samples came, or the start
        self._since, self._count = self._last, 0  # start and samples of the stretch without a gap
        self._gap, self._late = 0.0, 0  # before the last sample; how many in a row were too long

    def due(self, now: float) -> bool:
        """Return whether `expire` would say so."""
        return not self.stale and now - self._last > self.timeout

    def expire(self, now: float) -> bool:
        """Return whether samples have just become stale."""
        if not self.due(now):
            return False
        self.stale = True
        self._count = 0
        return True

    def accept(self, now: float) -> bool:
        """Take a good sample; return whether it may be used."""
        self._gap, self._before, self._last = now - self._last, self._last, now
        if self._gap > self.timeout:
            self._late, self._since, self._count = self._late + 1, now, 0
        else:
            self._late = 0
        self._count += 1
        if self._count >= self.settle_count and now - self._since >= self.settle_duration:
            self.stale = False
        return not self.stale

    def wait(self, now: float) -> None:
        """Take note that no time has gone by for who sends the samples."""
        if self._count and not self.stale:
            self._last = now

    def reject(self) -> None:
        """Take the last valid sample back: nothing could be computed from it."""
        self._last = self._before

    def settling(self, now: float) -> bool:
        """Return whether samples are back, but not for long enough."""
        return self.stale and self._count > 1 and now - self._last <= self.timeout

    def slow_period(self, now: float) -> float:
        """Return the time between samples that come regularly but too slowly, else 0, s."""
        is_slow = self._late >= MIN_SLOW_GAPS and now - self._last <= 2 * self._gap
        return self._gap if is_slow else 0.0


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
        self.reader = JointStateReader([])
        self._active = False
        self._freshness = Freshness()
        self.last = 0.0  # s, when the last message came; 0: none
        self._answered = 0, 0  # ns, simulated time and stamp of the last state that was
        self._reported_slow = False
        self._simulated = False  # whether time comes from /clock
        self._stamp_clock: Callable[[], int] = self.clock.since_1970
        self._publishers = JointStatePublishers(node)
        self._locked: dict[str, float] = {}  # rad or m, where joints are taken to be
        self._elsewhere: dict[str, float] = {}  # where those are that are not there
        self.statistics = SampleStatistics(self.clock)

    def install(self, model: dyn_core.Model) -> None:
        """Read the joints of a model from the next joint state on.

        Of the same joints the last positions still count: what jumped away from them is refused.
        """
        names = scalar_names(model)
        if self.reader.joint_names != tuple(names):
            self.reader = JointStateReader(names)
        reader = self.reader
        reader.passive = self.values[Structure].passive_joints
        reader.since_1970 = self.clock.since_1970
        reader.expect(Plausible.of(model, scalar_coordinates(model)))
        self._locked, self._elsewhere = dict(reading(self.values, False)[2]), {}
        self.changed()

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if there is no joint to read, or a passive one is not in the model.

        Or if the time-out becomes shorter than the time between joint states, or their age.
        """
        names = scalar_names(model)
        unknown = [name for name in values[Structure].passive_joints if name not in names]
        if unknown:
            raise ValueError(
                f"passive joint {quoted(unknown)} is not in the model: choose among {quoted(names)}"
            )
        if not names:
            raise ValueError(
                f"robot '{model.name}' has no joint of one degree of freedom: joint_states cannot "
                "contain its state"
            )
        timeout, before = (x[JointStateSettings].joint_state_timeout for x in (values, self.values))
        oldest = self.reader.period.max(initial=0.0) + self.reader.age
        if self._active and timeout < min(before, oldest):
            raise ValueError(
                f"joint_state_timeout is {timeout:g} s, but the next joint state comes when the "
                f"last one is {oldest:.3g} s old: set it above {2 * oldest:.2g} s, or publish them "
                "faster"
            )

    def disagreement(self, model: dyn_core.Model, values: Values) -> str:
        """Return which joint a model would not believe to stand where it does; empty: none.

        All states would be refused then, and an arm that is commanded let down.
        """
        names, reader = scalar_names(model), self.reader
        if not reader.commanded or set(names) != set(reader.joint_names):
            return ""
        bounds = Plausible.of(model, scalar_coordinates(model))
        position = reader.position[[reader.joint_names.index(name) for name in names]]
        try:
            refuse_implausible(names, "position", position, bounds.lower, bounds.upper)
        except InputRefusedError as refusal:
            return str(refusal)
        return ""

    def changed(self) -> None:
        """Use the parameters as they are now."""
        settings, reader = self.values[JointStateSettings], self.reader
        self._simulated = self.node.get_clock().ros_time_is_active
        self._stamp_clock = self.node.ros_time if self._simulated else self.clock.since_1970
        reader.needs_velocity = self.node.needs_velocity
        reader.needs_effort = self.node.needs_effort
        reader.repeats = settings.stamps == "ignored"
        reader.clock = None if reader.repeats else self._stamp_clock
        reader.most_age = round(settings.joint_state_timeout * NANOSECONDS)
        freshness = self._freshness
        freshness.timeout = settings.joint_state_timeout
        freshness.settle_count, freshness.settle_duration = SETTLE_COUNT, SETTLE_S

    def open(self) -> None:
        """Subscribe."""
        entry = NODES.get(self.node.NAME)
        how = {"first": entry is not None and entry.commands, "raw": True}

        def receive(data: bytes, info: dict[str, Any]) -> None:
            if (message := JOINT_STATES.read(data)) is not None:
                self.receive(message, info, self.clock.now())

        self.opened.callback(
            self.node.topics.subscribe(self.node, JointState, "joint_states", receive, QOS, **how)
        )

    def start(self) -> None:
        """Begin to listen, with all counts at zero."""
        self.statistics.reset()
        self.reader.forget()
        self._freshness.start(self.clock.now(), DISCOVERY_TIME_S)
        self.last = 0.0
        self._reported_slow = False
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
            if self.reader.commanded:
                self.reader.origin = self.reader.position.copy()
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
        since = np.subtract((self._stamp_clock(), self.reader.stamp), self._answered)
        return bool(np.abs(since).max() <= self.reader.most_age)

    @property
    def positions(self) -> Vector | None:
        """The newest of all joints, [n] rad or m, each by itself good; None: unknown."""
        seen = self.reader.seen
        unknown = seen.late(0.0) or self._publishers.conflict.lasts
        return None if unknown else seen.position

    def report(self, report: Report) -> None:
        """Add counts, times since the last report, and problems."""
        if self._active and self._freshness.stale:
            report.error(self._stale_text())
        if self._elsewhere:
            report.warn(text := self._locked_text())
            self.node.warn_seldom("locked joints", text)
        self.statistics.report(report)
        if self._active:
            self._publishers.report(report, self.statistics.senders, self.reader.joint_names)
        age = self.clock.now() - self.last if self.last else inf
        report.values["sample_age_s"] = f"{age:.3f}"
        by_stamp = (self._stamp_clock() - self.reader.stamp) / NANOSECONDS if self.last else inf
        report.values["stamp_age_s"] = f"{by_stamp:.3f}"

    def receive(self, message: JointState, info: dict[str, Any], now: float) -> None:
        """Take a message that came at `now`, s, with the middleware's info."""
        reader = self.reader
        reader.received = since = info["received_timestamp"]  # 0: unknown to the middleware
        if not self._active:
            if self.node.busy:  # positions and velocities are needed for damping
                with suppress(InputRefusedError):
                    reader.read(message, now)
                self._send_due()
            return
        if self._freshness.due(now):  # a gap that ends now counts too
            self.watch()
        before, good, answered = reader.nanoseconds, False, False
        reader.jumps = self._publishers.conflict.share > FEW_JUMPS_SHARE
        self.statistics.arrived.append((info, message.name))
        self.last = now
        if self._locked:
            self._compare_locked(message)
        try:
            known = reader.read(message, now)
            if known and self._publishers.conflict.share:
                self._publishers.refuse_conflict()
            if known and reader.is_partial and reader.misses(now, self._freshness.timeout):
                self.statistics.held_back += 1
                known = False
            if known:
                good = True
                stale, due = self._freshness.stale, now
                if reader.is_partial:  # since when the state of a joint has been due
                    due -= max(0.0, float((now - reader.came - reader.period).max()))
                answered = self._is_back(now) if stale else self._freshness.accept(due)
                if answered:
                    reader.origin = reader.position
                    self.node.take_state(reader)
                    if stale:
                        text = "joint states resumed; publishing again"
                        self.node.get_logger().info(text, throttle_duration_sec=LOG_PERIOD)
                else:
                    self.node.take_unsettled(reader)
                    self.statistics.held_back += 1
        except InputRefusedError as refusal:
            if good:
                self._freshness.reject()  # a state that gives no result does not count as usable
            if before - reader.nanoseconds > reader.most_age:
                for part in self.node.parts:  # not for messages that overtake each other
                    part.rewind()
            if refusal.reason == "position jump":
                self._publishers.conflict.jump(str(refusal))
            self.statistics.refuse(refusal.reason, str(refusal))
            self.node.warn_seldom("joint state", f"joint state refused: {refusal}")
            self.node.answer_bad_input(reaction_to(refusal.reason, self.values), str(refusal))
            answered = False
        if not answered:
            self._send_due()
            return
        if self._simulated:
            self._answered = self._stamp_clock(), reader.stamp
        self.statistics.latencies.append(self.clock.since_1970() - since if since else nan)
        if now >= self.node.next_look:
            self.node.look_after()

    def _compare_locked(self, message: JointState) -> None:
        """Note which locked joints the robot has elsewhere."""
        for name, position in zip(message.name, message.position, strict=False):
            if name not in self._locked:
                continue
            self._elsewhere.pop(name, None)
            if abs(position - self._locked[name]) > MAX_LOCKED_ERROR:
                self._elsewhere[name] = position

    def _locked_text(self) -> str:
        where = (
            f"'{name}' is at {x:.3g}, and taken to be at {self._locked[name]:.3g}"
            for name, x in self._elsewhere.items()
        )
        return f"locked joint {', '.join(where)} rad or m: correct locked_joints, or move it there"

    def _is_back(self, now: float) -> bool:
        """Take a good sample after a time-out; return whether it may be used."""
        fresh = self._freshness.accept(now)
        if not fresh and self._freshness.slow_period(now) and not self._reported_slow:
            self._reported_slow = True
            self.node.get_logger().error(self._stale_text())
        return fresh

    def _send_due(self) -> None:
        """Let the node send what is due: its timer waits behind joint states that are of no use."""
        for part in self.node.parts:
            part.send_due()

    def _stale_text(self) -> str:
        topic = self.node.resolve_topic_name("joint_states")
        now, timeout = self.clock.now(), self._freshness.timeout
        period = self._freshness.slow_period(now)
        if period:
            return (
                f"{topic} comes every {period:.3g} s only, which is too slow for "
                f"joint_state_timeout {timeout:g} s, no output: publish it faster, or set "
                f"joint_state_timeout above {2 * period:.2g} s"
            )
        if self._freshness.settling(now):
            return f"joint states on {topic} are back after a time-out, no output until they settle"
        late, which = self.reader.late(now - self._freshness.timeout), ""
        why = "is the robot driver or joint_state_broadcaster running?"
        if 0 < len(late) < len(self.reader.joint_names):
            which = f" of joint {quoted(late)}, while others come"
        elif self.statistics.last_refusal and now - self.last <= timeout:
            why = f"the last one was refused: {self.statistics.last_refusal}"
        return f"no usable joint state on {topic} for {timeout:g} s{which}, no output: {why}"
