# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A request of a new kind is answered before there is machine code, where no other node works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import numpy as np
import pytest
from bench import NAMES
from dyn_msgs.srv import ComputeOperationalSpaceInertia
from ros_helpers import Ros, arm, until

from dyn_core.compiler.runtime.background_compile import Build, Compiler
from dyn_ros.nodes.inverse_dynamics import InverseDynamicsNode

MASS = float(np.random.default_rng().uniform(1.0, 2.0))  # no cache has such an arm


@contextmanager
def busy_builder() -> Iterator[None]:
    """Machine code that is ordered meanwhile waits for some that takes as long as this lasts."""
    over = Event()

    def make(compiler: Compiler) -> bytes:
        over.wait()
        return compiler("define void @nothing() {\n  ret void\n}\n")

    Build(make, ["nothing"])
    try:
        yield
    finally:
        over.set()


@pytest.mark.wiring
@pytest.mark.dds
def test_a_first_request_is_interpreted_until_there_is_machine_code(ros: Ros) -> None:
    """The answers are the same; configure compiles the usual kernels."""
    node = ros.create(InverseDynamicsNode, autostart=True, robot_description=arm(mass=MASS))
    ros.start()
    until(lambda: node.active)
    assert not node.dynamics.interpreted

    def inertia() -> list[float]:
        request = {"position": [0.3, -0.6], "frame": "lower", "damping": 0.01}
        name = "inverse_dynamics/compute_operational_space_inertia"
        answer = ros.call(ComputeOperationalSpaceInertia, name, joint_names=NAMES, **request)
        assert answer.success, answer.message
        return list(answer.inertia)

    with busy_builder():
        first = inertia()
        assert node.dynamics.interpreted
    until(lambda: not node.dynamics.interpreted, 60.0)
    assert inertia() == pytest.approx(first, rel=1e-9)
