# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What Fast DDS is told before it starts, where the user tells it nothing."""

import os
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

FASTDDS, FASTRTPS = VARIABLES = "FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"
"""What names a file of settings; both are read in kilted, the second by rmw_fastrtps."""
OLD = ("jazzy",)  # distributions with Fast DDS 2, which reads the second alone, and other words


def configure_middleware() -> None:
    """Let messages that go out not wake a thread each; to be called before rclpy.init."""
    if any(variable in os.environ for variable in VARIABLES):
        return
    old = os.environ.get("ROS_DISTRO") in OLD
    folder = Path(get_package_share_directory("dyn_ros"), "config")
    os.environ[FASTRTPS if old else FASTDDS] = str(folder / f"fastdds{'_2' if old else ''}.xml")
