# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A description becomes something to compute with, or is refused with a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ros_helpers import UR5, arm

from dyn_core.identification.urdf_writer import write_urdf
from dyn_ros.inputs.robot_state import RobotState
from dyn_ros.kernels.robot import load_model, notes_on, refuse_free_joints
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node.description import Reading, reading
from dyn_ros.node.settings import Values
from dyn_ros.nodes.state_node import StateKernel
from dyn_ros.process.model_process import answer
from dyn_ros.registry import NODES, node_class


class Gravity:
    """Efforts of gravity by positions of joints, as the nodes compute them."""

    def __init__(self, description: str) -> None:
        self.model = load_model(description)
        self._kernel = StateKernel(self.model, ("gravity",))
        self._surroundings = Surroundings(self.model)

    def __call__(self, position: np.ndarray) -> np.ndarray:
        state = RobotState(self.model)
        state.position[:] = position
        self._kernel.locate(state, self._surroundings)
        self._kernel.update(state.velocity, self._surroundings)
        return self._kernel.results["gravity"]


def test_positions_of_a_continuous_joint() -> None:
    """Its configuration is (cos, sin), but JointState still carries the angle."""
    continuous, revolute = Gravity(arm(type="continuous")), Gravity(arm())
    assert continuous.model.nq == 3
    position = np.array([0.3, 2.5])
    expected = pytest.approx(revolute(position))
    assert continuous(position) == expected
    assert continuous(position + np.array([0, 20 * np.pi])) == expected


def test_nodes_share_the_model_but_not_the_buffers() -> None:
    text = UR5.read_text()
    one, other = Gravity(text), Gravity(text)
    assert one.model is other.model
    assert one(np.zeros(6)) is not other(np.zeros(6))


def test_joints_of_several_degrees_of_freedom_are_refused_where_each_has_one_number() -> None:
    with pytest.raises(ValueError, match="joint 'second' has 6 degrees of freedom"):
        refuse_free_joints(load_model(arm(type="floating")))


VENDORS = (
    arm()
    .replace('name="arm"', 'name="vendors arm"')
    .replace("</joint>", '<gizmo size="3"/></joint>')
    .replace("<limit ", '<limit gap="1" ')
)


def test_names_in_the_parameter_ignore_are_ignored_with_notes() -> None:
    """The refusal lists all of them as one writes the parameter."""
    with pytest.raises(ValueError, match=r"nodes: parameter ignore: \[gap, gizmo\]"):
        load_model(VENDORS)
    values = Values({"ignore": ["gizmo", "gap"]})
    model = load_model(VENDORS, *reading(values, False))
    assert model.fingerprint == load_model(arm(name="vendors arm")).fingerprint
    assert len(notes_on(model)) == 2
    assert load_model(VENDORS, *reading(values, True)).fingerprint == model.fingerprint
    with pytest.raises(ValueError, match="gap"):
        load_model(VENDORS, *reading(Values({"ignore": ["gizmo"]}), True))


def test_a_robot_with_springs_is_refused_or_used_without_them() -> None:
    """The nodes compensate gravity alone; a spring of stiffness 0 is none."""
    name, losses = 'name="springy"', '<dynamics spring_stiffness="5" spring_reference="1"/></joint>'
    springy = arm().replace('name="arm"', name).replace("</joint>", losses, 1)
    for massless in (False, True):
        with pytest.raises(ValueError, match=r"joint 'first' has a spring of 5 N m.*spring_stiff"):
            load_model(springy, massless)
    model = load_model(springy, ignore=("spring_stiffness",))
    assert notes_on(model) == ("URDF: joint 'first': its spring_stiffness is ignored",)
    plain = load_model(arm(name="springy"))
    assert model.fingerprint == plain.fingerprint
    without = springy.replace('stiffness="5"', 'stiffness="0"')
    assert load_model(without).fingerprint == plain.fingerprint


def test_the_other_process_ignores_the_same_names() -> None:
    usable, why = answer(VENDORS, (), *reading(Values({}), False))
    assert not usable
    assert "gizmo" in why
    usable, (_, notes) = answer(VENDORS, (), *reading(Values({"ignore": ["gizmo", "gap"]}), False))
    assert usable
    assert len(notes) == 2


@pytest.mark.parametrize("name", NODES)
def test_every_node_that_reads_a_description_takes_ignore(name: str) -> None:
    assert Reading.settings()["ignore"] in node_class(name).all_settings()


def test_the_written_urdf_ignores_too(tmp_path: Path) -> None:
    model = load_model(VENDORS, ignore=("gizmo", "gap"))
    write_urdf(model, VENDORS, tmp_path / "new.urdf", ("gizmo", "gap"))
    assert "gizmo" in (tmp_path / "new.urdf").read_text()
