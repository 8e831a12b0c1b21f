# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The layouts of RViz, PlotJuggler and Foxglove show topics that the nodes publish."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
import yaml
from called import Called
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from ros_helpers import UR5
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

import dyn_core
from dyn_ros.registry import node_class

CONFIG = UR5.parents[1]
RVIZ, PLOTJUGGLER, FOXGLOVE = (
    CONFIG / name for name in ("dynamics.rviz", "plotjuggler.xml", "foxglove.json")
)
PANEL_TITLES = ("foxglovePanelTitle", "lichtblickPanelTitle")  # as the two programs call them
SHOWN = ("robot_sim", "gravity_compensation", "external_torque", "centroidal")
JOINTS = dyn_core.Model.from_urdf(UR5).dof_names


@pytest.fixture
def topics(called: Called) -> dict[str, Any]:
    """The topics that the nodes publish for a UR5, with a wrench at tool0; kinds of messages."""
    more = {
        "robot_sim": {"floating_base": True, "contacts": ["tool0"]},
        "external_torque": {"wrench_frames": ["tool0"]},
    }
    for name in SHOWN:
        described = {"robot_description": UR5.read_text(), **more.get(name, {})}
        node = called.create(node_class(name), **described)
        node.trigger_configure()
        assert node.configured, node._fault
    return {x.topic_name: x.made for x in called.ends if x.kind == "publisher"}


def test_rviz(topics: dict[str, Any]) -> None:
    displays = yaml.safe_load(RVIZ.read_text())["Visualization Manager"]["Displays"]
    shown = {
        entry["Class"].removeprefix("rviz_default_plugins/"): topics[f"/{topic['Value']}"]
        for entry in displays
        if (topic := entry.get("Topic") or entry.get("Description Topic"))
    }
    assert shown == {
        "RobotModel": String,
        "MarkerArray": MarkerArray,
        "Wrench": WrenchStamped,
        "Odometry": Odometry,
    }


def test_plotjuggler(topics: dict[str, Any]) -> None:
    root = ET.parse(PLOTJUGGLER).getroot()
    names = [curve.get("name", "") for curve in root.iter("curve")]
    assert len(names) > 20
    for name in names:
        of_joint = re.fullmatch("/joint_states/(.+)/(position|velocity|effort)", name)
        assert of_joint[1] in JOINTS if of_joint else is_number(name, "/", topics), name
    for splitter in root.iter("DockSplitter"):
        sizes = splitter.get("sizes", "").split(";")
        assert int(splitter.get("count", "0")) == len(splitter) == len(sizes)
        assert splitter.get("orientation") in ("-", "|")


def test_foxglove(topics: dict[str, Any]) -> None:
    layout = json.loads(FOXGLOVE.read_text())
    panels = layout["configById"]
    assert sorted(leaves(layout["layout"])) == sorted(panels)
    for name, panel in panels.items():
        for path in panel.get("paths", ()):
            assert is_number(path["value"], ".", topics), path
            assert path["timestampMethod"] in ("headerStamp", "receiveTime")
        titles = {key: panel.get(key) for key in PANEL_TITLES}
        assert all(titles.values()) or not name.startswith("Plot!"), titles
        assert set(panel.get("topics", ())) <= topics.keys()
        assert panel.get("topicToRender", "/diagnostics") in topics


def leaves(layout: Any) -> list[str]:
    """Return the panels of a Foxglove layout."""
    if isinstance(layout, str):
        return [layout]
    return [*leaves(layout["first"]), *leaves(layout["second"])]


def is_number(path: str, separator: str, topics: dict[str, Any]) -> bool:
    """Return whether a path such as /topic.field[3] or /topic/field[3] leads to a number."""
    topic = next((name for name in topics if path.startswith(name + separator)), None)
    if topic is None:
        return False
    kind = topics[topic].get_fields_and_field_types()
    field, _, index = path.removeprefix(topic + separator).rstrip("]").partition("[")
    wanted = "sequence<double>" if index else "double"
    return kind.get(field) == wanted and int(index or 0) < len(JOINTS)
