from glob import glob
from runpy import run_path

from setuptools import find_packages, setup

REGISTRY = run_path("dyn_ros/registry.py")

setup(
    name="dyn_ros",
    version="0.1.0",
    description="Dynamics of a robot as ROS 2 nodes: gravity compensation, services, simulation.",
    maintainer="The maintainers",
    maintainer_email="maintainers@dyn-suite.example",
    license="Apache-2.0",
    python_requires=">=3.10",
    install_requires=["dyn_core", "rich"],
    extras_require={"test": ["pytest"]},
    packages=find_packages(include=["dyn_ros", "dyn_ros.*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/dyn_ros"]),
        ("share/dyn_ros", ["package.xml"]),
        ("share/dyn_ros/launch", glob("launch/*.launch.py")),
        (
            "share/dyn_ros/config",
            [p for kind in ("yaml", "rviz", "xml", "json") for p in glob(f"config/*.{kind}")],
        ),
        ("share/dyn_ros/config/robots", glob("config/robots/*.urdf")),
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
