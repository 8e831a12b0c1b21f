# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification on several machines: a real scheduler and two workers, one of which dies."""

from __future__ import annotations

import json
import os
import signal
from importlib import import_module

import numpy as np
import pytest
import unknown_arm
from command_line import run
from dask import bag
from distributed import LocalCluster
from rosbags.rosbag2 import StoragePlugin
from unknown_arm import ARM, recorded, write_bag

from dyn_core.errors import ModelError
from dyn_core.identification import Parameters, identify, write_recording

pytestmark = pytest.mark.thorough

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


def test_scheduler_on_the_command_line(parameters, files, monkeypatch, capsys) -> None:
    alone = identify(parameters, files, cutoff=5.0).estimate
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        options = ("--json", "--scheduler", cluster.scheduler_address)
        assert run(monkeypatch, "identify", "fit", ARM, *files, *options) == 0
    output = json.loads(capsys.readouterr().out)["base_parameters"]
    values = [row["value"] for row in output]
    np.testing.assert_allclose(values, alone.values, rtol=1e-9, atol=1e-9)


def test_scheduler_that_is_not_there_is_named(parameters, files, monkeypatch) -> None:
    module = import_module("dyn_core.identification.identify")  # the package has its function
    monkeypatch.setattr(module, "SCHEDULER_TIMEOUT_S", 1.0)
    with pytest.raises(ModelError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"):
        identify(parameters, files[:1], cutoff=5.0, scheduler="tcp://127.0.0.1:9")


def test_robust_regression_refuses_a_collection(parameters, files) -> None:
    with pytest.raises(ValueError, match="weighted"):
        identify(parameters, bag.from_sequence(files), 5.0, method="robust")
