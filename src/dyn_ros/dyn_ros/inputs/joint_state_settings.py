# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the joint_states subscription."""

from dyn_ros.inputs.bad_input import BAD_JOINT_STATE
from dyn_ros.node.settings import Setting

JOINT_STATE = (
    Setting(
        "joint_state_timeout",
        0.1,
        "s without a usable joint state after which the output stops and an error is reported",
        limits=(0.001, 60.0),
        live=True,
    ),
    Setting(
        "settle_count",
        10,
        "joint states without a gap after which the output comes back from a time-out",
        limits=(1, 100_000),
        live=True,
    ),
    Setting(
        "settle_duration",
        0.2,
        "s of joint states without a gap after which the output comes back from a time-out",
        limits=(0.0, 60.0),
        live=True,
    ),
    Setting(
        "max_lost_samples",
        0.01,
        "part of the joint states that may get lost on the way before diagnostics warn",
        limits=(0.0, 1.0),
        live=True,
    ),
    Setting(
        "deadline",
        0.01,
        "s from a joint state that comes to its result published; later ones are counted, and "
        "diagnostics warn if they are more than max_lost_samples of all",
        limits=(1e-6, 60.0),
        live=True,
    ),
    *BAD_JOINT_STATE,
)
