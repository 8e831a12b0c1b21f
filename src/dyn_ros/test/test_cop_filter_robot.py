# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""cop_filter and where the robot is: walks begin there, and are stopped there."""

from __future__ import annotations

import re
from typing import Any

import pytest
from called import Called
from rcl_interfaces.msg import Log
from ros_helpers import clock, until
from walker import Walker

from dyn_ros.nodes import cop_filter, walk_plan

pytestmark = pytest.mark.usefixtures("short_walks")
KNEE = "LLEG_KNEE"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("silence", f"no position of joint '{KNEE}' has come on joint_states for 1.* s: is the"),
        ("posture", f"joint '{KNEE}' is at 0.500 rad or m, and should be at 0.8.* posture"),
        ("motion", f"robot moves .joint '{KNEE}' by .* end other motions first"),
        ("motion later", f"robot moves .joint '{KNEE}' by .* end other motions first"),
    ],
)
def test_a_walk_begins_only_where_the_robot_stands(
    called: Called, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    """A robot that stood straight jumped into its posture within a cycle of its controller."""
    log = called.collect(Log, "/rosout")
    walker = Walker(called)
    mover = called.tester.create_timer(
        0.02, lambda: walker.at.update({KNEE: walker.at[KNEE] - 1e-3})
    )

    def plan(*given: Any) -> walk_plan.Plan:
        if fault == "motion later":
            mover.reset()
        clock().sleep(0.3)
        return walk_plan.plan(*given)

    monkeypatch.setattr(cop_filter, "plan", plan)
    if fault != "motion":
        mover.cancel()
    if fault == "silence":
        walker.at.pop(KNEE)
    elif fault == "posture":
        walker.at[KNEE] = 0.5
    clock().sleep(1.2)
    walker.walk((0, 0.1, 0.09))
    until(lambda: walker.node._refused == 1, 60.0)
    assert any(re.search(words, entry.msg) for entry in log), [entry.msg for entry in log]
    assert not walker.received["joint_trajectory"]


@pytest.mark.parametrize("how", ["watch", "deactivation", "description"])
def test_a_robot_that_does_not_follow_is_stopped_where_it_stands(called: Called, how: str) -> None:
    """As of a controller that rejected the walk; by the stop it jumped into the middle of it."""
    log = called.collect(Log, "/rosout")
    walker = Walker(called)
    walker.follows = False
    walker.walk((0, 0.1, 0.09))
    (walk,) = until(lambda: walker.received["joint_trajectory"], 60.0)
    if how == "watch":
        until(lambda: any("does not follow the walk: joint 'LLEG_" in entry.msg for entry in log))
    else:
        until(lambda: abs(walker.wanted(walk)[KNEE] - walker.at[KNEE]) > 0.05)
        node = walker.node
        node.trigger_deactivate() if how == "deactivation" else node.install(node._biped)
    _, _, stop = until(lambda: walker.received["joint_trajectory"])
    assert dict(zip(stop.joint_names, stop.points[0].positions, strict=True)) == walker.at
    assert walker.node._under_way(walker.node.ros_time()) is None
