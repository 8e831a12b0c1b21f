# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parameters as `ros2 param` sees them: dump, describe, set."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ament_index_python.packages import get_package_share_directory
from bench import StateBench
from called import Called
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters
from rclpy.parameter import Parameter
from ros_helpers import Ros, arm, until
from std_msgs.msg import Float64MultiArray

from dyn_ros.arguments import misspelt
from dyn_ros.inputs import bad_input, joint_state_settings
from dyn_ros.inputs.command_settings import CommandedJoints
from dyn_ros.node import earlier_parameters as earlier
from dyn_ros.registry import NODES, node_class


@pytest.fixture(params=NODES)
def node(called: Called, request: pytest.FixtureRequest) -> Any:
    return called.create(node_class(request.param))


def test_every_parameter_has_a_value_of_its_type_and_is_described(
    called: Called, node: Any
) -> None:
    """`ros2 param dump` prints nothing at all if a single one has none."""
    name, settings = node.get_name(), {x.name: x for x in node.all_settings()}
    names = list(called.call(ListParameters, f"{name}/list_parameters").result.names)
    assert settings.keys() <= set(names)
    values = called.call(GetParameters, f"{name}/get_parameters", names=names).values
    described = called.call(DescribeParameters, f"{name}/describe_parameters", names=names)
    for own, value, found in zip(names, values, described.descriptors, strict=True):
        assert ParameterType.PARAMETER_NOT_SET != value.type == found.type
        if setting := settings.get(own):
            assert len(found.description) > 20
            ranges = [*found.floating_point_range, *found.integer_range]
            assert bool(ranges) == bool(setting.limits)
            assert bool(found.additional_constraints) == bool(setting.choices)


def test_an_empty_text_is_an_empty_list(called: Called) -> None:
    """[""] is how YAML says it where [] is not allowed."""
    node = called.create(node_class("gravity_compensation"), command_joints=[""])
    assert node.values[CommandedJoints].command_joints == []


def test_unknown_parameters_are_reported_unless_another_node_has_them(
    ros: Ros, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sections for all nodes have parameters of other nodes; a node's own section has not."""
    path = tmp_path / "params.yaml"
    path.write_text(
        "/**: {ros__parameters: {natural_frequency: 3.0}}\n"
        "/gravity_compensation: {ros__parameters: {limits: {acceleration: 2.0}}}\n"
    )
    monkeypatch.setattr(sys, "argv", ["node", "--ros-args", "--params-file", str(path)])
    given = {"ramp.duratoin": 0.1, "natural_frequency": 3.0, "foo": 1}
    given |= {"joint_state_timeout": 60.0, "limits.acceleration": 2.0}
    outputs = {"commands": Float64MultiArray}
    kind = node_class("gravity_compensation")
    bench = StateBench(ros, kind, outputs, robot_description=arm(), **given)
    until(lambda: bench.node.active)

    def unknown() -> list[str]:
        return [x for x in bench.logged() if "which this node does not have" in x]

    until(lambda: len(unknown()) > 2)
    names = unknown()
    text = "parameter {} is given, which this node does not have"
    assert names == [
        f"{text.format('foo')}, nor any other of this package: remove it",
        f"{text.format('limits.acceleration')}, but another of this package: move it to that "
        "node's section",
        f"{text.format('ramp.duratoin')}: is ramp.duration meant?",
    ]


def test_no_parameter_of_one_node_is_taken_for_a_misspelt_one_of_another() -> None:
    """They may stand in a section for all nodes."""
    share = Path(get_package_share_directory("dyn_ros"), "config", "dynamics.yaml")
    sections = yaml.safe_load(share.read_text())
    names = [set(section["ros__parameters"]) for section in sections.values()]
    common, every = names[0], set().union(*names)
    taken = {x for own in names for x in misspelt(every - own - common, own | common)}
    assert not taken


EXTREMES = (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324)


def test_no_parameter_takes_what_is_no_number(node: Any) -> None:
    """What is refused has a reason that names it; what is taken leaves the node configurable."""
    for setting in node.all_settings():
        numbers = setting.type in (Parameter.Type.DOUBLE, Parameter.Type.DOUBLE_ARRAY)
        for value in EXTREMES if numbers else ():
            array = setting.type == Parameter.Type.DOUBLE_ARRAY
            wanted = Parameter(setting.name, value=[value] * 6 if array else value)
            (result,) = node.set_parameters([wanted])
            assert result.successful or setting.name in result.reason, (setting.name, value)
            assert math.isfinite(value) or not result.successful, (setting.name, value)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("gravity_compensation", "effort_limit_scale", "set limits.effort_scale, see docs"),
        ("gravity_compensation", "bad_input.stale", "set on_loss, see docs/parameters.md"),
        ("gravity_compensation", "bad_input.not_finite", "remove it: its value is fixed now"),
        ("computed_torque", "deadline", "remove it: its value is fixed now"),
        ("identification", "share", "set limits.motion_scale, see docs/parameters.md"),
        ("cop_filter", "period", "remove it: its value is fixed now"),
        ("forward_dynamics", "effort_source", "remove it: its value is fixed now"),
    ],
)
def test_a_parameter_of_an_earlier_version_is_an_error_with_its_remedy(
    called: Called, kind: str, name: str, words: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{name} ({words}")):
        called.create(node_class(kind), **{name: 1.0})


def test_parameters_of_other_packages_are_not_taken_for_earlier_ones(called: Called) -> None:
    called.create(node_class("gravity_compensation"), period=1.0, rate=1.0)


def test_no_parameter_is_an_earlier_one_and_each_that_is_named_exists() -> None:
    own = {name: {x.name for x in node_class(name).all_settings()} for name in NODES}
    every = set().union(*own.values())
    for name in NODES:
        assert not any(earlier.successor(parameter, name) for parameter in own[name])
    tables = (earlier.RENAMED, *earlier.RENAMED_OF_NODE.values())
    assert {name for table in tables for name in table.values()} <= every


def test_every_reaction_is_one_and_its_reason_occurs() -> None:
    sources = Path(bad_input.__file__).parents[1].rglob("*.py")
    text = "".join(x.read_text() for x in sources if x != Path(bad_input.__file__))
    for reason, reaction in bad_input.REACTIONS.items():
        assert reaction in joint_state_settings.CHOICES
        assert f'"{reason}"' in text
