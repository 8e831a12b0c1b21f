# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The nodes of the suite: the one list that set-up, composed, launch file, tests and docs read.

Importing it imports no node and no ROS, so that the set-up can run it by its path.
"""

from collections.abc import Collection
from importlib import import_module
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """The class of a node, what the node does in one line, and when it runs."""

    kind: str  # in the module of nodes/ that has the node's name
    summary: str
    usual: bool = False  # started by default
    commands: bool = False  # commands efforts: a controller obeys only one such node
    moves: bool = False  # commands motion, of a controller or of a node that commands efforts
    plans: bool = False  # publishes trajectories for a controller, on request


NODES = {
    "robot_sim": Entry("RobotSim", "a simulated robot", usual=True),
    "inverse_dynamics": Entry(
        "InverseDynamicsNode",
        "services for all dynamics of a robot, and efforts along trajectories",
        usual=True,
    ),
    "gravity_compensation": Entry(  # after robot_sim: the others start while nothing moves
        "GravityCompensation",
        "efforts that hold a robot against gravity",
        usual=True,
        commands=True,
    ),
    "nonlinear_effects": Entry("NonlinearEffects", "Coriolis, gravity and friction efforts"),
    "mass_matrix": Entry("MassMatrix", "the joint-space mass matrix and its condition number"),
    "forward_dynamics": Entry(
        "ForwardDynamics", "accelerations from measured efforts, and predicted joint states"
    ),
    "computed_torque": Entry(
        "ComputedTorqueNode", "efforts that make a robot follow a trajectory", commands=True
    ),
    "impedance": Entry(
        "ImpedanceNode", "efforts that hold a tool at a target like a spring", commands=True
    ),
    "ik": Entry("Ik", "motion of tools to targets, by inverse kinematics", moves=True),
    "external_torque": Entry(
        "ExternalTorque", "external joint efforts, wrenches at frames, contact"
    ),
    "centroidal": Entry(
        "Centroidal", "centre of mass, momentum and energy, and markers that show them"
    ),
    "cop_filter": Entry(
        "CopFilter", "motion of a walking robot from footsteps, corrected by its CoP", plans=True
    ),
    "identification": Entry(
        "IdentificationNode", "inertial parameters and friction from an exciting motion", plans=True
    ),
}
USUAL_NODES = [name for name, entry in NODES.items() if entry.usual]
PROGRAMS = {  # executables that are no node: where their main is
    "composed": "dyn_ros.composed",
    "demo": "dyn_ros.demo.run",
    "view": "dyn_ros.view.run",
}


def node_class(name: str) -> Any:
    """Import and return the class of a node."""
    return getattr(import_module(f"dyn_ros.nodes.{name}"), NODES[name].kind)


def nodes_named(what: str, text: str, *others: str) -> list[str]:
    """Return the nodes that `text` names between commas, and `others`, in the registry's order.

    Raises ValueError, worded, if there is none, a name is unknown or there twice; `what` is where
    the text was given.
    """
    names = [name for word in text.split(",") if (name := word.strip())]
    unknown = [name for name in names if name not in NODES]
    if unknown or not (names or others):
        word = f"'{unknown[0]}'" if unknown else "no node"
        raise ValueError(f"{what} names {word}: choose among {', '.join(NODES)}")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"{what} names '{twice[0]}' twice: one process has one node of a name; name each once, "
            "and start a second one by itself with another name (-r __node:=...)"
        )
    return [name for name in NODES if name in (*names, *others)]


def refuse_competing(names: Collection[str]) -> None:
    """Raise ValueError if several of these nodes would command the same robot."""
    competing = [name for name in names if NODES[name].commands]
    if len(competing) > 1:
        raise ValueError(f"{' and '.join(competing)} would both command the robot: choose one")


def connections(
    names: Collection[str], commands: str = "", trajectories: str = ""
) -> list[tuple[str, str]]:
    """Return remappings of nodes that run together: who sends commands where.

    `commands` and `trajectories` are topics; empty: the simulated robot and computed_torque, if
    they are among `names`.
    """
    efforts = commands or ("robot_sim/commands" if "robot_sim" in names else "")
    follower = "computed_torque/joint_trajectory" if "computed_torque" in names else ""
    found: list[tuple[str, str]] = []
    for name in (name for name in names if name != "robot_sim"):
        if NODES[name].moves:  # no simulated robot takes velocities
            found += [(f"{name}:~/commands", commands)]
            found += [(f"{name}:~/joint_trajectory", trajectories or follower)]
        else:
            found += [(f"{name}:~/commands", efforts)]
    return [rule for rule in found if rule[1]]
