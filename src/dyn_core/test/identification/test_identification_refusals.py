# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: wrong recordings are refused, or cause a warning."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import unknown_arm
from command_line import run
from rosbags.rosbag2 import StoragePlugin
from unknown_arm import ARM, CUTOFF, recorded, truth, write_bag

from dyn_core import Model
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Log,
    Parameters,
    Recording,
    identify,
    parameter_table,
    prepared,
    read_recording,
    write_recording,
)
from dyn_core.identification.verification import verify


@pytest.fixture(scope="module")
def recording() -> Recording:
    """A good one."""
    base = unknown_arm.base()
    return recorded(base, unknown_arm.motion(), truth(base), 20.0, noise=0.5)


def found(recording: Recording):
    return identify(unknown_arm.base().parameters, recording, CUTOFF, weight=1.0)


def without_limits(model: Model) -> Model:
    """The robot whose description knows no limits of efforts."""
    free = [replace(x, limits=replace(x.limits, effort=(np.inf,) * x.joint.nv)) for x in model.tree]
    return replace(model, tree=tuple(free))


# Files


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "", "is empty"),
        (lambda text: text.splitlines()[0], "has no rows below its heads"),
        (lambda text: text.replace("elbow_joint.pos", "elbow.pos"), "no column 'elbow_joint.pos"),
        (lambda text: text.replace(",", ";"), "columns separated by commas"),
        (
            lambda text: re.sub(r"(\d)\.(\d)", r"\1,\2", text.replace(",", "\t")),
            "with a decimal comma; a table",
        ),
        (lambda text: text.replace("elbow_joint.effort", "elbow_joint.position"), "2 columns"),
        (lambda text: text + "1,2,3\n", "got 3 columns instead of 13.*; a table is"),
        (lambda text: text + "1,2,3", "instead of 13.*; the last line is incomplete: delete it"),
    ],
)
def test_tables_that_are_broken_are_refused(recording, tmp_path, change, words) -> None:
    path, model = tmp_path / "some.csv", unknown_arm.model()
    short = Recording(recording.times[:20], recording.q[:20], recording.tau[:20])
    write_recording(model, short, path)
    path.write_text(change(path.read_text()))
    with pytest.raises(ModelError, match=words):
        read_recording(model, path)


@pytest.mark.parametrize("storage", [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
def test_bags_that_were_cut_off_are_refused(recording, tmp_path, storage) -> None:
    names = unknown_arm.model().dof_names
    rows = [(10**6 * k, names, recording.q[k], recording.tau[k]) for k in range(200)]
    write_bag(tmp_path / "bag", storage, rows)
    file = next(path for path in (tmp_path / "bag").iterdir() if path.suffix in (".db3", ".mcap"))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    for path in (tmp_path / "bag", file):
        with pytest.raises(ModelError, match=r"cannot read the recording .*recover"):
            read_recording(unknown_arm.model(), path)


# What is in them


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: replace(x, q=np.degrees(x.q)), "are positions in degrees"),
        (lambda x: replace(x, times=1e3 * x.times), "times must be in s"),
        (lambda x: replace(x, times=0.1 * x.times), "far beyond its limits"),
        (lambda x: replace(x, times=x.times[::-1]), "9999 time not increasing"),
        (lambda x: replace(x, tau=1e3 * x.tau), r"10000 saturated; .* --gains 0.001"),
        (
            lambda x: replace(x, tau=x.tau * [1, 1, 1, 1e4, 1, 1]),
            "'wrist_1_joint' has .*limit is 28",
        ),
        (lambda x: replace(x, tau=x.tau * [1, 1, np.nan, 1, 1, 1]), "'elbow_joint' has no numbers"),
        (lambda x: replace(x, tau=x.tau * [1, 1, 1, 1, 1, 0]), "'wrist_3_joint' are zero"),
        (lambda x: replace(x, q=x.q * np.nan), "^0 samples are left of 10000: 10000 not finite"),
        (lambda x: Recording(x.times[:2], x.q[:2], x.tau[:2]), "no stretch .* longer than 0.6 s"),
        (lambda x: Recording(x.times[:900], x.q[:900], x.tau[:900]), "too few for 58"),
        (lambda x: Recording(x.times, x.q[:, :5], x.tau[:, :5]), "of 5 joints, but 'ur5' has 6"),
    ],
)
def test_units_order_and_length_are_checked(recording, change, words) -> None:
    with pytest.raises(ModelError, match=words):
        found(change(recording))


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf, 1e300, True, "1"])
def test_a_weight_that_cannot_be_is_refused_before_anything_is_read(weight) -> None:
    """Zero was taken for the default; at 1e300 the solver raised what is no Exception."""
    with pytest.raises(ModelError, match=r"^weight must be"):
        identify(unknown_arm.base().parameters, "no such file", CUTOFF, weight=weight)


def test_what_are_no_numbers_are_no_recording(recording) -> None:
    x = recording
    listed = Recording(x.times[:9].tolist(), x.q[:9].tolist(), x.tau[:9].tolist())
    np.testing.assert_array_equal(listed.tau, x.tau[:9])
    for q in (x.q + 0j, x.q.astype(object), x.q.astype(str), None):
        with pytest.raises(ModelError, match="a recording's q must be"):
            Recording(x.times, q, x.tau)
    with pytest.raises(ValueError, match=r"times \(n,\), q \(n, nv\)"):
        Recording(np.zeros(3), np.zeros((4, 6)), np.zeros((4, 6)))
    with pytest.raises(ModelError, match="cutoff must be a real number"):
        prepared(unknown_arm.model(), x, True)


def test_rows_twice_swapped_and_nan_change_nothing(recording) -> None:
    random = np.random.default_rng(0)
    order = np.repeat(np.arange(len(recording)), 2)
    order[[1000, 1002]] = order[[1002, 1000]]
    q = recording.q[order]
    q[random.random(len(q)) < 0.03, 2] = np.nan
    whole = found(recording).estimate
    some = found(Recording(recording.times[order], q, recording.tau[order]))
    assert some.dropped["time not increasing"] > 9000
    off = (some.estimate.values - whole.values) / whole.deviations
    assert np.mean(off**2) < 0.2


def test_a_clock_that_was_set_back_ends_a_stretch(recording) -> None:
    """What was recorded in the time that came twice is dropped; nothing is joined across it."""
    times = recording.times.copy()
    times[4000:] -= 5.0
    samples, dropped = prepared(unknown_arm.model(), replace(recording, times=times), CUTOFF)
    assert dropped["time not increasing"] == pytest.approx(2500, abs=1)
    assert dropped["gaps"] == len(samples) - 1 == 1
    whole = found(recording).estimate
    some = found(replace(recording, times=times)).estimate
    off = (some.values - whole.values) / some.deviations
    assert np.mean(off**2) < 2.0


def test_tables_of_spreadsheets_are_read(recording, tmp_path) -> None:
    """With a mark in front of the first head, and their ends of lines."""
    path, model = tmp_path / "some.csv", unknown_arm.model()
    write_recording(model, Recording(*(x[:20] for x in vars(recording).values())), path)
    expected = read_recording(model, path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    np.testing.assert_array_equal(read_recording(model, path).q, expected.q)


def test_a_joint_at_rest_is_reported(recording) -> None:
    q = recording.q.copy()
    q[:, 2] = q[0, 2]
    with pytest.raises(ModelError, match=r"not excite 3 of 58 .*\(elbow_joint.armature; elbow"):
        found(replace(recording, q=q))
    q[:, 2] += 1e-5 * np.random.default_rng(0).normal(size=len(q))  # noise excites nothing either
    rows = {row["name"]: row for row in parameter_table(found(replace(recording, q=q)))}
    assert not rows["elbow_joint.armature"]["significant"]
    assert rows["wrist_1_joint.friction"]["significant"]


@pytest.mark.parametrize(
    ("turned", "words"),
    [
        (range(6), r"efforts of all joints have the opposite sign .* --gains -1,-1,-1,-1,-1,-1'"),
        ([2], r"efforts of joint 'elbow_joint' have the .* --gains 1,1,-1,1,1,1'"),
        ([0, 5], r"of joint 'shoulder_pan_joint', 'wrist_3_joint' have the .* -1,1,1,1,1,-1'"),
    ],
)
def test_efforts_the_other_way_round_are_refused(recording, turned, words) -> None:
    """Also of joints whose efforts are friction, which would drive them then."""
    signs = np.ones(6)
    signs[list(turned)] = -1.0
    with pytest.raises(ModelError, match=words):
        found(replace(recording, tau=recording.tau * signs))


def test_efforts_in_other_units_are_refused(recording) -> None:
    unlimited = replace(unknown_arm.base().parameters, model=without_limits(unknown_arm.model()))
    millis = replace(recording, tau=1e3 * recording.tau)
    with pytest.raises(ModelError, match=r"times the prediction for 'ur5'.*--gains 0.001'"):
        identify(unlimited, millis, CUTOFF)


def test_efforts_that_nothing_explains_are_refused(recording) -> None:
    random = np.random.default_rng(0)
    noise = np.cumsum(random.normal(size=recording.tau.shape), axis=0)
    with pytest.raises(ModelError, match="% of the recorded efforts unexplained"):
        found(replace(recording, tau=10.0 * noise / np.abs(noise).max()))
    with pytest.warns(UserWarning, match="% of the recorded efforts stay unexplained"):
        found(replace(recording, tau=recording.tau + 30.0 * noise / np.abs(noise).max()))


# Robots


LINK = """<link name="{}"><inertial><origin xyz="0.2 0.1 0" rpy="0.3 0.2 0.1"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0.002" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
<origin xyz="0.3 0 0"/><axis xyz="0 1 0"/>{3}
<limit lower="-2" upper="2" velocity="3" effort="90"/></joint>"""


def test_a_mimic_joint_moves_with_its_master_and_is_no_unknown(tmp_path: Path) -> None:
    """Also with inertial frames that are turned, which the new URDF keeps equivalent."""
    mimic = '<mimic joint="first" multiplier="-2"/>'
    joints = (JOINT.format("first", "base", "a", ""), JOINT.format("second", "a", "b", mimic),
              JOINT.format("third", "b", "c", ""))  # fmt: skip
    links = "".join(map(LINK.format, "abc"))
    text = f'<robot name="coupled"><link name="base"/>{links}{"".join(joints)}</robot>'
    model = Model.from_urdf(text)
    assert model.nv == 2
    base = BaseParameters.of(Parameters(model))
    motion = unknown_arm.excitation(base, iterations=0)
    values = base.parameters.values
    result = identify(base.parameters, recorded(base, motion, values, 10.0, noise=0.1), CUTOFF)
    off = (result.estimate.values - base.B @ values) / result.estimate.deviations
    assert np.abs(off).max() < 4.0
    assert result.relative_residual < 0.05


# Command line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["nowhere.csv"], "there is no recording 'nowhere.csv'"),
        (["{}/some.csv", "--method", "best"], "method must be"),
        (["{}/some.csv", "--urdf", "/nowhere/new.urdf"], "no folder for '/nowhere/new.urdf'"),
        (["{}/some.csv", "--urdf", str(ARM)], "is the robot itself"),
        (["{}/some.csv", "--cutoff", "nan"], "cut-off of nan Hz"),
        (["{}/some.csv", "--urdf", "{}/some.csv"], "or a recording that is read"),
        (["{}/some.csv", "--mass", "inf"], "not inf kg"),
    ],
)
def test_errors_end_with_status_2_and_no_json(
    recording, tmp_path, monkeypatch, capsys, options, words
) -> None:
    write_recording(unknown_arm.model(), recording, tmp_path / "some.csv")
    words_given = [x.format(tmp_path) for x in options]
    status = run(monkeypatch, "identify", "fit", ARM, *words_given, "--json")
    output, why = capsys.readouterr()
    assert (status, output) == (2, "")
    assert words in why


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("[1, 2]", "an object in braces"),
        ('{"time": 3}', "time of a log must be the head"),
        ('{"gains": [1, "a"]}', "gains of a log must be finite numbers"),
        ('{"scale": [0]}', "none of them 0"),
        ('{"positions": "q{}"}', "positions of a log must be heads"),
        ('{"rate": -5}', "rate of a log must be"),
        ('{"couplings": [["a"]]}', "couplings of a log must be"),
        ('{"topic": 1}', "topic of a log must be"),
        ('{"locked": [1]}', "locked of a log must be positions by joint"),
    ],
)
def test_a_log_beside_a_recording_that_is_broken_is_refused(tmp_path, output, words) -> None:
    (tmp_path / "some.csv.log.json").write_text(output)
    with pytest.raises(ModelError, match=f"some.csv.log.json' does not describe a log: .*{words}"):
        Log.beside(tmp_path / "some.csv")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: replace(x, q=x.q * 0.0), "no joint moves"),
        (lambda x: replace(x, tau=x.tau * 0.0), "all efforts of .*'wrist_3_joint' are zero"),
    ],
)
def test_a_recording_that_verifies_nothing_is_refused(recording, change, words) -> None:
    """It would pass, or fail, whatever the robot; nor is a delay that cannot be."""
    with pytest.raises(ModelError, match=r"delay is nan: efforts are late by 0.5 s at most"):
        verify(unknown_arm.model(), recording, CUTOFF, float("nan"))
    with pytest.raises(ModelError, match=words):
        verify(unknown_arm.model(), change(recording), CUTOFF)


def test_a_refusal_names_the_file_of_several(recording, tmp_path) -> None:
    model = unknown_arm.model()
    write_recording(model, recording, tmp_path / "good.parquet")
    write_recording(
        model, Recording(*(x[:1] for x in vars(recording).values())), tmp_path / "x.csv"
    )
    with pytest.raises(ModelError, match=r"x.csv': it has 1 rows"):
        found([tmp_path / "good.parquet", tmp_path / "x.csv"])


def test_a_recording_of_infinite_numbers_raises_no_warning(recording, tmp_path, recwarn) -> None:
    q = recording.q[:50].copy()
    q[20, 2] = np.inf
    write_recording(unknown_arm.model(), Recording(recording.times[:50], q, recording.tau[:50]),
                    tmp_path / "some.csv")  # fmt: skip
    assert not np.isfinite(read_recording(unknown_arm.model(), tmp_path / "some.csv").q[20, 2])
    assert not recwarn.list


def test_progress_within_a_recording_is_reported(recording) -> None:
    reported = []
    verify(unknown_arm.model(), recording, CUTOFF, 0.0, lambda *x: reported.append(x))
    assert len(reported) > 2
    assert reported == sorted(reported)
    assert reported[-1][0] == reported[-1][1]


def test_json_has_the_result(recording, tmp_path, monkeypatch, capsys) -> None:
    write_recording(unknown_arm.model(), recording, tmp_path / "some.parquet")
    path = tmp_path / "some.parquet"
    assert run(monkeypatch, "identify", "fit", ARM, path, "--json") == 0
    output = json.loads(capsys.readouterr().out)
    assert output["residual"] < 0.02
    assert abs(output["delay"]) < 4.0 * output["delay_standard_error"]
    assert sum(row["significant"] for row in output["base_parameters"]) > 30
    assert len(prepared(unknown_arm.model(), recording, CUTOFF)[0][0]) == output["samples"]
