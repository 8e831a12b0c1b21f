# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The contracts of what a node is made of: what opens and closes, what enters a kernel.

And the node as its parts see it: `Host`.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import dyn_core
from dyn_ros.arrays import Vector
from dyn_ros.clock import Clock
from dyn_ros.kernels.robot import KernelRequest, Quantities
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node.interfaces import Interfaces
from dyn_ros.node.report import Report
from dyn_ros.node.safe_lifecycle import SafeLifecycleNode
from dyn_ros.node.settings import Group, Values
from dyn_ros.node.shared_topics import PERIOD, SharedTopics

MIN_PERIOD_SHARE = 0.9  # of the period of supervision, for ticks may come a little early


class Part:
    """Something that a node opens, starts, watches, stops and closes with all its other parts.

    A part reads its parameters from `node.values`, where changes made while running appear too.
    """

    SETTINGS: ClassVar[tuple[type[Group], ...]] = ()  # parameters that the part needs
    ABOUT: ClassVar[dict[str, str]] = {}  # meaning of topics, services and diagnostics keys

    def __init__(self, node: "Host") -> None:
        """Belong to a node; nothing is created yet."""
        self.node = node
        self.opened = Interfaces(node)

    @property
    def values(self) -> Values:
        """The values of the node's parameters."""
        return self.node.values

    @cached_property
    def clock(self) -> Clock:
        """The clock of the node, by which time-outs go."""
        return self.node.clock

    @property
    def busy(self) -> bool:
        """Whether something goes on after `stop` that the end of the process has to wait for."""
        return False

    @staticmethod
    def impossible(values: Values) -> str:
        """Return why parameter values do not fit each other, empty if they do."""
        return ""

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError, worded, if the part cannot work for a model. Runs in any thread."""

    def disagreement(self, model: dyn_core.Model, values: Values) -> str:
        """Return why the robot, as it stands now, contradicts a model or parameter values.

        Empty if it does not. Called between two callbacks, before a change while configured.
        """
        return ""

    def install(self, model: dyn_core.Model) -> None:
        """Work for a model from now on; must be quick."""

    def open(self) -> None:
        """Create in `opened` publishers, subscriptions, services (configure)."""

    def start(self) -> None:
        """Begin to work, with all counts at zero (activate)."""

    def stop(self) -> None:
        """End work; publishers can still publish (deactivate)."""

    def close(self) -> None:
        """Destroy what `open` created (cleanup); also after an `open` that failed."""
        self.opened.close()

    def watch(self) -> None:
        """Look after time-outs; called again and again while active."""

    def send_due(self) -> None:
        """Do what is due without a joint state, also after `stop`; called again and again."""

    def changed(self) -> None:
        """Take note of changed parameters, unless they are `local` ones of other parts.

        Called while configured.
        """

    def react(self, reaction: str) -> None:
        """React to an input that cannot be used: skip, hold, damp, zero or deactivate."""

    def sustain(self) -> None:
        """Hold the robot by a good state that gives no output: states are back, but not settled."""

    def ramp(self) -> None:
        """Ramp outputs: an input has changed abruptly."""

    def rewind(self) -> None:
        """Forget times: stamps of joint states went back, as after a restarted simulation."""

    def report(self, report: Report) -> None:
        """Add to the diagnostics while configured."""


class KernelPart:
    """What enters a node's kernels: inputs, and the quantities that are computed of them.

    A part that has to do with them is one of these too. For every sample `inputs` is called if
    the class defines it, and `refuse_absence` if something may be absent.
    """

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the kernels to compile before `install`, with parameter `values`."""
        return ()

    @classmethod
    def quantities(cls, values: Values) -> Quantities:
        """Return the part's quantities in the node's kernel, with parameter `values`."""
        return ()

    def inputs(self) -> Sequence[Vector]:
        """Return the arrays that these quantities take beside configuration and velocity.

        Raises InputRefusedError if there are none for the state at hand.
        """
        return ()

    @property
    def may_be_absent(self) -> bool:
        """Whether `refuse_absence` has to be asked, with the parameters as of configure."""
        return False

    def refuse_absence(self) -> None:
        """Raise InputRefusedError if something is missing that a sample needs beside itself."""


P = TypeVar("P", bound=Part)


class Host(SafeLifecycleNode):
    """A node as its parts see it, beside what rclpy gives every node."""

    model: dyn_core.Model | None = None
    surroundings: Surroundings  # of the model
    robot_name = ""
    values: Values  # of the parameters, as of the last configure; live ones as they are
    configured = active = False
    ended_by = ""  # why it is not active any more
    parts: Sequence[Part] = ()  # inputs before outputs
    supervision: SharedTopics  # by the thread that spins the node
    topics: SharedTopics  # maybe by another one
    next_look = 0.0  # s, monotonic, when `look_after` has to be called next

    def part(self, kind: type[P]) -> P:
        """Return the part of a kind. Raises LookupError if the node has none."""
        found = self._parts_by_kind.get(kind)
        if found is None:
            found = next((part for part in self.parts if isinstance(part, kind)), None)
            if found is None:
                raise LookupError(f"there is no {kind.__name__} among the parts of the node")
            self._parts_by_kind[kind] = found
        return found

    @cached_property
    def _parts_by_kind(self) -> dict[type[Part], Any]:
        """Those found, for they are asked for in every sample."""
        return {}

    @property
    def busy(self) -> bool:
        """Whether a last ramp goes on that the end of the process has to wait for."""
        return any(part.busy for part in self.parts)

    def create_service(
        self, srv_type: Any, srv_name: str, callback: Callable[[Any, Any], Any], **options: Any
    ) -> Any:
        """Create a service, as rclpy does those of parameters too.

        After each request comes first what must not wait for the next: see SharedTopics.
        """

        def answer(request: Any, response: Any) -> Any:
            response = callback(request, response)
            self.supervision.catch_up()
            return response

        return super().create_service(srv_type, srv_name, answer, **options)

    def ramp(self) -> None:
        """Ramp the outputs."""
        for part in self.parts:
            part.ramp()

    def answer_bad_input(self, reaction: str, why: str) -> None:
        """React to an input that cannot be used, for a reason in words."""
        if reaction == "deactivate" and self.active:
            self.ended_by = f"deactivated itself: {why}"
            self.get_logger().error(self.ended_by)
            self.trigger_deactivate()
        for part in self.parts:
            part.react(reaction)

    def look_after(self) -> None:
        """Look after time-outs; timers call it, and who has answered a joint state, once it is due.

        The next one does not have to wait for that then, and it is done where timers starve.
        """
        if self.active:
            self.next_look = self.clock.now() + MIN_PERIOD_SHARE * PERIOD
            for part in self.parts:
                part.watch()
            self.watch()

    def watch(self) -> None:
        """Look after time-outs, as a Part does."""
