# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names of MJCF's elements and attributes, and those that no Model can represent."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


POSE = "pos quat axisangle euler xyaxes zaxis"
CONTACT = "solimp solref solmix margin gap friction condim contype conaffinity priority"
KNOWN = {
    tag: _names(names)
    for tag, names in {
        "mujoco": "model",
        "worldbody": "",
        "compiler": "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass "
        "conflict convexhull coordinate discardvisual eulerseq exactmeshinertia fitaabb fusestatic "
        "inertiafromgeom inertiagrouprange meshdir passthrough savecanonical savecompiled "
        "saveinertial settotalmass strippath texturedir usethread",
        "option": "actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone "
        "density gravity impratio integrator iterations jacobian ls_iterations ls_tolerance "
        "magnetic mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance o_friction "
        "o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep "
        "tolerance viscosity wind",
        "body": f"name childclass mocap gravcomp fuse simple sleep user {POSE}",
        "frame": f"name childclass {POSE}",
        "replicate": "name count offset euler sep prefix childclass",
        "inertial": f"mass diaginertia fullinertia {POSE}",
        "joint": "name class type group pos axis springdamper limited actuatorfrclimited "
        "solreflimit solimplimit solreffriction solimpfriction stiffness range actuatorfrcrange "
        "actuatorgravcomp margin ref springref springyield armature damping frictionloss user",
        "freejoint": "name group align",
        "geom": f"name class type group size mass density shellinertia fromto mesh hfield fitscale "
        f"material castshadow rgba fluidshape fluidcoef adhesion surfacevel user {CONTACT} {POSE}",
        "site": f"name class type group size fromto material mesh rgba user {POSE}",
        "mesh": "name class content_type file scale refpos refquat vertex normal texcoord face "
        "inertia maxhullvert smoothnormal material builtin params",
        "equality": "name class active solimp solref joint1 joint2 polycoef body1 body2 anchor "
        "relpose torquescale site1 site2 tendon1 tendon2 flex cell",
        "fixed_joint": "joint coef",
        "key": "name time qpos qvel act ctrl mpos mquat plastic",
    }.items()
}
"""The attributes of the elements that are read; any other is refused as a slip of the pen."""

SECTIONS = _names(
    "compiler option size statistic visual default extension asset worldbody deformable contact "
    "tendon equality actuator sensor custom keyframe"
)
BODY_PARTS = _names("body frame joint freejoint inertial geom site camera light")
INSIDE = {"geom": _names("plugin")}
"""The elements that may be in the parts of a body, other than bodies and frames."""
ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""Notations of an orientation, of which an element may use one."""
PARTIAL = _names("size damping stiffness")
"""Attributes of which an element may give the first numbers and leave the rest to its class."""
ACTUATORS = _names(
    "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion "
    "dcmotor plugin"
)
"""Kinds of actuators, which share their defaults."""

REFUSED = {
    "tendon": "a Model's tendons run straight from site to site, have springs and losses but no "
    "inertia, and only fixed ones tie joints",
    "flex": "a deformable body",
    "flexcomp": "a deformable body",
    "composite": "a body made of many, which only MuJoCo's compiler makes (until version 4)",
    "attach": "a part that cannot be attached here",
    "plugin": "a plugin, whose forces are unknown",
    "gravcomp": "gravity compensation of a body that only MuJoCo's compiler makes",
    "fluid": "the shape that only MuJoCo's compiler gives a body in a fluid",
    "stiffness": "a spring of a free joint, or one whose force is not proportional to its way",
    "springyield": "a spring that yields, whose position at rest moves",
    "damping": "damping that is not proportional to the speed",
    "mesh": "a shape that only MuJoCo's compiler makes, so give the body an <inertial>",
    "shellinertia": "the inertia of a shell; left out, the shape counts as solid",
    "keyframe": "a configuration",
}
"""Elements that cannot be represented, by the name with which ``ignore`` leaves them out."""
