# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What damping does to arms whose velocities are right, wrong or absent, without ROS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
import pytest

from dyn_ros.safety.braking import FIRST_SHARE, SHARE_DOUBLING_S
from dyn_ros.safety.effort_policy import EffortPolicy, EffortSettings, Event, Trust
from dyn_ros.safety.overspeed import VelocityGuard

NAMES = ("pan", "lift", "elbow")
GRAVITY = np.array([0.0, -40.0, -12.0])
LIMIT = 3.0  # rad/s
COUNT = 2.0 * np.pi / 2**14  # rad, of an encoder


MASS = np.array([[4.0, 1.9, 0.1], [1.9, 1.0, 0.05], [0.1, 0.05, 0.004]])


def policy(limit: Sequence[float] = (inf, inf, inf), **how: Any) -> EffortPolicy:
    """Return one that follows gravity."""
    rate = how.pop("rate", [inf] * 3)
    result = EffortPolicy(NAMES, EffortSettings(np.array(limit), np.array(rate), **how))
    result.begin(GRAVITY, 0.0)
    result.step(0.0, Event.FOLLOW, wanted=GRAVITY)
    return result


@pytest.mark.parametrize("mass", [MASS, None])
@pytest.mark.parametrize("step", [0.5, 30.0])
def test_damping_goes_on_for_as_long_as_it_is_let(mass: np.ndarray | None, step: float) -> None:
    """After 10 s it ended in an overflow, and the arm kept its last efforts."""
    commands, velocity = policy(ramp=0.0, damp=1e4), np.array([0.1, -0.2, 0.3])
    for now in np.arange(1.0, 300.0, step):
        command = commands.step(now, Event.DAMP, gravity=GRAVITY, velocity=velocity, mass=mass)
        assert command is not None
        assert ((command - GRAVITY) @ velocity) < 0.0
    if mass is not None:
        np.testing.assert_allclose(command, GRAVITY - mass @ velocity / 0.1, rtol=0.05)


def damped(
    lie: Callable[[np.ndarray], np.ndarray | None],
    start: float | Sequence[float] = 0.0,
    push: float = 0.0,
    damping_time: float = 0.1,
    delay: int = 0,
    arm: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None,
    limit: Sequence[float] = (inf, inf, inf),
) -> np.ndarray:
    """Velocities [k, 3] of joints that are damped for 3 s, while a driver reports false velocities.

    Joint states come at 1 kHz, `delay` ms late, with positions in counts; a tick in 5 ms says how
    to damp. Where a velocity is NaN the position is too. `arm` gives its mass matrix and Coriolis
    efforts at q, v; MASS and none unless given.
    """
    arm = arm or (lambda q, v: (MASS, 0.0 * v))
    commands = policy(limit, ramp=0.0, damp=100.0, damping_time=damping_time)
    guard = VelocityGuard(NAMES, np.full(3, LIMIT), [])
    q, v, command, seen = np.zeros(3), np.full(3, start), GRAVITY, []
    states: list[tuple[float, np.ndarray, np.ndarray | None]] = []
    for k in range(3100):
        now = 10.0 + 0.001 * k
        measured = lie(v)
        unknown = np.zeros(3) if measured is None else 0.0 * measured
        states.append((now, COUNT * np.round(q / COUNT) + unknown, measured))
        stamp, position, measured = states[max(0, k - delay)]
        if k < 100:
            guard.overspeed(measured, position, stamp, now)
        if k == 100:
            first = arm(q, v)[0]
        if k >= 100 and k % 5 == 0:
            shown = guard.checked_velocity(
                measured, position, stamp, now, damping_time, now - stamp
            )
            known = {"velocity": shown, "age": now - stamp, "gravity": GRAVITY, "mass": first}
            command = commands.step(now, Event.DAMP, **known)
            assert command is not None
        if k >= 100:
            mass, coriolis = arm(q, v)
            v = v + 0.001 * np.linalg.solve(mass, command - GRAVITY + push * mass[0] - coriolis)
            seen.append(v)
        q = q + 0.001 * v
    return np.array(seen)


@pytest.mark.parametrize("joint", [0, 1, 2])
@pytest.mark.parametrize("measured", [-9.9 * LIMIT, 1.6 * LIMIT, 0.03 * LIMIT])
def test_damping_does_not_drive_a_joint_at_rest_whose_velocity_is_wrong(
    joint: int, measured: float
) -> None:
    """Neither that joint nor its neighbours."""
    lie = np.zeros(3)
    lie[joint] = measured
    assert not damped(lambda v: v + lie).any()


def test_an_arm_that_really_moves_is_damped_by_what_positions_show() -> None:
    """By nearly all of it, for they have shown its motion before; the damping grows."""
    found = damped(lambda v: v, start=1.5 * LIMIT)
    times = 0.001 * np.arange(1, len(found) + 1)
    share = np.minimum(1.0, FIRST_SHARE * 2.0 ** (times / SHARE_DOUBLING_S))
    expected = 1.5 * LIMIT * np.exp(-np.cumsum(0.001 * share) / 0.1)[:, None] * np.ones(3)
    early = times <= 0.2
    assert found[early] == pytest.approx(expected[early], abs=0.05 * LIMIT)
    assert np.abs(found[times > 0.5]).max() < 0.02 * LIMIT


LIES: dict[str, Callable[[np.ndarray], np.ndarray | None]] = {
    "absent": lambda v: None,
    "zero": lambda v: 0.0 * v,
    "other sign": lambda v: -v,
    "a tenth": lambda v: 0.1 * v,
    "three times": lambda v: 3.0 * v,
    "constant": lambda v: 0.0 * v - 1.4 * LIMIT,
    "one of three": lambda v: v * np.array([1.0, -1.0, 1.0]),
}


@pytest.mark.parametrize("damping_time", [0.1, 0.02])
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_an_arm_that_moves_comes_to_rest_whatever_velocities_are_measured(
    lie: Callable[[np.ndarray], np.ndarray | None], damping_time: float
) -> None:
    """Nor does it swing back by a tenth of it: what positions show lags by up to 45 ms."""
    found = damped(lie, start=0.5 * LIMIT, damping_time=damping_time)
    assert np.abs(found[1000:]).max() < 0.02 * LIMIT
    assert found.max() < 0.51 * LIMIT
    assert found.min() > -0.05 * LIMIT


def test_an_arm_that_begins_to_fall_is_damped_as_soon_as_positions_show_it() -> None:
    """10 rad/s^2 in the first joint: it sinks at 10 T, and is not faster by half meanwhile."""
    found = damped(lambda v: v, push=10.0)[:, 0]
    assert found[-500:] == pytest.approx(np.full(500, 10.0 * 0.1), rel=0.05)
    assert found.max() < 1.5


def test_what_positions_show_is_unknown_at_first_and_after_time_went_back() -> None:
    guard = VelocityGuard(NAMES, np.full(3, LIMIT), ["pan"])
    v, q = np.array([1.0, -2.0, 0.5]), np.array([3.0, 0.0, 0.0])
    for begin in (5.0, 1.0):
        for k in range(200):
            position = q + 0.001 * k * v
            position[0] -= 2.0 * np.pi * (position[0] > np.pi)  # turns without an end
            shown = guard.checked_velocity(v, position, begin + 0.001 * k, 0.0)
            assert k == 20 or (shown is None) is (k < 20)  # ms
    assert list(shown) == list(v)
    assert guard.checked_velocity(None, position, 1.199, 0.0) == pytest.approx(v / 1.5)
    late = guard.checked_velocity(v, position, 1.199, 0.0, 0.1, np.array([0.1, 0.2, np.inf]))
    assert late == pytest.approx(v * [np.exp(-1.0), 0.5 * np.exp(-1.0), 0.0])


def test_velocities_beside_positions_that_jump_do_not_drive_joints_at_rest() -> None:
    """A driver derives them from positions: a YuMi at rest was driven to 2.9, a Rizon 4 to 54."""
    guard = VelocityGuard(NAMES, np.full(3, LIMIT), ["pan"])
    guard.jumps = True
    measured = np.array([-9.0, 0.5, 2.0])
    for k in range(50):
        way = np.array([0.0, 0.001 * k, -0.001 * k])
        shown = guard.checked_velocity(measured, way, 5.0 + 0.001 * k, 0.0)
    assert shown is not None
    assert list(shown) == [0.0, 0.5, 0.0]


@pytest.mark.quick("-20]", "-200]")
@pytest.mark.parametrize("delay", [20, 60, 100, 200])
@pytest.mark.parametrize("damping_time", [0.1, 0.02])
@pytest.mark.parametrize("lie", ["absent", "other sign", "three times", "right"])
def test_damping_by_states_that_are_late_does_not_drive_an_arm(
    lie: str, damping_time: float, delay: int
) -> None:
    """On an overloaded computer: an arm that was at rest went to 17 rad/s."""
    measured = LIES.get(lie, lambda v: v)
    found = damped(measured, start=0.5 * LIMIT, damping_time=damping_time, delay=delay)
    assert np.abs(found[-1]).max() < 0.35 * LIMIT
    assert found.max() < 0.51 * LIMIT
    assert found.min() > -0.2 * LIMIT


@pytest.mark.quick("-0]", "-200]")
@pytest.mark.parametrize("delay", [0, 20, 60, 200])
@pytest.mark.parametrize("damping_time", [0.1, 0.02])
@pytest.mark.parametrize("unknown", [0, 1, 2])
def test_damping_beside_a_joint_whose_encoder_is_broken_takes_out_energy(
    unknown: int, damping_time: float, delay: int
) -> None:
    """With the rows of the mass matrix themselves, 21 rad/s came of 1.5 without any delay."""
    broken = np.where(np.arange(3) == unknown, np.nan, 0.0)
    found = damped(lambda v: v + broken, start=1.5, damping_time=damping_time, delay=delay)
    energy = np.einsum("ki,ij,kj->k", found, MASS, found)
    assert energy.max() <= 1.001 * energy[0]
    assert np.abs(np.delete(found[-1], unknown)).max() < 0.1 * np.abs(found[0]).max()


def bent_elbow(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """1 kg at 0.3 m from the elbow, 1 m from a light shoulder, at a right angle at q = 0."""
    upper, reach, lever = 0.05, 1.0, 0.3
    own, both = 1e-3 + lever**2, reach * lever * np.cos(q[2] + 0.5 * np.pi)
    swing = reach * lever * np.sin(q[2] + 0.5 * np.pi)
    mass = np.diag([4.0, upper + reach**2 + lever**2 + 2.0 * both, own])
    mass[1, 2] = mass[2, 1] = own + both
    return mass, swing * np.array([0.0, -(2.0 * v[1] + v[2]) * v[2], v[1] ** 2])


@pytest.mark.parametrize("delay", [0, 60, 90])
def test_damping_beside_a_joint_that_swings_on_takes_out_energy_though_inertia_falls(
    delay: int,
) -> None:
    """To a fifth: by all of what it was when the encoder broke, late states drove 1.5 to 14.7."""
    broken = np.array([0.0, 0.0, np.nan])
    found = damped(lambda v: v + broken, start=1.5, delay=delay, arm=bent_elbow)
    assert np.abs(found).max() < 1.1 * 1.5
    assert np.abs(found[-1]).max() < 0.5


@pytest.mark.parametrize("room", [2.0, 10.0])
def test_braking_beyond_a_limit_takes_out_energy_and_drives_no_other_joint(room: float) -> None:
    """All get the same part of it: clamped at one joint it made a Gen3 16 rad/s fast, of 0.7."""
    found = damped(lambda v: v, start=1.0, limit=(inf, 40.0 + room, inf))
    assert np.ptp(found, axis=1).max() < 0.02
    energy = np.einsum("ki,ij,kj->k", found, MASS, found)
    assert energy.max() <= 1.001 * energy[0]
    assert energy[-1] < 1e-3 * energy[0]


def test_a_joint_that_the_motion_of_others_turns_round_does_not_end_damping() -> None:
    """An arm of the right model was braked without it, which took a Med7 to 14 rad/s, of 1.5."""
    found = damped(lambda v: v, start=(0.0, -3.0, 0.7), arm=bent_elbow)
    assert found[:, 2].min() < -0.7
    assert np.abs(found).max() < 1.05 * 3.0
    assert np.abs(found[800:]).max() < 0.02


def test_a_mass_matrix_that_is_not_known_damps_nothing() -> None:
    """It is zeros where it would not be finite."""
    for velocity in ([1.0, np.nan, 1.0], [np.nan] * 3):
        how = {"gravity": GRAVITY, "velocity": np.array(velocity), "mass": np.zeros((3, 3))}
        assert list(policy().step(0.01, Event.DAMP, **how)) == list(GRAVITY)  # type: ignore


@pytest.mark.parametrize("rate", [0.0, 1e-6, 20.0, 1000.0])
@pytest.mark.parametrize("shutdown", ["damp", "ramp_to_zero", "hold_gravity"])
@pytest.mark.parametrize("trust", [Trust.FULL, Trust.NO_MODEL])
def test_a_shutdown_command_ends_in_its_time_whatever_the_rate(
    shutdown: str, rate: float, trust: Trust
) -> None:
    """With a joint of effort limit 0, whose rate was 0, a process did not end.

    Before the last 0.1 s the limit on the rate holds; what it leaves of the way then shrinks
    evenly, so that there is no step either.
    """
    tick, duration = 0.005, 0.3
    stream = policy((150.0, 150.0, 28.0), rate=[rate] * 3, damp=0.3, ramp=0.3, shutdown=shutdown)
    stream.command, stream.trust = -GRAVITY, trust
    rest = {"gravity": GRAVITY, "velocity": np.zeros(3)}
    commands, now = [-GRAVITY, stream.step(0.0, Event.STOP, **rest)], 0.0
    while stream.ticking:
        now += tick
        commands.append(stream.step(now, Event.TICK, **rest))
    last = np.zeros(3)
    if shutdown == "hold_gravity" and trust is Trust.FULL:
        last, duration = GRAVITY, 0.1
    assert list(commands[-1]) == list(last)
    assert now < duration + 1.5 * tick
    steps = np.abs(np.diff(commands, axis=0)).max(axis=1)
    usual, way = rate * tick * (1.0 + 1e-9), np.abs(last + GRAVITY).max()
    before = max(0, round((duration - 0.1) / tick) - 1)
    assert steps[:before].max(initial=0.0) <= usual
    assert steps.max() <= max(usual, 2.0 * way * tick / 0.1)
    assert not stream.begun


def test_no_joint_waits_for_the_rate_of_one_whose_limit_has_become_small() -> None:
    """All efforts go the same share of their way: one of limit 0 kept all others for ever."""
    stream = policy((150.0, 150.0, 28.0), ramp=0.0)
    for start, least in ((0.0, 0.0), (0.1, 1e-6)):
        limit = np.array([150.0, 150.0, least])
        stream.settings = EffortSettings(limit, limit / 0.1, ramp=0.0)
        wanted = GRAVITY + np.array([5.0, 5.0, 0.0])
        for k in range(1, 5):
            command = stream.step(start + 0.005 * k, Event.FOLLOW, wanted=wanted)
        assert command is not None
        assert list(command[:2]) == list(wanted[:2])
        assert abs(command[2]) <= least


@pytest.mark.parametrize("duration", [0.05, 0.3, 2.0])
def test_damping_ends_without_a_step_while_the_robot_sinks(duration: float) -> None:
    """It leaned on damping alone, and 60 N m of an arm ended in one command."""
    stream = policy(damp=duration)
    sinking = {"velocity": -0.1 * GRAVITY, "gravity": GRAVITY, "mass": np.eye(3)}  # as large
    sent, stream.command = [], 2.0 * GRAVITY
    stream.step(0.0, Event.DAMP, **sinking)
    for now in (*np.arange(0.001, duration, 0.001), duration + 0.001):
        sent.append(stream.step(now, Event.TICK, **sinking))
    if stream.ticking:
        assert duration < 0.1  # END_S
        return
    assert not any(sent[-1])  # type: ignore[arg-type]
    assert np.abs(sent).max() > 40.0
    steps = np.abs(np.diff(sent[60:], axis=0)).max(initial=0.0)  # before that it grows
    assert steps <= 0.001 * 2.5 * np.abs(sent).max() / min(0.1, duration / 2.0)


def test_a_slow_ramp_takes_nothing_of_the_damping_away() -> None:
    """An arm at overspeed while it is being taken over, say."""
    sent = []
    for ramp in (60.0, 0.0):
        stream = policy((150.0, 150.0, 150.0), ramp=ramp)
        stream.trust = Trust.NO_MODEL
        stream.step(0.0, Event.DAMP, velocity=np.array([1.0, -2.0, 3.0]))
        stream.ramp()  # a parameter changes meanwhile
        sent.append(stream.step(0.005, Event.TICK, velocity=np.array([1.0, -2.0, 3.0])))
    assert list(sent[0]) == list(sent[1])  # type: ignore[arg-type]
    assert (sent[0] * [1.0, -2.0, 3.0] < 0.0).all()  # type: ignore[operator]
