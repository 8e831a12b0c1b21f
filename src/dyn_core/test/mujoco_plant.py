"""MuJoCo as the plant of a closed loop: the robot of a URDF under commanded efforts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np

SHAPES = ("visual", "collision")


class Plant:
    """A fixed robot with one coordinate for each joint, in the order of MuJoCo's joints.

    Args:
        urdf: its file; shapes are left out, since meshes may be missing.
        names: the joints in the controller's order.
        period: of a control cycle, s.
    """

    def __init__(self, urdf: Path, names: tuple[str, ...], period: float = 1e-3) -> None:
        tree = ElementTree.parse(urdf).getroot()
        for link in tree.iter("link"):
            for shape in [x for x in link if x.tag in SHAPES]:
                link.remove(shape)
        self.model = mujoco.MjModel.from_xml_string(ElementTree.tostring(tree, encoding="unicode"))
        self.model.opt.timestep = period
        self.model.dof_damping[:] = 0.0
        self.model.dof_frictionloss[:] = 0.0
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in names]
        self.q_of = np.array([int(joint.qposadr[0]) for joint in joints])
        self.v_of = np.array([int(joint.dofadr[0]) for joint in joints])

    def run(
        self,
        q: np.ndarray,
        control: Callable[[np.ndarray, np.ndarray], np.ndarray],
        duration: float,
        v: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and velocities (steps, n) under ``control(q, v)``, from ``q`` at rest."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.q_of] = q
        self.data.qvel[self.v_of] = 0.0 if v is None else v
        seen = []
        for _ in range(round(duration / self.model.opt.timestep)):
            at = self.data.qpos[self.q_of].copy(), self.data.qvel[self.v_of].copy()
            seen.append(at)
            self.data.qfrc_applied[self.v_of] = control(*at)
            mujoco.mj_step(self.model, self.data)
        positions, velocities = zip(*seen, strict=True)
        return np.array(positions), np.array(velocities)
