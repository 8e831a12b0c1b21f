# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The distribution ``dyn-suite``, whose package is ``dyn_core``.

On the package index the name ``dyn_core`` is another project's.
"""

from pathlib import Path
from runpy import run_path

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent  # colcon runs a link to this file
EXTRAS = {
    "cli": ["rich", "typer"],
    "contacts": ["clarabel", "numba>=0.58", "scipy"],
    "control": ["daqp", "scipy"],
    "formulas": ["sympy"],
    "geometry": ["coal", "pycollada", "scipy", "trimesh"],
    "identification": ["clarabel", "scipy", "threadpoolctl"],
    "ik": ["daqp"],
    "lua": ["lupa>=2.1"],
    "mjcf": ["mujoco>=3.17,<5"],
    "numba": ["numba>=0.58"],
    "parallel": ["dask", "distributed"],
    "plots": ["matplotlib"],
    "recordings": ["mcap", "pyarrow", "rosbags"],
    "view": ["pycollada", "trimesh", "viser>=1.1"],
    "xacro": ["xacro"],
}
LARGE = {"jax": ["jax>=0.5"], "torch": ["torch>=2.5"]}
"""Extras of hundreds of megabytes, which `all` leaves out."""

setup(
    name="dyn-suite",
    version=run_path(str(HERE / "dyn_core" / "version.py"))["__version__"],
    description="Rigid-body dynamics: one definition of each algorithm, compiled for each robot.",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author="The maintainers",
    author_email="maintainers@dyn-suite.example",
    license="Apache-2.0",
    keywords="robotics dynamics urdf mjcf inverse-dynamics ros",
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3.10",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Physics",
        "Typing :: Typed",
    ],
    python_requires=">=3.10",
    install_requires=["numpy>=1.26", "llvmlite>=0.41", "urdfdom-py>=1.2"],
    extras_require={
        **EXTRAS,
        **LARGE,
        "all": sorted({package for packages in EXTRAS.values() for package in packages}),
        "test": ["hypothesis", "pytest"],
    },
    packages=find_packages(include=["dyn_core", "dyn_core.*"]),
    package_data={"dyn_core": ["py.typed", "*.pyi", "*/*/*.pyi", "pyinstaller/*.py"]},
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/dyn_core"]),
        ("share/dyn_core", ["package.xml"]),
    ],
    entry_points={
        "console_scripts": ["dyn-core = dyn_core.cli:main"],
        "pyinstaller40": ["hook-dirs = dyn_core.source_hash:pyinstaller_hooks"],
    },
    zip_safe=False,
)
