"""Lets `python -m dyn_ros.demo` run the demo, as its executable does."""

import sys

from dyn_ros.executables import run_executable

if __name__ == "__main__":
    sys.exit(run_executable("demo"))
