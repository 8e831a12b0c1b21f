# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The schema of URDF: contents of its elements, and those without influence on dynamics.

All elements and attributes of a document are looked up here. Where dynamics are described, unknown
ones are refused; within elements that do not concern dynamics they are reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Element:
    """The allowed contents of an element; each field lists names, separated by blanks."""

    children: str = ""
    """Elements that are read; at most one of each, except links and joints."""
    words: str = ""
    """Attributes that are names or types."""
    numbers: str = ""
    """Attributes of one number."""
    vectors: str = ""
    """Attributes of three numbers."""
    only_zero: str = ""
    """Elements and attributes that are allowed if all their numbers are zero."""
    quaternions: str = ""
    """Attributes of four numbers."""
    ignored: str = ""
    """Elements and attributes, of URDF or of other tools, that do not concern dynamics."""
    reported: str = ""
    """As ``ignored``, with a note, because they are rare."""
    zero_if_missing: str = ""
    """Attributes that are 0 if missing, with a note."""
    may_be_infinite: bool = False
    """Whether its numbers may be infinite."""

    @property
    def attributes(self) -> list[str]:
        """All attributes that are read."""
        return f"{self.words} {self.numbers} {self.vectors} {self.quaternions}".split()

    def count(self, name: str) -> int:
        """The number of numbers of an attribute."""
        several = {
            **dict.fromkeys(self.vectors.split(), 3),
            **dict.fromkeys(self.quaternions.split(), 4),
        }
        return several.get(name, 1)

    def names(self) -> Iterator[str]:
        """All known names, to suggest the intended one."""
        for names in (
            self.children,
            *self.attributes,
            self.only_zero,
            self.ignored,
            self.reported,
        ):
            yield from names.split()


SCHEMA = {
    "robot": Element(
        children="link joint",
        words="name",
        only_zero="origin",
        # URDF: version, material. ROS: the others. sensor: iCub. mujoco: settings of MuJoCo.
        ignored="version material gazebo transmission ros2_control sensor mujoco",
        # frame, collision_filter_group: Drake's without its prefix. optical_origin: PAL's.
        # bullet: data of its users. RefLink: Robotis'. create: Pioneer's, an unexpanded macro.
        # schedule_topic_creator_file: Atlas. fixed_frame: of Isaac Sim.
        reported="frame collision_filter_group optical_origin bullet RefLink create "
        "schedule_topic_creator_file plugin fixed_frame",
    ),
    "link": Element(
        children="inertial",
        words="name",
        only_zero="origin",  # SO-101
        # URDF: visual, collision. type: PR2, TIAGo. contact: Bullet. self_filter: ANYmal.
        # collision_checking: OpenHRP. kinematic, gravity, surface: Gazebo's, in TIAGo.
        ignored="visual collision type gazebo contact self_filter collision_checking "
        "kinematic gravity surface",
        # Of Drake's IIWAs, of PAL's cameras, of Bullet's shapes and sounds, and misplaced looks.
        reported="self_collision_checking optical_origin concave audio_source material sensor",
    ),
    "inertial": Element(children="origin mass inertia", reported="name"),  # K-Bot
    "origin": Element(vectors="xyz rpy", quaternions="quat_xyzw"),
    "mass": Element(numbers="value"),
    # In the objects of Roboschool and Bullet, products that are 0 are left out.
    "inertia": Element(
        numbers="ixx ixy ixz iyy iyz izz",
        zero_if_missing="ixy ixz iyz",
        only_zero="iyx izx izy",  # Kinova's Movo, Robotiq's FT 300
    ),
    "joint": Element(
        children="origin parent child axis limit dynamics mimic",
        words="name type",
        only_zero="joint_properties",  # onshape-to-robot's, which means <dynamics>: Barkour, LEAP
        # optical_origin: PAL's. position_based_velocity_limits: Franka's, for its controllers.
        # traits, controller_gains: NASA's Robonaut and Valkyrie. anchor: Pioneer.
        reported="optical_origin position_based_velocity_limits traits controller_gains anchor "
        "material hardwareInterface",
        # URDF: calibration, safety_controller. dont_collapse: Isaac, in Unitree's robots.
        ignored="calibration safety_controller gazebo dont_collapse",
    ),
    "parent": Element(words="link"),
    "child": Element(words="link"),
    "axis": Element(vectors="xyz", only_zero="rpy"),  # Gazebo's tutorials
    "limit": Element(
        numbers="lower upper velocity effort acceleration jerk",
        # deceleration: URDF 1.2, for planners. The others: ANYmal's drives.
        ignored="deceleration command_effort current gear_velocity",
        reported="k_velocity",  # of <safety_controller>, misplaced
        may_be_infinite=True,
    ),
    "dynamics": Element(
        # armature: Fourier's GR2 and GR3, as in MJCF. Springs: Stretch, as in SDF.
        numbers="damping friction armature spring_stiffness spring_reference",
        ignored="D K mu_coulomb mu_viscous",  # Franka's, for its controllers
        reported="coulomb_window",  # Drake's, over which its simulator smoothes friction
    ),
    "mimic": Element(words="joint", numbers="multiplier offset"),
}
"""Each element that is read, by its name."""

ROTOR = "write the rotor inertia times gear ratio squared as armature= of the joint's <dynamics>"
HINTS = {
    "joint_properties": "write it as <dynamics damping=... friction=...>",
    # gear_ratio, motor_inertia: Franka's FR3
    **dict.fromkeys(
        ("gear_ratio", "motor_inertia", "rotor_inertia"),
        f"{ROTOR}, or give the rotor to the model, with with_rotor or an SRDF's <rotor_params>",
    ),
    **dict.fromkeys(
        ("armature", "stiffness", "spring_stiffness"),
        "write it as armature= or spring_stiffness= of the joint's <dynamics>",
    ),
    **dict.fromkeys(("iyx", "izx", "izy"), "write it as ixy, ixz or iyz"),
    "loop_joint": "a URDF is a tree, so leave the joint that closes the loop out",
    "force_element": "write a spring of a joint as spring_stiffness= of its <dynamics>",
    "cable": "cables are not supported",
    "inertial": "move it into a <link>",
}
"""Hints for names of other formats that URDF does not have."""


DYNAMIC_TAGS = {
    "rotor_inertia": ROTOR,
    "gear_ratio": ROTOR,
    "joint": "make the joint one of URDF's types, or build the model with ModelBuilder",
    "screw_thread_pitch": "build the model with ModelBuilder and a Helical joint",
    "ball_constraint": "close the loop with Model.with_loop",
    "linear_bushing_rpy": "nothing here is like a bushing",
    "linear_spring_damper": "nothing here is like a spring between two points",
}
"""Extensions of others (Drake's) that change the dynamics, by their names behind the prefix, and
what to do about them."""

ALLOWED_NAMES = {
    "visual": "name group origin geometry material",
    "collision": "name group verbose origin geometry material surface",
    "origin": "xyz rpy quat_xyzw",
    "geometry": "name box cylinder sphere capsule mesh",
    "box": "size",
    "cylinder": "radius length",
    "sphere": "radius",
    "capsule": "radius length",
    "mesh": "filename scale",
    "material": "name color texture",
    "color": "rgba",
    "texture": "filename",
    "calibration": "rising falling reference_position",
    "safety_controller": "k_position k_velocity soft_lower_limit soft_upper_limit",
    # ROS 1 and 2, and PR2's.
    "transmission": "name type joint actuator mechanicalReduction motorTorqueConstant "
    "robotNamespace hardwareInterface leftActuator rightActuator flexJoint rollJoint gap_joint "
    "passive_joint use_simulated_gripper_joint simulated_actuated_joint compensator",
    # child: PAL's grippers. The limits and the encoder: Shadow's.
    "joint": "name role hardwareInterface mechanicalReduction offset child deadBandUpper "
    "saturationLower saturationUpper ignoreTransmissionAbsoluteEncoder",
    # api, node: Valkyrie's.
    "actuator": "name role hardwareInterface mechanicalReduction motorTorqueConstant api node",
}
"""What is known in elements that do not concern dynamics. An element that is not listed is in a
format of another tool."""
DRAKE = (
    "rotor_inertia gear_ratio proximity_properties capsule ellipsoid declare_convex "
    "perception_properties diffuse_map accepting_renderer collision_filter_group"
)
"""Drake's extensions without influence on dynamics, and those of rotors, which are read."""
DRAKE_LIMITS = frozenset({"acceleration", "jerk"})
"""Drake's attributes of ``<limit>`` that have a meaning in URDF 1.2 too."""

REPLACEMENTS = {
    **dict.fromkeys(("rotorinertia", "motorinertia", "armature"), ROTOR),
    "springstiffness": "write the spring as spring_stiffness= of the joint's <dynamics>",
    "turngravityoff": "here all links have weight",
    "gravity": "here it is (0, 0, -9.81): Model.with_gravity changes it",
    "mimicjoint": "here a joint follows another by its own <mimic>",
    **dict.fromkeys(
        ("dampingfactor", "velocitydecay"), "here joints alone have damping, by their <dynamics>"
    ),
    **dict.fromkeys(("viscosity", "wind"), "only robots from MJCF move in a fluid"),
    "inertiascaling": "write the scaled inertia into the link",
    "inertial": "give the body to a <link>",
    **dict.fromkeys(
        ("settotalmass", "inertiafromgeom", "boundmass", "boundinertia", "balanceinertia"),
        "write the inertias that MuJoCo computes into the links",
    ),
}
"""Names that other tools, such as Gazebo and Bullet, give to what changes the dynamics, in small
letters alone, and what to do about them."""


def is_foreign(name: str) -> bool:
    """Whether a name has a namespace of its own, declared or not, as Drake's extensions do."""
    return name.startswith("{") or ":" in name


def is_drakes(name: str) -> bool:
    """Whether a name has Drake's namespace, declared or not."""
    return is_foreign(name) and "drake" in name.removesuffix(local_name(name)).lower()


def local_name(name: str) -> str:
    """A name without its namespace or prefix."""
    return name.rpartition("}")[2].rpartition(":")[2]
