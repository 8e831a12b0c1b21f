"""A robot description made ready to compute with: parsed, checked, compiled, allocated."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.codegen.signature import Asked
from dyn_core.model.frame import FrameType

Quantities = tuple[Asked, ...]  # or requests for them


class Kernel(NamedTuple):
    """What is computed together, and what beside the state is no constant of it."""

    quantities: Quantities
    inputs: tuple[str, ...] = ()  # that dyn_core.compile takes

    def compile(self, model: dyn_core.Model) -> dyn_core.Kernel:
        """Return the machine code for a model.

        Raises ValueError if a quantity asks for a frame that the model does not have.
        """
        try:
            return dyn_core.compile(model, self.quantities, self.inputs)
        except KeyError as error:
            raise ValueError(error.args[0]) from error


class Robot:
    """A model, kernels compiled for it and buffers of its own.

    Positions and velocities are those of JointState: one number per joint, in the order of
    `joint_names`. Every result is a view that the next call overwrites, so that an instance
    belongs to one thread. Nothing but the constructor parses, compiles or allocates.
    """

    def __init__(self, source: str | dyn_core.Model, quantities: Sequence[str]) -> None:
        """Prepare `quantities` (names that dyn_core.compile takes) for a model or the text of one.

        Raises ValueError, worded, if the description cannot be used.
        """
        self.model = load_model(source) if isinstance(source, str) else source
        self.joint_names: tuple[str, ...] = tuple(self.model.dof_names)
        self.size = self.model.nv
        data = self.model.create_data()
        self._neutral = dyn_core.neutral(self.model)
        self._integrate = dyn_core.compile(self.model, ["integrate"]).bind(data)
        self._kernels = {
            name: dyn_core.compile(self.model, [name]).bind(data) for name in quantities
        }

    def configuration(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the configuration q [nq] of joint positions [nv] (rad, m)."""
        return self._integrate(self._neutral, position)

    def integrate(self, q: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the configuration [nq] reached from `q` by `step` [nv] (rad, m)."""
        return self._integrate(q, step)

    def gravity(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return g(q) [nv], N m or N."""
        return self._kernels["gravity"](self.configuration(position))

    def nonlinear_effects(
        self, position: NDArray[np.float64], velocity: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return C(q, v) v + g(q) [nv], N m or N."""
        return self._kernels["nonlinear_effects"](self.configuration(position), velocity)

    def inverse_dynamics(
        self,
        position: NDArray[np.float64],
        velocity: NDArray[np.float64],
        acceleration: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return M(q) a + C(q, v) v + g(q) [nv], N m or N."""
        q = self.configuration(position)
        return self._kernels["inverse_dynamics"](q, velocity, acceleration)

    def forward_dynamics(
        self,
        q: NDArray[np.float64],
        velocity: NDArray[np.float64],
        effort: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the accelerations [nv], rad/s^2 or m/s^2, at the configuration `q` [nq]."""
        return self._kernels["forward_dynamics"](q, velocity, effort)

    def mass_matrix(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return M(q) [nv, nv]."""
        return self._kernels["mass_matrix"](self.configuration(position))


def root_link(model: dyn_core.Model) -> str:
    """Return the link that stands in the world, or that moves freely in it."""
    links = (frame.name for frame in model.frames if frame.type is FrameType.BODY)
    return next(links, model.names[0])


def compile_kernels(model: dyn_core.Model, kernels: Sequence[Kernel]) -> None:
    """Compile what nodes evaluate: their `kernels`, and how positions become configurations.

    Raises ValueError if they ask for a frame that the model does not have.
    """
    for kernel in (Kernel(("integrate",)), *kernels):
        kernel.compile(model)


@lru_cache(maxsize=4)
def load_model(description: str, massless: bool = False, floating: bool = False) -> dyn_core.Model:
    """Return the model of a URDF text; the nodes of one process share it.

    `massless` accepts moving links without inertia, which only a few robots have. `floating` lets
    the root link move freely.

    Raises ValueError if it is no URDF, or has a joint that JointState cannot carry.
    """
    if not description.lstrip().startswith("<"):
        raise ValueError(
            f"'{description[:60]}' is no URDF: robot_description is the text of the XML file, "
            "not its path"
        )
    root = "free_flyer" if floating else None
    if massless:
        try:
            return load_model(description, floating=floating)
        except dyn_core.ModelError:
            model = dyn_core.Model.from_urdf(description, root_joint=root, massless=True)
    else:
        model = dyn_core.Model.from_urdf(description, root_joint=root)
    first = 2 if floating else 1
    for name, joint in zip(model.names[first:], model.joints[first:], strict=True):
        if joint.nv != 1:
            raise ValueError(
                f"joint '{name}' has {joint.nv} degrees of freedom, but sensor_msgs/JointState "
                "carries one number per joint: fix the base with a joint of type 'fixed', or "
                "replace the joint by revolute and prismatic ones"
            )
    if len(model.joints) == first:
        raise ValueError(
            f"robot '{model.name}' has no moving joint: is this the right robot_description?"
        )
    return model
