# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What Fast DDS is told before it starts, where the user tells it nothing."""

import os
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

PROFILES = {  # what names a file of settings, and ours
    "FASTDDS_DEFAULT_PROFILES_FILE": "fastdds.xml",
    "FASTRTPS_DEFAULT_PROFILES_FILE": "fastdds_2.xml",  # of version 2, in jazzy
}


def configure_middleware() -> None:
    """Let messages that go out not wake a thread each; to be called before rclpy.init."""
    if any(variable in os.environ for variable in PROFILES):
        return
    folder = Path(get_package_share_directory("dyn_ros"), "config")
    os.environ.update({name: str(folder / file) for name, file in PROFILES.items()})
