# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification of a UR5.

A simulated UR5 whose true inertial parameters are 15 % off those of its description, with friction,
rotors and noise, plays an exciting motion for 60 s; it is identified from the driver's messages.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
from parts import table

from dyn_core import Model
from dyn_core.compiler.runtime import compile
from dyn_core.control import ComputedTorque
from dyn_core.identification import (
    BaseParameters,
    Excitation,
    Identification,
    Parameters,
    Recording,
    condition,
    excitation,
    identify,
    read_samples,
    residual,
    write_recording,
)
from dyn_core.spatial import Inertia
from dyn_ros.simulator import STEP, Imperfections, Simulation

ARM = Path(__file__).resolve().parents[2] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
SHARE = 0.15
DURATION, HELD_OUT = 60.0, 20.0
CUTOFF = 5.0
NOISE = Imperfections(noise=[1e-5, 1e-4, 1.0], brake_release_time=-1.0)
OTHER_SEEDS = range(101, 109)
"""Of the noise of more recordings; that which is shown has seed 0."""
FREQUENCY = 30.0
"""rad/s, of the controller that plays the motion."""
MANY = 10_000_000
"""Samples of the test of memory."""
BATCH = 500_000
"""Of them in a file."""


def section() -> str:
    """The tables."""
    description = Model.from_urdf(ARM)
    true = altered(description)
    parameters = Parameters(description)
    base = BaseParameters.of(parameters)
    started = time.process_time()
    motion = excitation(base)
    planned = time.process_time() - started
    recording = played(description, true, motion, DURATION, seed=0)
    held = played(description, true, excitation(base, seed=7), HELD_OUT, seed=1)
    started = time.process_time()
    found = identify(parameters, recording, CUTOFF)
    took = time.process_time() - started
    text = [
        f"The robot has {len(base)} base parameters. The exciting motion has a condition number "
        f"of the scaled regressor of {condition(base, motion.one_period):.1f}, and was found in "
        f"{planned:.1f} s of processor time. The recording has {len(recording)} rows at "
        f"{1.0 / (2 * STEP):.0f} Hz; {found.estimate.count} samples remain after filter and "
        f"decimation at {CUTOFF:g} Hz. The identification takes {took:.2f} s, with the "
        f"semidefinite program. It finds that efforts are {1e3 * found.estimate.delay:.2f} ms late "
        f"(standard error {1e3 * found.estimate.delay_deviation:.2f} ms); the simulation reports "
        f"each state with the effort of the previous step, {1e3 * STEP:g} ms earlier.",
        _residuals(base, description, true, found, held),
        _deviations(parameters, true, motion, found),
        _memory(parameters, motion, description),
    ]
    return "\n\n".join(text)


def altered(model: Model, seed: int = 3) -> Model:
    """The robot as it is: bodies 15 % heavier or lighter, with friction and rotors."""
    random, tree = np.random.default_rng(seed), list(model.tree)
    for i in model.moving_joints:
        factor = 1.0 + SHARE * random.choice([-1.0, 1.0])
        inertia = Inertia.from_parameters([factor * x for x in model.inertias[i].parameters])
        limits = replace(
            tree[i].limits,
            damping=(random.uniform(0.5, 3.0),),
            friction=(random.uniform(0.5, 4.0),),
            armature=(random.uniform(0.05, 0.3),),
        )
        tree[i] = replace(tree[i], inertia=inertia, limits=limits)
    return replace(model, tree=tuple(tree))


def played(
    description: Model, true: Model, motion: Excitation, duration: float, seed: int
) -> Recording:
    """What the driver says while computed torque by the description follows the motion."""
    start, _, _ = motion.states(np.zeros(1))
    simulation = Simulation(true, start[0], NOISE, seed=seed)
    law, inverse = ComputedTorque(description), compile(description, ["inverse_dynamics"])
    compute = inverse.bind(description.create_data())
    times = STEP * np.arange(round(duration / STEP))
    desired = motion.states(times)
    rows = []
    for k in range(len(times)):
        measured = simulation.advance()
        if measured is None:
            continue
        if k % 2 == 0:
            rows.append([times[k], *measured.position, *measured.effort])
        now = tuple(x[k] for x in desired)
        u = law.update(measured.position, measured.velocity, now, FREQUENCY, 1.0)
        simulation.command(compute(measured.position, measured.velocity, u))
    array = np.array(rows[1:])
    return Recording(array[:, 0], array[:, 1 : 1 + true.nv], array[:, 1 + true.nv :])


def _residuals(
    base: BaseParameters, description: Model, true: Model, found: Identification, held: Recording
) -> str:
    stretches, _ = read_samples(description, held, CUTOFF, found.estimate.delay)
    cases = {
        "description": base.values,
        "identified, least squares": found.estimate.values,
        "identified, physically consistent": base.B @ found.values,
        "true parameters: noise alone": base.B @ Parameters(true).values,
    }
    rows = [
        [name, f"{100 * residual(base, beta, stretches):.2f} %"] for name, beta in cases.items()
    ]
    return (
        f"Residual efforts of another motion of {HELD_OUT:.0f} s (root mean squares; the "
        "literature reaches 2 %):\n\n" + table(["parameters", "residual"], rows)
    )


def _deviations(
    parameters: Parameters, true: Model, motion: Excitation, shown: Identification
) -> str:
    """How far estimates are from the truth, for several seeds of the noise."""
    description, base = parameters.model, shown.base
    truth, rows, every = base.B @ Parameters(true).values, [], []
    for seed in (0, *OTHER_SEEDS):
        again = played(description, true, motion, DURATION, seed) if seed else None
        found = identify(parameters, again, CUTOFF) if again else shown
        ratio = np.abs(found.estimate.values - truth) / found.estimate.deviations
        every.append(ratio)
        rows.append(
            [
                f"{seed}" if again else f"{seed} (shown)",
                f"{int((ratio <= 3.0).sum())} of {len(base)}",
                f"{ratio.max():.2f}, {base.names[ratio.argmax()].partition(' ')[0]}",
                f"{np.mean(ratio**2):.2f}",
            ]
        )
    beyond = float(np.mean(np.array(every) > 3.0))
    return (
        "Errors of the base parameters divided by their standard errors, for several seeds of the "
        "noise of position, velocity and effort. If they are normally distributed, their mean "
        "square is 1, and 0.27 % are beyond 3: one or more of "
        f"{len(base)} in {100 * (1 - 0.9973 ** len(base)):.0f} % of all recordings. Here the mean "
        f"square is {np.mean(np.square(every)):.2f}, and {100 * beyond:.2f} % are beyond 3. "
        "Standard errors are right if the noise is independent from row to row before the filter, "
        "as it is here. A filter in the driver, cogging and drift make them too small:\n\n"
        + table(["seed", "within 3", "largest, of parameter", "mean square"], rows)
    )


def _memory(parameters: Parameters, motion: Excitation, model: Model) -> str:
    """Peak of Python's memory while many samples go through, a file at a time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.parquet"
        times = np.arange(BATCH) * 0.002
        q, v, a = motion.states(times)
        tau = np.empty_like(q)
        for k in range(0, BATCH, 10_000):
            part = slice(k, k + 10_000)
            tau[part] = parameters.regressor(q[part], v[part], a[part]) @ parameters.values
        tau += np.random.default_rng(0).normal(size=tau.shape)
        write_recording(model, Recording(times, q, tau), path)
        del q, v, a, tau
        peaks = {}
        for count in (1, MANY // BATCH):
            tracemalloc.start()
            started = time.process_time()
            identify(parameters, [path] * count, CUTOFF)
            peaks[count * BATCH] = (
                tracemalloc.get_traced_memory()[1],
                time.process_time() - started,
            )
            tracemalloc.stop()
    rows = [[f"{n:,}", f"{peak / 1e6:.0f} MB", f"{t:.0f} s"] for n, (peak, t) in peaks.items()]
    return (
        f"Peak memory of Python while it reads and reduces files of {BATCH:,} samples one after "
        "another:\n\n" + table(["samples", "peak", "processor time"], rows)
    )
