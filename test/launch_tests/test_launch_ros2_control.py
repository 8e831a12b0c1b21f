"""ros2_control_demo.launch.py: what it says where ros2_control is not installed."""

from __future__ import annotations

import unittest
from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("launch_ros", reason="launch_ros is not installed")

from ament_index_python.packages import get_package_share_directory
from launch_testing.actions import ReadyToTest

from launch import LaunchDescription

FILE = Path(get_package_share_directory("dyn_ros"), "launch", "ros2_control_demo.launch.py")


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return LaunchDescription([ReadyToTest()])


class TestMissingPackages(unittest.TestCase):
    def test_it_says_what_to_install(self) -> None:
        launch_file = run_path(str(FILE))
        refuse, needed = launch_file["refuse_missing_packages"], set(launch_file["PACKAGES"])
        refuse(needed | {"dyn_ros"})
        with pytest.raises(RuntimeError, match=r"sudo apt install .*-ros2-controllers"):
            refuse(needed - {"forward_command_controller"})
