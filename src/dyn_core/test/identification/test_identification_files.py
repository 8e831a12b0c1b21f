# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: recordings in files, the URDF that is written, the command line, a cluster."""

from __future__ import annotations

import json
import os
import re
import runpy
import signal
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import unknown_arm
from command_line import run
from dask import bag
from distributed import LocalCluster
from repository import in_repository
from rosbags.rosbag2 import StoragePlugin
from unknown_arm import ARM, recorded, truth, write_bag

from dyn_core import Model
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Parameters,
    excitation,
    identify,
    read_recording,
    write_recording,
    write_urdf,
)
from dyn_core.identification.verification import verify
from dyn_core.spatial import Inertia

# Files


def test_tables_come_back_as_they_were(model, base, motion, tmp_path) -> None:
    recording = recorded(base, motion, truth(base), 1.0)
    for name in ("some.csv", "some.parquet"):
        write_recording(model, recording, tmp_path / name)
        back = read_recording(model, tmp_path / name)
        for field in ("times", "q", "tau"):
            np.testing.assert_allclose(getattr(back, field), getattr(recording, field), rtol=1e-15)
    other = model.reduced(model.names[1:2], np.zeros(model.nq))
    with pytest.raises(ValueError, match=r"^recording\.q must have shape \(rows, 5\)"):
        write_recording(other, recording, tmp_path / "other.csv")


@pytest.mark.parametrize("storage", [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
def test_bags_are_read_without_ros(model, tmp_path, storage) -> None:
    names, rows = list(model.dof_names)[::-1], []
    for k in range(10):
        time = 3 * 10**9 + 1000 * k
        if k == 5:
            rows.append((time, ["gripper"], np.zeros(1), np.zeros(1)))
        else:
            rows.append((time, ["gripper", *names], np.arange(7.0) + k, -np.arange(7.0)))
    write_bag(tmp_path / "bag", storage, rows)
    recording = read_recording(model, tmp_path / "bag")
    assert len(recording) == 10
    np.testing.assert_allclose(recording.q[1], np.arange(6.0, 0.0, -1.0) + 1)
    np.testing.assert_allclose(recording.tau[0], -np.arange(6.0, 0.0, -1.0))
    assert np.isnan(recording.q[5]).all()
    with pytest.raises(ModelError, match="no joint states on '/arm', but on /joint_states"):
        read_recording(model, tmp_path / "bag", "/arm")
    text = Path(ARM).read_text()
    bent = Model.from_urdf(text.replace("elbow_joint", "bent"))
    with pytest.raises(ModelError, match=r"lacks joint 'bent'; if it does not move.* --lock bent"):
        read_recording(bent, tmp_path / "bag")
    other = Model.from_urdf(text.replace("_joint", "_axis"))
    with pytest.raises(ModelError, match=r"has the joints elbow_joint, gripper, .* elbow_axis"):
        read_recording(other, tmp_path / "bag")


def short_bag(model: Model, path: Path, change=lambda name, *row: [(name, *row)], **options):
    """A bag of 60 states; ``change`` makes messages of names, positions and efforts."""
    random, rows = np.random.default_rng(0), []
    for k in range(60):
        state = list(model.dof_names), random.normal(size=model.nv), random.normal(size=model.nv)
        rows += [(10**9 + 10**7 * k, *message) for message in change(*state)]
    write_bag(path, StoragePlugin.MCAP, rows, **options)
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda n, q, tau: [(n, q, [])], "no efforts of 'shoulder_pan_joint', .*'wrist_3_joint': "),
        (
            lambda n, q, tau: [(n, q, [*tau[:5], np.nan])],
            "no efforts of 'wrist_3_joint': let the driver publish them, or lock",
        ),
        (lambda n, q, tau: [(n, q, tau[:3])], "has 6 names, 6 positions and 3 efforts: correct"),
        (
            lambda n, q, tau: [(n[:2], q[:2], tau[:2]), (n[2:], q[2:], tau[2:])],
            "each joint state has only some joints of 'ur5', as of several publishers: join them",
        ),
    ],
)
def test_bags_say_which_numbers_they_lack(model, tmp_path, change, words) -> None:
    """They named the first joint, an index, or a bag that was cut off."""
    with pytest.raises(ModelError, match=words):
        verify(model, short_bag(model, tmp_path / "bag", change), 5.0)


def test_a_bag_without_stamps_has_the_times_of_its_reception(model, tmp_path) -> None:
    whole = read_recording(model, short_bag(model, tmp_path / "one"))
    with pytest.warns(UserWarning, match="all stamps are zero; the times at which the bag"):
        some = read_recording(model, short_bag(model, tmp_path / "other", stamped=False))
    np.testing.assert_allclose(some.times, whole.times, rtol=1e-12)


@pytest.mark.parametrize(
    "command",
    [
        ["identify", "fit"],
        ["identify", "payload", "--frame", "tool0"],
        ["identify", "actuators"],
        ["identify", "friction"],
        ["verify"],
    ],
)
def test_commands_take_the_topic_of_a_bag(model, tmp_path, monkeypatch, capsys, command) -> None:
    bag = short_bag(model, tmp_path / "bag", name="/lbr/joint_states")
    words = [*command, ARM, bag]
    used = "no stretch of the recording is longer than"
    assert run(monkeypatch, *words) == 2
    assert "but on /lbr/joint_states; add --topic /lbr/joint_states" in capsys.readouterr().err
    assert run(monkeypatch, *words, "--topic", "/lbr/joint_states") == 2
    assert used in capsys.readouterr().err
    assert run(monkeypatch, "identify", "log", *words[-2:], "--topic", "/lbr/joint_states") == 0
    assert run(monkeypatch, *words) == 2
    assert used in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("broken.parquet", "cannot read the recording .*broken.parquet"),
        ("broken.mcap", "cannot read the recording"),
        ("README.md", "README.md' is no recording: recordings are .csv"),
        ("recordings/", "this is a directory: name a file in it"),
        ("recordings.csv/", "this is a directory: name a file in it"),
    ],
)
def test_files_that_are_no_recordings_are_refused(model, tmp_path, name: str, words: str) -> None:
    path = tmp_path / name
    path.mkdir() if name.endswith("/") else path.write_text("no recording")
    with pytest.raises(ModelError, match=words):
        read_recording(model, path)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas_are_named_in_a_line(base, motion, model, tmp_path, separator: str) -> None:
    """Each row had a line of the message, or none said why there were no numbers."""
    path, recording = tmp_path / "r.csv", recorded(base, motion, truth(base), 2.0)
    write_recording(model, recording, path)
    text = path.read_text()
    path.write_text(text.replace(",", separator).replace(".", ",").replace("joint,", "joint."))
    with pytest.raises(ModelError, match="with a decimal point") as refusal:
        read_recording(model, path)
    assert len(str(refusal.value)) < 500
    path.write_text(re.sub(r"(?<![\w.])-?\d[\d.e+-]*", r'"\g<0>"', text))
    np.testing.assert_array_equal(read_recording(model, path).tau, recording.tau)


# URDF


def test_new_urdf_differs_in_inertial_numbers_only(base, model, tmp_path) -> None:
    tree = list(model.tree)
    for i in model.moving_joints:
        scaled = [(1.0 + 0.1 * i) * x for x in model.inertias[i].parameters]
        tree[i] = replace(tree[i], inertia=Inertia.from_parameters(scaled))
    heavier = replace(model, tree=tuple(tree))
    write_urdf(heavier, ARM, tmp_path / "new.urdf")
    back = Model.from_urdf(tmp_path / "new.urdf")
    for mine, theirs in zip(back.inertias[1:], heavier.inertias[1:], strict=True):
        np.testing.assert_allclose(mine.parameters, theirs.parameters, rtol=1e-9, atol=1e-12)

    def bare(path: Path) -> str:
        document = ET.parse(path)
        for element in document.iter("inertial"):
            for part in element:
                part.attrib.clear()
        return ET.canonicalize(ET.tostring(document.getroot()), strip_text=True)

    assert bare(tmp_path / "new.urdf") == bare(ARM)


def test_written_urdf_leaves_what_the_identified_model_leaves(base, motion, tmp_path) -> None:
    """Where no rotors and offsets are identified, a URDF says everything."""
    parameters = replace(base.parameters, drive=("damping", "friction"))
    values = truth(BaseParameters.of(parameters))
    recording = recorded(BaseParameters.of(parameters), motion, values, noise=0.5)
    found = identify(parameters, recording, 5.0)
    write_urdf(found.model, ARM, tmp_path / "new.urdf")
    written = Model.from_urdf(tmp_path / "new.urdf")
    assert found.relative_residual < 0.02
    assert found.residual_of(written) == pytest.approx(found.relative_residual, rel=1e-6)
    held = recorded(BaseParameters.of(parameters), motion, values, noise=0.5, seed=1)
    left = found.residual(held, cutoff=5.0)
    assert found.residual(held, cutoff=5.0, model=written) == pytest.approx(left, rel=1e-6)


def test_urdf_of_another_robot_is_refused(model, tmp_path) -> None:
    other = tmp_path / "other.urdf"
    other.write_text('<robot name="other"><link name="a"/></robot>')
    with pytest.raises(ModelError, match="another robot"):
        write_urdf(model, other, tmp_path / "new.urdf")


# Command line


@pytest.mark.thorough
def test_fit_on_the_command_line(base, motion, model, tmp_path, monkeypatch, capsys) -> None:
    values = truth(base)
    for name, seed in (("one.csv", 0), ("two.parquet", 1)):
        recording = recorded(base, motion, values, noise=0.5, seed=seed)
        write_recording(model, recording, tmp_path / name)
    command = ["identify", "fit", ARM, tmp_path / "one.csv", "--held-out",
               tmp_path / "two.parquet", "--urdf", tmp_path / "new.urdf", "--figure",
               tmp_path / "efforts.png", "--json"]  # fmt: skip
    assert run(monkeypatch, *command) == 0
    assert (tmp_path / "efforts.png").stat().st_size > 10_000
    output = json.loads(capsys.readouterr().out)
    assert output["held_out_residual"] < 0.02
    assert len(output["base_parameters"]) == len(base)
    written = Model.from_urdf(tmp_path / "new.urdf")
    drives = {row["joint"]: row for row in output["drives"]}
    for k, name in enumerate(written.dof_names):  # what a URDF can say of a drive is in it
        assert written.damping[k] == pytest.approx(drives[name]["damping"])
        assert written.friction[k] == pytest.approx(drives[name]["friction"])
    assert output["residual"] < output["urdf_residual"] < 0.2  # rotors and offsets are missing
    assert output["urdf_held_out_residual"] < 0.2


def test_motion_on_the_command_line(model, tmp_path, monkeypatch, capsys) -> None:
    out = tmp_path / "motion.csv"
    monkeypatch.setattr(
        "dyn_core.cli.identify.excitation",
        lambda base, period, harmonics, **options: excitation(
            base, period, harmonics, 0, **options
        ),
    )
    assert run(monkeypatch, "identify", "motion", ARM, "--out", out, "--harmonics", 2) == 0
    assert "condition number" in capsys.readouterr().out
    rows = np.loadtxt(out, delimiter=",", skiprows=1)
    assert rows.shape == (1001, 7)
    assert (rows[:, 1:] <= model.upper_position_limit).all()


@pytest.mark.thorough
def test_example_explains_another_motion(tmp_path) -> None:
    example = runpy.run_path(str(in_repository("examples/ur5_identification.py")))
    found, before, after = example["main"](str(tmp_path / "efforts.svg"))
    assert before > 0.1
    assert after < 0.02  # what the literature reaches
    assert found.estimate.delay == pytest.approx(0.001, abs=4.0 * found.estimate.delay_deviation)
    assert "<svg" in (tmp_path / "efforts.svg").read_text()


BAGS = {"mcap": StoragePlugin.MCAP, "db3": StoragePlugin.SQLITE3}
KINDS = ("csv", "parquet", "parquet", "parquet", "mcap", "db3")


@pytest.fixture(scope="module")
def parameters() -> Parameters:
    return Parameters(unknown_arm.model())


@pytest.fixture(scope="module")
def files(parameters, tmp_path_factory) -> list[str]:
    """Some recordings of noisy efforts, of each kind of file."""
    folder = tmp_path_factory.mktemp("recordings")
    model, base, motion = parameters.model, unknown_arm.base(), unknown_arm.motion()
    paths = []
    for k, kind in enumerate(KINDS):
        recording = recorded(base, motion, parameters.values, 8.0, noise=1.0, seed=k)
        path = folder / f"{k}.{kind}"
        if kind in BAGS:
            path = folder / f"{k}_{kind}"
            times = (1e9 * recording.times).round().astype(int).tolist()
            names = [model.dof_names] * len(times)
            rows = zip(times, names, recording.q, recording.tau, strict=True)
            write_bag(path, BAGS[kind], rows)
        else:
            write_recording(model, recording, path)
        paths.append(str(path))
    return paths


@pytest.mark.thorough
def test_cluster_that_loses_a_worker_finds_the_same_as_one_process(parameters, files) -> None:
    alone = identify(parameters, files, cutoff=5.0)
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        die_once = bag.from_sequence(files, npartitions=len(files)).map(
            _Fatal(str(cluster.workers[0].pid))
        )
        together = identify(parameters, die_once, cutoff=5.0, scheduler=cluster.scheduler_address)
    one, other = together.estimate, alone.estimate
    size = np.abs(other.values).max()
    np.testing.assert_allclose(one.values, other.values, rtol=1e-9, atol=1e-9 * size)
    np.testing.assert_allclose(one.deviations, other.deviations, rtol=1e-6)
    assert together.dropped == alone.dropped


class _Fatal:
    """Kills the first worker as soon as it is given a recording other than the first."""

    def __init__(self, worker: str) -> None:
        self._worker = worker

    def __call__(self, path: str) -> str:
        if str(os.getpid()) == self._worker and not path.endswith("0.csv"):
            os.kill(os.getpid(), signal.SIGKILL)
        return path


@pytest.mark.thorough
def test_scheduler_on_the_command_line(parameters, files, monkeypatch, capsys) -> None:
    alone = identify(parameters, files, cutoff=5.0).estimate
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        options = ("--json", "--scheduler", cluster.scheduler_address)
        assert run(monkeypatch, "identify", "fit", ARM, *files, *options) == 0
    output = json.loads(capsys.readouterr().out)["base_parameters"]
    values = [row["value"] for row in output]
    np.testing.assert_allclose(values, alone.values, rtol=1e-9, atol=1e-9)


@pytest.mark.thorough
def test_scheduler_that_is_not_there_is_named(parameters, files, monkeypatch) -> None:
    module = import_module("dyn_core.identification.identify")  # the package has its function
    monkeypatch.setattr(module, "SCHEDULER_TIMEOUT_S", 1.0)
    with pytest.raises(ModelError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"):
        identify(parameters, files[:1], cutoff=5.0, scheduler="tcp://127.0.0.1:9")


@pytest.mark.thorough
def test_robust_regression_refuses_a_collection(parameters, files) -> None:
    with pytest.raises(ValueError, match="weighted"):
        identify(parameters, bag.from_sequence(files), 5.0, method="robust")
