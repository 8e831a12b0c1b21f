"""The nodes of the suite: the one list that set-up, composed, launch file, tests and docs read.

Importing it imports no node and no ROS, so that the set-up can run it by its path.
"""

from importlib import import_module
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """Where a node's class is, and what the node does in one line."""

    module: str
    kind: str
    summary: str


NODES = {
    "robot_sim": Entry("dyn_ros.nodes.robot_sim", "RobotSim", "a simulated robot"),
    "inverse_dynamics": Entry(
        "dyn_ros.nodes.inverse_dynamics",
        "InverseDynamics",
        "services for inverse and forward dynamics, gravity and mass matrix",
    ),
    "gravity_compensation": Entry(  # after robot_sim: the others start while nothing moves
        "dyn_ros.nodes.gravity_compensation",
        "GravityCompensation",
        "efforts that hold a robot against gravity",
    ),
}
PROGRAMS = {  # executables that are no node: where their main is
    "composed": "dyn_ros.composed",
    "demo": "dyn_ros.demo",
}


def node_class(name: str) -> Any:
    """Import and return the class of a node."""
    entry = NODES[name]
    return getattr(import_module(entry.module), entry.kind)
