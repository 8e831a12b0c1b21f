# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the joint_states subscription."""

from dyn_ros.inputs.bad_input import ON_LOSS, STAMPS
from dyn_ros.node.settings import Setting

SETTLE_COUNT, SETTLE_S = 10, 0.2
"""Joint states without a gap, and their time, after which the output comes back from a loss."""
MAX_LOST_SHARE = 0.01
"""Share of the joint states that get lost, or whose results are late, without a warning."""
DEADLINE_S = 0.01
"""From a joint state that comes to its result published; later ones are counted."""
JOINT_STATE = (
    Setting(
        "joint_state_timeout",
        0.1,
        "s without a usable joint state after which the output stops, an error is reported and "
        "on_loss says what is done; poses on odom and multi_dof_joint_states may be as much older "
        "than joint states",
        limits=(0.001, 60.0),
        live=True,
    ),
    STAMPS,
    ON_LOSS,
)
