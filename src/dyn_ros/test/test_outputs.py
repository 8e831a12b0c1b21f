# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a node publishes: only what anybody hears, in messages that have such fields."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from bench import NAMES, StateBench
from called import Called
from dyn_msgs.msg import JointEfforts
from rcl_interfaces.msg import Log
from rclpy.lifecycle import TransitionCallbackReturn
from ros_helpers import arm, until

from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.nodes.state_node import StateNode, TopicOutput
from dyn_ros.registry import NODES, node_class

OF_STATES = [x for x in NODES if issubclass(node_class(x), StateNode)]
COMMANDS_ALONE = {"ik", "impedance"}
PUBLISHING = [x for x in OF_STATES if x not in COMMANDS_ALONE]
STATE = {"position": [0.1, 0.2], "velocity": [0.0, 0.0], "effort": [0.0, 0.0]}
WRONG = {"efort": np.zeros(2), "effort": "strong", "terms": np.zeros(2), "header": 3}


@pytest.mark.parametrize("field", WRONG)
def test_a_field_that_the_message_has_not_is_an_error_at_configure(
    called: Called, field: str
) -> None:
    class Wrong(StateNode):
        NAME: ClassVar[str] = "mass_matrix"
        QUANTITIES: ClassVar[Any] = ("gravity",)
        OUTPUTS: ClassVar[Any] = (
            TopicOutput("~/x", JointEfforts, lambda node: {field: WRONG[field]}),
        )

    log = called.collect(Log, "/rosout")
    node = called.create(Wrong, robot_description=arm())
    assert node.trigger_configure() != TransitionCallbackReturn.SUCCESS
    assert not node.configured
    words = "fields for ~/x do not fit JointEfforts"
    assert any(words in entry.msg for entry in log)


@pytest.mark.parametrize("name", PUBLISHING)
def test_a_topic_without_subscribers_is_not_published(called: Called, name: str) -> None:
    """Nor computed, unless the node does more; states are counted, who comes gets the next one."""
    bench = StateBench(called, node_class(name), {}, robot_description=arm())
    until(lambda: bench.node.active)
    written = []
    for created, output in zip(bench.node._created, bench.node._table, strict=True):

        def fill(*given: Any, topic: str = output.topic, by: Any = created.fill, **x: Any) -> Any:
            written.append(topic)
            return by(*given, **x)

        created.fill = fill
    statistics = bench.node.part(JointStateInput).statistics
    before = [np.copy(x) for x in bench.node.results.values()]
    until(lambda: bench.send(NAMES, **STATE) and statistics.results > 3)
    assert not written
    same = all(map(np.array_equal, before, bench.node.results.values()))
    assert same == bench.node.FOR_LISTENERS
    output = bench.node._table[0]
    heard = called.collect(output.kind, output.topic.replace("~", f"/{name}"))
    until(lambda: bench.send(NAMES, **STATE) and heard)
    assert set(written) == {output.topic}
