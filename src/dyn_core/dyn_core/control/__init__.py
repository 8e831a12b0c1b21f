"""Laws of control and observation: numbers in, numbers out, for one robot at one rate or another.

The terms of the equation of motion come from the quantities of :mod:`dyn_core.algorithms`.
"""

from dyn_core.control.computed_torque import ComputedTorque
from dyn_core.control.hysteresis import Hysteresis
from dyn_core.control.momentum_observer import MomentumObserver, equivalent_wrench
from dyn_core.control.trajectory import Trajectory

__all__ = [
    "ComputedTorque",
    "Hysteresis",
    "MomentumObserver",
    "Trajectory",
    "equivalent_wrench",
]
