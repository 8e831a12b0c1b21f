# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A UR5 whose gravity torque is compared with Pinocchio's, wherever gravity points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import Ur5
from called import Called
from dyn_msgs.msg import JointEfforts
from ros_helpers import Ros

G = 9.81


def torque_of(bench: Ur5, gravity: Any) -> Any:
    """Return what Pinocchio says that gravity in another direction takes."""
    bench.model.gravity.linear = np.array(gravity)
    return pytest.approx(pin.computeGeneralizedGravity(bench.model, bench.data, bench.q), abs=1e-9)


def answer(bench: Ur5) -> list[float]:
    """Return the torque that the node answers the bench's state with."""
    stamp = bench.send(bench.names, **bench.fields)
    return list(bench.answer_on("gravity_torque", stamp).effort)


def ur5(ros: Ros | Called, **parameters: Any) -> Ur5:
    """Return a bench with gravity_compensation."""
    outputs = {"gravity_torque": JointEfforts}
    return Ur5(ros, "gravity_compensation", outputs, connect=False, **parameters)
