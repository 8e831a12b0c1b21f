# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""TALOS stands on two soles, shifts its weight, lifts a foot and is pushed at the chest.

MuJoCo simulates the humanoid of 90 kg and the ground. Every 2 ms a quadratic program finds efforts
for three tasks: centre of mass, trunk, and the foot in the air. Contact forces stay within friction
cones, the centre of pressure within the soles, and efforts within their limits. The robot comes
from the wheel example-robot-data.

    python examples/humanoid_on_one_leg.py
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np

from dyn_core import Model, center_of_mass, compile, frame_placement, neutral
from dyn_core.control import (
    ComTask,
    ContactTask,
    FrameTask,
    JointLimits,
    MomentumTask,
    PostureTask,
    WholeBodyControl,
)
from dyn_core.control.trajectory import Trajectory
from dyn_core.view import draw_sticks

FILES = Path("share", "example-robot-data", "robots", "talos_data")
FEET, TRUNK = ("left_sole_link", "right_sole_link"), "torso_2_link"
SOLE = (-0.10, 0.10, -0.06, 0.06)
"""x_min, x_max, y_min, y_max of the soles, m."""
INSET = 0.01
"""m by which the centre of pressure stays off the edges."""
STEP, CONTROL = 1e-3, 2
"""s of the simulation; steps of it from one program to the next."""
STAND, SHIFT, LIFT, HIGH = 0.5, 1.5, 1.0, 0.08
"""s on two soles, s of the shift, s of the lift; m."""
PUSH, PUSHED = 50.0, 0.2
"""N at the chest, s."""


class Ground:
    """The simulated robot."""

    def __init__(self, model: Model, urdf: Path) -> None:
        self.spec = mujoco.MjSpec.from_string(on_free_joint(urdf))
        self.spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 0.1])
        x, y = 0.5 * (SOLE[1] - SOLE[0]), 0.5 * (SOLE[3] - SOLE[2])
        for foot in FEET:
            sole = self.spec.body(foot).add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[x, y, 0.01])
            sole.pos = [0.5 * (SOLE[0] + SOLE[1]), 0.5 * (SOLE[2] + SOLE[3]), 0.01]
            sole.friction, sole.mass = [0.8, 0.02, 0.001], 0.0
        self.model = self.spec.compile()
        self.model.opt.timestep = STEP
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in model.names[2:]]
        self._q = np.array([int(joint.qposadr[0]) for joint in joints])
        self._v = np.array([int(joint.dofadr[0]) for joint in joints])

    def put(self, q: np.ndarray) -> None:
        """At rest at a configuration (nq)."""
        self.data.qpos[:3], self.data.qpos[3:7] = q[:3], q[[6, 3, 4, 5]]
        self.data.qpos[self._q] = q[7:]
        self.data.qvel[:] = 0.0

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Configuration (nq) and velocity (nv), the base's in its own axes."""
        base, v = self.data.qpos[:7], self.data.qvel
        q = np.concatenate([base[:3], base[[4, 5, 6, 3]], self.data.qpos[self._q]])
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, base[3:7])
        return q, np.concatenate([R.reshape(3, 3).T @ v[:3], v[3:6], v[self._v]])

    def step(self, efforts: np.ndarray, push: np.ndarray) -> None:
        """Apply efforts (nv) and a force (3,) at the chest, N in the world, for a step."""
        self.data.qfrc_applied[self._v] = efforts[6:]
        self.data.body(TRUNK).xfrc_applied[:3] = push
        mujoco.mj_step(self.model, self.data)


def on_free_joint(urdf: Path) -> str:
    """The description without shapes, floating in the world."""
    tree = ElementTree.parse(urdf).getroot()
    for link in tree.iter("link"):
        for shape in [x for x in link if x.tag in ("visual", "collision")]:
            link.remove(shape)
    children = {joint.find("child").get("link") for joint in tree.findall("joint")}
    (base,) = (x.get("name") for x in tree.findall("link") if x.get("name") not in children)
    world = ElementTree.SubElement(tree, "joint", name="world_to_base", type="floating")
    ElementTree.SubElement(world, "parent", link="world")
    ElementTree.SubElement(world, "child", link=base)
    ElementTree.SubElement(tree, "link", name="world")
    ElementTree.SubElement(
        ElementTree.SubElement(tree, "mujoco"),
        "compiler",
        fusestatic="false",
        balanceinertia="false",
    )
    return ElementTree.tostring(tree, encoding="unicode")


@dataclass
class Seen:
    """Results of a run."""

    time: np.ndarray
    com: np.ndarray
    """(n, 3), m."""
    foot: np.ndarray
    """(n,) height of the right sole, m."""
    tilt: np.ndarray
    """(n,) of the trunk, rad."""
    load: np.ndarray
    """(n,) share of the effort limits that is used."""
    last: np.ndarray
    """The configuration (nq) at the end."""


class OneLeg:
    """The controller: tasks, contacts, and when each is active."""

    def __init__(self, model: Model, q: np.ndarray) -> None:
        self.model = model
        self.com, self.trunk = ComTask(cost=10.0, gain=5.0), FrameTask(TRUNK, 0.0, 5.0, gain=8.0)
        self.foot = FrameTask(FEET[1], 10.0, 5.0, gain=12.0)
        self.posture = PostureTask(cost=[0.0] * 6 + [0.5] * (model.nv - 6), gain=5.0)
        momentum = MomentumTask(cost=[0.0] * 3 + [0.1] * 3, gain=5.0)
        x_min, x_max, y_min, y_max = SOLE
        inner = (x_min + INSET, x_max - INSET, y_min + INSET, y_max - INSET)
        soles = [ContactTask(foot, inner, friction=0.6) for foot in FEET]
        for task in (self.com, self.trunk, self.posture, *soles):
            task.set_target_from_configuration(model, q)
        standing = [self.com, self.trunk, self.posture, momentum]
        limits = JointLimits(model)
        self.on_two = WholeBodyControl(model, standing, soles, limits)
        self.on_one = WholeBodyControl(model, [*standing, self.foot], soles[:1], limits)
        start = np.array(center_of_mass(model, q))
        over = np.array(frame_placement(model, q, frame=FEET[0]))[:3, 3]
        self.shift = smooth(start, np.array([over[0], over[1], start[2]]), STAND, SHIFT)
        self.placement = np.array(frame_placement(model, q, frame=FEET[1]))
        lifted = self.placement[:3, 3] + [0.0, 0.0, HIGH]
        self.lifting = STAND + SHIFT + 0.5
        self.lift = smooth(self.placement[:3, 3], lifted, self.lifting, LIFT)

    def efforts(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Efforts (nv) at a state."""
        self.com.set_target(*self.shift.sample(time))
        if time < self.lifting:
            return self.on_two.motion(q, v).efforts
        place, velocity, acceleration = self.lift.sample(time)
        target = self.placement.copy()
        target[:3, 3] = place
        still = np.zeros(3)
        motion = (np.concatenate([velocity, still]), np.concatenate([acceleration, still]))
        self.foot.set_target(target, *motion)
        return self.on_one.motion(q, v).efforts


def smooth(start: np.ndarray, end: np.ndarray, begin: float, duration: float) -> Trajectory:
    """From rest to rest."""
    still = np.zeros((2, len(start)))
    times = np.array([begin, begin + duration])
    return Trajectory(times, np.array([start, end]), still, still)


def talos() -> tuple[Model, Path]:
    """The robot, and its file."""
    for folder in map(Path, sys.path):
        for file in folder.glob(f"cmeel.prefix/{FILES}/robots/talos_reduced.urdf"):
            return Model.from_urdf(file, root_joint="free_flyer", mimic=False), file
    sys.exit("install example-robot-data")


def half_sitting(model: Model) -> np.ndarray:
    """Knees bent, arms beside the trunk, soles on the ground."""
    q = neutral(model)
    bent = {"3": -0.411354, "4": 0.859395, "5": -0.448041}
    arms = {"1": 0.25847, "2": 0.173046, "4": -0.525366}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for number, angle in bent.items():
            q[model.idx_q[model.joint_index(f"leg_{side}_{number}_joint")]] = angle
        for number, angle in arms.items():
            turn = angle if number == "4" else sign * angle
            q[model.idx_q[model.joint_index(f"arm_{side}_{number}_joint")]] = turn
    q[2] -= frame_placement(model, q, frame=FEET[0])[2, 3]
    return q


def run(
    push: tuple[float, float], duration: float = 6.0, at: float = 4.0, control: int = CONTROL
) -> Seen:
    """The motion, pushed along a direction of the ground at a time, s."""
    model, urdf = talos()
    q = half_sitting(model)
    ground, law = Ground(model, urdf), OneLeg(model, q)
    ground.put(q)
    look = compile(
        model, [center_of_mass, frame_placement.request(FEET[1]), frame_placement.request(TRUNK)]
    )
    force, seen = PUSH * np.array([*push, 0.0]), []
    for k in range(round(duration / STEP)):
        time = k * STEP
        if k % control == 0:
            state = ground.state()
            efforts = law.efforts(time, *state)
            com, foot, trunk = look(state[0])
            load = np.abs(efforts[6:] / model.effort_limit[6:]).max()
            seen.append((time, com.copy(), foot[2, 3], np.arccos(min(1.0, trunk[2, 2])), load))
        ground.step(efforts, force if at <= time < at + PUSHED else 0.0 * force)
    return Seen(*map(np.array, zip(*seen, strict=True)), last=ground.state()[0])


def main() -> None:
    """Print results for pushes forwards, to the left and to the right."""
    for name, push in {
        "none": (0, 0),
        "forwards": (1, 0),
        "left": (0, 1),
        "right": (0, -1),
    }.items():
        seen = run(push)
        moved = np.abs(seen.com[seen.time > 4.0] - seen.com[seen.time <= 4.0][-1]).max(axis=0)
        print(f"push {name}: foot {100 * seen.foot[-1]:.1f} cm high, centre of mass moved by")
        print(
            f"  {np.round(1000.0 * moved, 1)} mm, trunk tilted by {np.degrees(seen.tilt).max():.1f}"
        )
        print(f"  degrees at most, drives at {seen.load.max():.0%} of their limits at most")


def picture(duration: float = 6.0, control: int = 2 * CONTROL) -> Any:
    """TALOS before the motion and on one leg, and its centre of mass during a push to the left."""
    from matplotlib.figure import Figure

    model, _ = talos()
    seen = run((0.0, 1.0), duration, control=control)
    figure = Figure(layout="constrained")
    robot, curves = figure.subplots(1, 2, width_ratios=(1, 2))
    postures = np.array([half_sitting(model), seen.last])
    draw_sticks(robot, model, postures, FEET, azimuth=-30.0, elevation=10.0)
    for k, name in enumerate(("forwards", "to the left")):
        curves.plot(seen.time, 1e3 * (seen.com[:, k] - seen.com[0, k]), label=f"centre, {name}")
    curves.plot(seen.time, 1e3 * seen.foot, label="right foot, height")
    curves.axvspan(4.0, 4.0 + PUSHED, color="0.9")
    curves.set(xlabel="time [s]", title="[mm]")
    curves.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
