"""Grow a Model joint by joint."""

from __future__ import annotations

from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.joints import Joint, Mimic, Universe
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.model import GRAVITY, Model
from dyn_core.model.tree_joint import Limits, TreeJoint
from dyn_core.spatial import SE3, Inertia

UNIVERSE = "universe"


class ModelBuilder:
    """Add joints, parents first; hang bodies and frames on them; then :meth:`build`.

    Joints keep the order in which they are added, so add them depth first, siblings by name, to
    number them as other libraries do.
    """

    def __init__(self, name: str, gravity: tuple[float, float, float] = GRAVITY) -> None:
        self.name = name
        self.gravity = gravity
        joint = Universe()
        nowhere, nothing = SE3.identity(), Inertia.zero()
        self.tree = [TreeJoint(UNIVERSE, joint, 0, nowhere, nothing, Limits.of(joint), 0)]
        self.frames: list[Frame] = []
        self.reference_configurations: dict[str, tuple[float, ...]] = {}
        self._primaries: dict[int, str] = {}

    @classmethod
    def of(cls, model: Model) -> ModelBuilder:
        """A builder that begins with all that ``model`` has."""
        builder = cls(model.name, model.gravity)
        builder.tree = list(model.tree)
        builder.frames = list(model.frames)
        builder.reference_configurations = dict(model.reference_configurations)
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
            ModelError: another joint has this name, or there is no such parent.
        """
        if any(entry.name == name for entry in self.tree):
            raise ModelError(f"joint '{name}' exists already in '{self.name}'; rename one of them")
        if not 0 <= parent < len(self.tree):
            raise ModelError(
                f"joint '{name}': no joint {parent} is there to carry it; add it first"
            )
        index = len(self.tree)
        if (primary is None) == isinstance(joint, Mimic):
            raise ModelError(f"joint '{name}': a mimic joint, and only such, needs a primary")
        if primary is not None:
            self._primaries[index] = primary
        limits = limits or Limits.of(joint)
        place, nothing = placement.plain(), Inertia.zero()
        self.tree.append(TreeJoint(name, joint, parent, place, nothing, limits, index))
        self.add_frame(name, FrameType.JOINT, index, SE3.identity())
        return index

    def add_body(self, joint: int, inertia: Inertia, placement: SE3) -> None:
        """Fix a body of ``inertia``, given in its own frame at ``placement``, to a joint."""
        entry = self.tree[joint]
        self.tree[joint] = replace(
            entry, inertia=entry.inertia + placement.act_inertia(inertia).plain()
        )

    def add_frame(self, name: str, kind: FrameType, joint: int, placement: SE3) -> None:
        """Fix a frame at ``placement`` to a joint."""
        self.frames.append(Frame(name, kind, joint, placement.plain()))

    def build(self) -> Model:
        """The finished, immutable model.

        Raises:
            ModelError: a mimic joint follows a joint that cannot lead it.
        """
        for index, name in self._primaries.items():
            self.tree[index] = replace(self.tree[index], primary=self._leader(index, name))
        return Model(
            name=self.name,
            tree=tuple(self.tree),
            frames=tuple(self.frames),
            gravity=self.gravity,
            reference_configurations=dict(self.reference_configurations),
        )

    def _leader(self, index: int, name: str) -> int:
        """The index of the joint called ``name``, which joint ``index`` follows."""
        follower = self.tree[index].name
        found = [i for i, entry in enumerate(self.tree) if entry.name == name]
        if not found:
            raise ModelError(f"joint '{follower}' mimics '{name}', which does not exist")
        leader = self.tree[found[0]].joint
        if isinstance(leader, Mimic) or leader.nv != 1 or not leader.space.flat:
            raise ModelError(
                f"joint '{follower}' mimics '{name}', a {type(leader).__name__} joint: only a "
                "joint with one plain coordinate of its own can lead another"
            )
        return found[0]
