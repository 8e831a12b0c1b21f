"""What this machine has to have before the suite can be set up on it."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path

DEBIAN_PACKAGES = {"cmake": "cmake", "cc": "gcc", "c++": "g++"}
"""Debian's package for each command that the build needs."""


def check() -> None:
    """Say in one message what this machine lacks."""
    missing = [package for name, package in DEBIAN_PACKAGES.items() if not shutil.which(name)]
    if not importlib.util.find_spec("ensurepip"):
        missing.append("python3-venv")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append("python3-dev")
    if missing:
        sys.exit("please install: apt install " + " ".join(missing))
