# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Torque constants, rotors, friction and delays from currents, as drivers of servos report them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import run

from dyn_core import Model, cli
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Parameters,
    Recording,
    excitation,
    identify_actuators,
    write_recording,
)

ARM = """<robot name="servos"><link name="base"/>
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
CUTOFF = 5.0  # Hz
RESOLUTION = 2.69e-3  # A, of a Dynamixel X's present current
DELAY = 0.006  # s, three periods


RATE = 500.0  # Hz


def currents(text: str = ARM, duration: float = 20.0) -> tuple[Model, Recording]:
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
    vertical = ARM[: ARM.index('  <joint name="elbow"')].replace('"0 1 0"', '"0 0 1"') + "</robot>"
    with pytest.raises(ModelError, match="does not determine torque constant, armature of joint"):
        identify_actuators(*currents(vertical), CUTOFF)


def test_a_joint_that_hardly_moves_is_not_identified() -> None:
    model, recording = currents()
    still = replace(recording, q=recording.q * [1.0, 1e-3], tau=recording.tau * [1.0, 0.01])
    shoulder, elbow = identify_actuators(model, still, CUTOFF)
    assert not elbow.is_identified
    assert shoulder.joint == "shoulder"


def test_a_signal_that_is_no_effort_of_the_joint_is_refused() -> None:
    model, recording = currents()
    turned = replace(recording, tau=recording.tau * [1.0, -1.0])
    with pytest.raises(ModelError, match="signal of joint 'elbow' falls where its effort rises"):
        identify_actuators(model, turned, CUTOFF)
    silent = replace(recording, tau=recording.tau * [1.0, 0.0])
    with pytest.raises(ModelError, match="signal of joint 'elbow' is zero"):
        identify_actuators(model, silent, CUTOFF)
    noise = replace(recording, tau=np.random.default_rng(1).normal(size=recording.tau.shape))
    with pytest.raises(ModelError, match="of the signal of joint 'shoulder' are unexplained"):
        identify_actuators(model, noise, CUTOFF)
    with pytest.raises(ValueError, match="name at least one recording"):
        identify_actuators(model, [])


def test_actuators_on_the_command_line(tmp_path, monkeypatch, capsys) -> None:
    model, recording = currents()
    robot, path = tmp_path / "arm.urdf", tmp_path / "currents.csv"
    robot.write_text(ARM)
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
