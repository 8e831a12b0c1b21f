# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Energy drift of a free swing of ten seconds with each integrator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dyn_core import simulation
from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.report import Curves, Item, Level, Line, Table, note
from dyn_core.audit.tape_sampling import sampled
from dyn_core.compiler.runtime import Data, compile
from dyn_core.dynamics.aba import aba
from dyn_core.model.joints import Prismatic
from dyn_core.model.model import FloatArray, Model
from dyn_core.simulation import Dynamics, Integrator, StepError
from dyn_core.simulation.step_types import Acceleration

MAX_DRIFT = 1e-3
"""Drift per second as a share of the kinetic energy; the reference's number."""
INITIAL_SPEED = 0.3
"""Magnitude of the random initial velocities, rad/s or m/s."""
CURVE_POINTS = 400
"""Points of a curve in the picture."""
MAX_NV_FOR_DERIVATIVES = 12
"""Most degrees of freedom for which derivatives compile quickly."""


@dataclass(frozen=True)
class Swing:
    """An integrator and its settings in the free swing."""

    integrator: Integrator
    dt: float
    """Usual time step of the integrator, s."""
    needs_derivatives: bool
    """Whether the integrator needs :class:`Dynamics`, whose derivatives compile slowly."""


INTEGRATORS = {
    "semi_implicit_euler": Swing(simulation.semi_implicit_euler, 1e-3, False),
    "runge_kutta_4": Swing(simulation.runge_kutta_4, 4e-3, False),
    "explicit_euler": Swing(simulation.explicit_euler, 1e-3, False),
    "implicit_euler": Swing(simulation.implicit_euler, 1e-2, True),
    "variational": Swing(simulation.variational, 1e-2, True),
}
"""The integrators of :mod:`dyn_core.simulation`."""


@declare(
    "energy drift",
    claim="a free swing of 10 s keeps its energy to 0.1 % per second",
    why="an integrator that creates energy diverges sooner or later; one that dissipates energy "
    "hides it",
    step="pipeline step 9",
    order=120,
    needs=Needs.DYNAMICS,
)
def energy_drift(robot: Robot) -> Iterator[Item]:
    """The swing has no friction and no limits. A floating robot swings without gravity."""
    model, start = swinging(robot)
    rows: list[list[str | float | int]] = []
    curves: dict[str, list[float]] = {}
    lines: list[Line] = []
    chosen = _chosen(robot)
    for name in chosen:
        swing = INTEGRATORS[name]
        try:
            energy = energies(model, swing, start, robot.settings.swing)
        except StepError as problem:
            rows.append([name, swing.dt * 1e3, "", ""])
            lines.append(_blown_up(name, problem))
            continue
        drift, largest = relative_drift(energy, robot.settings.swing)
        rows.append([name, swing.dt * 1e3, 100.0 * drift, 100.0 * largest])
        lines.append(_line(name, swing.dt, drift))
        curves[name] = _thinned(100.0 * (energy[:, 0] - energy[0, 0]) / scale(energy))
    yield from lines
    if all(line.level is not Level.FINE for line in lines):
        yield Line(
            Level.NOTE,
            "no integrator that was tried keeps the energy of this robot",
            "look for links too light for their joints; take shorter steps",
        )
    left = [name for name in INTEGRATORS if name not in chosen]
    if left and not robot.settings.integrators:
        yield note(
            f"not tried with nv = {model.nv}: {', '.join(left)}", "add them by --integrators"
        )
    head = ("integrator", "step, ms", "drift, %/s", "largest deviation, %")
    yield Table(
        f"Energy of a free swing of {robot.settings.swing:g} s, by the kinetic energy in it",
        head,
        rows,
    )
    if curves:
        t = np.linspace(0.0, robot.settings.swing, len(next(iter(curves.values())))).tolist()
        yield Curves("Energy of a free swing", t, "time, s", curves, "deviation, %")


def swinging(robot: Robot) -> tuple[Model, FloatArray]:
    """The swinging model and its start; prismatic joints are locked, as they would not return."""
    model = replace(robot.known, reference_configurations={"start": tuple(robot.start.tolist())})
    own = model.own_coordinates
    sliding = [model.names[i] for i in own if isinstance(model.joints[i], Prismatic)]
    if sliding and len(sliding) < len(own):
        model = model.reduced(sliding, robot.start)
    if robot.floats:
        model = model.with_gravity((0.0, 0.0, 0.0))
    return model, np.array(model.reference_configurations["start"])


def energies(model: Model, swing: Swing, q: FloatArray, duration: float) -> FloatArray:
    """Mechanical and kinetic energy (steps + 1, 2) along a free swing from ``q``, J.

    Raises:
        StepError: the state becomes infinite; the message says when.
    """
    v = INITIAL_SPEED * np.random.default_rng(0).normal(size=model.nv)
    count = round(duration / swing.dt)
    dynamics = Dynamics(model) if swing.needs_derivatives else _free_acceleration(model)
    motion = simulation.rollout(model, swing.integrator, dynamics, q, v, swing.dt, count)
    both = sampled(model, ["mechanical_energy", "kinetic_energy"])(*motion)
    return np.stack(both, axis=1)


def scale(energy: FloatArray) -> float:
    """The reference for deviations of the energy: the largest kinetic energy, J."""
    return max(float(energy[:, 1].max()), 1e-300)


def relative_drift(energy: FloatArray, duration: float) -> tuple[float, float]:
    """Slope per second of a line fitted to the relative energy, and the largest deviation."""
    t = np.linspace(0.0, duration, len(energy))
    deviation = (energy[:, 0] - energy[0, 0]) / scale(energy)
    slope = float(np.polyfit(t, deviation, 1)[0])
    return slope, float(np.abs(deviation).max())


def _chosen(robot: Robot) -> list[str]:
    asked = robot.settings.integrators
    few = robot.known.nv > MAX_NV_FOR_DERIVATIVES
    return list(asked) or [n for n, s in INTEGRATORS.items() if not (few and s.needs_derivatives)]


def _free_acceleration(model: Model) -> Acceleration:
    """Forward dynamics without efforts, in memory that every call reuses."""
    compute = compile(model, [aba]).bind(Data(model))
    none = np.zeros(model.nv)
    return lambda q, v: np.array(compute(q, v, none))


def _line(name: str, dt: float, drift: float) -> Line:
    words = f"the energy changes by {100.0 * drift:+.2g} % per second with steps of {1e3 * dt:g} ms"
    if abs(drift) <= MAX_DRIFT:
        return Line(Level.FINE, words, subject=name)
    sense = "it creates energy" if drift > 0.0 else "it dissipates energy"
    return Line(Level.NOTE, f"{words}: {sense}", "shorten the step, or choose another", name)


def _blown_up(name: str, problem: StepError) -> Line:
    action = "shorten the step; look for links that are too light for their joints"
    return Line(Level.NOTE, f"the swing diverges: {problem}", action, name)


def _thinned(curve: FloatArray) -> list[float]:
    places = np.linspace(0, len(curve) - 1, min(CURVE_POINTS, len(curve))).astype(int)
    thin: list[float] = curve[places].tolist()
    return thin
