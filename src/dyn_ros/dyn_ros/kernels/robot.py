# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot description made ready to compute with: parsed, checked, compiled, allocated."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

import dyn_core
from dyn_core import serialize
from dyn_core.compiler.runtime import Asked, Backend
from dyn_core.model import FrameType
from dyn_ros.arrays import Vector
from dyn_ros.messages.joint_order import quoted

_NOTES: "WeakKeyDictionary[dyn_core.Model, tuple[str, ...]]" = WeakKeyDictionary()
_MODELS: "WeakValueDictionary[bytes, dyn_core.Model]" = WeakValueDictionary()  # by binary form
TAKES_PART = 1e-3  # of a joint in a motion of length 1 that moves no mass
SPRING = "spring_stiffness"
Quantities = tuple[Asked, ...]  # or requests for them


class KernelRequest(NamedTuple):
    """Quantities that one kernel computes, and its inputs beside the state."""

    quantities: Quantities
    inputs: tuple[str, ...] = ()  # that dyn_core.compile takes
    many: bool = False  # whether for many states side by side too

    def compile(self, model: dyn_core.Model, backend: Backend | None = None) -> dyn_core.Kernel:
        """Return what computes for a model: machine code, or what dyn_core.compile says.

        Raises ValueError if a quantity asks for a frame that the model does not have.
        """
        try:
            kernel = dyn_core.compile(model, self.quantities, self.inputs, backend=backend)
        except KeyError as error:
            raise ValueError(error.args[0]) from error
        if self.many:
            _ = kernel.batch.rows.ready  # compiles it
        return kernel


def root_link(model: dyn_core.Model) -> str:
    """Return the link that stands in the world, or that moves freely in it."""
    links = (frame.name for frame in model.frames if frame.type is FrameType.BODY)
    return next(links, model.names[0])


def compile_kernels(model: dyn_core.Model, kernels: Sequence[KernelRequest]) -> None:
    """Compile what nodes evaluate: their `kernels`, and how positions become configurations.

    Raises ValueError if they ask for a frame that the model does not have.
    """
    for kernel in (KernelRequest(("integrate",)), *kernels):
        kernel.compile(model)


def load_compiled(description: str, kernels: Sequence[KernelRequest], *how: Any) -> dyn_core.Model:
    """Return the model of a URDF text, read as `load_model` says, with its `kernels` compiled.

    Raises ValueError, worded, if the description cannot be used.
    """
    model = load_model(description, *how)
    compile_kernels(model, kernels)
    return model


@lru_cache(maxsize=4)
def load_model(
    description: str,
    massless: bool = False,
    floating: bool = False,
    locked: tuple[tuple[str, float], ...] = (),
    armature: float = 0.0,
    ignore: tuple[str, ...] = (),
) -> dyn_core.Model:
    """Return the model of a URDF text; the nodes of one process share it.

    `massless` accepts moving links without inertia, which only a few robots have. `floating` lets
    the root link move freely. `locked` joints stay at a position, rad or m. Joints that can move
    without moving any mass get a rotor of inertia `armature`, kg m^2 or kg. Unknown elements and
    attributes whose names are in `ignore` are ignored.

    Raises ValueError if it is no URDF, or nothing moves.
    """
    if not description.lstrip().startswith("<"):
        raise ValueError(
            f"'{description[:60]}' is no URDF: robot_description is the text of the XML file, "
            "not its path"
        )
    root = "free_flyer" if floating else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = dyn_core.Model.from_urdf(description, root, massless=massless, ignore=ignore)
        model = _without_springs(model, ignore)
        if locked:
            model = _with_locked(model, dict(locked))
        if armature:
            model = with_massless_armature(model, dyn_core.neutral(model), armature)
    model = the_same(model)
    _NOTES.setdefault(model, tuple(dict.fromkeys(str(warning.message) for warning in caught)))
    if model.njoints == (2 if floating else 1):
        raise ValueError(
            f"robot '{model.name}' has no moving joint: is this the right robot_description?"
        )
    return model


def the_same(model: dyn_core.Model) -> dyn_core.Model:
    """Return the model of this process that equals `model`, so that its nodes share kernels.

    Two nodes may read one description here and in another process.
    """
    return _MODELS.setdefault(serialize.to_binary(model), model)


def notes_on(model: dyn_core.Model) -> tuple[str, ...]:
    """Return what dyn_core warned of when it read the description of a model."""
    return _NOTES.get(model, ())


def note(model: dyn_core.Model, notes: tuple[str, ...]) -> None:
    """Keep what another process was warned of about a model."""
    _NOTES.setdefault(model, notes)


def _without_springs(model: dyn_core.Model, ignore: Collection[str]) -> dyn_core.Model:
    """Return a robot without springs, if `ignore` names their attribute.

    Raises ValueError if there is a spring: no node reckons with it.
    """
    for i in model.moving_joints:
        name, stiffness = model.names[i], max(model.tree[i].limits.stiffness, default=0.0)
        if not stiffness:
            continue
        if SPRING not in ignore:
            raise ValueError(
                f"joint '{name}' has a spring of {stiffness:g} N m/rad or N/m, which the nodes do "
                f"not compensate: remove its {SPRING}, or name {SPRING} in the parameter ignore to "
                "use the robot without it"
            )
        model = model.with_spring(name, 0.0, model.joints[i].space.neutral())
        warnings.warn(f"URDF: joint '{name}': its {SPRING} is ignored", stacklevel=2)
    return model


def refuse_free_joints(model: dyn_core.Model, floating: bool = False) -> None:
    """Raise ValueError if a joint, beside that of a `floating` base, has several freedoms.

    For those who take or give one number per joint, as sensor_msgs/JointState does.
    """
    first = 2 if floating else 1
    for name, joint in zip(model.names[first:], model.joints[first:], strict=True):
        if joint.nv != 1:
            raise ValueError(
                f"joint '{name}' has {joint.nv} degrees of freedom, but this node works with one "
                "number per joint: fix the base with a joint of type 'fixed', or replace the "
                "joint by revolute and prismatic ones"
            )


def _with_locked(model: dyn_core.Model, locked: Mapping[str, float]) -> dyn_core.Model:
    """Return a robot whose `locked` joints stay at their declared positions."""
    position = [0.0] * model.nv
    for name, value in locked.items():
        if name not in model.dof_names or model.dof_names.count(name) > 1:
            raise ValueError(
                f"locked_joints names '{name}', which is no joint of one degree of freedom of "
                f"'{model.name}': name some of {quoted(model.dof_names)}"
            )
        position[model.dof_names.index(name)] = value
    neutral = dyn_core.neutral(model).tolist()
    q = dyn_core.integrate.define(model, neutral, position)
    return model.reduced(list(locked), np.array(q, dtype=np.float64))


def joints_without_inertia(model: dyn_core.Model, q: Vector) -> list[str]:
    """Return the joints that take part in motions that move no mass at the configuration `q`."""
    motions = dyn_core.motions_without_inertia(model, q.tolist())
    share = np.abs(motions).max(axis=1, initial=0.0)
    return [name for name, x in zip(model.dof_names, share, strict=True) if x > TAKES_PART]


def with_massless_armature(model: dyn_core.Model, q: Vector, armature: float) -> dyn_core.Model:
    """Return the model with a rotor (kg m^2, kg) on each joint without inertia at `q`."""
    for name in joints_without_inertia(model, q):
        model = model.with_rotor(name, armature)
    return model
