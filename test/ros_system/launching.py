# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the launch tests share: dynamics.launch.py in a domain of its own, and a client there."""

from __future__ import annotations

import os
import unittest
from pathlib import Path
from typing import ClassVar

import launch_testing
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import assertExitCodes
from ros_helpers import Ros

from dyn_ros.process.domain import DomainReservation, isolate
from launch import LaunchDescription
from ros_system.client import Client

PATIENT = Path(__file__).with_name("patient.yaml")
LAUNCH_FILES = Path(get_package_share_directory("dyn_ros"), "launch")


RESERVATION = DomainReservation()
"""Of this process: each launch test has its own."""


def dynamics(**arguments: str) -> LaunchDescription:
    """Return what starts dynamics.launch.py with these arguments, and then the tests."""
    arguments.setdefault("params_file", str(PATIENT))
    return launch_file("dynamics.launch.py", **arguments)


def launch_file(name: str, **arguments: str) -> LaunchDescription:
    """Return what starts a launch file of ours with these arguments, and then the tests."""
    isolate(os.environ, RESERVATION.domain)
    source = PythonLaunchDescriptionSource(str(LAUNCH_FILES / name))
    include = IncludeLaunchDescription(source, launch_arguments=arguments.items())
    return LaunchDescription([include, ReadyToTest()])


class LaunchTestCase(unittest.TestCase):
    """Has a client in the domain of the launched nodes."""

    client: ClassVar[Client]

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = Client(Ros(RESERVATION))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.client.ros.close()


@launch_testing.post_shutdown_test()
class TestExit(unittest.TestCase):
    """Test modules import it, so that it is one of their tests."""

    def test_all_ended_cleanly(self, proc_info: object) -> None:
        assertExitCodes(proc_info)
