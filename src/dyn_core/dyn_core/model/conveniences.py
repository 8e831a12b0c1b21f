"""Ways from and to a Model that read well as its methods, though others do the work.

This is the one place of the package that looks upwards, and it looks when it is called, never when
it is imported: a robot knows nothing of file formats, editing or compiled code.
"""

# mypy: disable-error-code=misc
# Only Model has these methods, so their self is a Model.

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dyn_core.model.frame import FrameType
from dyn_core.spatial import SE3

if TYPE_CHECKING:
    from dyn_core.algorithms import Quantity
    from dyn_core.execution import Data
    from dyn_core.model.coupling import Coupling
    from dyn_core.model.model import FloatArray, Model


class Conveniences:
    """Methods of :class:`dyn_core.Model` that other packages implement."""

    @classmethod
    def from_urdf(
        cls,
        source: str | os.PathLike[str],
        root_joint: str | None = None,
        mimic: bool = True,
        massless: bool = False,
        xacro_args: Mapping[str, str] | None = None,
        keep: Collection[str] = (),
        ignore: Collection[str] = (),
    ) -> Model:
        """Read a URDF or xacro; see :func:`dyn_core.formats.urdf.model_from_urdf`."""
        from dyn_core.formats.urdf import model_from_urdf

        return model_from_urdf(source, root_joint, mimic, massless, xacro_args, keep, ignore)

    @classmethod
    def from_mjcf(
        cls,
        source: str | os.PathLike[str],
        mimic: bool = True,
        massless: bool = False,
        ignore: Collection[str] = (),
    ) -> Model:
        """Read MuJoCo's MJCF; see :func:`dyn_core.formats.mjcf.model_from_mjcf`."""
        from dyn_core.formats.mjcf import model_from_mjcf

        return model_from_mjcf(source, mimic, massless, ignore)

    def with_srdf(self: Model, source: str | os.PathLike[str], rotors: bool = True) -> Model:
        """With what an SRDF says; see :func:`dyn_core.formats.srdf.with_srdf`."""
        from dyn_core.formats.srdf import with_srdf

        return with_srdf(self, source, rotors)

    def reduced(self: Model, lock: Iterable[str], q: FloatArray) -> Model:
        """The robot with joints locked; see :func:`dyn_core.editing.edit.reduced`."""
        from dyn_core.editing import reduced

        return reduced(self, lock, q)

    def append(self: Model, other: Model, frame: str, placement: SE3 | None = None) -> Model:
        """With a robot mounted in a frame; see :func:`dyn_core.editing.edit.append`."""
        from dyn_core.editing import append

        return append(self, other, frame, placement)

    def with_payload(
        self: Model,
        frame: str,
        mass: float,
        com: Sequence[float] = (0.0, 0.0, 0.0),
        inertia: Sequence[Sequence[float]] | None = None,
    ) -> Model:
        """With a payload in a frame; see :func:`dyn_core.editing.edit.with_payload`."""
        from dyn_core.editing import with_payload

        return with_payload(self, frame, mass, com, inertia)

    def with_frame(
        self: Model, name: str, frame: str, placement: SE3, kind: FrameType = FrameType.OPERATIONAL
    ) -> Model:
        """With a new frame; see :func:`dyn_core.editing.edit.with_frame`."""
        from dyn_core.editing import with_frame

        return with_frame(self, name, frame, placement, kind)

    def with_loop(
        self: Model, frame1: str, frame2: str, kind: int = 6, kp: float = 0.0, kd: float = 0.0
    ) -> Model:
        """With two frames held together; see :func:`dyn_core.editing.edit.with_loop`."""
        from dyn_core.editing import with_loop

        return with_loop(self, frame1, frame2, kind, kp, kd)

    def with_coupling(self: Model, coupling: Coupling) -> Model:
        """With joints tied by an equation; see :func:`dyn_core.editing.edit.with_coupling`."""
        from dyn_core.editing import with_coupling

        return with_coupling(self, coupling)

    def with_gravity(self: Model, gravity: Sequence[float]) -> Model:
        """Under another gravity; see :func:`dyn_core.editing.edit.with_gravity`."""
        from dyn_core.editing import with_gravity

        return with_gravity(self, gravity)

    def with_rotor(self: Model, joint: str, inertia: float, gear_ratio: float = 1.0) -> Model:
        """With a motor on a joint; see :func:`dyn_core.editing.edit.with_rotor`."""
        from dyn_core.editing import with_rotor

        return with_rotor(self, joint, inertia, gear_ratio)

    def create_data(self: Model) -> Data:
        """Preallocated results of this model's computations."""
        from dyn_core.execution import Data

        return Data(self)

    def evaluate(
        self: Model,
        quantity: Quantity,
        options: Mapping[str, Any],
        arrays: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        """Compute something into new arrays; see :func:`dyn_core.execution.evaluate`."""
        from dyn_core.execution import evaluate

        return evaluate(self, quantity, options, arrays, named)
