# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Our UR5 against the one of example-robot-data (ur_description), by Pinocchio."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ros_helpers import UR5

pin = pytest.importorskip("pinocchio")

RIGHT_ANGLE_THERE = "1.57079632679"


def other_ur5() -> str:
    path = "share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf"
    for parent in Path(pin.__file__).parents:
        if (parent / path).is_file():
            return (parent / path).read_text()
    pytest.skip("example-robot-data is not installed")


def largest_differences(one: str, other: str) -> tuple[float, float, float]:
    """Return those of gravity (N m), mass matrix and tool0's placement over 100 states."""
    models = [pin.buildModelFromXML(text) for text in (one, other)]
    assert list(models[0].names) == list(models[1].names)
    datas = [model.createData() for model in models]
    random = np.random.default_rng(5)
    differences = np.zeros(3)
    for _ in range(100):
        q = random.uniform(-np.pi, np.pi, 6)
        results = []
        for model, data in zip(models, datas, strict=True):
            pin.framesForwardKinematics(model, data, q)
            results.append(
                [
                    pin.computeGeneralizedGravity(model, data, q).copy(),
                    np.triu(pin.crba(model, data, q)),
                    data.oMf[model.getFrameId("tool0")].homogeneous,
                ]
            )
        now = [abs(a - b).max() for a, b in zip(*results, strict=True)]
        differences = np.maximum(differences, now)
    return tuple(differences)


def test_equal_but_for_rounded_right_angles() -> None:
    other = other_ur5()
    exact = other.replace(RIGHT_ANGLE_THERE, "1.5707963267948966")
    assert largest_differences(UR5.read_text(), exact) == (0.0, 0.0, 0.0)
    rounding = np.pi / 2 - float(RIGHT_ANGLE_THERE)
    assert rounding < 5e-12
    assert max(largest_differences(UR5.read_text(), other)) < 100 * rounding  # arm: 60 N m


def test_limits_are_those_of_the_data_sheet() -> None:
    model = pin.buildModelFromXML(UR5.read_text())
    assert list(model.upperEffortLimit) == [150, 150, 150, 28, 28, 28]
    assert list(model.upperVelocityLimit) == [np.pi] * 6
    limit = np.array([2, 2, 1, 2, 2, 2]) * np.pi
    assert (model.upperPositionLimit == limit).all()
    assert (model.lowerPositionLimit == -limit).all()
