# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parameters by which a node that takes commands says for which joints, as controllers do."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

MEANINGS = {
    "joints": "joints of ~/commands, in their order",
    "interface_name": "what ~/commands are",
    "hardware_compensates_gravity": "whether this robot adds gravity efforts itself",
}


def say_joints(node: Node, joints: Sequence[str], opened: ExitStack) -> None:
    """Declare the parameters of a robot that takes efforts and adds nothing, until `opened` closes.

    They cannot be set, because the description determines them.
    """
    values: dict[str, Any] = dict(zip(MEANINGS, (list(joints), "effort", False), strict=True))

    def check(parameters: list[Parameter]) -> SetParametersResult:
        wrong = [x.name for x in parameters if x.name in values and x.value != values[x.name]]
        reason = f"{', '.join(wrong)} cannot be set: the description determines the value"
        return SetParametersResult(successful=not wrong, reason=reason if wrong else "")

    for name, value in values.items():
        descriptor = ParameterDescriptor(description=f"{MEANINGS[name]} (cannot be set)")
        node.declare_parameter(name, value, descriptor, ignore_override=True)
        opened.callback(node.undeclare_parameter, name)
    node.add_on_set_parameters_callback(check)
    opened.callback(node.remove_on_set_parameters_callback, check)
