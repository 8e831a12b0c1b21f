# Written by `make docs` from the declarations of the quantities.

import os
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime.data import Data
from dyn_core.model.coupling import Coupling
from dyn_core.model.frame import FrameType
from dyn_core.model.loop import Loop
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.tree_joint import Bound
from dyn_core.spatial import Inertia, SE3

class Methods:
    """Reading, editing, results: nothing until they are attached."""

    @staticmethod
    def from_urdf(source: str | os.PathLike[str], root_joint: str | None = None, mimic: bool = True, massless: bool = False, xacro_args: Mapping[str, str] | None = None, keep: Collection[str] = (), ignore: Collection[str] = ()) -> Model:
        """Read a robot from URDF.

        Names that :data:`dyn_core.readers.urdf.schema.SCHEMA` does not have are refused; extensions of
        other tools are passed over with a note, but for rotors in transmissions, by Drake's tags. The
        attributes ``armature``, ``spring_stiffness`` and ``spring_reference`` of ``<dynamics>`` are
        rotor inertia seen from the joint (kg m^2, kg), and a spring (N m/rad, N/m; rad, m). Axis,
        limits and mimic of a fixed joint are ignored. An inertia that no body can have is refused if a
        moment of it is negative (its axes as given) or clearly so (its principal ones), and told by a
        warning if it misses by less, as that of some real robots does.

        Args:
            source: the URDF text, or the path of a file. A file whose name ends with ``.xacro`` is
                expanded by xacro, which evaluates expressions in it: only read those that you trust.
            root_joint: None fixes the root link to the world; ``"free_flyer"`` lets it move freely
                (a joint named ``root_joint``).
            mimic: True couples mimic joints to the joints that they follow: they have no coordinate
                of their own, and what their friction and rotors do is felt by their primaries. Where
                the primary is continuous, its turns are not counted, so rotations by an integer
                multiple of its angle can follow it. False treats them as independent joints.
            massless: True accepts moving bodies without inertia. Forward dynamics then needs
                every such body to carry a body with inertia.
            xacro_args: values of the arguments of a xacro file.
            keep: fixed joints that stay joints, without a coordinate, for the forces through them,
                such as one with a force sensor; others become part of the body that carries them.
            ignore: names of elements and attributes to be passed over with a note, although they are
                unknown to URDF or an extension that changes the dynamics. What is read cannot be left
                out in this way.

        Raises:
            ModelError: the description is broken or not supported; the message names the link or joint.
        """

    @staticmethod
    def from_mjcf(source: str | os.PathLike[str], mimic: bool = True, massless: bool = False, ignore: Collection[str] = ()) -> Model:
        """Read a robot from MJCF.

        Joints are numbered as in MuJoCo: depth first, siblings and the joints of a body in the order
        of the document. So coordinates and velocities map to MuJoCo's one by one, ``ref`` included;
        only orientations are ``(x, y, z, w)`` here and ``(w, x, y, z)`` there, and the linear velocity
        of a free joint is in the body's frame here and in the world's there. A free joint with armature
        is a translation and a ball in one, its linear velocity in the world's frame, because armature
        does not turn with the body. An aligned free body has the coordinates of its principal axes,
        while its frame stays where the document has it. Several joints of a body are a chain, of which
        the last joint carries the body and is named as its parent.

        A hinge is a Revolute joint, with or without range. Ranges of ball joints are not kept. The
        effort limit is the smaller end of ``actuatorfrcrange``. Armature and damping of actuators are
        added to those of their joints. Sites and named frames are operational frames. A body without
        name is called ``body_3`` by its number in MuJoCo (the world is 0), a joint ``joint_3`` (the
        first is 0), with underscores added where that is another's name. Reference configurations are
        the keyframes (``key_3`` if it has no name) and MuJoCo's initial one, ``qpos0``. Springs are
        kept with the limits, compensation of gravity, a fluid and tendons that act as the model's
        lifts, fluid and tendons: :data:`dyn_core.passive_efforts` is what all of them do. Attached
        files leave their keyframes behind; ``connect`` and ``weld`` are the model's loops, with the
        Baumgarte gains that ``solref`` gives a constraint without softness. Looks, contacts, sensors
        and actuators' forces are passed over.

        Args:
            source: the MJCF text, or the path of a file. Only a file can include others.
            mimic: True makes a joint that an equality has follow another in proportion a mimic joint,
                which has no coordinate of its own. All other equalities of joints and of fixed tendons
                are couplings of the model, with False these too.
            massless: True accepts moving bodies without inertia, as for URDF.
            ignore: what to leave out although a Model cannot represent it, by the names of
                :data:`dyn_core.readers.mjcf.refusals.REFUSED`, such as ``("connect", "stiffness")``, or
                by the names of unknown elements and attributes.

        Raises:
            ModelError: the description is broken or not supported; the message names the element.
        """

    def with_srdf(self, source: str | os.PathLike[str], rotors: bool = True) -> Model:
        """The model with the reference configurations and rotors of its SRDF.

        A ``<group_state>`` becomes a reference configuration: its joints have the given values, all
        others are neutral. States of one name in several groups are one configuration, which places
        the joints of all these groups. The value of an unbounded revolute joint is its angle (rad); all
        other joints have as many numbers as coordinates, which are normalized. Mimic joints have no
        coordinate, so their values are ignored. Of two states of one name and group, and of two values
        of one joint, the first counts; a configuration that the model has already is replaced.

        ``<rotor_params>`` sets the armature of joints to rotor inertia (the attribute ``mass``,
        kg m^2) times ``gear_ratio`` squared; the rotor of a mimic joint turns with its primary.

        Apart from states in several groups, of which Pinocchio takes one, this is what its
        ``loadReferenceConfigurations`` and ``loadRotorParameters`` do. A warning reports what is
        ignored (joints that the model does not have, a second state or value, a mimic joint's value
        that contradicts its primary's). It reports positions beyond limits, groups that the SRDF does
        not define and joints outside of the state's group too; their values are kept.

        Args:
            model: the robot; it is not changed.
            source: the SRDF text, or the path of a file.
            rotors: False leaves the armatures as they are.

        Raises:
            ModelError: no SRDF, or a value that is missing, not finite, not of unit length where it has
                to be, or of the wrong size; the message names the state and the joint.
        """

    def reduced(self, lock: Iterable[str], q: FloatArray) -> Model:
        """The robot with some joints locked at the configuration ``q`` (nq).

        The body of a locked joint becomes part of the body that carries it; its frame stays, as that of
        a fixed joint. Mimic joints are locked with the joint that they follow.

        Raises:
            ModelError: an unknown joint, a mimic joint without its primary, or a ``q`` of the wrong
                size, that is not finite or holds an orientation that is not of unit length.
        """

    def append(self, other: Model, frame: str, placement: SE3 | None = None) -> Model:
        """``model`` with the robot ``other`` mounted at ``placement`` in ``frame``.

        The joints of ``model`` keep their numbers, those of ``other`` follow; the world of ``other``
        becomes part of the body that carries ``frame``. Gravity is that of ``model``. If both worlds
        have the same name, as in MJCF, this name stays the world of ``model``.

        Raises:
            KeyError: no such frame.
            ModelError: the name of a joint or frame is taken already, or the placement is not rigid.
        """

    def with_inertia(self, body: str, inertia: Inertia | None = None, *, mass: float | None = None, com: Sequence[float] | None = None, at_com: Sequence[Sequence[float]] | None = None) -> Model:
        """``model`` with another inertia of a body.

        Args:
            model: the robot.
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

    def with_placement(self, joint: str, placement: SE3) -> Model:
        """``model`` with a joint elsewhere in the frame of its parent joint.

        Raises:
            KeyError: no such joint.
            ModelError: the placement is not rigid.
        """

    def with_limits(self, joint: str, *, lower: Bound | None = None, upper: Bound | None = None, velocity: Bound | None = None, effort: Bound | None = None, acceleration: Bound | None = None, jerk: Bound | None = None) -> Model:
        """``model`` with other limits of a joint; limits that are None stay.

        Args:
            model: the robot.
            joint: whose limits; a number holds for all its coordinates, a sequence has one for each.
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

    def with_friction(self, joint: str, *, damping: Bound | None = None, friction: Bound | None = None, stiction: Bound | None = None, stribeck_velocity: Bound | None = None) -> Model:
        """``model`` with other losses of a joint; losses that are None stay.

        Args:
            model: the robot.
            joint: whose losses; a number holds for all its coordinates, a sequence has one for each.
            damping: viscous friction, N m s/rad, N s/m.
            friction: Coulomb friction, N m, N.
            stiction: static friction in excess of Coulomb friction, N m, N.
            stribeck_velocity: speed at which 1/e of ``stiction`` is left, rad/s, m/s.

        Raises:
            KeyError: no such joint.
            ModelError: a wrong number of numbers, negative or infinite ones.
        """

    def with_spring(self, joint: str, stiffness: Bound | None = None, rest: Bound | None = None) -> Model:
        """``model`` with another spring between the two bodies of a joint.

        Args:
            model: the robot.
            joint: that has the spring; a number holds for all its coordinates.
            stiffness: N m/rad, N/m; None leaves it.
            rest: position (nq) in which the spring is relaxed; None leaves it.

        Raises:
            KeyError: no such joint.
            ModelError: a wrong number of numbers, negative or infinite ones, or no configuration.
        """

    def with_payload(self, frame: str, mass: float, com: Sequence[float] = (0.0, 0.0, 0.0), inertia: Sequence[Sequence[float]] | None = None) -> Model:
        """``model`` carrying a payload in ``frame``.

        Args:
            model: the robot.
            frame: the frame that the payload is fixed to.
            mass: its mass, kg.
            com: its centre of mass in ``frame``, m.
            inertia: its inertia (3, 3) about the centre of mass, axes along ``frame``, kg m^2; None for
                a point mass.

        Raises:
            KeyError: no such frame.
            ModelError: no body can have this mass and inertia; the message says why.
        """

    def with_frame(self, name: str, frame: str, placement: SE3, kind: FrameType = FrameType.OPERATIONAL) -> Model:
        """``model`` with a new frame ``name`` at ``placement`` in an existing ``frame``.

        Raises:
            KeyError: no such frame.
            ModelError: the new name is taken already, or the placement is not rigid.
        """

    def with_loop(self, frame1: str, frame2: str, kind: int = 6, kp: float = 0.0, kd: float = 0.0) -> Model:
        """``model`` with a loop closed: two frames of different bodies that stay together.

        URDF has no element for loops: leave out one joint of each loop in the URDF, and close the loop
        with this function.

        Args:
            model: the robot.
            frame1: the frame along whose axes the other is held.
            frame2: the other.
            kind: 6 to hold the frames together, 3 for their origins only.
            kp: Baumgarte's stiffness of the position error, 1/s^2.
            kd: Baumgarte's damping of the velocity error, 1/s.

        Raises:
            ModelError: no such frames, frames of one body, another kind, or gains that are negative or
                not finite.
        """

    def with_coupling(self, coupling: Coupling) -> Model:
        """``model`` with joints tied by an equation, which constrained dynamics hold.

        Raises:
            ModelError: another coupling has this name, or the equation names something other than
                joints of one coordinate.
        """

    def with_gravity(self, gravity: Sequence[float]) -> Model:
        """``model`` under another acceleration of gravity (world frame, m/s^2).

        Raises:
            ModelError: not three finite numbers.
        """

    def with_rotor(self, joint: str, inertia: float, gear_ratio: float = 1.0) -> Model:
        """``model`` with a motor on a joint: its armature is rotor inertia times gear ratio squared.

        Args:
            model: the robot.
            joint: the driven joint; of several coordinates, all get the same. The rotor of a mimic
                joint is felt by its primary, times the multiplier squared.
            inertia: of the rotor about its axis, kg m^2 (of a linear motor its mass, kg).
            gear_ratio: turns of the rotor per turn of the joint.

        Raises:
            KeyError: no such joint.
            ModelError: a negative or infinite inertia.
        """

    def create_data(self) -> Data:
        """Preallocated results of the model's computations."""
