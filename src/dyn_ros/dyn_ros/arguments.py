# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Command-line arguments beside those of ROS, their files, and names of any that are misspelt."""

import argparse
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

MIN_SIMILARITY = 0.9  # difflib's ratio; a lower one takes parameters of other nodes for slips


def misspelt(given: Iterable[str], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield names that are not known but nearly are, each with the known one."""
    for name in given:
        if name in known:
            continue
        swapped = [other for other in known if sorted(other) == sorted(name)]
        near = swapped or get_close_matches(name, known, 1, MIN_SIMILARITY)
        if near:
            yield name, near[0]


def file_values(path: str) -> Iterator[tuple[str, Any]]:
    """Yield the values in a YAML file of parameters, each after its names, all after a dot."""

    def values(data: Any, names: str = "") -> Iterator[tuple[str, Any]]:
        if isinstance(data, dict):
            for name, value in data.items():
                yield from values(value, f"{names}.{name}")
        else:
            yield names, data

    return values(yaml.safe_load(Path(path).read_text(encoding="utf-8")))


def parameters_of(node_name: str, argv: Sequence[str]) -> set[str]:
    """Return the parameters in sections of this node alone, of the files in a command line."""
    section = re.compile(rf".*[./]{re.escape(node_name)}\.ros__parameters\.(.+)")
    files = [path for word, path in pairwise(argv) if word == "--params-file"]
    found = (section.fullmatch(names) for path in files for names, _ in file_values(path))
    return {match[1] for match in found if match}


def own_arguments(argv: list[str]) -> list[str]:
    """Return the arguments that are not between --ros-args and --.

    rclpy's function parses what it removes: it would raise here for what `run` reports itself.
    """
    own, ours = [], True
    for word in argv[1:]:
        if ours and word != "--ros-args":
            own.append(word)
        ours = word == "--" or (ours and word != "--ros-args")
    return own


def refuse_own_arguments(name: str, summary: str, argv: list[str]) -> None:
    """End a node that is given arguments outside of --ros-args, or print its help.

    rclpy would ignore them: `gravity_compensation --autostart` would wait for ever.
    """
    parser = argparse.ArgumentParser(
        prog=name,
        description=f"A lifecycle node: {summary}.",
        epilog="Parameters are ROS arguments, as in `--ros-args -p autostart:=true`; "
        f"`ros2 param describe /{name} autostart` explains a parameter.",
    )
    parser.parse_args(own_arguments(argv))
