"""Parameters as `ros2 param` sees them: dump, describe, set."""

from __future__ import annotations

from typing import Any

import pytest
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters
from ros_helpers import Ros

from dyn_ros.registry import NODES, node_class


@pytest.fixture(params=NODES)
def node(ros: Ros, request: pytest.FixtureRequest) -> Any:
    node = ros.create(node_class(request.param))
    ros.start()
    return node


def test_every_parameter_has_a_value_of_its_type(ros: Ros, node: Any) -> None:
    """`ros2 param dump` prints nothing at all if a single one has none."""
    name = node.get_name()
    names = list(ros.call(ListParameters, f"{name}/list_parameters").result.names)
    assert {setting.name for setting in node.all_settings()} <= set(names)
    values = ros.call(GetParameters, f"{name}/get_parameters", names=names).values
    assert len(values) == len(names)
    assert ParameterType.PARAMETER_NOT_SET not in [value.type for value in values]
    described = ros.call(DescribeParameters, f"{name}/describe_parameters", names=names)
    assert [d.type for d in described.descriptors] == [value.type for value in values]


def test_every_parameter_is_described(ros: Ros, node: Any) -> None:
    names = [setting.name for setting in node.all_settings()]
    described = ros.call(DescribeParameters, f"{node.get_name()}/describe_parameters", names=names)
    for descriptor, setting in zip(described.descriptors, node.all_settings(), strict=True):
        assert len(descriptor.description) > 20
        ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
        assert bool(ranges) == bool(setting.limits)
        assert bool(descriptor.additional_constraints) == bool(setting.choices)


def test_an_empty_text_is_an_empty_list(ros: Ros) -> None:
    """[""] is how YAML says it where [] is not allowed."""
    node = ros.create(node_class("gravity_compensation"), command_joints=[""])
    assert node.values["command_joints"] == []
