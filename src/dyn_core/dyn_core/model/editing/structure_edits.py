# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""New models from old ones: locked joints, robots mounted on robots."""

from __future__ import annotations

from collections.abc import Iterable

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import configuration
from dyn_core.spatial import SE3


def reduced(model: Model, lock: Iterable[str], q: FloatArray) -> Model:
    """Implement :meth:`.Model.reduced`."""
    locked = _with_followers(model, lock)
    numbers = configuration(model, q, "q, the positions of locked joints,")
    builder = ModelBuilder(model.name, model.gravity, model)
    new_index, in_new = {0: 0}, {0: SE3.identity()}
    builder.add_body(0, model.inertias[0], SE3.identity())
    for i in model.moving_joints:
        entry = model.tree[i]
        carrier = new_index[entry.parent]
        placement = in_new[entry.parent] * entry.placement
        if i in locked:
            placement = placement * entry.joint.transform(model.q_of(i, numbers))
            new_index[i], in_new[i] = carrier, placement
        else:
            leader = None if entry.primary == i else model.names[entry.primary]
            new_index[i] = builder.add_joint(
                carrier, entry.joint, placement, entry.name, entry.limits, leader
            )
            in_new[i] = SE3.identity()
        builder.add_body(new_index[i], entry.inertia, in_new[i])
    builder.frames.clear()  # in the order of the model
    for frame in model.frames:
        placement = in_new[frame.joint] * frame.placement
        type_, joint = _locked_type(frame, locked), new_index[frame.joint]
        builder.add_frame(frame.name, type_, joint, placement)
    builder.loops = [  # loops within one body hold always or never
        loop
        for loop in model.loops
        if new_index[model.frame(loop.frame1).joint] != new_index[model.frame(loop.frame2).joint]
    ]
    scalar = [i for i in locked if model.joints[i].nq == 1]
    at = {model.names[i]: model.joints[i].own_q(model.q_of(i, numbers))[0] for i in scalar}
    left = [coupling.locked(at) for coupling in model.couplings]
    builder.couplings = [coupling for coupling in left if coupling is not None]
    places = {i: (new_index[i], in_new[i]) for i in range(model.njoints)}
    builder.lifts = [lift.moved(places) for lift in model.lifts]
    builder.fluid = model.fluid and model.fluid.moved(places)
    builder.tendons = [tendon.locked(at).moved(places) for tendon in model.tendons]
    kept = [i for i in model.own_coordinates if i not in locked]
    builder.reference_configurations = {
        name: tuple(x for i in kept for x in model.q_of(i, reference))
        for name, reference in model.reference_configurations.items()
    }
    return builder.build()


def append(model: Model, other: Model, frame: str, placement: SE3 | None = None) -> Model:
    """Implement :meth:`.Model.append`."""
    if not isinstance(other, Model):
        raise TypeError(f"append: give the Model of the other robot, not a {type(other).__name__}")
    mount = model.frame(frame)
    at = mount.placement * (placement or SE3.identity())
    builder = ModelBuilder.of(model)
    builder.add_body(mount.joint, other.inertias[0], at)
    new_index = {0: mount.joint}
    for i in other.moving_joints:
        entry = other.tree[i]
        place = at * entry.placement if entry.parent == 0 else entry.placement
        leader = None if entry.primary == i else other.names[entry.primary]
        new_index[i] = builder.add_joint(
            new_index[entry.parent], entry.joint, place, entry.name, entry.limits, leader
        )
        builder.add_body(new_index[i], entry.inertia, SE3.identity())
    builder.frames = ModelBuilder.of(model).frames  # the other's follow in their order
    for moved in other.frames:
        if _is_world(moved) and (moved.name, moved.type) in builder.frames:
            _check_no_loop(other, moved.name)
            continue
        place = at * moved.placement if moved.joint == 0 else moved.placement
        builder.add_frame(moved.name, moved.type, new_index[moved.joint], place)
    builder.loops += other.loops
    builder.couplings += other.couplings
    places = {i: (joint, at if i == 0 else SE3.identity()) for i, joint in new_index.items()}
    builder.lifts += [lift.moved(places) for lift in other.lifts]
    builder.tendons += [tendon.moved(places) for tendon in other.tendons]
    fluids = [fluid for fluid in (model.fluid, other.fluid and other.fluid.moved(places)) if fluid]
    builder.fluid = (
        fluids[0].with_hulls_of(fluids[1]) if len(fluids) > 1 else next(iter(fluids), None)
    )
    names = {**other.reference_configurations, **model.reference_configurations}
    builder.reference_configurations = {
        name: (*_reference(model, name), *_reference(other, name)) for name in names
    }
    return builder.build()


def _is_world(frame: Frame) -> bool:
    """Whether a frame is the origin of the world."""
    return frame.type is FrameType.BODY and frame.is_at(Frame.of_joint(frame.name, 0))


def _check_no_loop(other: Model, world: str) -> None:
    """Refuse loops whose frame would get another meaning."""
    for loop in other.loops:
        if world in (loop.frame1, loop.frame2):
            raise ModelError(
                f"{loop} of '{other.name}' ends at its frame '{world}', and so is the world of the "
                "robot called that it is mounted on; close the loop at a frame of another name"
            )


def _with_followers(model: Model, lock: Iterable[str]) -> set[int]:
    try:
        locked = {model.joint_index(name) for name in lock}
    except KeyError as error:
        raise ModelError(str(error.args[0])) from error
    for i in locked:
        primary = model.tree[i].primary
        if primary not in locked:
            raise ModelError(
                f"joint '{model.names[i]}' mimics '{model.names[primary]}': lock that one, and "
                "both are locked"
            )
    return {i for i in model.moving_joints if model.tree[i].primary in locked}


def _locked_type(frame: Frame, locked: set[int]) -> FrameType:
    was_joint = frame.type is FrameType.JOINT and frame.joint in locked
    return FrameType.FIXED_JOINT if was_joint else frame.type


def _reference(model: Model, name: str) -> tuple[float, ...]:
    return model.reference_configurations.get(name, model.space.neutral())
