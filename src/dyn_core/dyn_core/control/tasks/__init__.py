# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One vocabulary of what a robot shall do, for inverse kinematics and whole-body control.

A :class:`Task` is a residual with its Jacobian from compiled kernels, a cost, a gain and a
priority; limits and barriers are what it may not do.
"""

from dyn_core.control.tasks.collision_barrier import CollisionBarrier
from dyn_core.control.tasks.contact_task import ContactTask
from dyn_core.control.tasks.frame_tasks import FrameTask, RelativeFrameTask
from dyn_core.control.tasks.joint_limits import JointLimits
from dyn_core.control.tasks.joint_tasks import DampingTask, LowAccelerationTask, PostureTask
from dyn_core.control.tasks.momentum_tasks import ComTask, MomentumTask
from dyn_core.control.tasks.task import EvaluatedState, Task, Terms

__all__ = [
    "CollisionBarrier",
    "ComTask",
    "ContactTask",
    "DampingTask",
    "EvaluatedState",
    "FrameTask",
    "JointLimits",
    "LowAccelerationTask",
    "MomentumTask",
    "PostureTask",
    "RelativeFrameTask",
    "Task",
    "Terms",
]
