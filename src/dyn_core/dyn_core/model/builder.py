# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Grow a Model joint by joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.model.coupling import Coupling
from dyn_core.model.fluid import Fluid
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.gravity_compensator import Lift
from dyn_core.model.joints import Joint, Mimic, Universe
from dyn_core.model.loop import Loop
from dyn_core.model.model import GRAVITY, Model
from dyn_core.model.reference_checks import configuration
from dyn_core.model.tendon import Tendon
from dyn_core.model.tree_joint import Limits, TreeJoint
from dyn_core.model.value_checks import check_name, finite_numbers, rigid
from dyn_core.spatial import SE3, Inertia

UNIVERSE = "universe"


class ModelBuilder:
    """Add joints, parents first, then their bodies and frames; then :meth:`build`.

    Joints keep the order in which they are added, so add them depth first, siblings by name, to
    number them as other libraries do. A model made ``like`` another is of its type, of a user's
    subclass too, and has what that has beside the parts of a Model.
    """

    def __init__(
        self, name: str, gravity: Sequence[float] = GRAVITY, like: Model | None = None
    ) -> None:
        self.name = name
        self.gravity = gravity
        self._like = Model(name, ()) if like is None else like
        joint = Universe()
        nowhere, nothing = SE3.identity(), Inertia.zero()
        self.tree = [TreeJoint(UNIVERSE, joint, 0, nowhere, nothing, Limits.of(joint), 0)]
        """All joints; index 0 is the universe."""
        self.frames: dict[tuple[str, FrameType], Frame] = {}
        """All frames in their order; a link and a joint may have the same name."""
        self.reference_configurations: dict[str, tuple[float, ...]] = {}
        self.loops: list[Loop] = []
        self.couplings: list[Coupling] = []
        self.lifts: list[Lift] = []
        self.fluid: Fluid | None = None
        self.tendons: list[Tendon] = []
        self._primaries: dict[int, str] = {}

    @classmethod
    def of(cls, model: Model) -> ModelBuilder:
        """A builder that begins with all that ``model`` has."""
        builder = cls(model.name, model.gravity, model)
        builder.tree = list(model.tree)
        builder.frames = {(frame.name, frame.type): frame for frame in model.frames}
        builder.reference_configurations = dict(model.reference_configurations)
        builder.loops = list(model.loops)
        builder.couplings = list(model.couplings)
        builder.lifts, builder.fluid = list(model.lifts), model.fluid
        builder.tendons = list(model.tendons)
        followers = (i for i, entry in enumerate(model.tree) if entry.primary != i)
        builder._primaries = {i: model.names[model.tree[i].primary] for i in followers}
        return builder

    def add_joint(
        self,
        parent: int,
        joint: Joint,
        placement: SE3,
        name: str,
        limits: Limits | None = None,
        primary: str | None = None,
    ) -> int:
        """Add a joint at ``placement`` in the frame of joint ``parent``; its index is returned.

        A mimic joint needs its ``primary``: the name of the joint that it follows, which may be
        added later.

        Raises:
            ModelError: another joint has this name, there is no such parent, the placement is not
                rigid, or the limits are those of a joint with other coordinates.
        """
        if any(entry.name == name for entry in self.tree[1:]):
            raise ModelError(f"joint '{name}' exists already in '{self.name}'; rename one of them")
        check_name(name, "joint")
        self._check_joint(parent, f"joint '{name}'")
        index = len(self.tree)
        if (primary is None) == isinstance(joint, Mimic):
            raise ModelError(f"joint '{name}': a mimic joint, and only such, needs a primary")
        if primary is not None:
            self._primaries[index] = primary
        limits = limits or Limits.of(joint)
        place, nothing = rigid(placement, f"joint '{name}'"), Inertia.zero()
        self.tree.append(TreeJoint(name, joint, parent, place, nothing, limits, index))
        self.add_frame(name, FrameType.JOINT, index, SE3.identity())
        return index

    def add_body(self, joint: int, inertia: Inertia, placement: SE3) -> None:
        """Fix a body of ``inertia``, given in its own frame at ``placement``, to a joint.

        Raises:
            ModelError: there is no such joint, the placement is not rigid, or the inertia is not
                finite or of negative mass.
        """
        self._check_joint(joint, "a body")
        entry = self.tree[joint]
        where = f"a body of joint '{entry.name}'"
        total = entry.inertia + rigid(placement, where).act_inertia(inertia).plain()
        if inertia.mass < 0.0:
            raise ModelError(f"{where}: its mass {inertia.mass} kg is negative; correct it")
        if not all(map(math.isfinite, total.parameters)):
            raise ModelError(
                f"{where}: its inertia is not finite (NaN, or too large for a number); correct the "
                "masses and lengths there"
            )
        self.tree[joint] = replace(entry, inertia=total)

    def add_frame(self, name: str, kind: FrameType, joint: int, placement: SE3) -> None:
        """Fix a frame at ``placement`` to a joint.

        Raises:
            ModelError: another frame of this kind has this name, there is no such joint, or the
                placement is not rigid.
        """
        where = f"frame '{name}'"
        if (name, kind) in self.frames:
            raise ModelError(
                f"{where} ({kind.value}) exists already in '{self.name}'; rename one of them"
            )
        check_name(name, "frame")
        self._check_joint(joint, where)
        self.frames[name, kind] = Frame(name, kind, joint, rigid(placement, where))

    def joint_index(self, name: str) -> int:
        """The index of the joint called ``name``.

        Raises:
            KeyError: there is none.
        """
        for index, entry in enumerate(self.tree[1:], 1):
            if entry.name == name:
                return index
        raise KeyError(f"no joint '{name}' in '{self.name}'")

    def build(self) -> Model:
        """The finished, immutable model.

        Raises:
            ModelError: a mimic joint follows a joint that cannot lead it, gravity is not three
                finite numbers, a reference configuration is none of this model, a loop is
                between frames that do not exist or are of one body, a coupling or tendon ties
                what is no joint of one coordinate, or a lift, hull or tendon is at no joint.
        """
        for index, name in self._primaries.items():
            self.tree[index] = replace(self.tree[index], primary=self._leader(index, name))
        check_name(self.name, "the robot")
        tied: list[Coupling | Tendon] = [*self.couplings, *self.tendons]
        for part in tied:
            check_name(part.name, type(part).__name__.lower())
        for name in self.reference_configurations:
            check_name(name, "reference configuration")
        x, y, z = finite_numbers(self.gravity, 3, "gravity (m/s^2)")
        model = replace(
            self._like, name=self.name, tree=tuple(self.tree), frames=tuple(self.frames.values()),
            gravity=(x, y, z), reference_configurations={}, loops=tuple(self.loops),
            couplings=tuple(self.couplings), lifts=tuple(self.lifts), fluid=self.fluid,
            tendons=tuple(self.tendons),
        )  # fmt: skip
        references = {
            name: configuration(model, q, f"reference configuration '{name}'")
            for name, q in self.reference_configurations.items()
        }
        return replace(model, reference_configurations=references)

    def _check_joint(self, joint: int, where: str) -> None:
        if not 0 <= joint < len(self.tree):
            raise ModelError(f"{where}: no joint {joint} is there to carry it; add it first")

    def _leader(self, index: int, name: str) -> int:
        """The index of the joint called ``name``, which joint ``index`` follows."""
        follower = self.tree[index].name
        try:
            found = self.joint_index(name)
        except KeyError as error:
            raise ModelError(
                f"joint '{follower}' mimics '{name}', which does not exist; correct the name, or "
                "read the robot with mimic=False"
            ) from error
        leader = self.tree[found].joint
        same_kind = type(leader.space) is type(self.tree[index].joint.space)
        if isinstance(leader, Mimic) or leader.nv != 1 or not same_kind:
            raise ModelError(
                f"joint '{follower}' mimics '{name}', a {type(leader).__name__} joint: only a "
                "joint with one coordinate of its own, of the follower's kind, can lead it"
            )
        return found
