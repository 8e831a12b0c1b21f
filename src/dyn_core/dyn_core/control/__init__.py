"""Laws of control and observation: numbers in, numbers out, for one robot at one rate or another.

The terms of the equation of motion come from the quantities of :mod:`dyn_core.algorithms`.
"""

from dyn_core.control.centroidal_mpc import CentroidalMPC
from dyn_core.control.computed_torque import ComputedTorque
from dyn_core.control.feed_forward import LimitViolation, feed_forward, limit_violations
from dyn_core.control.hysteresis import Hysteresis
from dyn_core.control.momentum_observer import MomentumObserver, equivalent_wrench
from dyn_core.control.operational_space import OperationalSpace, OperationalTerms
from dyn_core.control.quadratic_program import InfeasibleError
from dyn_core.control.trajectory import Trajectory
from dyn_core.control.whole_body import WholeBodyMotion, whole_body_motion

__all__ = [
    "CentroidalMPC",
    "ComputedTorque",
    "Hysteresis",
    "InfeasibleError",
    "LimitViolation",
    "MomentumObserver",
    "OperationalSpace",
    "OperationalTerms",
    "Trajectory",
    "WholeBodyMotion",
    "equivalent_wrench",
    "feed_forward",
    "limit_violations",
    "whole_body_motion",
]
