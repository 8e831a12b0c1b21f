"""Print the pinned requirements of some files whose packages this Python does not have at all.

A sourced ROS 2 brings its own numpy, colcon and the like. They stay as they are, whatever their
version, because its extension modules are built for them.
"""

import fileinput
import re
from importlib.metadata import PackageNotFoundError, version


def is_missing(requirement: str) -> bool:
    """Whether no version of the required package is installed."""
    try:
        version(re.split(r"[=;\s]", requirement, maxsplit=1)[0])
    except PackageNotFoundError:
        return True
    return False


with fileinput.input() as lines:
    for line in lines:
        requirement = line.partition("#")[0].strip()
        if requirement and is_missing(requirement):
            print(requirement)
