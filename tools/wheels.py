# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What has to be changed in a venv of ROS 2 wheels before colcon can build with it."""

from __future__ import annotations

import re
from pathlib import Path

UNUSED = (
    "rosidl_generator_cpp",
    "rosidl_typesupport_cpp",
    "rosidl_typesupport_fastrtps_cpp",
    "rosidl_typesupport_introspection_cpp",
)
"""Generators of C++ code for interfaces, which nothing loads: there is no rclcpp among the wheels.
The second type support in C stays: without it an action cannot be served on Jazzy."""


def make_prefix(venv: Path) -> None:
    """Make a venv of ROS 2 wheels a prefix that colcon can chain."""
    for shell in ("sh", "bash"):
        (venv / f"local_setup.{shell}").write_text(
            f'export AMENT_PREFIX_PATH="{venv}${{AMENT_PREFIX_PATH:+:$AMENT_PREFIX_PATH}}"\n'
            f'export CMAKE_PREFIX_PATH="{venv}${{CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}}"\n'
            f'export PATH="{venv}/bin:$PATH"\n'
        )


def correct(venv: Path) -> None:
    """Make the CMake files right for this machine, and have no C++ code generated."""
    share = venv / "share"
    replace(r'"/opt/python/[^"]*"', '""', share)  # folders of the machine that built the wheels
    for package in UNUSED:
        replace(r"ament_register_extension\([^)]*\)", "", share / package)


def replace(pattern: str, text: str, folder: Path) -> None:
    """Replace what matches in all CMake files in a folder."""
    for path in folder.rglob("*.cmake"):
        before = path.read_text()
        after = re.sub(pattern, text, before)
        if after != before:
            path.write_text(after)
