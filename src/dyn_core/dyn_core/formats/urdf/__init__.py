"""URDF: the robot description of ROS."""

from dyn_core.formats.urdf.reader import model_from_urdf

__all__ = ["model_from_urdf"]
