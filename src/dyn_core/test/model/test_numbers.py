# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is no number is refused wherever one is meant, with the name of the argument."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from robots import load

import dyn_core
from dyn_core import Contact, Coupling, Loop, Model, ModelError
from dyn_core.audit import Settings
from dyn_core.control import (
    ComTask,
    ContactTask,
    FrameTask,
    JointLimits,
    MomentumObserver,
    Trajectory,
    limit_violations,
    smooth_derivatives,
    solve_ik,
)
from dyn_core.identification import BaseParameters, Parameters, excitation
from dyn_core.joints import Ellipsoid, Helical, Mimic, Revolute
from dyn_core.model.value_checks import finite_numbers, number, numbers
from dyn_core.simulation import ContactPoint, Ground, TimeStepper

NO_NUMBERS: dict[str, Any] = {
    "True": True, "np.True_": np.True_, "text": "1", "None": None, "complex": 1.0 + 0.0j,
    "numpy complex": np.complex64(1.0), "two": np.ones(2), "none": [], "object": object(),
    "too large": 10**400, "a date": np.datetime64("NaT"),
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Model:
    return load("ur5").model


@cache
def base(model: Model) -> BaseParameters:
    """The base parameters of a robot."""
    return BaseParameters.of(Parameters(model))


JOINT, TIP = "elbow_joint", "tool0"
NUMBERS: dict[str, Callable[[Model, Any], Any]] = {
    "payload's mass": lambda m, x: m.with_payload(TIP, x),
    "mass of 'tool0'": lambda m, x: m.with_inertia(TIP, mass=x, com=(0.0, 0.0, 0.0)),
    "rotor inertia": lambda m, x: m.with_rotor(JOINT, x),
    "gear ratio": lambda m, x: m.with_rotor(JOINT, 1e-3, x),
    "upper": lambda m, x: m.with_limits(JOINT, upper=x),
    "damping": lambda m, x: m.with_friction(JOINT, damping=x),
    "rest": lambda m, x: m.with_spring(JOINT, 1.0, x),
    "kp": lambda m, x: Loop(TIP, "base_link", kp=x),
    "kd": lambda m, x: Contact(TIP, kd=x),
    "kp and kd": lambda m, x: Coupling("c", ((JOINT, 1.0),), (), (0.0,), kp=x),
    "pitch": lambda m, x: Helical(pitch=x),
    "multiplier": lambda m, x: Mimic(Revolute(), x),
    "radii": lambda m, x: Ellipsoid(x),
    "u": lambda m, x: dyn_core.interpolate(m, np.zeros(6), np.ones(6), x),
    "tolerance": lambda m, x: dyn_core.is_same_configuration(m, np.zeros(6), np.ones(6), x),
    "dt": TimeStepper,
    "radius": lambda m, x: Ground(m, [ContactPoint(1, (0.0, 0.0, 0.0), x)], 0.5),
    "gain": lambda m, x: FrameTask(TIP, gain=x),
    "cost": lambda m, x: ComTask(x),
    "friction": lambda m, x: ContactTask(TIP, friction=x),
    "acceleration": JointLimits,
    "starts": lambda m, x: solve_ik(m, {TIP: np.eye(4)[None]}, starts=x),
    "solve_ik: seed": lambda m, x: solve_ik(m, {TIP: np.eye(4)[None]}, seed=x),
    "random_configuration": dyn_core.random_configuration,
    "excitation: seed": lambda m, x: excitation(base(m), seed=x),
    "excitation: harmonics": lambda m, x: excitation(base(m), harmonics=x),
    "excitation: iterations": lambda m, x: excitation(base(m), iterations=x),
    "excitation: period": lambda m, x: excitation(base(m), x),
    "excitation: share": lambda m, x: excitation(base(m), share=x),
    "seed of the audit": lambda m, x: Settings(seed=x),
    "samples of the audit": lambda m, x: Settings(samples=x),
    "solve_ik: tolerance": lambda m, x: solve_ik(m, {TIP: np.eye(4)[None]}, tolerance=x),
    "margin": lambda m, x: JointLimits(m, margin=x),
    "bandwidth": lambda m, x: MomentumObserver(6, x),
    "effort_scale": lambda m, x: limit_violations(m, *np.zeros((3, 1, 6)), effort_scale=x),
}
"""A call with a number, by a part of its argument's name."""
ALLOWED: dict[str, set[str]] = {
    "None": {"mass of 'tool0'", "upper", "damping", "rest", "acceleration", "random_configuration"},
    "two": {"cost"},
    "none": {"cost"},
    "too large": {  # a whole number; some calls would take as long as that
        "starts",
        "solve_ik: seed",
        "random_configuration",
        "excitation: seed",
        "excitation: iterations",
        "seed of the audit",
        "samples of the audit",
    },
}
"""Arguments that may be such values."""


@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_no_number_is_refused_by_name(model: Model, name: str) -> None:
    """Not taken for 1, nor met by an error of numpy."""
    for kind, value in NO_NUMBERS.items():
        if name in ALLOWED.get(kind, ()):
            continue
        with pytest.raises(
            (ValueError, TypeError), match=rf"{name}|no value is given|True and False"
        ) as refused:
            NUMBERS[name](model, value)
        assert "dyn_core" in str(refused.traceback[-1].path), kind


def test_one_rule_defines_numbers() -> None:
    for given in (1, 2.5, np.float32(0.5), np.int64(3), np.array(1.5)):
        assert number("x", given) == float(given)
        assert type(number("x", given)) is float
    for given in ("12", b"12", [True, 1.0], ["1", "2"], [1j, 2.0], [[1.0], [2.0]], [None, 1.0]):
        with pytest.raises(ModelError, match=r"^com must be"):
            finite_numbers(given, 2, "com")
    for given in ("111", [True, 0.0, 0.0], None, np.ones((3, 1))):
        with pytest.raises(ModelError, match=r"^a joint axis must be 3"):
            Revolute(given)
    with pytest.raises(ModelError, match=r"^inertia must be real numbers, not complex128"):
        numbers("inertia", 1j * np.eye(3), (3, 3))
    with pytest.raises(ModelError, match=r"^inertia must have shape \(3, 3\), not \(2, 3\)"):
        numbers("inertia", np.ones((2, 3)), (3, 3))


def test_matrices_lose_no_imaginary_part(model: Model) -> None:
    with pytest.raises(ModelError, match="inertia must be real numbers, not complex128"):
        model.with_payload(TIP, 1.0, inertia=1j * np.eye(3))


@pytest.mark.parametrize("kind", [3.0, "3", True, np.float64(6.0)])
def test_kinds_are_whole_numbers(kind: Any) -> None:
    with pytest.raises(ModelError, match=r"kind (3|6|'3'|is True).*(is unknown|no numbers)"):
        Contact(TIP, kind)


def test_positions_that_are_nan_are_within_no_limits(model: Model) -> None:
    zero, nan = np.zeros((2, 6)), np.zeros((2, 6))
    nan[1, 3] = np.nan
    for k, kind in enumerate(("position", "velocity", "effort")):
        arrays = [nan if i == k else zero for i in range(3)]
        (found,) = limit_violations(model, *arrays)
        assert (found.kind, found.coordinate, found.worst) == (kind, 3, 1)
    with pytest.raises(ModelError, match=r"position must have shape \(points, 6\), not \(6,\)"):
        limit_violations(model, zero[0], zero, zero)
    with pytest.raises(ValueError, match="effort_scale"):
        limit_violations(model, zero, zero, zero, -1.0)


def test_points_of_trajectories_are_numbers_of_one_shape() -> None:
    times, zero = np.arange(3.0), np.zeros((3, 2))
    for rate in (zero[:2], zero * 1j, zero.astype(bool), zero.astype(str)):
        with pytest.raises(ModelError, match="velocities must"):
            Trajectory(times, zero, rate)
    with pytest.raises(ModelError, match="positions must"):
        Trajectory(times, None, zero, zero)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"positions must have shape \(2, joints\)"):
        smooth_derivatives(times[:2], zero)
    with pytest.raises(ValueError, match="times and positions must be finite"):
        smooth_derivatives(times, zero * np.nan)
