# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: a mistake in a recording is named, with whatever robot; a good one has none.

A Panda, and a Kinova with joints without end, whose bodies are not as described.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from command_line import run
from robots import ROBOT_FILES, example_robots

import dyn_core
from dyn_core import Model
from dyn_core.configuration import configurations, position_limits
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Evidence,
    Log,
    Parameters,
    Recording,
    estimate,
    excitation,
    identify,
    prepared,
    read_recording,
    write_recording,
    write_urdf,
)
from dyn_core.identification.description_checks import refuse_signs_and_units
from dyn_core.identification.recording_checks import refuse_mistakes
from dyn_core.identification.states import States
from dyn_core.identification.verification import verify

CUTOFF = 5.0


@dataclass
class Moved:
    """A robot that moves for 40 s, and what is recorded of it."""

    model: Model
    recording: Recording
    gravity: np.ndarray
    """(n, nv) as described."""

    def refusal(self, q: np.ndarray | None = None, tau: np.ndarray | None = None, **how) -> str:
        """Why other positions or efforts are refused; empty: they are not."""
        q = self.recording.q if q is None else q
        changed = Recording(self.recording.times, q, self.recording.tau if tau is None else tau)
        try:
            samples, _ = prepared(self.model, changed, CUTOFF)
            refuse_mistakes(self.model, States.of(samples, self.model.nv), **how)
        except ModelError as error:
            return str(error)
        return ""


def moved(name: str) -> Moved:
    model = Model.from_urdf(example_robots() / ROBOT_FILES.get(name, name))
    if name == "panda":
        model = Log(locked={"panda_finger_joint*": 0.0}).reduced(model)
    random, nv = np.random.default_rng(3), model.nv
    times = np.arange(0.0, 40.0, 0.01)
    rates, phases = random.uniform(0.3, 1.5, (nv, 4)), random.uniform(0.0, 6.0, (nv, 4))
    size = 0.4 * random.uniform(0.2, 1.0, (nv, 4))
    angle = rates * times[:, None, None] + phases
    lower, upper = position_limits(model)
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isfinite(upper - lower), 0.5 * (lower + upper), 3.0)
    q = middle + (size * np.sin(angle)).sum(axis=2)
    v = (size * rates * np.cos(angle)).sum(axis=2)
    a = -(size * rates**2 * np.sin(angle)).sum(axis=2)
    parameters = Parameters(model)
    values = parameters.values.copy()
    for k in range(0, parameters.inertial, 10):
        values[k : k + 10] *= 1.0 + 0.15 * random.choice([-1.0, 1.0])
    gravity = np.asarray(
        dyn_core.compile(model, ["generalized_gravity"]).batch(configurations(model, q))
    )
    usual = np.abs(gravity).max(axis=0) + 0.5
    values[parameters.inertial :] = np.concatenate([x * usual for x in (0.01, 0.05, 0.05, 0.01)])
    tau = parameters.regressor(q, v, a) @ values + 0.01 * usual * random.normal(size=q.shape)
    return Moved(model, Recording(times, q + 1e-5 * random.normal(size=q.shape), tau), gravity)


@pytest.fixture(scope="module", params=["panda", "kinova"])
def robot(request) -> Moved:
    return moved(request.param)


@pytest.fixture(scope="module")
def kinova() -> Moved:
    return moved("kinova")


def exchanged(nv: int, first: int, second: int) -> list[int]:
    order = list(range(nv))
    order[first], order[second] = second, first
    return order


@pytest.mark.quick("kinova")
def test_efforts_without_gravity_are_refused_unless_accepted(robot: Moved) -> None:
    """Also where the driver's own model, which removed it, is not the description."""
    assert robot.refusal() == ""
    tau = robot.recording.tau - robot.gravity
    assert "% of the gravity" in robot.refusal(tau=tau)
    assert "--accept gravity" in robot.refusal(tau=tau)
    assert robot.refusal(tau=tau, accept=["gravity"]) == ""


def test_gravity_is_named_before_a_mistake_that_does_not_restore_it(robot: Moved) -> None:
    """As that of a B1 with a Z1 arm, where a unit of one joint was named."""
    scaled = np.where(np.arange(robot.model.nv) == 3, 0.01, 1.0)
    tau = scaled * (robot.recording.tau - robot.gravity)
    assert "% of the gravity" in robot.refusal(tau=tau)
    assert "have another unit" in robot.refusal(tau=tau, accept=["gravity"])


@pytest.mark.quick("panda-pair0", "kinova-pair1", "kinova-pair2")
@pytest.mark.parametrize(
    ("pair", "what"), [((0, 2), "efforts"), ((1, 2), "columns"), ((4, 5), "positions")]
)
def test_exchanged_columns_are_named(robot: Moved, pair: tuple[int, int], what: str) -> None:
    order = exchanged(robot.model.nv, *pair)
    q, tau = robot.recording.q, robot.recording.tau
    found = robot.refusal(
        q if what == "efforts" else q[:, order], tau if what == "positions" else tau[:, order]
    )
    names = [robot.model.dof_names[k] for k in pair]
    assert f"the {what} of joints '{names[0]}' and '{names[1]}' are exchanged" in found


def test_the_sign_of_one_joint_is_named(robot: Moved) -> None:
    k = 3 if robot.model.name == "kinova" else 2  # whose limits allow both signs
    turn, name = np.where(np.arange(robot.model.nv) == k, -1.0, 1.0), robot.model.dof_names[k]
    q, tau = robot.recording.q, robot.recording.tau
    assert f"the efforts of joint '{name}' have the opposite" in robot.refusal(tau=turn * tau)
    found = robot.refusal(q=turn * q, tau=turn * tau)
    assert f"the positions and efforts of joint '{name}' have the opposite" in found
    assert "--scale 1,1," in found


def test_a_recording_of_another_robot_is_refused_unless_accepted() -> None:
    """Of a UR10, against the description of a UR3: the efforts fit, masses do not."""
    recording = moved("ur_description/urdf/ur10_robot.urdf").recording
    described = Parameters(Model.from_urdf(example_robots() / "ur_description/urdf/ur3_robot.urdf"))
    with pytest.raises(ModelError, match=r"recording is of another robot.*accept robot"):
        identify(described, recording, CUTOFF)
    with pytest.warns(UserWarning, match=r"times the .* of the prior"):
        found = identify(described, recording, CUTOFF, accept=["robot"])
    assert found.relative_residual < 0.05


@pytest.mark.quick("panda-3.0", "kinova-0.01")
@pytest.mark.parametrize(("factor", "gain"), [(3.0, "0.316"), (0.3, "3.16"), (0.01, "100")])
def test_efforts_of_one_joint_in_another_unit_are_named(
    robot: Moved, factor: float, gain: str
) -> None:
    k, tau = 3, robot.recording.tau
    scaled = np.where(np.arange(robot.model.nv) == k, factor, 1.0) * tau
    found = robot.refusal(tau=scaled)
    assert f"the efforts of joint '{robot.model.dof_names[k]}' have another unit" in found
    assert f"--gains 1,1,1,{gain},1" in found
    assert "another unit" not in robot.refusal(tau=scaled, accept=["units"])


def test_a_zero_that_is_off_by_a_quarter_of_a_turn_is_named(robot: Moved) -> None:
    shift = np.where(np.arange(robot.model.nv) == 2, 0.5 * np.pi, 0.0)
    found = robot.refusal(q=robot.recording.q + shift)
    assert "have another zero" in found
    assert "1.5708" in found


@pytest.mark.quick("panda-0.5", "kinova-2.0")
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_half_and_twice_the_gravity_are_refused_unless_accepted(robot: Moved, factor) -> None:
    tau = robot.recording.tau + (factor - 1.0) * robot.gravity
    assert f"{factor:g} times the gravity of bodies" in robot.refusal(tau=tau)
    assert "gravity" not in robot.refusal(tau=tau, accept=["gravity"])
    every = robot.refusal(tau=factor * robot.recording.tau)  # as of other bodies
    assert "% of the gravity" in every
    assert "cannot tell this from a description whose masses are wrong" in every


@pytest.mark.quick("panda-0.5", "kinova--0.5")
@pytest.mark.parametrize("zero", [0.5, -0.5])
def test_a_zero_that_is_half_a_radian_off_is_named(robot: Moved, zero: float) -> None:
    shift = np.where(np.arange(robot.model.nv) == 3, zero, 0.0)
    found = robot.refusal(q=robot.recording.q + shift)
    assert f"the positions of joint '{robot.model.dof_names[3]}', or of one parallel" in found
    assert f"--zeros 0,0,0,{-np.sign(zero) * np.pi / 6.0:.4f},0" in found
    assert "zero" not in robot.refusal(q=robot.recording.q + shift, accept=["zeros"])


def test_efforts_of_one_joint_that_are_twice_too_large_are_named(robot: Moved) -> None:
    twice = np.where(np.arange(robot.model.nv) == 3, 2.0, 1.0)
    found = robot.refusal(tau=twice * robot.recording.tau)
    assert f"the efforts of joint '{robot.model.dof_names[3]}' have another unit" in found
    assert "--gains 1,1,1,0.5,1" in found


def test_constant_efforts_of_a_vertical_joint_are_refused(robot: Moved) -> None:
    tau = np.where(np.arange(robot.model.nv) == 0, 0.7, robot.recording.tau)
    found = robot.refusal(tau=tau)
    assert f"all efforts of joint '{robot.model.dof_names[0]}' are the same" in found


@pytest.mark.parametrize("loss", [0.005, 0.0])
def test_a_centre_of_mass_on_the_other_side_is_no_wrong_sign(loss: float) -> None:
    """Friction brakes the joint, or others agree: signs are right, whatever is described."""
    panda = moved("panda")
    base = BaseParameters.of(Parameters(panda.model))
    values = base.parameters.values.copy()
    end, nv = base.parameters.inertial, panda.model.nv
    values[end - 9 : end - 7] *= -1.0
    values[end + nv : end + 3 * nv] = loss  # of damping and friction
    (samples,), _ = prepared(panda.model, panda.recording, CUTOFF)
    tau = base.parameters.regressor(samples.q, samples.v, samples.a) @ values
    rows = replace(samples, tau=tau).rows(base.regressor)
    refuse_signs_and_units(estimate(base, Evidence.of_rows(base, rows)))


@pytest.mark.parametrize("name", ["ur5", "ur_description/urdf/ur10_robot.urdf"])
def test_a_recording_without_noise_has_no_mistake_however_small_a_wrist(name: str) -> None:
    """A wrist whose efforts are exact to a millionth of the others' does not hide these."""
    model = Model.from_urdf(example_robots() / ROBOT_FILES.get(name, name))
    parameters, times = Parameters(model), np.arange(0.0, 20.0, 0.01)
    motion = excitation(BaseParameters.of(parameters), iterations=0).states(times)
    tau = parameters.regressor(*motion) @ parameters.values
    samples, _ = prepared(model, Recording(times, motion[0], tau), CUTOFF)
    refuse_mistakes(model, States.of(samples, model.nv))


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_clipped_efforts_are_dropped_and_counted(robot: Moved, share: float) -> None:
    """Left in, they would bias the fit; efforts that are merely rounded are not clipped."""
    tau = robot.recording.tau.copy()
    limit = share * np.abs(tau[:, 1]).max()
    count = (np.abs(tau[:, 1]) >= limit).sum()
    tau[:, 1] = np.clip(tau[:, 1], -limit, limit)
    _, plain = prepared(robot.model, robot.recording, CUTOFF)
    clipped = Recording(robot.recording.times, robot.recording.q, tau)
    parts, dropped = prepared(robot.model, clipped, CUTOFF)
    assert not any("clipped" in why for why in plain)
    assert dropped[f"efforts of '{robot.model.dof_names[1]}' clipped at {limit:.4g}"] == count
    assert max(np.abs(x.tau[:, 1]).max() for x in parts) < limit
    rounded = 0.01 * limit * np.round(robot.recording.tau / (0.01 * limit))
    coarse = Recording(robot.recording.times, robot.recording.q, rounded)
    assert not any("clipped" in why for why in prepared(robot.model, coarse, CUTOFF)[1])


def test_degrees_of_joints_without_limits_are_reported_and_unknown_kinds(kinova: Moved) -> None:
    assert "degrees" in kinova.refusal(q=np.degrees(kinova.recording.q))
    with pytest.raises(ModelError, match="'all' is none of gravity, exchanged"):
        identify(Parameters(kinova.model), kinova.recording, CUTOFF, accept=["all"])


def test_wrapped_positions_of_a_robot_with_endless_joints_are_identified(
    kinova: Moved, tmp_path, monkeypatch
) -> None:
    """As are its positions without wraps, from a file of tabs, by the command line."""
    q, tau = kinova.recording.q, kinova.recording.tau
    wrapped = Recording(kinova.recording.times, np.remainder(q + np.pi, 2.0 * np.pi) - np.pi, tau)
    assert np.abs(np.diff(wrapped.q, axis=0)).max() > 6.0
    plain, found = (
        identify(Parameters(kinova.model), x, CUTOFF, weight=1.0)
        for x in (kinova.recording, wrapped)
    )
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-4, atol=1e-6)
    assert found.relative_residual < 0.05
    assert verify(found.model, wrapped, CUTOFF).relative_residual < 0.05
    assert verify(kinova.model, wrapped, CUTOFF).mistake == ""
    urdf = example_robots() / ROBOT_FILES["kinova"]
    write_urdf(found.model, urdf, tmp_path / "found.urdf")
    assert verify(Model.from_urdf(tmp_path / "found.urdf"), wrapped, CUTOFF).relative_residual < 0.1
    path = tmp_path / "tabs.tsv"
    write_recording(kinova.model, wrapped, tmp_path / "some.csv")
    path.write_text((tmp_path / "some.csv").read_text().replace(",", "\t"))
    np.testing.assert_array_equal(read_recording(kinova.model, path).q, wrapped.q)
    assert run(monkeypatch, "verify", urdf, path, "--within", 40) == 0


def test_wrapped_positions_are_recognized_beside_a_gap(kinova: Moved) -> None:
    """In which a joint moves farther than in a period, but by no turn."""
    q = np.remainder(kinova.recording.q + np.pi, 2.0 * np.pi) - np.pi
    assert np.abs(kinova.recording.q[1800] - kinova.recording.q[1499]).max() > 1.0
    q[1500:1800] = np.nan
    assert kinova.refusal(q=q) == ""


def test_a_robot_with_endless_joints_is_excited_within_its_limits(kinova: Moved) -> None:
    parameters = Parameters(kinova.model)
    motion = excitation(BaseParameters.of(parameters), iterations=0)
    q, v, a = motion.sampled(200)
    lower, upper = position_limits(kinova.model)
    assert ((lower <= q) & (q <= upper)).all()
    assert (np.abs(v) <= kinova.model.velocity_limit).all()
    efforts = parameters.regressor(q, v, a)[:, :, : parameters.inertial]
    efforts = efforts @ parameters.values[: parameters.inertial]
    rnea = dyn_core.compile(kinova.model, ["rnea"]).batch(configurations(kinova.model, q), v, a)
    np.testing.assert_allclose(efforts, rnea, atol=1e-9)
