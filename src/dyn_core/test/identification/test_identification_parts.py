# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification of parts of a robot: payload, friction from sweeps, actuators from currents."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import run
from unknown_arm import ARM, CUTOFF, recorded, truth

from dyn_core import Model, cli
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Parameters,
    Recording,
    excitation,
    friction_of_sweeps,
    identify_actuators,
    identify_payload,
    planned_sweeps,
    write_recording,
)
from dyn_core.identification.friction_sweeps import MAX_SPEED_SHARE, MIN_SPEED_SHARE

DRILL = 2.4, (0.02, -0.03, 0.08), np.diag([0.02, 0.018, 0.006])


def carrying(base, motion, duration: float, rubbing: float = 0.0, noise=0.5) -> Recording:
    """The described arm with a drill in its tool0, and with more friction than described."""
    parameters = base.parameters
    loaded = replace(parameters, model=parameters.model.with_payload("tool0", *DRILL))
    values = loaded.values.copy()
    values[-4 * parameters.model.nv + parameters.model.nv :][: 2 * parameters.model.nv] += rubbing
    return recorded(base, motion, values, duration, noise=noise)


def test_payload_of_six_seconds(model, base, motion) -> None:
    found = identify_payload(model, [carrying(base, motion, 6.0, rubbing=0.7)], "tool0", CUTOFF)
    mass, com, inertia = DRILL
    assert found.inertia.mass == pytest.approx(mass, abs=4.0 * found.mass_error)
    assert found.mass_error < 0.05
    off = np.array(list(found.inertia.com)) - com
    assert (np.abs(off) < 4.0 * np.array(found.com_errors)).all()
    assert max(found.com_errors) < 0.01
    again = model.with_payload("tool0", mass, com, inertia)
    assert again.inertias[-1].mass - model.inertias[-1].mass == pytest.approx(mass)


def test_an_arm_that_carries_nothing_has_no_payload(model, base, motion) -> None:
    described = recorded(base, motion, base.parameters.values, 8.0, noise=0.5)
    found = identify_payload(model, [described], "tool0", CUTOFF)
    assert found.inertia.mass < 0.1


def test_a_mass_of_the_payload_that_is_known_is_kept(model, base, motion) -> None:
    found = identify_payload(model, [carrying(base, motion, 4.0)], "tool0", CUTOFF, mass=2.4)
    assert found.inertia.mass == pytest.approx(2.4, rel=1e-6)


def test_payload_on_the_command_line(base, motion, tmp_path, monkeypatch, capsys) -> None:
    path = tmp_path / "loaded.csv"
    write_recording(base.parameters.model, carrying(base, motion, 6.0), path)
    payload = ("identify", "payload", ARM, path, "--frame")
    assert run(monkeypatch, *payload, "tool0", "--json") == 0
    assert json.loads(capsys.readouterr().out)["mass"] == pytest.approx(2.4, abs=0.1)
    assert run(monkeypatch, *payload, "hand") == cli.REFUSED_STATUS
    assert "no frame 'hand'" in capsys.readouterr().err


@pytest.mark.thorough
def test_standard_errors_hold_for_errors_that_last(model, base, motion) -> None:
    """Those of a drive's model do: here of 3 N m for half a second each."""
    off, recording = [], carrying(base, motion, 8.0)
    for seed in range(8):
        steps = np.random.default_rng(seed).normal(scale=3.0, size=(16, model.nv))
        constant = np.repeat(steps, 250, axis=0)
        wrong = replace(recording, tau=recording.tau + constant)
        found = identify_payload(model, [wrong], "tool0", CUTOFF)
        off.append((found.inertia.mass - DRILL[0]) / found.mass_error)
    assert 0.1 < np.mean(np.square(off)) < 3.0


@pytest.mark.thorough
def test_rotors_and_delay_are_taken_from_a_former_fit(
    base, motion, tmp_path, monkeypatch, capsys
) -> None:
    """Of a robot that is not as described, the URDF that `fit` writes has no rotors."""
    parameters, values = base.parameters, truth(base)
    values[parameters.inertial :][: parameters.model.nv] = 2.0
    carried = replace(parameters, model=parameters.model.with_payload("tool0", *DRILL))
    with_drill = values + carried.values - parameters.values
    empty, loaded, urdf, fit = (tmp_path / name for name in ("0.csv", "1.csv", "a.urdf", "a.json"))
    for path, of in ((empty, values), (loaded, with_drill)):
        write_recording(
            parameters.model, recorded(base, motion, of, 10.0, noise=0.2, delay=0.01), path
        )
    assert run(monkeypatch, "identify", "fit", ARM, empty, "--urdf", urdf, "--json") == 0
    fit.write_text(capsys.readouterr().out)
    payload, masses = ("identify", "payload", urdf, loaded, "--frame", "tool0"), []
    for more in ((), ("--fit", fit)):
        assert run(monkeypatch, *payload, "--json", *more) == 0
        masses.append(json.loads(capsys.readouterr().out)["mass"])
    without, with_rotors = np.abs(np.array(masses) - DRILL[0])
    assert with_rotors < 0.02
    assert without > 0.1

    output = json.loads(fit.read_text())
    output["drives"].pop()
    for wrong, words in (
        (output, "has no entry for joint 'wrist_3_joint'"),
        ([], "write it again"),
    ):
        fit.write_text(json.dumps(wrong))
        assert run(monkeypatch, *payload, "--fit", fit) == cli.REFUSED_STATUS
        assert words in " ".join(capsys.readouterr().err.split())


def test_payloads_that_make_no_sense_are_refused(model, base, motion) -> None:
    """Of a frame that does not move, of wrong numbers, and where the description has it."""
    carried = [carrying(base, motion, 2.0)]
    with pytest.raises(ModelError, match="does not move"):
        identify_payload(model, carried, "base_link")
    for wrong in ({"mass": -1.0}, {"mass": np.nan}, {"delay": 1.0}):
        (name,) = wrong
        with pytest.raises(ModelError, match=f"^{name} is "):
            identify_payload(model, carried, "tool0", **wrong)
    for gain in (0.5, 2.0, 9.81, 1000.0):  # there were payloads of 700 kg
        scaled = carrying(base, motion, 8.0)
        scaled = replace(scaled, tau=gain * scaled.tau)
        with pytest.raises(ModelError, match=r"unit|saturated"):
            identify_payload(model, [scaled], "tool0", CUTOFF)
    turned = replace(carried[0], tau=-carried[0].tau)
    with pytest.raises(ModelError, match="have the opposite sign"):  # it was one of half the mass
        identify_payload(model, [turned], "tool0", CUTOFF)
    empty = recorded(base, motion, base.parameters.values, 8.0)
    with pytest.raises(ModelError, match="does the description contain a payload that was not"):
        identify_payload(model.with_payload("tool0", *DRILL), [empty], "tool0", CUTOFF)


@pytest.mark.parametrize("noise", [0.005, 0.5])
def test_no_payload_weighs_nothing(model, base, motion, noise) -> None:
    """The solver failed near zero, so that no zero could be subtracted."""
    empty = recorded(base, motion, base.parameters.values, 8.0, noise=noise)
    assert identify_payload(model, [empty], "tool0", CUTOFF).inertia.mass < 0.01


# Sweeps


@pytest.fixture(scope="module")
def swept() -> tuple[Model, Recording, np.ndarray]:
    """An arm whose inertias and friction are not as described, sweeping; and its parameters."""
    import unknown_arm

    model, base = unknown_arm.model(), unknown_arm.base()
    times, q = planned_sweeps(model, speeds=5)
    v = np.gradient(q, times, axis=0)
    a = np.gradient(v, times, axis=0)
    drive = ("armature", "damping", "friction", "offset", "stiction")
    values = np.concatenate([truth(base), np.full(model.nv, 1.5)])
    tau = Parameters(model, drive).regressor(q, v, a) @ values
    noise = np.random.default_rng(0).normal(size=q.shape)
    return model, Recording(times, q + 1e-5 * noise, tau + 0.3 * noise), values


def test_sweeps_keep_limits_and_move_one_joint_at_a_time(swept) -> None:
    model, recording, _ = swept
    q, v = recording.q, np.diff(recording.q, axis=0) * 100.0
    assert (q >= model.lower_position_limit).all()
    assert (q <= model.upper_position_limit).all()
    moving = np.abs(v) > 0.5 * MIN_SPEED_SHARE * model.velocity_limit
    assert (moving.sum(axis=1) <= 2).all()  # one ends as the next one begins
    assert np.abs(v).max() < 1.02 * MAX_SPEED_SHARE * model.velocity_limit.max()


def test_friction_of_sweeps_whatever_the_inertias_are(swept) -> None:
    model, recording, values = swept
    found = friction_of_sweeps(model, recording)
    assert [one.joint for one in found] == list(model.dof_names)
    _, damping, friction, _, stiction = values[-5 * model.nv :].reshape(5, -1)
    for k, one in enumerate(found):
        assert one.damping == pytest.approx(damping[k], abs=0.1)
        assert one.friction == pytest.approx(friction[k], abs=0.2)
        assert one.stiction == pytest.approx(stiction[k], abs=0.4)
        assert one.stribeck_velocity == pytest.approx(0.1, rel=0.3)


@pytest.mark.parametrize("speeds", [2, 3, 6])
@pytest.mark.parametrize("steps", [2**12, 2**24])
def test_no_stiction_is_found_where_there_is_none(speeds: int, steps: int) -> None:
    """By the speeds that coarse encoders leave; noise at the slowest one was 54 N m at rest."""
    import unknown_arm

    model = unknown_arm.model()
    times, q = planned_sweeps(model, speeds=speeds)
    v = np.gradient(q, times, axis=0)
    a = np.gradient(v, times, axis=0)
    parameters = Parameters(model, ("damping",))
    drives = [np.full(model.nv, 0.8)]
    tau = parameters.regressor(q, v, a) @ np.concatenate(
        [parameters.values[: parameters.inertial], *drives]
    )
    tau += 0.5 * np.tanh(v / 0.002) + 0.02 * np.random.default_rng(3).normal(size=q.shape)
    step = 2.0 * np.pi / steps
    found = friction_of_sweeps(model, Recording(times, step * np.round(q / step), tau))
    assert len(found) == model.nv
    for one in found:
        assert one.stiction == 0.0
        assert one.friction == pytest.approx(0.5, abs=0.05)
        assert one.damping == pytest.approx(0.8, abs=0.05)


def test_sweeps_whose_efforts_cannot_be_friction_are_refused(swept) -> None:
    """They had friction 0: reversed efforts, those of another joint, constant ones."""
    model, recording, _ = swept
    for efforts, words in (
        (-recording.tau, "friction would drive joint"),
        (recording.tau * [1, 0, 1, 1, 1, 1], "is zero or constant"),
        (recording.tau * [1, 1, -1, 1, 1, 1], "joint 'elbow_joint' have the opposite sign"),
        (recording.tau[:, [0, 2, 1, 3, 4, 5]], "'shoulder_lift_joint' and 'elbow_joint' are exch"),
    ):
        with pytest.raises(ModelError, match=words):
            friction_of_sweeps(model, replace(recording, tau=efforts), CUTOFF)


def test_a_recording_without_sweeps_is_refused(model, base, motion) -> None:
    with pytest.raises(ModelError, match="no joint moves to and fro alone"):
        friction_of_sweeps(model, recorded(base, motion, truth(base), 5.0))


def test_sweeps_and_friction_on_the_command_line(swept, tmp_path, monkeypatch, capsys) -> None:
    model, recording, _ = swept
    plan, path = tmp_path / "plan.csv", tmp_path / "swept.csv"
    words = ("--out", plan, "--speeds", 2, "--rate", 50, "--no-collisions")
    assert run(monkeypatch, "identify", "sweeps", ARM, *words) == 0
    assert plan.read_text().splitlines()[0] == ",".join(["time", *model.dof_names])
    write_recording(model, recording, path)
    capsys.readouterr()
    assert run(monkeypatch, "identify", "friction", ARM, path, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == model.nv


SERVOS = """<robot name="servos"><link name="base"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="4" effort="0.5"/>
  </joint>
  <link name="upper"><inertial>
    <origin xyz="0.1 0 0"/><mass value="0.5"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0.2 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="4" effort="0.5"/>
  </joint>
  <link name="lower"><inertial>
    <origin xyz="0.1 0 0"/><mass value="0.3"/>
    <inertia ixx="5e-4" iyy="5e-4" izz="5e-4" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
</robot>"""
CONSTANTS = np.array([1.78, 0.9])  # N m/A
TRUTH = {
    "armature": np.array([0.012, 0.005]),
    "damping": np.array([0.08, 0.03]),
    "friction": np.array([0.15, 0.06]),
    "offset": np.array([0.02, -0.01]),
}
RESOLUTION = 2.69e-3  # A, of a Dynamixel X's present current
DELAY = 0.006  # s, three periods


RATE = 500.0  # Hz


def currents(text: str = SERVOS, duration: float = 20.0) -> tuple[Model, Recording]:
    """A robot, and what its drivers say of a motion: late, in steps, and with noise."""
    model = Model.from_urdf(text)
    parameters = Parameters(model)
    motion = excitation(BaseParameters.of(parameters), iterations=0)
    drives = np.concatenate([TRUTH[term][: model.nv] for term in parameters.drive])
    values = np.concatenate([parameters.values[: parameters.inertial], drives])
    times = np.arange(0.0, duration, 1.0 / RATE)
    q, _, _ = motion.states(times)
    tau = parameters.regressor(*motion.states(times - DELAY)) @ values
    random = np.random.default_rng(3)
    signal = tau / CONSTANTS[: model.nv] + 5e-3 * random.normal(size=tau.shape)
    steps = RESOLUTION * np.round(signal / RESOLUTION)
    return model, Recording(times, q + 1e-5 * random.normal(size=q.shape), steps)


def test_actuators_of_late_currents_in_steps() -> None:
    model, recording = currents(duration=60.0)
    for k, found in enumerate(identify_actuators(model, recording, CUTOFF)):
        truth = {"torque_constant": CONSTANTS[k], "delay": DELAY}
        truth |= {name: values[k] for name, values in TRUTH.items()}
        for name, value in truth.items():
            error = found.standard_errors[name]
            assert getattr(found, name) == pytest.approx(value, abs=4.0 * error), name
        assert found.torque_constant == pytest.approx(CONSTANTS[k], rel=5e-3)
        assert found.delay == pytest.approx(DELAY, abs=3e-4)
        assert found.is_identified
        assert found.residual < 0.05


def test_a_joint_without_load_has_no_torque_constant() -> None:
    """Its rotor and its link are the same to its current."""
    vertical = (
        SERVOS[: SERVOS.index('  <joint name="elbow"')].replace('"0 1 0"', '"0 0 1"') + "</robot>"
    )
    with pytest.raises(ModelError, match="does not determine torque constant, armature of joint"):
        identify_actuators(*currents(vertical), CUTOFF)


def test_a_joint_that_hardly_moves_is_not_identified() -> None:
    model, recording = currents()
    still = replace(recording, q=recording.q * [1.0, 1e-3], tau=recording.tau * [1.0, 0.01])
    shoulder, elbow = identify_actuators(model, still, CUTOFF)
    assert not elbow.is_identified
    assert shoulder.joint == "shoulder"


def test_a_negative_rotor_inertia_is_not_identified(monkeypatch) -> None:
    monkeypatch.setitem(TRUTH, "armature", np.array([0.012, -0.002]))
    shoulder, elbow = identify_actuators(*currents(), CUTOFF)
    assert shoulder.is_identified
    assert elbow.armature == pytest.approx(-0.002, abs=5e-4)
    assert not elbow.is_identified


def test_a_signal_that_is_no_effort_of_the_joint_is_refused() -> None:
    model, recording = currents()
    turned = replace(recording, tau=recording.tau * [1.0, -1.0])
    with pytest.raises(ModelError, match="signal of joint 'elbow' falls where its effort rises"):
        identify_actuators(model, turned, CUTOFF)
    for constant in (0.0, 2.0):  # it had a torque constant of -2e16
        silent = replace(recording, tau=recording.tau * [1.0, 0.0] + [0.0, constant])
        with pytest.raises(ModelError, match="signal of joint 'elbow' is zero or constant"):
            identify_actuators(model, silent, CUTOFF)
    noise = replace(recording, tau=np.random.default_rng(1).normal(size=recording.tau.shape))
    with pytest.raises(ModelError, match="of the signal of joint 'shoulder' are unexplained"):
        identify_actuators(model, noise, CUTOFF)
    with pytest.raises(ValueError, match="name at least one recording"):
        identify_actuators(model, [])


def test_actuators_on_the_command_line(tmp_path, monkeypatch, capsys) -> None:
    model, recording = currents()
    robot, path = tmp_path / "arm.urdf", tmp_path / "currents.csv"
    robot.write_text(SERVOS)
    write_recording(model, recording, path)
    command = ("identify", "actuators", robot, path)
    assert run(monkeypatch, *command, "--json") == 0
    shoulder, elbow = json.loads(capsys.readouterr().out)
    assert shoulder["torque_constant"] == pytest.approx(CONSTANTS[0], rel=0.02)
    assert elbow["identified"]
    assert run(monkeypatch, *command) == 0
    assert "N m per unit" in capsys.readouterr().out
    assert run(monkeypatch, *command, "--cutoff", "99") == cli.REFUSED_STATUS
    assert "cut-off of 99 Hz must lie between" in capsys.readouterr().err
