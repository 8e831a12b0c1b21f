# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The robot: read from a file, edited into another, given memory for results."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dyn_core.errors import ModelError
from dyn_core.model.coupling import Coupling
from dyn_core.model.file_constructors import FileConstructors
from dyn_core.model.frame import FrameType
from dyn_core.model.kinematic_tree import GRAVITY as GRAVITY
from dyn_core.model.kinematic_tree import FloatArray as FloatArray
from dyn_core.model.kinematic_tree import KinematicTree
from dyn_core.model.loop import Loop
from dyn_core.model.reference_checks import check_references
from dyn_core.model.tree_joint import Bound, Limits
from dyn_core.model.value_checks import (
    finite_number,
    finite_numbers,
    number,
    rigid,
    symmetric_numbers,
)
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3, objection

if TYPE_CHECKING:
    from dyn_core.compiler.runtime.data import Data
    from dyn_core.model.builder import ModelBuilder


class Model(KinematicTree, FileConstructors):
    """A robot: a tree of bodies, each moved by one joint; index 0 is the universe. Immutable.

    Joints are numbered depth first, siblings by name (from URDF) or in the document's order (from
    MJCF). All that is indexed by joints has entries for joint i and the body that it moves.
    """

    # Methods import what they need when they are called: until then it costs no time.

    def __post_init__(self) -> None:
        super().__post_init__()
        check_references(self)

    def with_srdf(self, source: str | os.PathLike[str], rotors: bool = True) -> Model:
        """The model with the reference configurations and rotors of its SRDF.

        A ``<group_state>`` becomes a reference configuration: its joints have the given values, all
        others are neutral. States of one name in several groups are one configuration, which places
        the joints of all these groups. The value of an unbounded revolute joint is its angle (rad);
        all other joints have as many numbers as coordinates, which are normalized. Mimic joints
        have no coordinate, so their values are ignored. Of two states of one name and group, and of
        two values of one joint, the first counts; a configuration that the model has already is
        replaced.

        ``<rotor_params>`` sets the armature of joints to rotor inertia (the attribute ``mass``,
        kg m^2) times ``gear_ratio`` squared; the rotor of a mimic joint turns with its primary.

        Apart from states in several groups, of which Pinocchio takes one, this is what its
        ``loadReferenceConfigurations`` and ``loadRotorParameters`` do. A warning reports what is
        ignored (joints that the model does not have, a second state or value, a mimic joint's value
        that contradicts its primary's, unknown elements and attributes), and joints and links that
        other elements name and the model does not have. It reports positions beyond limits, groups
        that the SRDF does not define and joints outside of the state's group too; their values are
        kept.

        Args:
            source: the SRDF text, or the path of a file. If its name ends with ``.xacro``, xacro
                expands it with the defaults of its arguments, and evaluates expressions in it.
            rotors: False leaves the armatures as they are.

        Raises:
            ModelError: no SRDF, or a value that is missing, not finite, not of unit length where it
                has to be, or of the wrong size; the message names the state and the joint.
        """
        from dyn_core.readers.srdf import with_srdf

        return with_srdf(self, source, rotors)

    def reduced(self, lock: Iterable[str], q: FloatArray) -> Model:
        """The robot with some joints locked at the configuration ``q`` (nq).

        The body of a locked joint becomes part of the body that carries it; its frame stays, as
        that of a fixed joint. Mimic joints are locked with the joint that they follow.

        Raises:
            ModelError: an unknown joint, a mimic joint without its primary, or a ``q`` of the wrong
                size, that is not finite or holds an orientation that is not of unit length.
        """
        from dyn_core.model.editing import reduced

        return reduced(self, lock, q)

    def append(self, other: Model, frame: str, placement: SE3 | None = None) -> Model:
        """The model with the robot ``other`` mounted at ``placement`` in ``frame``.

        The joints of this model keep their numbers, those of ``other`` follow; the world of
        ``other`` becomes part of the body that carries ``frame``. Gravity is that of this model. If
        both worlds have the same name, as in MJCF, this name stays the world of this model.

        Raises:
            KeyError: no such frame.
            ModelError: the name of a joint or frame is taken already, or the placement is not
                rigid.
        """
        from dyn_core.model.editing import append

        return append(self, other, frame, placement)

    def with_inertia(
        self,
        body: str,
        inertia: Inertia | None = None,
        *,
        mass: float | None = None,
        com: Sequence[float] | None = None,
        at_com: Sequence[Sequence[float]] | None = None,
    ) -> Model:
        """The model with another inertia of a body.

        Args:
            body: a link or another frame of the body, or the joint that moves it. Links that fixed
                joints hold together are one body.
            inertia: of the whole body, in the frame of that name; or, instead of it,
            mass: its mass, kg,
            com: its centre of mass in that frame, m,
            at_com: its inertia (3, 3) about the centre of mass, axes along that frame, kg m^2.

        Raises:
            KeyError: no such body; the message lists the frames that there are.
            TypeError: both an ``inertia`` and parts of one, or neither.
            ModelError: no body can have this inertia; the message says why.
        """
        if (inertia is None) == (mass is None and com is None and at_com is None):
            raise TypeError(
                f"with_inertia('{body}'): give an Inertia, or some of mass, com, at_com"
            )
        frame, builder = self.frame(body), self._builder()
        if inertia is None:
            old = frame.placement.act_inv_inertia(self.inertias[frame.joint])
            inertia = Inertia.from_com(
                old.mass if mass is None else number(f"mass of '{body}'", mass),
                old.com if com is None else Vector3(*finite_numbers(com, 3, f"com of '{body}'")),
                old.at_com if at_com is None else symmetric_numbers(at_com, f"at_com of '{body}'"),
            )
        new = frame.placement.act_inertia(inertia).plain()
        if any(new.parameters) and (why := objection(new)) is not None:
            raise ModelError(f"body '{body}' cannot have this inertia: {why}")
        builder.tree[frame.joint] = replace(builder.tree[frame.joint], inertia=new)
        return builder.build()

    def with_placement(self, joint: str, placement: SE3) -> Model:
        """The model with a joint elsewhere in the frame of its parent joint.

        Raises:
            KeyError: no such joint.
            ModelError: the placement is not rigid.
        """
        index, builder = self.joint_index(joint), self._builder()
        place = rigid(placement, f"joint '{joint}'")
        builder.tree[index] = replace(builder.tree[index], placement=place)
        return builder.build()

    def with_limits(
        self,
        joint: str,
        *,
        lower: Bound | None = None,
        upper: Bound | None = None,
        velocity: Bound | None = None,
        effort: Bound | None = None,
        acceleration: Bound | None = None,
        jerk: Bound | None = None,
    ) -> Model:
        """The model with other limits of a joint; limits that are None stay.

        Args:
            joint: whose limits; a number holds for all its coordinates, a sequence has one for
                each.
            lower: lowest position, rad, m.
            upper: highest position, rad, m.
            velocity: largest speed, rad/s, m/s.
            effort: largest effort, N m, N.
            acceleration: largest acceleration, rad/s^2, m/s^2.
            jerk: largest jerk, rad/s^3, m/s^3.

        Raises:
            KeyError: no such joint.
            ModelError: a wrong number of numbers, or limits that contradict each other.
        """
        return self._with_joint_values(
            joint, lower=lower, upper=upper, velocity=velocity, effort=effort,
            acceleration=acceleration, jerk=jerk,
        )  # fmt: skip

    def with_friction(
        self,
        joint: str,
        *,
        damping: Bound | None = None,
        friction: Bound | None = None,
        stiction: Bound | None = None,
        stribeck_velocity: Bound | None = None,
    ) -> Model:
        """The model with other losses of a joint; losses that are None stay.

        Args:
            joint: whose losses; a number holds for all its coordinates, a sequence has one for
                each.
            damping: viscous friction, N m s/rad, N s/m.
            friction: Coulomb friction, N m, N.
            stiction: static friction in excess of Coulomb friction, N m, N.
            stribeck_velocity: speed at which 1/e of ``stiction`` is left, rad/s, m/s.

        Raises:
            KeyError: no such joint.
            ModelError: a wrong number of numbers, negative or infinite ones.
        """
        return self._with_joint_values(
            joint, damping=damping, friction=friction, stiction=stiction,
            stribeck_velocity=stribeck_velocity,
        )  # fmt: skip

    def with_spring(
        self, joint: str, stiffness: Bound | None = None, rest: Bound | None = None
    ) -> Model:
        """The model with another spring between the two bodies of a joint.

        Args:
            joint: that has the spring; a number holds for all its coordinates.
            stiffness: N m/rad, N/m; None leaves it.
            rest: position (nq) in which the spring is relaxed; None leaves it.

        Raises:
            KeyError: no such joint.
            ModelError: a wrong number of numbers, negative or infinite ones, or no configuration.
        """
        return self._with_joint_values(joint, stiffness=stiffness, rest=rest)

    def with_payload(
        self,
        frame: str,
        mass: float,
        com: Sequence[float] = (0.0, 0.0, 0.0),
        inertia: Sequence[Sequence[float]] | None = None,
    ) -> Model:
        """The model carrying a payload in ``frame``.

        Args:
            frame: the frame that the payload is fixed to.
            mass: its mass, kg.
            com: its centre of mass in ``frame``, m.
            inertia: its inertia (3, 3) about the centre of mass, axes along ``frame``, kg m^2; None
                for a point mass.

        Raises:
            KeyError: no such frame.
            ModelError: no body can have this mass and inertia; the message says why.
        """
        carrier, builder = self.frame(frame), self._builder()
        what = "the payload's inertia"
        at_com = Symmetric3.zero() if inertia is None else symmetric_numbers(inertia, what)
        center = Vector3(*finite_numbers(com, 3, "the payload's com"))
        body = Inertia.from_com(number("the payload's mass", mass), center, at_com)
        if (why := objection(body)) is not None:
            raise ModelError(f"a payload like this cannot exist: {why}")
        builder.add_body(carrier.joint, body, carrier.placement)
        return builder.build()

    def with_frame(
        self,
        name: str,
        frame: str,
        placement: SE3,
        kind: FrameType = FrameType.OPERATIONAL,
    ) -> Model:
        """The model with a new frame ``name`` at ``placement`` in an existing ``frame``.

        Raises:
            KeyError: no such frame.
            ModelError: the new name is taken already, or the placement is not rigid.
        """
        base, builder = self.frame(frame), self._builder()
        if any(known.name == name for known in self.frames):
            raise ModelError(f"frame '{name}' exists already in '{self.name}'; choose another name")
        builder.add_frame(name, kind, base.joint, base.placement * placement)
        return builder.build()

    def with_loop(
        self, frame1: str, frame2: str, kind: int = 6, kp: float = 0.0, kd: float = 0.0
    ) -> Model:
        """The model with a loop closed: two frames of different bodies that stay together.

        URDF has no element for loops: leave out one joint of each loop in the URDF, and close the
        loop with this function.

        Args:
            frame1: the frame along whose axes the other is held.
            frame2: the other.
            kind: 6 to hold the frames together, 3 for their origins only.
            kp: Baumgarte's stiffness of the position error, 1/s^2.
            kd: Baumgarte's damping of the velocity error, 1/s.

        Raises:
            ModelError: no such frames, frames of one body, another kind, or gains that are negative
                or not finite.
        """
        builder = self._builder()
        builder.loops.append(Loop(frame1, frame2, kind, kp, kd))
        return builder.build()

    def with_coupling(self, coupling: Coupling) -> Model:
        """The model with joints tied by an equation, which constrained dynamics hold.

        Raises:
            ModelError: another coupling has this name, or the equation names something other than
                joints of one coordinate.
        """
        if not isinstance(coupling, Coupling):
            raise ModelError(f"with_coupling needs a Coupling, not {coupling!r}")
        if any(known.name == coupling.name for known in self.couplings):
            raise ModelError(
                f"coupling '{coupling.name}' exists already in '{self.name}'; choose another name"
            )
        builder = self._builder()
        builder.couplings.append(coupling)
        return builder.build()

    def with_gravity(self, gravity: Sequence[float]) -> Model:
        """The model under another acceleration of gravity (world frame, m/s^2).

        Raises:
            ModelError: not three finite numbers.
        """
        builder = self._builder()
        builder.gravity = gravity
        return builder.build()

    def with_rotor(self, joint: str, inertia: float, gear_ratio: float = 1.0) -> Model:
        """The model with a motor on a joint: armature is rotor inertia times gear ratio squared.

        Args:
            joint: the driven joint; of several coordinates, all get the same. The rotor of a mimic
                joint is felt by its primary, times the multiplier squared.
            inertia: of the rotor about its axis, kg m^2 (of a linear motor its mass, kg).
            gear_ratio: turns of the rotor per turn of the joint.

        Raises:
            KeyError: no such joint.
            ModelError: a negative or infinite inertia.
        """
        ratio = finite_number(f"joint '{joint}': gear ratio", gear_ratio)
        armature = number(f"joint '{joint}': rotor inertia", inertia) * ratio * ratio
        if not (math.isfinite(armature) and inertia >= 0.0):
            raise ModelError(
                f"joint '{joint}': rotor inertia {inertia} must be finite, not negative"
            )
        return self._with_joint_values(joint, armature=armature)

    def create_data(self) -> Data:
        """Preallocated results of the model's computations."""
        from dyn_core.compiler.runtime.data import Data

        return Data(self)

    def _builder(self) -> ModelBuilder:
        """A builder that begins with this model."""
        from dyn_core.model.builder import ModelBuilder

        return ModelBuilder.of(self)

    def _with_joint_values(self, joint: str, **changes: Bound | None) -> Model:
        """The model with other limits, losses and springs of a joint."""
        index, builder = self.joint_index(joint), self._builder()
        given = {name: value for name, value in changes.items() if value is not None}
        if not given:
            raise TypeError(
                f"joint '{joint}': no value is given; give some of {', '.join(changes)}"
            )
        entry = builder.tree[index]
        try:
            limits = replace(entry.limits, **Limits.sized(entry.joint, given))
        except ModelError as error:
            raise ModelError(f"joint '{joint}': {error}") from error
        builder.tree[index] = replace(entry, limits=limits)
        return builder.build()
