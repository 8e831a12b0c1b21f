# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An arm of two boxes that an audit has nothing to say of, and ways to break it."""

from __future__ import annotations

from dyn_core.audit import CHECKS, Settings

BY_NAME = {check.name: check for check in CHECKS}
LENGTH, WIDTH, MASS = 0.4, 0.1, 4.0
ALONG = MASS * WIDTH**2 / 6.0
ACROSS = MASS * (LENGTH**2 + WIDTH**2) / 12.0
FAST = Settings(samples=20, swing=1.0, integrators=("runge_kutta_4",))


def inertial(
    mass: float = MASS, com: str = f"{LENGTH / 2} 0 0", moments: tuple = (ALONG, ACROSS, ACROSS)
) -> str:
    x, y, z = moments
    return (
        f'<inertial><origin xyz="{com}"/><mass value="{mass}"/><inertia ixx="{x}" ixy="0" ixz="0" '
        f'iyy="{y}" iyz="0" izz="{z}"/></inertial>'
    )


BOX = (
    f'<visual><origin xyz="{LENGTH / 2} 0 0"/><geometry><box size="{LENGTH} {WIDTH} {WIDTH}"/>'
    "</geometry></visual>"
)
LIMIT = '<limit lower="-2" upper="2" velocity="3" effort="200"/>'


def urdf(
    first: str = inertial() + BOX, second: str = inertial() + BOX, limit: str = LIMIT, tip: str = ""
) -> str:
    """An arm of two links that turn about y, both boxes along x."""
    return (
        '<robot name="arm"><link name="base"/>'
        f'<link name="upper">{first}</link><link name="lower">{second}</link>'
        f'<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>'
        f'<axis xyz="0 1 0"/>{limit}</joint>'
        f'<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>'
        f'<origin xyz="{LENGTH} 0 0"/><axis xyz="0 1 0"/>{LIMIT}</joint>'
        f'<link name="tip"/><joint name="end" type="fixed"><parent link="lower"/>'
        f'<child link="tip"/><origin xyz="{LENGTH} 0 0"/></joint>{tip}</robot>'
    )


MJCF_INERTIAL = (
    f'<inertial mass="{MASS}" pos="{LENGTH / 2} 0 0" diaginertia="{ALONG} {ACROSS} {ACROSS}"/>'
)
MJCF_BOX = f'<geom type="box" pos="{LENGTH / 2} 0 0" size="{LENGTH / 2} {WIDTH / 2} {WIDTH / 2}"/>'
MJCF_JOINT = '<joint name="{}" axis="0 1 0" range="-2 2" {}/>'


def mjcf(
    first: str = MJCF_INERTIAL + MJCF_BOX,
    joint: str = MJCF_JOINT.format("shoulder", ""),
    head: str = '<compiler angle="radian"/>',
) -> str:
    """The same arm in MJCF."""
    return (
        f'<mujoco model="arm">{head}<worldbody><body name="upper">{joint}{first}'
        f'<body name="lower" pos="{LENGTH} 0 0">{MJCF_JOINT.format("elbow", "")}'
        f'{MJCF_INERTIAL}{MJCF_BOX}<body name="tip" pos="{LENGTH} 0 0"/></body></body>'
        "</worldbody></mujoco>"
    )
