# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Real robots, as this package and as Pinocchio read them; tests and benchmarks share them.

Without Pinocchio's wheel there are those of this repository, as this package reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dyn_core import Model

if TYPE_CHECKING:
    import pinocchio as pin

ROBOT_FILES = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
}
"""Robots of the tests."""
MEASURED_FILES = {
    "icub": "icub_description/robots/icub.urdf",  # its mass matrix has conditions up to 7e9
    "g1_with_hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
}
"""Robots that benchmarks measure beside them."""
FLOATING = {"hyq", "talos", "simple_humanoid", "icub", "g1_with_hands"}
"""Robots that are put on a free flyer."""


OWN_ARM = Path(__file__).resolve().parents[2] / "dyn_ros" / "config" / "robots" / "ur5.urdf"


@cache
def own_arm() -> Model:
    """The ur5 of this repository."""
    return Model.from_urdf(OWN_ARM)


def example_robots() -> Path:
    """The folder of robots of the example-robot-data wheel."""
    import pinocchio as pin

    for folder in pin.__path__:
        for parent in Path(folder).parents:
            found = parent / "share" / "example-robot-data" / "robots"
            if found.is_dir():
                return found
    raise FileNotFoundError("install the wheel example-robot-data to run these tests")


@dataclass(frozen=True)
class Robot:
    """One robot as this package and as Pinocchio read it."""

    name: str
    model: Model
    pin_model: pin.Model

    def states(self, count: int, seed: int = 0) -> list[dict[str, np.ndarray]]:
        """Random states with all inputs that algorithms take."""
        import pinocchio as pin

        random = np.random.default_rng(seed)
        result = []
        for _ in range(count):
            q = pin.integrate(
                self.pin_model, pin.neutral(self.pin_model), 2.0 * random.normal(size=self.model.nv)
            )
            v, a, tau = random.normal(size=(3, self.model.nv))
            result.append({"q": q, "v": v, "a": a, "tau": 10.0 * tau})
        return result


@cache
def load(name: str) -> Robot:
    """The robot ``name`` of :data:`ROBOT_FILES` or :data:`MEASURED_FILES`."""
    import pinocchio as pin

    path = example_robots() / {**ROBOT_FILES, **MEASURED_FILES}[name]
    if name in FLOATING:
        model = Model.from_urdf(path, root_joint="free_flyer", mimic=False)
        return Robot(name, model, pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()))
    return Robot(name, Model.from_urdf(path, mimic=False), pin.buildModelFromUrdf(str(path)))


def with_locked(robot: Robot, name: str, joints: Sequence[str]) -> Robot:
    """A robot some of whose joints do not move."""
    import pinocchio as pin

    numbers = [robot.pin_model.getJointId(joint) for joint in joints]
    model, theirs = robot.model, robot.pin_model
    at = pin.neutral(theirs)
    return Robot(name, model.reduced(joints, at), pin.buildReducedModel(theirs, numbers, at))


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference over the largest expected entry."""
    if actual.shape == expected.shape and not expected.size:
        return 0.0
    return float(np.max(np.abs(actual - expected)) / max(1e-300, np.max(np.abs(expected))))
