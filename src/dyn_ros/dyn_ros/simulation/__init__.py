"""A simulated robot without ROS: contact points, motors, sensors, pushes, the pace of time."""

from dyn_ros.simulation.contact_points import contact_points
from dyn_ros.simulation.pace import Pace
from dyn_ros.simulation.simulation import STEP, Imperfections, Simulation

__all__ = ["STEP", "Imperfections", "Pace", "Simulation", "contact_points"]
