# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What happens in the demo, step by step; each step says what it does and what it measured."""

from collections.abc import Callable
from itertools import accumulate
from math import inf, isfinite
from typing import NamedTuple

import numpy as np
from dyn_msgs.msg import Payload
from geometry_msgs.msg import Inertia, Vector3
from trajectory_msgs.msg import JointTrajectory

import dyn_core
from dyn_ros.clock import CLOCK
from dyn_ros.demo.arm import TOOL, arm_description
from dyn_ros.demo.motion import DURATION, SwingMotion
from dyn_ros.demo.watcher import HOLDER, ArmState, Watcher, in_words
from dyn_ros.messages.stamp import NANOSECONDS, nanoseconds
from dyn_ros.operator import Operator, Steps
from dyn_ros.safety.beginning import OVERRIDE

FOLLOWER, OBSERVER = "computed_torque", "external_torque"
MASS = 3.0  # kg
WEIGHT = Payload(
    name="weight",
    frame_id=TOOL,
    inertia=Inertia(m=MASS, com=Vector3(z=0.05), ixx=0.005, iyy=0.005, izz=0.005),
)
MAX_SAG_RAD = 0.05  # rad of sag, at which the demo sets the payload in the node
FORCE = (0.0, 0.0, 20.0)  # N, in the tool's axes
LEAD_NS = NANOSECONDS // 5  # ns from sending a trajectory to its start
REST = 0.01  # rad/s
MIN_PACE = 0.95  # real-time factor below which tracking errors are not comparable
SHORT_PHASE_S, LONG_PHASE_S = 1.5, 8.0  # s


class Script:
    """Steps as iterators of pauses; `say` shows a line, `results` are for the end."""

    def __init__(self, watcher: Watcher, operator: Operator, say: Callable[[str], None]) -> None:
        """Watch through `watcher` and act through `operator`."""
        self._watcher, self._operator, self._say = watcher, operator, say
        self._motions = watcher.node.create_publisher(
            JointTrajectory, f"{FOLLOWER}/joint_trajectory", 10
        )
        self.results: list[str] = []
        self._model = dyn_core.Model.from_urdf(arm_description())
        self._jacobian = dyn_core.compile(self._model, [dyn_core.frame_jacobian.request(TOOL)])

    def run(self, seconds: float, stays: bool = False) -> Steps:
        """Bring the nodes up, then do all steps that fit into `seconds`.

        The first one lasts as long as the others leave. With `stays` the arm is held for ever then.
        """
        self._say("starting; the first start compiles the dynamics of the arm, about half a minute")
        while not self._watcher.state.joints.position:
            yield
        for name in (HOLDER, OBSERVER, FOLLOWER):
            yield from self._operator.configure(name)
        yield from self._operator.set(FOLLOWER, "ramp.duration", 0.0)  # it takes over
        yield from self._operator.activate(HOLDER)
        while not self._watcher.seconds:
            yield
        ends = accumulate((step.seconds for step in STEPS), initial=SHORT_PHASE_S)
        chosen = [step for step, end in zip(STEPS, list(ends)[1:], strict=True) if end <= seconds]
        spare = seconds - sum(step.seconds for step in chosen)
        yield from self.hold(spare if isfinite(spare) else 2.0 * SHORT_PHASE_S)
        for step in chosen:
            yield from step.act(self)
        if stays:
            self._say("the arm is held again: pull it in the browser; Ctrl-C ends")
            yield from self._operator.reset()
            yield from self._operator.activate(HOLDER)
            yield from self._operator.activate(OBSERVER)
            yield from lasting(inf)

    def hold(self, seconds: float) -> Steps:
        """Hold the arm where it is."""
        self._say(f"{HOLDER} holds the arm by its efforts alone")
        yield from lasting(seconds)
        self._watcher.state.held = False
        moved = in_words(self._watcher.state.deviation)
        self._report(f"held for {seconds:.1f} s; largest {moved}{doubt(self._watcher.state)}")

    def carry(self) -> Steps:
        """Attach a payload; the arm sags until the node knows it."""
        self._say(f"{MASS:g} kg are attached to the tool; the node does not know them: it sags")
        sagged = self._watcher.deviation()
        yield from self._operator.attach("robot_sim", WEIGHT)
        yield from wait(lambda: sagged.largest > MAX_SAG_RAD, SHORT_PHASE_S)
        self._say(
            f"~/set_payload to {HOLDER}: compensated, without compilation; the node cannot check "
            f"it against an arm that moves, so {OVERRIDE} is set"
        )
        yield from self._operator.set(HOLDER, OVERRIDE, True)
        for name in (HOLDER, OBSERVER, FOLLOWER):
            yield from self._operator.attach(name, WEIGHT)
        yield from lasting(SHORT_PHASE_S)
        moved = self._watcher.deviation()
        yield from lasting(SHORT_PHASE_S)
        self._report(
            f"payload of {MASS:g} kg: sagged by {sagged.largest:.2f} rad until it was compensated, "
            f"then {in_words(moved.largest)} in {SHORT_PHASE_S:g} s{doubt(self._watcher.state)}"
        )

    def push(self) -> Steps:
        """Push the tool; compare external efforts with those of the force."""
        yield from self._operator.activate(OBSERVER)  # only now: each node takes processor time
        self._say(
            f"the tool is pushed with {FORCE[2]:g} N: {OBSERVER} estimates it without a sensor"
        )
        state, applied, estimated, joint = self._watcher.state, 0.0, 0.0, ""
        for _ in lasting(1.0):
            self._operator.push(TOOL, FORCE)
            yield
            efforts = self._efforts_of(FORCE)
            joint = max(efforts, key=lambda name: abs(efforts[name]))
            applied, estimated = efforts[joint], state.external.get(joint, 0.0)
        self._operator.push(TOOL, (0.0, 0.0, 0.0))
        yield from lasting(SHORT_PHASE_S)  # until the reports on this second have come
        self._report(
            f"pushed with {FORCE[2]:g} N at {TOOL}: {applied:.1f} N m at {joint}, estimated "
            f"{estimated:.1f} N m{doubt(self._watcher.state)}"
        )
        yield from self._operator.deactivate(OBSERVER)

    def follow(self) -> Steps:
        """Follow a fast motion without and with feed-forward."""
        yield from self._hand_over(HOLDER, FOLLOWER)
        errors, speed, pace, idle = [], 0.0, 1.0, ""
        for ahead, words in ((False, "without feed-forward"), (True, "with feed-forward")):
            self._say(f"{FOLLOWER} follows a fast motion {words}")
            yield from self._operator.set(FOLLOWER, "feed_forward", ahead)
            start = self._watcher.state.joints
            motion = SwingMotion(start.name, start.position)
            begin = nanoseconds(start.header.stamp) + LEAD_NS
            self._motions.publish(motion.message(start.name, begin))
            squares = []
            for _ in lasting(DURATION + 2.0 * LEAD_NS / NANOSECONDS):
                yield
                state = self._watcher.state
                now = nanoseconds(state.joints.header.stamp)
                wanted, rate, _ = motion.at((now - begin) / NANOSECONDS)
                squares.append(np.square(state.joints.position - wanted).max())
                speed = max(speed, float(np.abs(rate).max()))
                pace, idle = min(pace, state.pace), idle or doubt(state)
            errors.append(np.sqrt(np.mean(squares)))
        self._report(
            f"motion at up to {speed:.1f} rad/s: off by {errors[0]:.1e} rad (rms) without "
            f"feed-forward, by {errors[1]:.1e} rad with it{too_slow(pace)}{idle}"
        )
        yield from self._operator.set(HOLDER, "ramp.duration", 0.0)
        yield from self._hand_over(FOLLOWER, HOLDER)

    def rest(self) -> Steps:
        """Deactivate the node; friction stops the arm."""
        self._say(f"{HOLDER} is deactivated: its last command is zero, and friction ends the fall")
        yield from self._operator.set(HOLDER, "shutdown.command", "zero")
        moved = self._watcher.deviation()
        yield from self._operator.deactivate(HOLDER)
        began, state = CLOCK.now(), self._watcher.state
        yield from wait(lambda: moved.largest > MAX_SAG_RAD, SHORT_PHASE_S)
        yield from wait(lambda: max(map(abs, state.joints.velocity)) < REST, LONG_PHASE_S)
        fastest = max(map(abs, state.joints.velocity))
        came = "came to rest" if fastest < REST else f"still moves at {fastest:.2f} rad/s"
        self._report(f"deactivated: {came} after {CLOCK.now() - began:.1f} s")

    def _efforts_of(self, force: tuple[float, float, float]) -> dict[str, float]:
        """Return the efforts of a force at the tool on the joints now, N m."""
        joints = self._watcher.state.joints
        position = dict(zip(joints.name, joints.position, strict=True))
        names = self._model.dof_names
        jacobian = self._jacobian(np.array([position[name] for name in names]))
        return dict(zip(names, jacobian.T @ np.array([*force, 0.0, 0.0, 0.0]), strict=True))

    def _hand_over(self, old: str, new: str) -> Steps:
        """Let a node command the arm at rest in place of another, with both active in between."""
        yield from self._operator.activate(new)
        yield from self._operator.deactivate(old)
        yield from lasting(SHORT_PHASE_S)
        yield from wait(lambda: self._watcher.state.working == new, LONG_PHASE_S)

    def _report(self, result: str) -> None:
        self._say(f"  {result}")
        self.results.append(result)


class DemoStep(NamedTuple):
    """A step that may be left out, and how long it takes."""

    act: Callable[[Script], Steps]
    seconds: float


STEPS = (
    DemoStep(Script.carry, 4.5),
    DemoStep(Script.push, 2.5),
    DemoStep(Script.follow, 12.0),
    DemoStep(Script.rest, 9.0),
)


def lasting(seconds: float) -> Steps:
    """Yield until so much time has passed."""
    end = CLOCK.now() + seconds
    while CLOCK.now() < end:
        yield


def too_slow(pace: float) -> str:
    """Return a warning if the simulator ran at less than real time, else nothing."""
    if pace >= MIN_PACE:
        return ""
    return f" (not comparable: the simulator ran at {pace:.2f} of real time; close other programs)"


def doubt(state: ArmState) -> str:
    """Return a warning if no node commands the arm, else nothing."""
    return "" if state.working else " (not valid: no node commands the arm)"


def wait(condition: Callable[[], bool], seconds: float) -> Steps:
    """Wait for a condition, but not for ever."""
    for _ in lasting(seconds):
        if condition():
            return
        yield
