# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: base parameters, excitation, filters, regression, threads."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from robots import load
from scipy.stats import chi2
from unknown_arm import CUTOFF, recorded, truth

from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Evidence,
    Parameters,
    Recording,
    Samples,
    condition,
    estimate,
    excitation,
    identify,
    prepared,
    robust,
)
from dyn_core.identification.blas_threads import single_threaded
from dyn_core.identification.samples import Decimation


def rows_of(base: BaseParameters, stretches: list[Samples]) -> list:
    return [rows for samples in stretches for rows in samples.rows(base.regressor)]


def evidence(base: BaseParameters, stretches: list[Samples]) -> Evidence:
    return Evidence.of_rows(base, rows_of(base, stretches))


# Base parameters


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_base_parameters_are_as_many_as_rules_of_regrouping_leave(name: str) -> None:
    """Khalil and Dombre 2002, section 9.4.2, for the fingers of the Panda too."""
    found = BaseParameters.of(Parameters(load(name).model, drive=()))
    assert len(found) == {"ur5": 36, "panda": 51}[name]


def test_efforts_follow_from_base_parameters_alone(base: BaseParameters) -> None:
    random = np.random.default_rng(0)
    q, v, a = random.normal(size=(3, 20, base.parameters.model.nv))
    values = truth(base)
    full = base.parameters.regressor(q, v, a) @ values
    np.testing.assert_allclose(base.regressor(q, v, a) @ (base.B @ values), full, atol=1e-9)


def test_parameters_refuse_other_joints() -> None:
    with pytest.raises(ModelError, match="degrees of freedom"):
        Parameters(load("talos").model)
    with pytest.raises(ValueError, match="rubber"):
        Parameters(load("ur5").model, drive=("rubber",))


# Excitation


def test_excitation_keeps_limits_and_starts_and_ends_at_rest(base, motion) -> None:
    robot = base.parameters.model
    q, v, a = motion.states(np.linspace(0.0, motion.period, 500))
    assert (q >= robot.lower_position_limit).all()
    assert (q <= robot.upper_position_limit).all()
    assert (np.abs(v) <= robot.velocity_limit).all()
    tau = base.parameters.regressor(q, v, a)[:, :, : base.parameters.inertial]
    tau = tau @ base.parameters.values[: base.parameters.inertial]
    assert (np.abs(tau) <= robot.effort_limit).all()
    for ends in (v[[0, -1]], a[[0, -1]]):
        np.testing.assert_allclose(ends, 0.0, atol=1e-9)
    np.testing.assert_allclose(q[0], q[-1], atol=1e-9)


def test_velocities_of_an_excitation_are_derivatives(motion) -> None:
    step = 1e-4
    times = np.array([1.0, 2.5, 7.0])
    before, at, after = (motion.states(times + d) for d in (-step, 0.0, step))
    for k in (0, 1):
        np.testing.assert_allclose((after[k] - before[k]) / (2 * step), at[k + 1], atol=1e-5)


def test_optimization_improves_the_condition_number(base) -> None:
    random, better = (excitation(base, iterations=k) for k in (0, 3))
    assert condition(base, better.one_period) < condition(base, random.one_period)


# Regression


def test_parameters_of_a_recording_without_noise_are_found(base, motion) -> None:
    values = truth(base)
    samples, _ = prepared(base.parameters.model, recorded(base, motion, values), CUTOFF)
    found = estimate(base, evidence(base, samples))
    expected = base.B @ values
    np.testing.assert_allclose(found.values, expected, atol=2e-3 * np.abs(expected).max())
    left = found.unexplained(rows_of(base, samples))
    assert np.sqrt((left**2).mean()) < 1e-3 * samples[0].tau.std()


@pytest.mark.parametrize("delay", [0.0007, -0.0025, 0.0311])
def test_efforts_that_are_reported_late_are_found_to_be(base, motion, delay) -> None:
    values = truth(base)
    recording = recorded(base, motion, values, noise=0.05, delay=delay)
    found = identify(base.parameters, recording, CUTOFF, weight=1.0)
    assert found.estimate.delay == pytest.approx(delay, abs=1e-4)
    assert abs(found.estimate.delay - delay) < 4.0 * found.estimate.delay_deviation
    off = (found.estimate.values - base.B @ values) / found.estimate.deviations
    assert np.sum(off**2) < chi2.ppf(1.0 - 1e-6, len(base))
    assert found.residual(recording, cutoff=CUTOFF) < 0.01


def test_white_noise_stays_white() -> None:
    """So that samples after the filter count as independent: standard errors depend on it."""
    noise = np.random.default_rng(0).normal(size=(1_000_000, 1))
    low, rate = Decimation(200.0, 5.0)(noise)
    for lag in (1, 2, 3):
        assert abs(np.corrcoef(low[lag:, 0], low[:-lag, 0])[0, 1]) < 0.03
    assert abs(np.corrcoef(rate[:, 0], low[:, 0])[0, 1]) < 0.03


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["weighted", "robust"])
def test_standard_errors_are_as_large_as_errors(base, motion, method) -> None:
    """The mean square of errors in standard errors is 1, of several recordings."""
    values, squares = truth(base), []
    for seed in range(4):
        recording = recorded(base, motion, values, 30.0, noise=1.0, seed=seed)
        found = identify(base.parameters, recording, CUTOFF, method, weight=1.0).estimate
        squares.append(((found.values - base.B @ values) / found.deviations) ** 2)
    assert np.mean(squares) == pytest.approx(1.0, abs=0.25)


def test_chunks_in_any_order_say_the_same(base, motion) -> None:
    values = truth(base)
    q, v, a = motion.states(np.linspace(0.0, 10.0, 300))
    tau = base.parameters.regressor(q, v, a) @ values
    parts = [Samples(*(x[k : k + 60] for x in (q, v, a, tau))) for k in range(0, 300, 60)]
    whole = estimate(base, evidence(base, [Samples(q, v, a, tau)]))
    order = [evidence(base, [part]) for part in parts[::-1]]
    joined = estimate(base, sum(order[1:], order[0]))
    np.testing.assert_allclose(joined.values, whole.values, rtol=1e-8, atol=1e-9)


def test_robust_regression_withstands_outliers(base, motion) -> None:
    values = truth(base)
    random = np.random.default_rng(0)
    q, v, a = motion.states(np.linspace(0.0, 10.0, 500))
    tau = base.parameters.regressor(q, v, a) @ values + 0.1 * random.normal(size=q.shape)
    tau[random.random(tau.shape) < 0.05] += 50.0
    samples = [Samples(q, v, a, tau)]
    expected = base.B @ values
    plain = np.linalg.norm(estimate(base, evidence(base, samples)).values - expected)
    assert np.linalg.norm(robust(base, samples).values - expected) < 0.1 * plain


# Bad rows


def test_effort_limits_of_0_saturate_nothing(base, motion, model) -> None:
    """A vendor's description has effort="0" of all joints; every row was left out."""
    unstated = model
    for name in model.names[1:]:
        unstated = unstated.with_limits(name, effort=0.0)
    _, dropped = recorded(base, motion, truth(base)).cleaned(unstated)
    assert dropped["saturated"] == 0


def test_bad_rows_are_dropped_and_counted(base, motion, model) -> None:
    recording = recorded(base, motion, truth(base))
    q, tau, times = recording.q.copy(), recording.tau.copy(), recording.times.copy()
    q[100, 2] = np.nan
    tau[200, 0] = np.inf
    tau[300:310, 1] = model.effort_limit[1]
    times[5000:] += 1.0
    times[6000] = times[5999]
    stretches, dropped = Recording(times, q, tau).cleaned(model)
    assert dropped == Counter(
        {"not finite": 2, "saturated": 10, "time not increasing": 1, "gaps": 5, "gaps bridged": 0}
    )
    assert sum(map(len, stretches)) == 10000 - 13
    good, counted = prepared(model, Recording(times, q, tau), CUTOFF)
    assert all(np.isfinite(part.a).all() for part in good)
    assert counted["too short a stretch"] > 0


def test_short_gaps_and_uneven_times_cost_nothing(base, motion) -> None:
    """Messages get lost and stamps jitter: both are bridged, unless a motor gave all it could."""
    values, model = truth(base), base.parameters.model
    random = np.random.default_rng(0)
    times = np.cumsum(random.uniform(0.0015, 0.0025, size=10000))
    times = np.delete(times, np.concatenate([np.arange(s, s + 4) for s in range(200, 9000, 200)]))
    q, v, a = motion.states(times)
    recording = Recording(times, q, base.parameters.regressor(q, v, a) @ values)
    samples, dropped = prepared(model, recording, CUTOFF)
    assert len(samples) == 1
    assert dropped["gaps bridged"] == 44
    assert dropped["gaps"] == 0
    found = estimate(base, evidence(base, samples))
    expected = base.B @ values
    np.testing.assert_allclose(found.values, expected, atol=2e-3 * np.abs(expected).max())
    tau = recording.tau.copy()
    tau[5000, 1] = model.effort_limit[1]
    samples, dropped = prepared(model, replace(recording, tau=tau), CUTOFF)
    assert dropped["gaps"] == len(samples) - 1 == 1
    late = replace(recording, times=times + 0.01 * (np.arange(len(times)) > 4000))
    samples, dropped = prepared(model, late, CUTOFF)  # a clock that was set
    assert dropped["gaps"] == len(samples) - 1 == 1


def test_jitter_of_stamps_is_no_gap_and_no_jump(base, motion, model) -> None:
    """Messages of an even clock are received up to a period late, one in a thousand by two."""
    values, random = truth(base), np.random.default_rng(0)
    times = np.arange(0.0, 20.0, 0.001)
    q, v, a = motion.states(times)
    tau = base.parameters.regressor(q, v, a) @ values
    late = random.uniform(0.0, 0.0009, size=len(times))
    late[::1000] += 0.001
    stamps = np.sort(times + late)
    samples, dropped = prepared(model, Recording(stamps, q, tau), CUTOFF)
    assert len(samples) == 1
    assert dropped["gaps"] == dropped["gaps bridged"] == dropped["time not increasing"] == 0
    even, _ = prepared(model, Recording(times, q, tau), CUTOFF)
    middle = slice(1000, len(q) - 1000)
    off = np.abs(samples[0].v[middle] - even[0].v[middle]).max()
    assert off < 0.01 * np.abs(even[0].v).max()


def test_linear_algebra_has_one_thread_meanwhile() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl", reason="an extra that is not installed")

    def threads() -> list[int]:
        found = threadpoolctl.threadpool_info()
        return [one["num_threads"] for one in found if one["user_api"] == "blas"]

    np.linalg.qr(np.eye(3))  # loads the library
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = threads()
        assert set(single_threaded(threads)()) == {1}
        assert threads() == before
    assert hasattr(identify, "__wrapped__")
