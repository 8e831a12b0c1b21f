# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Effort commands for a forward_command_controller, which holds the last one without end."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import ClassVar

import numpy as np
from std_msgs.msg import Float64MultiArray

import dyn_core
from dyn_core.control import turning_joints
from dyn_ros.arrays import FALSE, Vector
from dyn_ros.inputs.bad_input import REACTIONS
from dyn_ros.inputs.command_settings import (
    NOT_DECLARED,
    CommandedJoints,
    CommandSettings,
    at_overspeed,
    commanded_joints,
    contradiction,
    effort_settings,
    without_effort,
)
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.last_valid_state import DAMPING, LastValidState, SeenMotion
from dyn_ros.inputs.measured_effort import MeasuredEffort
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.messages.joint_message import CommandMessage
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.part import KernelPart
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Values
from dyn_ros.outputs.command_output import ACTIVE_TIME, CommandOutput
from dyn_ros.outputs.effort_agreement import EffortAgreement
from dyn_ros.outputs.felt_payload import FeltPayload
from dyn_ros.safety.beginning import Beginning, NotBegunError
from dyn_ros.safety.braking import within_room
from dyn_ros.safety.command_subscriber import EFFORT, Subscriber, compensates_gravity
from dyn_ros.safety.effort_policy import FOLLOWING, ORDERS, EffortPolicy, Event, Phase, Trust
from dyn_ros.safety.overspeed import MISPLACED, NO_VELOCITIES, OVERSPEED_TIME, Echo, VelocityGuard

COMPENSATES = "hardware_compensates_gravity"  # in diagnostics


class EffortCommands(CommandOutput, KernelPart):
    """~/commands out: in the controller's order, ramped, limited, with a shutdown command.

    Nothing is sent before the first good sample of an activation, nor before it is known who takes
    the commands, who adds gravity and what the motors give. While commands are sent neither their
    joints nor the order change.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/commands": "efforts for a forward_command_controller, in its order of joints",
        "commands": "active, off, waiting, holding, damping or ramp to zero",
        ACTIVE_TIME: "s since commands began, or off",
        COMPENSATES: "true or false, as declared or reported; or not declared",
        "commands_over_effort_limit": "clamped, since the last report",
        "largest_effort_difference": "N m or N, between the last command and measured efforts",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (CommandedJoints, CommandSettings, MeasuredEffort)

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that calls `publish`."""
        super().__init__(node)
        self.against_gravity = False  # the only purpose: nothing is left to do if hardware does it
        self._reader: JointStateReader
        self._last = LastValidState()
        self._stream = EffortPolicy([])
        self._compensates: bool | None = None
        self._vouched = False  # whether a subscriber itself says that
        self._stopped = inf  # s, when the shutdown command began
        self._over_limit = 0  # commands since the last diagnostics
        self._excess = ""

    impossible = staticmethod(contradiction)

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return what damping needs."""
        return (DAMPING,)

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if a command joint is not in the model, has no effort or is too fast."""
        CommandMessage(model.dof_names, commanded_joints(model, values))
        busy = self._stream.begun or self.busy
        joints = self._message.joint_names if busy else values[CommandedJoints].command_joints
        fault = without_effort(model, [x for x in joints if x in model.dof_names], values)
        if fault := fault or (at_overspeed(self._guard, model, values) if busy else ""):
            raise ValueError(fault)

    def install(self, model: dyn_core.Model) -> None:
        """Command the joints of a model; while active they stay, and the efforts ramp."""
        self._model = model
        self._last.install(model)
        joints = self._message.joint_names if self.node.active or self.busy else ()
        self._command(joints or tuple(commanded_joints(model, self.values)))

    def open(self) -> None:
        """Create publisher and timer."""
        self.connect(Float64MultiArray, "~/commands", EFFORT)
        self._agreement = self.node.part(EffortAgreement)
        self._agreement.standing = self._standing
        self._felt = self.node.part(FeltPayload)

    def start(self) -> None:
        """Begin anew with the first good sample; until then a shutdown command continues."""
        if not self._stream.ticking:
            self._stream.end()
            self._guard.forget()
        self._over_limit, self._stopped = 0, inf
        self._waits_for, self._compensates = None, None
        self._stream.trust = Trust.FULL
        self._changes_known = -1

    def changed(self) -> None:
        """Ramp to the command with the changed parameters."""
        self._stream.settings = effort_settings(self._limits, self.values)
        self._guard.scale = self.values[CommandSettings].velocity_scale or np.inf
        self.ramp()

    def ramp(self) -> None:
        """Ramp from the last command to the wanted efforts."""
        self._stream.ramp()

    @property
    def follows(self) -> bool:
        """Whether the efforts that were published last are followed: no holding, no damping."""
        return self._stream.phase is FOLLOWING

    @property
    def hardware_compensates(self) -> bool | None:
        """Whether the robot adds gravity itself; None: unknown."""
        return self._compensates

    def publish(self, effort: Vector, gravity: Vector) -> None:
        """Command efforts [nv] that contain `gravity` [nv], in the model's order.

        They are sent without it where the hardware adds it. Raises InputRefusedError if the motors
        of other joints get the commands, or a joint is at overspeed.
        """
        now = self.clock.now()
        self._last.gravity[:], self._last.q[:] = gravity, self.node.q
        overspeed = self._overspeed(now)
        known = self._subscribers  # looked at without a call, for every state comes here
        same = known.changes == self._changes_known and self._stream.begun
        same = same and known.publisher.get_subscription_count() == known.count
        if not (same or self._ready(now)):
            return
        self._refuse_motion(now, overspeed)
        wanted = self._message.select(effort - gravity if self._compensates else effort)
        if self._stream.phase is FOLLOWING and self._stream.speaks:
            self._send(self._stream.step(now, Event.FOLLOW, wanted=wanted))
        else:
            self._step(now, Event.FOLLOW, wanted)
        if self._stream.exceeded:
            self._over_limit += 1
            self._excess = self._stream.describe_excess()
            if not np.isfinite(wanted).all():
                raise InputRefusedError("result not finite", self._excess)
            self.node.warn_seldom("clamped", f"command clamped: {self._excess}")

    def sustain(self) -> None:
        """Let the time of damping count from the newest state on.

        Raises InputRefusedError if it cannot be, or a joint is at overspeed.
        """
        now, stream = self.clock.now(), self._stream
        if stream.begun and stream.speaks:
            self._refuse_motion(now, self._overspeed(now))
        if not stream.ticking:
            return
        gravity, *_ = self._last.at(self.node.q, self.node.surroundings)
        if not np.isfinite(gravity).all():
            raise InputRefusedError("result not finite", "gravity is not finite: check positions")
        self._step(now, Event.UNSETTLED)

    def _of_commands(self, known: Vector) -> Vector | None:
        """Return values [n] of the commands' joints, in their order; None: one of them is NaN."""
        values: Vector = known[self._places]
        return None if FALSE in np.isfinite(values).tobytes() else values

    def _overspeed(self, now: float) -> str:
        """Return which joint is too fast, in words; empty: none.

        By the newest positions, as damping: older ones would begin its measurement anew.
        """
        reader = self._reader.seen
        known = reader.known_velocity[self._places]
        some = None if np.isnan(known).all() else known
        stamp = reader.nanoseconds / NANOSECONDS
        self._guard.jumps = self._reader.jumps
        if self._reader.returned:
            self._guard.forget()
        text = self._guard.overspeed(some, reader.position[self._places], stamp, now)
        self._guard.has_velocities &= not np.isnan(known).any()
        return text

    def _refuse_motion(self, now: float, overspeed: str) -> None:
        """Raise InputRefusedError if commands are misplaced, else because a joint is too fast."""
        if misplaced := self._misplaced(now, 0.0 if overspeed else MISPLACED):
            raise InputRefusedError("commands misplaced", misplaced)
        if overspeed:
            self._stream.trust = Trust.NO_MODEL
            raise InputRefusedError("velocity over limit", overspeed)

    def _break_off(self) -> None:
        """Damp motors that still take commands: none keeps the last one for ever."""
        if not self._stream.ticking:
            takes = self._subscribers.take(self._message.joint_names)
            self._step(self.clock.now(), Event.DAMP if takes else Event.RELEASE)

    def _begin(self, taking: Sequence[Subscriber], now: float) -> None:
        value = self.values[CommandSettings].hardware_compensates_gravity
        declared = value if isinstance(value, bool) else None
        self._compensates = compensates_gravity(taking, declared)
        if self._compensates is None:
            raise NotBegunError(NOT_DECLARED)
        if self._compensates and self.against_gravity:
            raise NotBegunError("the robot compensates gravity itself", usual=True)
        joints = self._order_of(taking)
        if self._stream.begun and joints == self._message.joint_names:
            return
        overspeed = "" if self._stream.begun else self._guard.recent_overspeed(now)
        if fault := without_effort(self._model, joints, self.values) or overspeed:
            raise NotBegunError(fault)
        if joints != self._message.joint_names:
            self._command(joints)
        self._vouched = any(x.compensates is not None for x in taking)
        self._stream.begin(self._agreement.first_command(self._beginning()), now)

    def _standing(self) -> Beginning | None:
        if not (self._stream.begun and self._stream.speaks):
            return None
        known = self._beginning()
        return known if self._stream.phase is FOLLOWING else replace(known, resting=None)

    def _beginning(self) -> Beginning:
        return Beginning(
            self._message.joint_names,
            self._message.select(self._last.gravity).copy(),
            self._limits,
            self._reader.known_effort[self._places],
            self._stream.command if self._stream.sent > -inf else None,
            bool(self._compensates),
            self._vouched,
            self.values[MeasuredEffort].measured_effort,
            self.values[CommandSettings].start_effort,
            resting=self._guard.rests(self._of_commands(self._reader.known_velocity)),
        )

    def _misplaced(self, now: float, delay: float) -> str:
        """Return what shows for `delay` s that commands reach other joints; empty: nothing.

        Then only zero is sent. Refused states count too; some joints do, if the node ended itself.
        """
        measured, stream = self._reader.known_effort[self._places], self._stream
        meaning = self.node.values[MeasuredEffort].measured_effort
        if meaning == "other" or not stream.speaks:
            return ""
        if self._compensates and (meaning == "total" or (self._vouched and meaning == "unknown")):
            measured = measured - self._message.select(self._last.gravity)
        measured = np.where(np.isnan(measured), stream.command, measured)
        some = delay < MISPLACED and bool(self.node.ended_by)
        text = self._echo.misplaced(stream.command, measured, now, delay, some=some)
        if self._echo.suspected and self._guard.is_fast(self._reader.newest_velocity[self._places]):
            text = self._echo.misplaced(stream.command, measured, now, 0.0, some=True)
        if text:
            stream.trust = Trust.NO_ORDER
        return text

    def react(self, reaction: str) -> None:
        """React to an input that cannot be used, if commands have begun."""
        now, stream = self.clock.now(), self._stream
        if not (stream.begun and stream.speaks):
            return
        if self._left_alone():
            stream.end()
            return
        if stream.trust is not Trust.NO_ORDER and (text := self._misplaced(now, 0.0)):
            self.node.answer_bad_input(REACTIONS["commands misplaced"], text)
        elif reaction in ORDERS.values():
            self._step(now, Event(reaction))

    def stop(self) -> None:
        """Send the shutdown command."""
        self._stopped = self.clock.now()
        if self._stream.begun and self._left_alone():
            self._stream.end()
        elif self._stream.begun:
            self._misplaced(self._stopped, OVERSPEED_TIME)
            self._step(self._stopped, Event.STOP)

    def report(self, report: Report) -> None:
        """Say whether commands are sent and whether a joint is too weak."""
        words = {None: "not declared", True: "true", False: "false"}
        idle = self.against_gravity and self._compensates
        phase = Phase.WAITING if self.follows and self._waits_for else self._stream.phase
        report.values["commands"] = "off" if idle else phase.value
        report.values[COMPENSATES] = words[self._compensates]
        report.values["commands_over_effort_limit"] = self._over_limit
        report.values["largest_effort_difference"] = f"{self._echo.difference:.3g}"
        self._report_commands(report)
        if self._stream.begun and not self._guard.has_velocities:
            report.note(NO_VELOCITIES)
        if self._over_limit:
            report.warn(f"effort over limit: {self._excess}")
            self._over_limit = 0

    def _command(self, joints: tuple[str, ...]) -> None:
        """Send commands for these joints, in this order, from now on."""
        model = self._model
        self._message = CommandMessage(model.dof_names, joints)
        self._limits = self._message.select(np.asarray(model.effort_limit)).copy()
        self._rows = np.array([model.dof_names.index(x) for x in joints], dtype=np.intp)
        self._reader = reader = self.node.part(JointStateInput).reader
        self._places = np.array([reader.joint_names.index(x) for x in joints], dtype=np.intp)
        reader.watches_motors = True
        speed = self._message.select(np.asarray(model.velocity_limit)).copy()
        turning = [model.dof_names[i] for i in turning_joints(model)]
        self._guard = VelocityGuard(joints, speed, turning)
        self._seen = SeenMotion(self.node, reader, joints, self._guard)
        if joints != self._stream.joint_names:
            self._stream = EffortPolicy(joints)
        self._echo = Echo(joints, self._limits)
        self.changed()

    def _step(self, now: float, event: Event, wanted: Vector | None = None) -> None:
        """Send what is due because of an event, by the newest positions and velocities."""
        stream = self._stream
        if stream.begun:
            self._around = self._felt.around
            velocity, age = self._seen.to_damp(now)  # first, for joints have moved by it
            if velocity is None and event is Event.FOLLOW:  # positions show none yet
                measured = self._of_commands(self._reader.known_velocity)
                velocity = None if stream.speaks else measured
                event = Event.UNSETTLED if stream.damps(measured) else event
            positions = self.node.part(JointStateInput).positions
            moved: Vector | None = None
            speed: Vector = np.zeros(len(self._rows))
            blind = self._seen.late.any() and not self._compensates
            if positions is not None:
                moved, speed = self._seen.predicted(positions, now, self._accelerate)
                moved = moved if blind else self._seen.coasting(positions, now)
            whole = self._last.advance(self.node.state, moved, self._around)
            mass = whole[np.ix_(self._rows, self._rows)]
            gravity = self._last.gravity[self._rows]
            if blind and event is Event.STOP:  # the shutdown command may hold gravity alone
                velocity = speed
            elif blind and stream.trust is Trust.FULL:
                # joints without states are braked by the velocity that the model predicts
                braking = -mass @ speed / stream.settings.damping_time
                gravity += within_room(braking, gravity, stream.settings.limit)
                velocity = None
            known = {
                "velocity": velocity,
                "age": age,
                "gravity": 0.0 * gravity if self._compensates else gravity,
                "mass": mass,
            }
            self._send(stream.step(now, event, wanted=wanted, **known))
        if stream.ticking:
            self._start_timer()

    def _accelerate(self, position: Vector, speed: Vector) -> Vector:
        motion = self._rows, speed, self._stream.command
        return self._last.accelerated(self.node.state, position, motion, self._around)

    def _tick(self) -> None:
        now = self.clock.now()
        rivals = self._subscribers.competing.active(now).values()
        if any(began > self._stopped for began in rivals) or self._left_alone():
            self._stream.end()
        if not self._stream.ticking:
            self._timer.cancel()  # not with the last command: it takes its time to leave
            return
        self._watch_sending(now)
        self._step(now, Event.TICK)

    def _watch_sending(self, now: float) -> None:
        """Distrust the order of joints if commands are misplaced, the model at overspeed."""
        if self._seen.velocity(now) is None:
            return
        delay = OVERSPEED_TIME if self._stream.trust is Trust.FULL else 0.0
        if misplaced := self._misplaced(now, delay):
            self.node.get_logger().error(f"zero effort is sent: {misplaced}")
        elif self._overspeed(now) and self._stream.trust is Trust.FULL:
            self._stream.trust = Trust.NO_MODEL

    def _send(self, command: Vector | None) -> None:
        changed = self._subscribers.changes != self._changes_known
        if command is not None and not (changed and self._awaits_successor and command.any()):
            self._give_out(self._message.fill(command))
            self._stream.sent = self.clock.now()
