"""The main job, live: a simulated arm held by gravity compensation, shown in the terminal."""

from dyn_ros.demo.run import main

__all__ = ["main"]
