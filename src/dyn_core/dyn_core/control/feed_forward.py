# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts and broken limits along a whole trajectory, before it is executed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.compiler.signature import passed_extras
from dyn_core.configuration import position_limits
from dyn_core.dynamics.rnea import rnea
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import finite_number, numbers


@dataclass(frozen=True)
class LimitViolation:
    """A joint limit that points of a trajectory exceed."""

    joint_name: str
    coordinate: int
    """Of the joint among nv."""
    kind: str
    """"position", "velocity", "acceleration" or "effort"."""
    limit: float
    value: float
    """At the worst point."""
    worst: int
    """Where that is."""
    points: list[int]
    """All points that break it."""


def feed_forward(
    model: Model,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    **around: Any,
) -> FloatArray:
    """Efforts (n, nv) of inverse dynamics at each point of a trajectory, N m or N.

    It uses the code that a control loop uses, so that there is nothing more to compile.

    Args:
        model: the robot.
        q: configurations (n, nq).
        v: velocities (n, nv).
        a: accelerations (n, nv).
        around: what is not as the model says, the same at all points, named as in a call of
            :func:`dyn_core.inverse_dynamics`: ``gravity``, ``payload={"tool0": numbers}``, ...

    Raises:
        TypeError: ``around`` has something that inverse dynamics does not take.
        ValueError: arrays of the wrong size.
        ArithmeticError: an effort is not finite; the message names joint and point.
    """
    for name, array, size in (("q", q, model.nq), ("v", v, model.nv), ("a", a, model.nv)):
        numbers(name, array, (len(q), size))
    extras = passed_extras(around)
    compute = compile(model, [rnea], tuple(extras)).bind(model.create_data())
    efforts, constant = np.empty((len(q), model.nv)), tuple(extras.values())
    for k, state in enumerate(zip(q, v, a, strict=True)):
        efforts[k] = compute(*state, *constant)
    bad = np.argwhere(~np.isfinite(efforts))
    if len(bad):
        point, joint = bad[0]
        raise ArithmeticError(
            f"the effort of joint '{model.dof_names[joint]}' at point {point} is not finite: its "
            "numbers are NaN, or beyond any robot's"
        )
    return efforts


def limit_violations(
    model: Model,
    positions: FloatArray,
    velocities: FloatArray,
    efforts: FloatArray,
    effort_scale: float = 1.0,
    accelerations: FloatArray | None = None,
    velocity_scale: float = 1.0,
) -> list[LimitViolation]:
    """The limits of the model that points of a trajectory exceed.

    Args:
        model: the robot.
        positions: (n, nv); those of joints whose configuration is not their position do not count.
        velocities: (n, nv).
        efforts: (n, nv), as :func:`feed_forward` gives them.
        effort_scale: part of the effort limits that may be used, 0 to 1.
        accelerations: (n, nv), for robots whose description limits them.
        velocity_scale: part of the velocity limits that may be used, 0 to 1.
    """
    speed, effort = np.array(model.velocity_limit), np.array(model.effort_limit)
    scales = {"effort_scale": effort_scale, "velocity_scale": velocity_scale}
    for (name, scale), limit in zip(scales.items(), (effort, speed), strict=True):
        if finite_number(name, scale) < 0.0:
            raise ValueError(f"{name} must be 0 or more, not {scale}")
        limit[np.isfinite(limit)] *= scale
    positions = numbers("values of position", positions, ("points", model.nv))
    shape = positions.shape
    limits = {
        "position": (positions, *position_limits(model)),
        "velocity": (velocities, -speed, speed),
        "effort": (efforts, -effort, effort),
    }
    if accelerations is not None:
        change = np.asarray(model.acceleration_limit)
        limits["acceleration"] = accelerations, -change, change
    return [
        found
        for kind, (values, lower, upper) in limits.items()
        for found in _violations(
            model, kind, numbers(f"values of {kind}", values, shape), lower, upper
        )
    ]


def _violations(
    model: Model, kind: str, values: FloatArray, lower: FloatArray, upper: FloatArray
) -> Iterator[LimitViolation]:
    excess = np.maximum(lower - values, values - upper)  # [points, nv]
    beyond = ~(excess <= 0.0)  # NaN is within no limits
    for joint in np.flatnonzero(beyond.any(axis=0)):
        worst = int(np.argmax(excess[:, joint]))
        value = float(values[worst, joint])
        yield LimitViolation(
            model.dof_names[joint],
            int(joint),
            kind,
            float((upper if value > upper[joint] else lower)[joint]),
            value,
            worst,
            np.flatnonzero(beyond[:, joint]).tolist(),
        )
