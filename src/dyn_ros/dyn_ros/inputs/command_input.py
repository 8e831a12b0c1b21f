# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts commanded by another node, read from its topic."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import Float64MultiArray

import dyn_core
from dyn_ros.inputs.command_settings import CommandedJoints, commanded_joints
from dyn_ros.messages.checked_vector import finite_vector
from dyn_ros.messages.joint_message import CommandMessage
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.part import Host, Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Values, parameter


@dataclass(frozen=True)
class EffortSource(Group):
    """Where efforts come from."""

    effort_source: str = parameter(
        "measured",
        "measured: efforts in joint_states; commanded: efforts on ~/commands, zero for other "
        "joints",
        choices=("measured", "commanded"),
    )
    command_timeout: float = parameter(
        0.1,
        "s without a command after which commanded efforts are unknown",
        limits=(0.001, 60.0),
        live=True,
    )


class CommandInput(Part):
    """~/commands in, as a forward_command_controller takes them; remap it to where they go."""

    ABOUT: ClassVar[dict[str, str]] = {
        "~/commands": "efforts that a controller receives, in its order of joints",
        "commands_refused": "messages that were refused",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (
        EffortSource,
        CommandedJoints,
    )

    def __init__(self, node: Host) -> None:
        """Belong to a node that asks for `effort`."""
        super().__init__(node)
        self._refused = 0

    def install(self, model: dyn_core.Model) -> None:
        """Read commands for the joints of a model."""
        self._names = commanded_joints(model, self.values)
        self._indices = [model.dof_names.index(name) for name in self._names]
        self._effort = np.zeros(model.nv)
        self._last = -np.inf

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if a command joint is not in the model."""
        CommandMessage(model.dof_names, commanded_joints(model, values))

    def open(self) -> None:
        """Subscribe if commands are asked for."""
        if self.commanded:
            self.opened.subscription(Float64MultiArray, "~/commands", self._receive)

    def start(self) -> None:
        """Know of no command yet."""
        self._last = -np.inf
        self._refused = 0

    @property
    def commanded(self) -> bool:
        """Whether the node computes with commanded efforts."""
        return bool(self.values[EffortSource].effort_source == "commanded")

    @property
    def effort(self) -> NDArray[np.float64]:
        """The last command in the model's order. Raises InputRefusedError if it is too old."""
        timeout = self.values[EffortSource].command_timeout
        if self.clock.now() - self._last > timeout:
            topic = self.node.resolve_topic_name("~/commands")
            raise InputRefusedError(
                "command absent",
                f"no command on {topic} for {timeout:g} s: remap ~/commands to where efforts are "
                "sent to, or set effort_source to measured",
            )
        return self._effort

    def report(self, report: Report) -> None:
        """Report whether commands could be used."""
        if self.commanded:
            report.values["commands_refused"] = self._refused

    def _receive(self, message: Float64MultiArray) -> None:
        try:
            self._effort[self._indices] = finite_vector("data", self._names, message.data)
        except InputRefusedError as refusal:
            self._refused += 1
            self.node.warn_seldom("command", f"command refused: {refusal}")
            return
        self._last = self.clock.now()
