# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF texts of the tests, small enough to be read, and efforts that do not come from MuJoCo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

INERTIAL = '<inertial mass="2" pos=".1 .02 -.03" diaginertia=".03 .02 .025" quat=".9 .1 -.2 .3"/>'
HINGE = '<joint name="{}" axis="0 1 0"/>'


class Case(NamedTuple):
    """A document with one feature of the format, and its efforts at one state."""

    text: str
    inverse: list[float]
    """Inverse dynamics."""
    passive: list[float]
    """Efforts of springs, dampers, lifts, fluid and tendons."""


CASES = {
    name: Case(**case)
    for name, case in json.loads(
        (Path(__file__).parent / "data" / "mjcf_cases.json").read_text()
    ).items()
}
"""The efforts are those of a reader that this package once had, with exact axes of inertia."""


def mjcf(world: str, before: str = "", after: str = "") -> str:
    """A file with this in its world, and sections before and after it."""
    return f'<mujoco model="m">{before}<worldbody>{world}</worldbody>{after}</mujoco>'


def body(name: str, inside: str, attributes: str = 'pos=".3 -.1 .2"') -> str:
    return f'<body name="{name}" {attributes}>{inside}</body>'


def link(name: str, joint: str, inside: str = "", attributes: str = 'pos=".3 -.1 .2"') -> str:
    """A body with an inertia and a joint."""
    return body(name, joint + INERTIAL + inside, attributes)


def arm(more: str = "", attributes: str = "") -> str:
    """Two links; ``more`` is in the second, which has the ``attributes``."""
    second = link("b", HINGE.format("j2"), more, f'pos="0 .1 .4" {attributes}')
    return link("a", '<joint name="j1" axis="1 0 .2" pos="0 .1 0"/>', second)


MIMICRY = mjcf(
    link(
        "a",
        '<joint name="lead" ref="20" armature=".1" damping=".2" frictionloss=".3"/>',
        link("b", '<joint name="f" ref="-30" axis="1 0 0" armature=".4" damping=".5"/>')
        + link("c", '<joint name="g" type="slide" ref=".2" frictionloss=".6"/>'),
    )
    + link("d", HINGE.format("free")),
    "<default><equality solref='.01 1'/></default>",
    '<equality><joint joint1="f" joint2="lead" polycoef=".3 -2"/>'
    '<joint joint1="g" joint2="f" polycoef=".1 .5 0 0 0"/>'
    '<joint joint1="free" joint2="lead" active="false"/></equality>'
    '<keyframe><key name="home" qpos=".1 .2 .3 .4"/></keyframe>',
)
