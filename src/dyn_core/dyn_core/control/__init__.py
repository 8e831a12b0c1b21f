# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Laws of control and observation: numbers in, numbers out, for one robot at one rate or another.

The terms of the equation of motion come from the quantities of :mod:`dyn_core.dynamics`.
"""

from dyn_core.control.centroidal_mpc import CentroidalMPC
from dyn_core.control.computed_torque import (
    ComputedTorque,
    tracking_response,
    turning_joints,
    wrap_differences,
)
from dyn_core.control.feed_forward import LimitViolation, feed_forward, limit_violations
from dyn_core.control.inverse_kinematics import InverseKinematics
from dyn_core.control.momentum_observer import Hysteresis, MomentumObserver, equivalent_wrench
from dyn_core.control.operational_space import OperationalSpace, OperationalTerms
from dyn_core.control.pose_error import pose_error
from dyn_core.control.pose_search import Solutions, solve_ik
from dyn_core.control.quadratic_program import InfeasibleError
from dyn_core.control.tasks import (
    CollisionBarrier,
    ComTask,
    ContactTask,
    DampingTask,
    FrameTask,
    JointLimits,
    LowAccelerationTask,
    MomentumTask,
    PostureTask,
    RelativeFrameTask,
)
from dyn_core.control.trajectory import State, Trajectory, cubic_accelerations, smooth_derivatives
from dyn_core.control.whole_body import WholeBodyControl, WholeBodyMotion, whole_body_motion

__all__ = [
    "CentroidalMPC",
    "CollisionBarrier",
    "ComTask",
    "ComputedTorque",
    "ContactTask",
    "DampingTask",
    "FrameTask",
    "Hysteresis",
    "InfeasibleError",
    "InverseKinematics",
    "JointLimits",
    "LimitViolation",
    "LowAccelerationTask",
    "MomentumObserver",
    "MomentumTask",
    "OperationalSpace",
    "OperationalTerms",
    "PostureTask",
    "RelativeFrameTask",
    "Solutions",
    "State",
    "Trajectory",
    "WholeBodyControl",
    "WholeBodyMotion",
    "cubic_accelerations",
    "equivalent_wrench",
    "feed_forward",
    "limit_violations",
    "pose_error",
    "smooth_derivatives",
    "solve_ik",
    "tracking_response",
    "turning_joints",
    "whole_body_motion",
    "wrap_differences",
]
