"""What the system tests share: processes, a client that talks to them, and the checks."""

import sys
from pathlib import Path

# launch_test finds only what is installed; ros_helpers is among the tests of dyn_ros.
sys.path.append(str(Path(__file__).resolve().parents[2] / "src" / "dyn_ros" / "test"))
