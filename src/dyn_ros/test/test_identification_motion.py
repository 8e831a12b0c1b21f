# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motions that identification plans, how they stop, and what is written."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ros_helpers import arm
from trajectory_controller import Controller
from trajectory_msgs.msg import JointTrajectory

from dyn_core import Model
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Excitation,
    Parameters,
    Recording,
    excitation,
    self_collision,
)
from dyn_ros.messages.joint_trajectory import points_of, stop_messages
from dyn_ros.node.settings import Values
from dyn_ros.nodes.identification import identified, planned
from dyn_ros.safety.motion_policy import Stop
from dyn_ros.tracking import motion

PLAN: dict[str, Any] = {"duration": 3.0, "limits.motion_scale": 0.5}


def test_a_stop_brakes_what_a_trajectory_controller_follows() -> None:
    """At once, hardly faster, and not much harder than the motion."""
    base = BaseParameters.of(Parameters(Model.from_urdf(arm())))
    motion, _ = planned(base, Values(PLAN), arm())
    grid = np.linspace(0.0, 3.0, 301)
    q, v, a = motion.states(grid)
    model, most = base.parameters.model, np.abs(a).max(axis=0)
    names = list(model.dof_names)
    whole = JointTrajectory(joint_names=names, points=points_of(0.5 + grid, q, v, a))
    for stopped in (0.7, 1.3, 2.2):
        controller = Controller(names, q[0])
        controller.receive(whole, 0.0)
        controller.receive(JointTrajectory(), stopped)
        assert controller.rejected == 1
        here, before, _ = controller.state(stopped)
        assert np.abs(before).max() > 0.1
        _, stop = stop_messages(names, *Stop.of(model, here, before, most))
        controller.receive(stop, stopped)
        assert controller.rejected == 1
        times = stopped + np.arange(0.0, 1.7, 0.01)
        braking = np.array([controller.state(x)[1] for x in times])
        assert (np.abs(braking) <= 1.3 * np.abs(before) + 0.2).all()
        assert (np.abs(np.diff(braking, axis=0) / 0.01) < 2.0 * most).all()
        np.testing.assert_array_equal(braking[-1], 0.0)


def test_the_approach_keeps_a_share_of_velocity_limits() -> None:
    """As of a slow lift; a limit of 0 counts as not given."""
    model = SimpleNamespace(velocity_limit=np.array([0.1, 0.0, np.inf]))
    way = np.array([0.2, -0.3, 0.0])
    time = motion.approach_time(model, way, 0.5)
    assert 1.9 * way[0] / time <= 0.05
    assert motion.approach_time(model, [0.0, 0.3, 0.3], 0.5) == pytest.approx(2.0)


@pytest.mark.parametrize("duration", [3.0, 14.0, 26.5])
def test_a_motion_of_any_duration_ends_at_rest(duration: float) -> None:
    """A joint_trajectory_controller rejects any other."""
    base = BaseParameters.of(Parameters(Model.from_urdf(arm())))
    motion, _ = planned(base, Values({**PLAN, "duration": duration}), arm())
    _, v, _ = motion.states(np.array([0.0, duration]))
    assert v == pytest.approx(np.zeros((2, 2)), abs=1e-6)


def test_a_stop_keeps_position_limits() -> None:
    model, most = Model.from_urdf(arm()), np.ones(2)
    limit = model.upper_position_limit[0]
    assert Stop.of(model, np.array([limit - 0.1, 0.0]), most, most).position[0] == limit
    beyond = np.array([limit + 0.2, 0.0])
    assert list(Stop.of(model, beyond, 0.0 * most, most).position) == list(beyond)


def test_a_recording_is_kept_though_nothing_can_be_identified(tmp_path: Path) -> None:
    """In the folder that was asked for, whatever the robot is called."""
    description = arm().replace('name="arm"', 'name="../my arm"')
    base = BaseParameters.of(Parameters(Model.from_urdf(description)))
    times, rest = np.arange(0.0, 5.0, 0.01), np.zeros((500, 2))
    values = Values({"output": str(tmp_path / "out")})
    with pytest.raises(ModelError, match="; the recording is "):
        identified(base, Recording(times, rest, rest + 1.0), values, description)
    assert [x.name for x in (tmp_path / "out").iterdir()] == ["__my_arm_recording.csv"]


@pytest.mark.thorough
def test_planned_motion_keeps_shapes_apart_and_reports_it() -> None:
    """The tip of an arm that can reach its own base."""
    shape = '<collision><origin xyz="{} 0 0"/><geometry>{}</geometry></collision>'
    box = shape.format(0, '<box size="1.2 1 1.2"/>')
    tip = shape.format(0.5, '<sphere radius="0.1"/>')
    description = arm().replace('<link name="base"/>', f'<link name="base">{box}</link>')
    description = description.replace('<link name="lower">', f'<link name="lower">{tip}')
    base = BaseParameters.of(Parameters(Model.from_urdf(description)))
    checker = self_collision(base.parameters.model, description).checker
    assert checker is not None

    def touches(motion: Excitation) -> bool:
        return any(checker.update(q) or checker.collides() for q in motion.sampled(500)[0])

    values = Values({"duration": 10.0, "limits.motion_scale": 0.9})
    motion, note = planned(base, values, description)
    assert "1 pairs of shapes are checked" in note
    assert not touches(motion)
    assert touches(excitation(base, period=30.0, harmonics=2, share=0.9))
