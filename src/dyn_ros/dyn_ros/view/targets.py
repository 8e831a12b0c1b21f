# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Handles that a person drags: where the tools of a node that takes targets shall be."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dyn_core.spatial import Matrix3, quaternion_of_matrix
from dyn_ros.arrays import Matrix
from dyn_ros.listener import NodeReport
from dyn_ros.messages.geometry import frame_topic
from dyn_ros.operator import Operator
from dyn_ros.registry import NODES
from dyn_ros.view.judgement import is_active

MOVERS = [name for name, entry in NODES.items() if entry.moves]
SIZE = 0.3  # m, of a handle: that of the arrow is smaller


class Targets:
    """A handle for each tool: it follows its tool until it is dragged, then the tool follows it.

    While a handle is dragged, or has been, its place is published again and again, as nodes ask
    for that brake without.
    """

    def __init__(self, operator: Operator, scene: Any) -> None:
        """Let an operator publish; handles are added to a scene of viser."""
        self._operator, self._scene = operator, scene
        self._handles: dict[str, Any] = {}  # by topic
        self._dragged: set[str] = set()

    def let_go(self) -> None:
        """Let all handles go back to their tools: nothing is asked for any more."""
        self._dragged.clear()

    def drag(self, topic: str) -> None:
        """Let a tool follow its handle."""
        self._dragged.add(topic)

    def step(
        self, reports: Mapping[str, NodeReport], places: Mapping[str, Matrix], root: str, now: float
    ) -> None:
        """Show the handles of targets that have subscribers, and publish those that are dragged.

        `places` are those of all frames in the root link, which is named `root`.
        """
        tools = taken(reports, now)
        for topic, handle in self._handles.items():
            handle.visible = topic in tools
        for topic, tool in tools.items():
            if tool not in places:
                continue
            if topic not in self._handles:
                self._add(topic, tool, places[tool])
            if topic in self._dragged:
                handle = self._handles[topic]
                self._operator.aim(topic, root, handle.position, handle.wxyz)
            else:
                self._follow(topic, places[tool])
        self._dragged &= set(tools)

    def handle(self, topic: str) -> Any:
        """Return the handle of a topic."""
        return self._handles[topic]

    def _add(self, topic: str, tool: str, place: Matrix) -> None:
        handle = self._scene.add_transform_controls(f"/target/{topic}", scale=SIZE)
        self._handles[topic] = handle
        self._follow(topic, place)
        handle.on_update(lambda _: self.drag(topic))

    def _follow(self, topic: str, place: Matrix) -> None:
        handle = self._handles[topic]
        handle.position = place[:3, 3]
        x, y, z, w = quaternion_of_matrix(Matrix3.of(place[:3, :3].tolist()))
        handle.wxyz = np.array([w, x, y, z], dtype=np.float64)


def taken(reports: Mapping[str, NodeReport], now: float) -> dict[str, str]:
    """Return the tools that active nodes take to targets, by topic."""
    found = {}
    for name in MOVERS:
        report = reports.get(name)
        if report is None or not is_active(report, now):
            continue
        tools = [tool for tool in report.values.get("tools", "").split(", ") if tool]
        several = len(tools) > 1
        for tool in tools:
            topic = f"{name}/targets"
            found[frame_topic(topic, tool) if several else topic] = tool
    return found
