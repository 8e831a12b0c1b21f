# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo as the plant of a closed loop: the robot of a URDF under commanded efforts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np

SHAPES = ("visual", "collision")
FOOT = 0.02
"""m, radius of the balls on which a floating robot stands."""


class Plant:
    """A fixed robot with one coordinate for each joint, in the order of MuJoCo's joints.

    Args:
        urdf: its file; shapes are left out, since meshes may be missing.
        names: the joints in the controller's order.
        period: of a control cycle, s.
    """

    def __init__(self, urdf: Path, names: tuple[str, ...], period: float = 1e-3) -> None:
        text = ElementTree.tostring(without_shapes(urdf), encoding="unicode")
        self._take(mujoco.MjModel.from_xml_string(text), names, period)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT

    def _take(self, model: mujoco.MjModel, names: tuple[str, ...], period: float) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        model.opt.timestep = period
        model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
        joints = [model.joint(name) for name in names]
        self.q_of = np.array([int(joint.qposadr[0]) for joint in joints])
        self.v_of = np.array([int(joint.dofadr[0]) for joint in joints])

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Configuration (nq) and velocity (nv)."""
        return self.data.qpos[self.q_of].copy(), self.data.qvel[self.v_of].copy()

    def place(self, q: np.ndarray) -> None:
        """Put the robot at a configuration (nq)."""
        self.data.qpos[self.q_of] = q

    def run(
        self,
        q: np.ndarray,
        control: Callable[[np.ndarray, np.ndarray], np.ndarray],
        duration: float,
        v: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and velocities (steps, n) under ``control(q, v)``, from ``q`` at rest."""
        mujoco.mj_resetData(self.model, self.data)
        self.place(q)
        self.data.qvel[self.v_of] = 0.0 if v is None else v
        seen = []
        for _ in range(round(duration / self.model.opt.timestep)):
            at = self.state()
            seen.append(at)
            self.data.qfrc_applied[self.v_of] = control(*at)[-len(self.v_of) :]
            mujoco.mj_step(self.model, self.data)
        positions, velocities = zip(*seen, strict=True)
        return np.array(positions), np.array(velocities)


class FloatingPlant(Plant):
    """A robot on a floating base, whose feet are balls on level ground.

    Args:
        urdf: its file.
        names: its joints behind the base in the controller's order.
        feet: links that have a ball, which ends where the link's frame is.
        period: of a control cycle, s.
        friction: of the balls on the ground.
    """

    def __init__(
        self,
        urdf: Path,
        names: tuple[str, ...],
        feet: tuple[str, ...],
        period: float = 1e-3,
        friction: float = 0.8,
    ) -> None:
        tree = without_shapes(urdf)
        children = {joint.find("child").get("link") for joint in tree.findall("joint")}
        (base,) = (x.get("name") for x in tree.findall("link") if x.get("name") not in children)
        joint = ElementTree.SubElement(tree, "joint", name="float", type="floating")
        ElementTree.SubElement(joint, "parent", link="world")
        ElementTree.SubElement(joint, "child", link=base)
        ElementTree.SubElement(tree, "link", name="world")
        options = {"fusestatic": "false", "balanceinertia": "true"}
        ElementTree.SubElement(ElementTree.SubElement(tree, "mujoco"), "compiler", **options)
        spec = mujoco.MjSpec.from_string(ElementTree.tostring(tree, encoding="unicode"))
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 0.1])
        for foot in feet:
            ball = spec.body(foot).add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[FOOT, 0, 0])
            ball.friction, ball.mass = [friction, 0.005, 0.0001], 0.0
        self._take(spec.compile(), names, period)
        self.model.dof_armature[:] = 0.0

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Configuration (nq) and velocity (nv), the base's in its own axes."""
        base, v = self.data.qpos[:7], self.data.qvel
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, base[3:7])
        q = np.concatenate([base[:3], base[[4, 5, 6, 3]], self.data.qpos[self.q_of]])
        return q, np.concatenate([R.reshape(3, 3).T @ v[:3], v[3:6], v[self.v_of]])

    def place(self, q: np.ndarray) -> None:
        """Put the robot at a configuration (nq)."""
        self.data.qpos[:3], self.data.qpos[3:7] = q[:3], q[[6, 3, 4, 5]]
        self.data.qpos[self.q_of] = q[7:]


def without_shapes(urdf: Path) -> ElementTree.Element:
    """A description whose meshes may be missing."""
    tree = ElementTree.parse(urdf).getroot()
    for link in tree.iter("link"):
        for shape in [x for x in link if x.tag in SHAPES]:
            link.remove(shape)
    return tree
