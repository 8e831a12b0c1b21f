"""Say in one message what the set-up needs that this machine lacks."""

import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path

FROM_COMMAND = {"cmake": "cmake", "cc": "gcc", "c++": "g++", "flock": "util-linux"}
"""Debian's package for each command."""


def missing_packages():
    """Debian's packages that have to be installed."""
    for command, package in FROM_COMMAND.items():
        if not shutil.which(command):
            yield package
    if not importlib.util.find_spec("ensurepip"):
        yield "python3-venv"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        yield "python3-dev"


if sys.version_info < (3, 10):
    sys.exit("Python 3.10 or later is needed; this is {}.{}".format(*sys.version_info))
packages = list(missing_packages())
if packages:
    sys.exit("please install: apt install " + " ".join(packages))
