"""Several nodes in one process: one executor, and one model for all of them."""

import argparse
import sys
from collections.abc import Callable
from functools import partial

from rclpy.utilities import remove_ros_args

from dyn_ros.nodes.dynamics_node import DynamicsNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.inverse_dynamics import InverseDynamics
from dyn_ros.nodes.robot_sim import RobotSim
from dyn_ros.runtime import run

NODES: dict[str, Callable[..., DynamicsNode]] = {
    "robot_sim": RobotSim,
    "inverse_dynamics": InverseDynamics,
    "gravity_compensation": GravityCompensation,  # last: the others start while nothing moves
}
COMMANDS_TO_SIM = ["--ros-args", "-r", "~/commands:=robot_sim/commands"]


def main(args: list[str] | None = None) -> int:
    """Run the chosen nodes until SIGINT or SIGTERM."""
    argv = sys.argv if args is None else args
    parser = argparse.ArgumentParser(prog="composed", description=__doc__)
    everything = ",".join(NODES)
    parser.add_argument("--nodes", default=everything, help=f"some of {everything}")
    chosen = parser.parse_args(remove_ros_args(argv)[1:]).nodes.split(",")
    unknown = [name for name in chosen if name not in NODES]
    if unknown:
        parser.error(f"--nodes names '{unknown[0]}': choose among {everything}")
    factories = [NODES[name] for name in chosen]
    if {"robot_sim", "gravity_compensation"} <= set(chosen):
        index = chosen.index("gravity_compensation")
        factories[index] = partial(GravityCompensation, cli_args=COMMANDS_TO_SIM)
    return run(factories, argv)


if __name__ == "__main__":
    sys.exit(main())
