"""Several nodes in one process, with one model for all of them."""

import argparse
import sys

from rclpy.utilities import remove_ros_args

from dyn_ros.registry import NODES, node_class
from dyn_ros.runtime import run

# After what the user gives: the first rule that fits a name is the one that is applied.
COMMANDS_TO_SIM = ["--ros-args", "-r", "gravity_compensation:~/commands:=robot_sim/commands"]


def main(args: list[str] | None = None) -> int:
    """Run the chosen nodes until SIGINT or SIGTERM."""
    argv = sys.argv if args is None else args
    chosen = _chosen(argv)
    if {"robot_sim", "gravity_compensation"} <= set(chosen):
        argv = [*argv, *COMMANDS_TO_SIM]
    return run([node_class(name) for name in chosen], argv)


def _chosen(argv: list[str]) -> list[str]:
    parser = argparse.ArgumentParser(prog="composed", description=__doc__)
    everything = ",".join(NODES)
    parser.add_argument("--nodes", default=everything, help=f"some of {everything}")
    chosen = parser.parse_args(remove_ros_args(argv)[1:]).nodes.split(",")
    unknown = [name for name in chosen if name not in NODES]
    if unknown:
        parser.error(f"--nodes names '{unknown[0]}': choose among {everything}")
    return [name for name in NODES if name in chosen]
