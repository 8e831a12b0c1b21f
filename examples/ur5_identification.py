# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identifies a UR5 whose masses differ by 15 % from the description and whose joints have friction.

It plans an exciting motion, records it with noise and with efforts delayed by 1 ms, and identifies
the robot. It prints which share of the efforts of another motion remains unexplained, by the
description and by the identified parameters (the literature reaches 2 %).

    python examples/ur5_identification.py [PICTURE]

PICTURE is a file for the efforts of the other motion, such as efforts.png.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dyn_core import Model
from dyn_core.identification import (
    BaseParameters,
    Excitation,
    Identification,
    Parameters,
    Recording,
    excitation,
    identify,
)
from dyn_core.identification.effort_figure import figure

ARM = Path(__file__).resolve().parents[1] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
RATE, DELAY = 500.0, 0.001
CUTOFF = 5.0


def real(parameters: Parameters, seed: int = 0) -> np.ndarray:
    """The parameters of the real robot."""
    random, values = np.random.default_rng(seed), parameters.values.copy()
    for k in range(0, parameters.inertial, 10):
        values[k : k + 10] *= 1.0 + 0.15 * random.choice([-1.0, 1.0])
    rotors, damping, friction, _ = np.split(values[parameters.inertial :], 4)
    for part, least, most in ((rotors, 0.05, 0.3), (damping, 0.5, 3.0), (friction, 0.5, 4.0)):
        part[:] = random.uniform(least, most, size=len(part))
    return values


def recorded(
    parameters: Parameters, values: np.ndarray, motion: Excitation, duration: float, seed: int
) -> Recording:
    """The recording of a motion."""
    random, times = np.random.default_rng(seed), np.arange(0.0, duration, 1.0 / RATE)
    q, _, _ = motion.states(times)
    tau = parameters.regressor(*motion.states(times - DELAY)) @ values
    noise = random.normal(size=(2, *q.shape))
    return Recording(times, q + 1e-5 * noise[0], tau + noise[1])


def identified(duration: float = 60.0) -> tuple[Identification, Recording, float, float]:
    """The identified model, another recording, and its residuals by description and model."""
    parameters = Parameters(Model.from_urdf(ARM))
    base, values = BaseParameters.of(parameters), real(parameters)
    motion, other = excitation(base, iterations=3), excitation(base, iterations=0, seed=1)
    found = identify(parameters, recorded(parameters, values, motion, duration, 0), CUTOFF)
    held_out = recorded(parameters, values, other, duration / 3.0, 1)
    before = replace(found, values=parameters.values).residual(held_out, cutoff=CUTOFF)
    return found, held_out, before, found.residual(held_out, cutoff=CUTOFF)


def picture(duration: float = 60.0) -> Any:
    """Efforts of a motion that was not used for the fit: recorded, described, identified."""
    found, held_out, *_ = identified(duration)
    return figure(found, held_out, CUTOFF)


def main(path: str = "") -> tuple[Identification, float, float]:
    """Print the identified parameters and the unexplained shares of efforts."""
    found, held_out, before, after = identified()
    error = 1e3 * found.estimate.delay_deviation
    print(f"delay of efforts {1e3 * found.estimate.delay:.2f} ms, standard error {error:.2f} ms")
    print(f"unexplained efforts: description {100 * before:.1f} %, identified {100 * after:.1f} %")
    if path:
        figure(found, held_out, CUTOFF).savefig(path)
    return found, before, after


if __name__ == "__main__":
    main(*sys.argv[1:])
