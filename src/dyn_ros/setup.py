# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
from glob import glob
from pathlib import Path
from runpy import run_path

from setuptools import find_packages, setup

REGISTRY = run_path("dyn_ros/registry.py")
VERSION = run_path("dyn_ros/version.py")["__version__"]

setup(
    name="dyn-suite-ros",  # of the distribution; the ROS package and the import are dyn_ros
    version=VERSION,
    description="Dynamics of a robot as ROS 2 nodes: gravity compensation, services, simulation.",
    long_description=Path(__file__).resolve().with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author="The maintainers",
    author_email="maintainers@dyn-suite.example",
    license="Apache-2.0",
    keywords="robotics dynamics ros gravity-compensation",
    python_requires=">=3.10",
    install_requires=[f"dyn-suite=={VERSION}"],
    extras_require={
        "ik": ["dyn-suite[geometry,ik]"],
        "test": ["pytest"],
        "view": ["dyn-suite[view]"],
    },
    packages=find_packages(include=["dyn_ros", "dyn_ros.*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/dyn_ros"]),
        ("share/dyn_ros", ["package.xml"]),
        ("share/dyn_ros/launch", glob("launch/*.launch.py")),
        (
            "share/dyn_ros/config",
            [p for kind in ("yaml", "rviz", "xml", "json") for p in glob(f"config/*.{kind}")],
        ),
        ("share/dyn_ros/config/robots", glob("config/robots/*")),
    ],
    entry_points={
        "console_scripts": [
            f"{name} = dyn_ros.executables:{name}"
            for table in ("NODES", "PROGRAMS")
            for name in REGISTRY[table]
        ]
    },
    zip_safe=False,
)
