# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Several nodes in one process, with one model for all of them."""

import argparse
import sys

from dyn_ros.arguments import own_arguments
from dyn_ros.registry import (
    NODES,
    USUAL_NODES,
    connections,
    node_class,
    nodes_named,
    refuse_competing,
)
from dyn_ros.runtime import run

SIM = "robot_sim"


def main(args: list[str] | None = None) -> int:
    """Run the chosen nodes until SIGINT or SIGTERM."""
    argv = sys.argv if args is None else args
    chosen = _chosen(argv)
    # After what the user gives: the first rule that fits a name is applied.
    rules = [word for rule in connections(chosen) for word in ("-r", ":=".join(rule))]
    argv = [*argv, "--ros-args", *rules] if rules else argv
    return run([node_class(name) for name in chosen], argv)


def _chosen(argv: list[str]) -> list[str]:
    parser = argparse.ArgumentParser(prog="composed", description=__doc__)
    everything = ",".join(NODES)
    usual = ",".join(USUAL_NODES)
    parser.add_argument("--nodes", default=usual, help=f"some of {everything}; usually {usual}")
    text = parser.parse_args(own_arguments(argv)).nodes
    try:
        chosen = nodes_named("--nodes", text)
        if SIM in chosen:
            refuse_competing(chosen)
    except ValueError as error:
        parser.error(str(error))
    return chosen
