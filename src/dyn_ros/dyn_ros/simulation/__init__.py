"""A simulated robot without ROS: dynamics, motors, sensors, pushes, and the pace of time."""

from dyn_ros.simulation.pace import Pace
from dyn_ros.simulation.simulation import Options, Simulation

__all__ = ["Options", "Pace", "Simulation"]
