"""What RViz, PlotJuggler and Foxglove are told to show is what the nodes publish."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import dyn_msgs.msg
import pytest
import yaml
from ros_helpers import UR5, Ros
from sensor_msgs.msg import JointState

import dyn_core
from dyn_ros.registry import node_class

CONFIG = UR5.parents[1]
RVIZ, PLOTJUGGLER, FOXGLOVE = (
    CONFIG / name for name in ("dynamics.rviz", "plotjuggler.xml", "foxglove.json")
)
SHOWN = ("robot_sim", "gravity_compensation", "external_torque", "centroidal")
JOINTS = dyn_core.Model.from_urdf(UR5).dof_names


@pytest.fixture(scope="module")
def topics() -> Iterator[set[str]]:
    """The topics that the nodes publish for a UR5, with a wrench at tool0."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        ros = Ros()
    for name in SHOWN:
        frames = {"wrench_frames": ["tool0"]} if name == "external_torque" else {}
        urdf = UR5.read_text()
        floating = {"floating_base": True, "contact_frames": ["tool0"]}
        extra = floating if name == "robot_sim" else frames
        node = ros.create(node_class(name), robot_description=urdf, **extra)
        node.trigger_configure()
        assert node.configured, node._fault
    published = {publisher.topic_name for node in ros._nodes for publisher in node.publishers}
    yield published
    ros.close()


def refuse_unknown(value: str, topics: set[str]) -> None:
    """Fail unless a path such as /topic.field[3] or /topic/field[3] begins with a topic."""
    assert any(re.match(re.escape(topic) + "($|[./])", value) for topic in topics), value


def test_rviz(topics: set[str]) -> None:
    displays = yaml.safe_load(RVIZ.read_text())["Visualization Manager"]["Displays"]
    shown = [
        f"/{entry['Topic' if 'Topic' in entry else 'Description Topic']['Value']}"
        for entry in displays
        if "Topic" in entry or "Description Topic" in entry
    ]
    assert len(shown) >= 3
    assert set(shown) <= topics


def test_plotjuggler(topics: set[str]) -> None:
    root = ET.parse(PLOTJUGGLER).getroot()
    names = [curve.get("name", "") for curve in root.iter("curve")]
    assert len(names) > 20
    for name in names:
        refuse_unknown(name, topics)
        assert has_field(name)
    for splitter in root.iter("DockSplitter"):
        assert int(splitter.get("count", "0")) == len(splitter)


def test_foxglove(topics: set[str]) -> None:
    layout = json.loads(FOXGLOVE.read_text())
    panels = layout["configById"]
    assert sorted(leaves(layout["layout"])) == sorted(panels)
    for panel in panels.values():
        paths = [path["value"] for path in panel.get("paths", ())]
        for path in [*paths, *panel.get("topics", ())]:
            refuse_unknown(path, topics)
        for path in paths:
            assert has_field(path)
        if "topicToRender" in panel:
            assert panel["topicToRender"] in topics


def leaves(layout: Any) -> list[str]:
    """Return the panels of a Foxglove layout."""
    if isinstance(layout, str):
        return [layout]
    return [*leaves(layout["first"]), *leaves(layout["second"])]


def has_field(path: str) -> bool:
    """Return whether a message that we know has the field, and the UR5 the joint."""
    parts = re.sub(r"\[(\d+)\]$", "", path).replace(".", "/").split("/")
    index = re.search(r"\[(\d+)\]$", path)
    if index and int(index[1]) >= len(JOINTS):
        return False
    if parts[1] == "joint_states":
        of_joint = len(parts) < 4 or parts[2] in JOINTS
        return of_joint and parts[-1] in JointState.get_fields_and_field_types()
    kinds = (dyn_msgs.msg.JointEfforts, dyn_msgs.msg.ExternalEfforts, dyn_msgs.msg.Centroidal)
    return any(parts[-1] in kind.get_fields_and_field_types() for kind in kinds)
