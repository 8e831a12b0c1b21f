# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the tests of constrained dynamics share: cases, and Pinocchio's view of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from robots import Robot, load

from dyn_core import LOCAL, LOCAL_WORLD_ALIGNED, Contact, Loop
from dyn_core.model import Frame
from dyn_core.spatial import Motion, exp6

FEET = ("lf_foot", "lh_foot", "rf_foot", "rh_foot")
ELSEWHERE = exp6(Motion.of([0.1, -0.2, 0.3, 0.4, 0.5, -0.6]))
KINDS = {3: pin.ContactType.CONTACT_3D, 6: pin.ContactType.CONTACT_6D}
REFERENCES = {
    LOCAL: pin.ReferenceFrame.LOCAL,
    LOCAL_WORLD_ALIGNED: pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}


@dataclass(frozen=True)
class Case:
    """Constraints of a robot, and Pinocchio's models of them."""

    robot: Robot
    constraints: tuple[Contact | Loop, ...]

    def pinocchio(self) -> tuple[list, list, pin.Data]:
        """Models and data of the constraints, and of the robot, prepared."""
        models = [rigid(self.robot, one) for one in self.constraints]
        datas = [model.createData() for model in models]
        data = self.robot.pin_model.createData()
        pin.initConstraintDynamics(self.robot.pin_model, data, models, datas)
        return models, datas, data


def panda() -> Robot:
    """With two frames that are nowhere special."""
    robot = load("panda")
    model = robot.model.with_frame("tip", "panda_hand", ELSEWHERE)
    return Robot(robot.name, model.with_frame("mark", "panda_link0", ELSEWHERE), robot.pin_model)


def cases() -> dict[str, Case]:
    """By name; none of them is redundant."""
    arm, aligned = panda(), {"reference": LOCAL_WORLD_ALIGNED}
    return {
        "point": Case(arm, (Contact("tip"),)),
        "point, aligned": Case(arm, (Contact("tip", kd=5.0, **aligned),)),
        "point at a mark": Case(arm, (Contact("tip", 3, kp=9.0, kd=6.0, at="mark"),)),
        "point at a mark, aligned": Case(arm, (Contact("tip", 3, kp=9.0, at="mark", **aligned),)),
        "frame": Case(arm, (Contact("tip", 6),)),
        "frame, aligned": Case(arm, (Contact("tip", 6, kd=5.0, **aligned),)),
        "frame at a mark": Case(arm, (Contact("tip", 6, kp=9.0, kd=6.0, at="mark"),)),
        "point of two links": Case(arm, (Loop("tip", "panda_link2", 3, kp=9.0, kd=6.0),)),
        "four feet": Case(load("hyq"), tuple(Contact(foot, 3, **aligned) for foot in FEET)),
        "one foot": Case(load("hyq"), (Contact("lf_foot", 3, kd=5.0),)),
        "foot on foot": Case(load("hyq"), (Loop("lf_foot", "rh_foot", 6, kp=9.0, kd=6.0),)),
    }


def rigid(robot: Robot, one: Contact | Loop) -> pin.RigidConstraintModel:
    """Pinocchio's model of a contact or loop."""
    loop = isinstance(one, Loop)
    first, second = (one.frame1, one.frame2) if loop else (one.frame, one.at)
    joint1, place1 = _place(robot.model.frame(first))
    joint2, place2 = _place(robot.model.frame(second)) if second else (0, pin.SE3.Identity())
    reference = REFERENCES[LOCAL if loop else one.reference]
    kind, model = KINDS[one.kind], robot.pin_model
    found = pin.RigidConstraintModel(kind, model, joint1, place1, joint2, place2, reference)
    found.m_baumgarte_parameters.Kp = one.kp
    found.m_baumgarte_parameters.Kd = one.kd
    return found


def _place(frame: Frame) -> tuple[int, pin.SE3]:
    return frame.joint, pin.SE3(np.array(frame.placement.homogeneous(), dtype=float))
