# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Many motions at once: each is its own rollout, whatever its neighbours do."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import mujoco
import mujoco.rollout
import numpy as np
import pytest
from covering import covers
from mjcf_writer import write_mjcf
from repository import in_repository
from robots import example_robots, load, relative_error
from test_integrators import acrobat, name, pendulum, sprung

import dyn_core
from dyn_core import Model, ModelError, explicit_step, friction_efforts, spring_efforts
from dyn_core.compiler.runtime import thread_sharing as sharing
from dyn_core.simulation import (
    Dynamics,
    JointEfforts,
    explicit_euler,
    implicit_euler,
    rollout,
    runge_kutta_4,
    semi_implicit_euler,
    variational,
)
from dyn_core.simulation.rollout import COMPILED_INTEGRATORS, compiled_step

DT, STEPS, MANY = 1e-3, 20, 11
"""Eleven motions: some lanes of the last vector are empty."""
EXPLICIT = (explicit_euler, semi_implicit_euler, runge_kutta_4)


def some_motions(model: Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts and controls of many motions."""
    random = np.random.default_rng(seed)
    q = np.array(
        [
            dyn_core.integrate(model, dyn_core.neutral(model), x)
            for x in random.normal(size=(MANY, model.nv))
        ]
    )
    v = random.normal(size=(MANY, model.nv))
    return q, v, random.normal(size=(MANY, STEPS, model.nv))


def curved() -> Model:
    """A free body with a ball joint and a hinge, sprung and with friction."""
    return sprung(acrobat(9.81), 3.0, 0.2)


@pytest.mark.quick("True-explicit")
@covers(explicit_step)
@pytest.mark.parametrize("integrator", EXPLICIT, ids=name)
@pytest.mark.parametrize("sprung_joints", [True, False])
def test_each_of_many_motions_is_its_own_rollout(integrator, sprung_joints: bool) -> None:
    model = curved()
    assert set(COMPILED_INTEGRATORS) == set(EXPLICIT)
    dynamics = Dynamics(model, JointEfforts(model) if sprung_joints else None)
    q, v, controls = some_motions(model)
    assert compiled_step(model, integrator, dynamics) is not None
    many = rollout(model, integrator, dynamics, q, v, DT, STEPS, controls)
    assert [x.shape for x in many] == [(MANY, STEPS + 1, model.nq), (MANY, STEPS + 1, model.nv)]
    for k in range(MANY):
        one = rollout(model, integrator, dynamics, q[k], v[k], DT, STEPS, controls[k])
        for actual, expected in zip(many, one, strict=True):
            assert relative_error(actual[k], expected) < 1e-12
    assert np.abs(np.linalg.norm(many[0][..., 3:7], axis=-1) - 1.0).max() < 1e-12


@pytest.mark.parametrize("integrator", [implicit_euler, variational], ids=name)
def test_integrators_that_solve_equations_roll_out_one_motion_after_the_other(integrator) -> None:
    model = sprung(pendulum(), 1.0, 0.1)
    dynamics = Dynamics(model, JointEfforts(model))
    assert compiled_step(model, integrator, dynamics) is None
    q, v, controls = some_motions(model)
    controls[4, 7] = np.nan
    many = rollout(model, integrator, dynamics, q, v, DT, STEPS, controls)
    for k in set(range(MANY)) - {4}:
        one = rollout(model, integrator, dynamics, q[k], v[k], DT, STEPS, controls[k])
        for actual, expected in zip(many, one, strict=True):
            assert np.array_equal(actual[k], expected)
    assert np.isfinite(many[0][4, :8]).all()
    assert np.isnan(many[0][4, 8:]).all()


def test_what_is_not_finite_stays_in_its_motion() -> None:
    model = load("ur5").model
    q, v, controls = some_motions(model)
    clean = rollout(model, semi_implicit_euler, Dynamics(model), q, v, DT, STEPS, controls)
    q[3, 2], controls[8, 6, 1] = np.nan, np.inf
    spoilt = rollout(model, semi_implicit_euler, Dynamics(model), q, v, DT, STEPS, controls)
    for before, after in zip(clean, spoilt, strict=True):
        others = [k for k in range(MANY) if k not in (3, 8)]
        assert np.array_equal(before[others], after[others])
        assert np.array_equal(before[8, :7], after[8, :7])
        assert not np.isfinite(after[8, 7:]).all(axis=-1).any()
        assert not np.isfinite(after[3]).all(axis=-1)[1:].any()


def test_threads_and_starts_that_are_shared_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sharing, "MIN_THREAD_WORK_NS", 1)  # ns: any work is worth a thread
    model = load("ur5").model
    q, v, controls = some_motions(model)
    dynamics = Dynamics(model)

    def roll(q: np.ndarray, v: np.ndarray, controls: np.ndarray, threads: int = 1):
        return rollout(model, semi_implicit_euler, dynamics, q, v, DT, STEPS, controls, threads)

    alone = roll(q, v, controls)
    for threads in (2, 3, 8):
        for one, other in zip(alone, roll(q, v, controls, threads), strict=True):
            assert np.array_equal(one, other)
    same = np.broadcast_to(q[0], q.shape), np.broadcast_to(v[0], v.shape)
    for one, other in zip(roll(q[0], v[0], controls), roll(*same, controls), strict=True):
        assert np.array_equal(one, other)
    driven = np.broadcast_to(controls[0], controls.shape)
    for one, other in zip(roll(q, v, controls[0]), roll(q, v, driven), strict=True):
        assert np.array_equal(one, other)


def test_efforts_of_another_size_are_not_those_of_all_joints() -> None:
    model, one, six = load("ur5").model, np.ones(1), np.ones(6)
    for make in (
        lambda: Dynamics(model, control=one),
        lambda: Dynamics(model, control=six).under(one),
        lambda: Dynamics(model, lambda q, v: one, six).tau(six, six),
    ):
        with pytest.raises(ModelError, match=r"^(control|efforts) must have shape \(6,\)"):
            make()


def test_nothing_to_roll_out_is_nothing() -> None:
    model, dynamics = load("ur5").model, Dynamics(load("ur5").model)
    q, v, controls = some_motions(model)
    for count in (0, 1):
        motions = q[:count], v[:count], DT, STEPS, controls[:count]
        many_q, _ = rollout(model, semi_implicit_euler, dynamics, *motions)
        assert many_q.shape == (count, STEPS + 1, model.nq)
    many_q, _ = rollout(model, semi_implicit_euler, dynamics, q, v, DT, 0)
    assert np.array_equal(many_q[:, 0], q)


def test_a_step_takes_forces_and_gravity_as_any_kernel() -> None:
    """Optional inputs differ from motion to motion; they are held, or change in every step."""
    model = load("ur5").model
    q, v, controls = some_motions(model)
    random = np.random.default_rng(5)
    gravity = random.normal(size=(MANY, 1, 3))
    f_ext = random.normal(size=(MANY, STEPS, model.njoints, 6))
    step = dyn_core.compile(model, [explicit_step], ["f_ext", "gravity"])
    dt = np.array([DT])
    held = np.broadcast_to(gravity, (MANY, STEPS, 3))
    many_q, many_v = step.rollouts(q, v, controls, dt, f_ext, held, steps=STEPS)
    for k in (0, 7):
        state = q[k], v[k]
        for i in range(STEPS):
            state = step(*state, controls[k, i], dt, f_ext[k, i], gravity[k, 0])
            assert relative_error(many_q[k, i + 1], state[0]) < 1e-12
            assert relative_error(many_v[k, i + 1], state[1]) < 1e-12


def test_a_step_is_a_quantity_like_others() -> None:
    """Its derivative by the control is what a control does to the state in first order."""
    model = load("ur5").model
    q, v, controls = some_motions(model)
    state = q[0], v[0], controls[0, 0], np.array([DT])
    _, by_tau = dyn_core.derivative.request(explicit_step, by="tau")(model, *state)
    expected = DT * dyn_core.minverse(model, q[0])
    assert relative_error(by_tau, expected) < 1e-10
    efforts = (friction_efforts.request(smoothing=1e-3), spring_efforts)
    arm = sprung(model, 2.0, 0.3)
    asked = explicit_step.request(efforts=efforts)
    defined = asked.evaluate(arm, dict(zip(("q", "v", "tau", "dt"), map(list, state), strict=True)))
    for actual, other in zip(asked(arm, *state), defined, strict=True):
        assert relative_error(actual, np.array(other, dtype=float)) < 1e-12
    _, after = asked(arm, *state)
    tau = state[2] + sum(x(arm, y) for x, y in zip(efforts, (v[0], q[0]), strict=True))
    assert relative_error(after, v[0] + DT * dyn_core.aba(arm, q[0], v[0], tau)) < 1e-12


def test_results_go_where_they_are_wanted() -> None:
    model = load("ur5").model
    q, v, controls = some_motions(model)
    roll_out, dt = dyn_core.compile(model, [explicit_step]).rollouts, np.array([DT])
    out = tuple(np.full((MANY, STEPS + 1, 6), 7.0) for _ in range(2))
    found = roll_out(q, v, controls, dt, steps=STEPS, out=out)
    assert all(x is y for x, y in zip(found, out, strict=True))
    for one, other in zip(roll_out(q, v, controls, dt, steps=STEPS), out, strict=True):
        assert np.array_equal(one, other)


def test_what_does_not_fit_is_refused_in_words() -> None:
    model = load("ur5").model
    q, v, controls = some_motions(model)
    dynamics = Dynamics(model)

    def roll(*arguments, **named):
        return rollout(model, semi_implicit_euler, dynamics, *arguments, **named)

    with pytest.raises(ValueError, match=r"controls must have shape \(20, 6\), or \(B, ...\)"):
        roll(q, v, DT, STEPS, controls[:, :-1])
    with pytest.raises(ValueError, match=r"of many motions, not .* all with the same B"):
        roll(q, v[1:], DT, STEPS)
    with pytest.raises(ValueError, match="all with the same B"):
        roll(q[1:], v[1:], DT, STEPS, controls)
    with pytest.raises(ValueError, match="threads must be a whole number of at least 1, not 0"):
        roll(q, v, DT, STEPS, threads=0)
    with pytest.raises(TypeError, match="controls need a Dynamics to act in, not function"):
        rollout(model, semi_implicit_euler, lambda q, v: v, q, v, DT, STEPS, controls)
    with pytest.raises(
        ValueError, match=r"do not fit the inputs .* of the next step; roll out a step"
    ):
        _ = dyn_core.compile(model, ["mass_matrix"]).rollouts
    for steps, dt in ((5.5, DT), (True, DT), (5, "1"), (5, np.nan), (5, True)):
        with pytest.raises(ValueError, match="give a positive length and a whole number"):
            roll(q, v, dt, steps)
    assert roll(q, v, DT, np.int64(2))[0].shape == (MANY, 3, 6)
    roll_out, dt = dyn_core.compile(model, [explicit_step]).rollouts, np.array([DT])
    with pytest.raises(ValueError, match=r"steps must be a whole number .* not -1"):
        roll_out(q, v, controls, dt, steps=-1)
    with pytest.raises(ValueError, match=r"tau \(effort\) must have shape \(11, 5, 6\)"):
        roll_out(q, v, controls, dt, steps=5)
    with pytest.raises(TypeError, match=r"tau .* must be an array of float64, not float32"):
        roll_out(q, v, controls.astype(np.float32), dt, steps=STEPS)
    one = np.zeros((MANY, STEPS + 1, 6))
    with pytest.raises(ValueError, match=r"out, \w+, overlaps \w+: give it memory of its own"):
        roll_out(q, v, controls, dt, steps=STEPS, out=(one, one))
    with pytest.raises(ValueError, match=r"crba\(\) is no effort of q and v"):
        explicit_step.request(efforts=(dyn_core.crba,))(model, q[0], v[0], v[0], dt)
    with pytest.raises(ValueError, match="integrator must be 'explicit_euler' or 'semi_impl"):
        explicit_step.request(integrator="heun")(model, q[0], v[0], v[0], dt)


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "mppi_panda", in_repository("examples/mppi_panda.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sampled_control_brings_the_arm_nearer_to_its_goal(example: ModuleType) -> None:
    urdf = example_robots() / "panda_description" / "urdf" / "panda.urdf"
    reacher = example.Reacher(urdf, motions=128, steps=25)
    before = reacher.distance()
    for _ in range(60):
        reacher.advance()
    assert reacher.distance() < 0.5 * before


def test_motions_vs_mujocos_rollout() -> None:
    """Its Euler's method is ours, efforts held during each step."""
    model = load("ur5").model
    oracle = mujoco.MjModel.from_xml_string(write_mjcf(model))
    oracle.opt.timestep = DT
    q, v, controls = some_motions(model)
    start = np.concatenate([np.zeros((MANY, 1)), q, v], axis=1)
    applied = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
    states, _ = mujoco.rollout.rollout(
        oracle, mujoco.MjData(oracle), start, controls, control_spec=applied
    )
    many_q, many_v = rollout(model, semi_implicit_euler, Dynamics(model), q, v, DT, STEPS, controls)
    assert relative_error(many_q[:, 1:], states[..., 1 : 1 + model.nq]) < 1e-9
    assert relative_error(many_v[:, 1:], states[..., 1 + model.nq :]) < 1e-9
