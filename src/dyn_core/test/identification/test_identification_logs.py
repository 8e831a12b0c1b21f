# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: logs as robots write them, and whether a description predicts their efforts."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import run
from unknown_arm import ARM, recorded, truth

from dyn_core import Model
from dyn_core.errors import ModelError
from dyn_core.identification import (
    DEGREE,
    Log,
    Recording,
    read_recording,
    write_recording,
    write_urdf,
)
from dyn_core.identification.verification import verify
from dyn_core.spatial import Inertia


@pytest.fixture
def recording(base, motion) -> Recording:
    return recorded(base, motion, truth(base), 2.0)


def same(one: Recording, other: Recording) -> None:
    for field in ("times", "q", "tau"):
        np.testing.assert_allclose(getattr(one, field), getattr(other, field), atol=1e-9)


def test_columns_by_number_in_degrees_and_currents(model, recording, tmp_path, monkeypatch) -> None:
    """A file without heads; the log is remembered beside it."""
    path = tmp_path / "log.csv"
    gains = [14.0, -13.0, 11.0, 10.0, 11.0, 11.5]
    columns = [recording.times[:, None], np.degrees(recording.q), recording.tau / gains]
    np.savetxt(path, np.hstack(columns), delimiter=",", fmt="%.17g")
    words = ["--time", 1, "--positions", "2-7", "--efforts", "8-13", "--degrees"]
    listed = ",".join(map(str, gains))
    assert run(monkeypatch, "identify", "log", ARM, path, *words, "--gains", listed) == 0
    same(read_recording(model, path), recording)


def test_efforts_of_another_file_at_a_rate(model, recording, tmp_path) -> None:
    names = ",".join(model.dof_names)
    for name, columns in (("q.csv", recording.q), ("tau.csv", recording.tau)):
        np.savetxt(tmp_path / name, columns, delimiter=",", header=names, comments="", fmt="%.17g")
    log = Log(rate=500.0, positions=("{}",), efforts=("{}",), efforts_file="tau.csv")
    same(read_recording(model, tmp_path / "q.csv", log=log), recording)
    (tmp_path / "tau.csv").write_text(f"{names}\n1,2,3,4,5,6\n")
    with pytest.raises(ModelError, match="1 rows and"):
        read_recording(model, tmp_path / "q.csv", log=log)


def test_drives_of_a_coupled_wrist_make_the_power_of_its_joints(model, recording) -> None:
    ratio = np.array([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
    drives = np.diag(ratio)
    drives[5, 4] = ratio[5]  # the last motor turns with the fifth joint as well
    motors = Recording(
        recording.times, recording.q @ drives.T, recording.tau @ np.linalg.inv(drives)
    )
    wrist = (model.dof_names[5], model.dof_names[4], -1.0)
    log = Log(scale=tuple(1.0 / ratio), gains=tuple(ratio), couplings=(wrist,))
    same(log.applied(model, motors), recording)
    rates = np.diff(motors.q, axis=0), np.diff(log.applied(model, motors).q, axis=0)
    np.testing.assert_allclose(
        (rates[0] * motors.tau[1:]).sum(axis=1), (rates[1] * recording.tau[1:]).sum(axis=1)
    )


@pytest.mark.parametrize("couplings", [(), (("wrist_2_joint", "wrist_1_joint", -3.0),)])
def test_numbers_that_are_missing_are_those_of_one_joint(model, recording, couplings) -> None:
    """0 times NaN is NaN: all joints lacked them."""
    tau = recording.tau.copy()
    tau[:, 5] = np.nan
    missing = Log(couplings=couplings).applied(model, replace(recording, tau=tau))
    assert np.isnan(missing.tau).all(axis=0).tolist() == [False] * 5 + [True]
    whole = Log(couplings=couplings).applied(model, recording)
    np.testing.assert_allclose(missing.tau[:, :5], whole.tau[:, :5], rtol=1e-12)
    tau = np.roll(tau, -1, axis=1)  # those of wrist_2 are missing
    missing = Log(couplings=couplings).applied(model, replace(recording, tau=tau))
    assert np.isnan(missing.tau).all(axis=0)[[3, 4]].tolist() == [bool(couplings), True]


def test_joints_without_columns_are_locked(model, recording) -> None:
    locked = Log(locked={"wrist_3_joint": 0.3}).reduced(model)
    assert locked.dof_names == model.dof_names[:-1]
    assert Log(locked={"wrist_*": 0.3}).reduced(model).dof_names == model.dof_names[:3]
    with pytest.raises(ModelError, match="no joint 'wrist_9_joint' to lock"):
        Log(locked={"wrist_9_joint": 0.3}).reduced(model)


def test_a_continuous_joint_is_locked_at_an_angle(model) -> None:
    """Its coordinates are cosine and sine."""
    text = ARM.read_text().replace('type="revolute"', 'type="continuous"')
    locked = Log(locked={"wrist_3_joint": 0.3}).reduced(Model.from_urdf(text))
    same_arm = Log(locked={"wrist_3_joint": 0.3}).reduced(model)
    for one, other in zip(locked.inertias, same_arm.inertias, strict=True):
        np.testing.assert_allclose(one.parameters, other.parameters, atol=1e-12)
    floating = Model.from_urdf(ARM, root_joint="free_flyer")
    with pytest.raises(ModelError, match="6 degrees of freedom"):
        Log(locked={"root_joint": 0.0}).reduced(floating)


ENDS = ("wrist_3_joint", "wrist_2_joint")


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (Log(positions=("1", "2")), "2 columns of positions for 6 joints"),
        (Log(positions=("99",) * 6), "no column '99'"),
        (Log(gains=(1.0, 2.0)), "2 gains for 6 joints"),
        (Log(couplings=(("elbow", "elbow_joint", 1.0),)), "joint 'elbow'"),
        (Log(couplings=((*ENDS, 1.0), (*ENDS, 2.0))), "two couplings of joint 'wrist_3_joint'"),
        (Log(couplings=((*ENDS, 1.0), (*ENDS[::-1], 1.0))), "they form a circle"),
        (Log(time="elbow_joint.position"), "column 'elbow_joint.position' of times is a joint's"),
    ],
)
def test_logs_that_do_not_fit_are_refused(model, recording, tmp_path, log, words) -> None:
    write_recording(model, recording, tmp_path / "some.csv")
    with pytest.raises(ModelError, match=words):
        read_recording(model, tmp_path / "some.csv", log=log)


def test_what_is_stored_is_what_was_given_and_nothing_else(tmp_path) -> None:
    path = tmp_path / "some.csv"
    output = Log(scale=(DEGREE,), couplings=(("a", "b", 2.0),), locked={"c": 1.0})
    beside = output.remember(path)
    assert Log.beside(path) == output
    beside.write_text(json.dumps({"scales": [1.0]}))
    with pytest.raises(ModelError, match=r"some.csv.log.json' .*'scales' is none of"):
        Log.beside(path)


# Verification


def described(model: Model, values: np.ndarray, base) -> Model:
    """The arm as it is, as far as a description can say it."""
    tree = list(model.tree)
    drive = values[base.parameters.inertial :].reshape(len(base.parameters.drive), -1)
    for k, i in enumerate(model.moving_joints):
        body = Inertia.from_parameters(values[10 * k : 10 * k + 10].tolist())
        limits = replace(
            tree[i].limits, damping=(float(drive[1, k]),), friction=(float(drive[2, k]),)
        )
        tree[i] = replace(tree[i], inertia=body, limits=limits)
    return replace(model, tree=tuple(tree))


def test_verification_passes_what_fits_and_fails_what_does_not(
    model, base, motion, tmp_path, monkeypatch, capsys
) -> None:
    values = truth(base)
    nv = model.nv
    values[base.parameters.inertial : base.parameters.inertial + nv] = 0.0  # no rotors
    values[-nv:] = 0.0  # no offsets
    write_recording(model, recorded(base, motion, values, 10.0), tmp_path / "some.csv")
    write_urdf(described(model, values, base), ARM, tmp_path / "true.urdf")
    assert run(monkeypatch, "verify", tmp_path / "true.urdf", tmp_path / "some.csv", "--json") == 0
    output = json.loads(capsys.readouterr().out)
    assert output["passed"]
    assert output["residual"] < 0.01
    assert run(monkeypatch, "verify", ARM, tmp_path / "some.csv") == 1
    assert "FAIL" in capsys.readouterr().out
    assert run(monkeypatch, "verify", ARM, tmp_path / "none.csv") == 2


def test_static_friction_is_distinguished_from_errors_of_a_model(model, base, motion) -> None:
    """A joint that stands still may hold any effort up to its friction."""
    recording = recorded(base, motion, base.parameters.values, 10.0)
    q, tau = recording.q.copy(), recording.tau.copy()
    q[2500:, 5] = q[2500, 5]
    plain = verify(model, Recording(recording.times, q, tau), 5.0)
    tau[2500:, 5] += 3.0
    held = verify(model, Recording(recording.times, q, tau), 5.0)
    before, after = plain.rows()[5], held.rows()[5]
    assert after["error_standing"] > before["error_standing"] + 2.0
    assert after["standing"] == pytest.approx(0.5, abs=0.1)
    assert held.relative_residual < 0.02  # but for what the filter takes of the time around


def test_friction_is_written_to_joints_and_not_to_transmissions(model, tmp_path) -> None:
    """Which name joints too."""
    text = ARM.read_text().replace(
        "</robot>", '<transmission name="t"><joint name="elbow_joint"/></transmission></robot>'
    )
    (tmp_path / "arm.urdf").write_text(text)
    tree = list(model.tree)
    elbow = model.joint_index("elbow_joint")
    tree[elbow] = replace(tree[elbow], limits=replace(tree[elbow].limits, friction=(2.5,)))
    write_urdf(replace(model, tree=tuple(tree)), tmp_path / "arm.urdf", tmp_path / "new.urdf")
    assert Model.from_urdf(tmp_path / "new.urdf").friction[2] == 2.5
