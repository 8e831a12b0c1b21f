"""Identification on several machines: a real scheduler and two workers, one of which dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from dask import bag
from distributed import LocalCluster

from dyn_core import Model
from dyn_core.identification import (
    BaseParameters,
    Parameters,
    Recording,
    excitation,
    identify,
    write_recording,
)

ARM = Path(__file__).parents[3] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
FILES = 6


@pytest.fixture(scope="module")
def parameters() -> Parameters:
    return Parameters(Model.from_urdf(ARM))


@pytest.fixture(scope="module")
def files(parameters, tmp_path_factory) -> list[str]:
    """Some recordings of noisy efforts, as Parquet and CSV."""
    folder = tmp_path_factory.mktemp("recordings")
    motion = excitation(BaseParameters.of(parameters), iterations=0)
    paths = []
    for k in range(FILES):
        random = np.random.default_rng(k)
        times = np.arange(0.0, 8.0, 0.002)
        q, v, a = motion.states(times + k)
        tau = parameters.regressor(q, v, a) @ parameters.values
        path = folder / f"{k}.{'csv' if k == 0 else 'parquet'}"
        noisy = Recording(times, q, tau + random.normal(size=tau.shape))
        write_recording(parameters.model, noisy, path)
        paths.append(str(path))
    return paths


def test_cluster_that_loses_a_worker_finds_the_same_as_one_process(parameters, files) -> None:
    alone = identify(parameters, files, cutoff=5.0)
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        die_once = bag.from_sequence(files, npartitions=FILES).map(
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


def test_scheduler_takes_a_list_of_files(parameters, files) -> None:
    alone = identify(parameters, files[:2], cutoff=5.0)
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        there = identify(parameters, files[:2], 5.0, scheduler=cluster.scheduler_address)
    np.testing.assert_allclose(there.estimate.values, alone.estimate.values, rtol=1e-9, atol=1e-9)


def test_robust_regression_refuses_a_collection(parameters, files) -> None:
    with pytest.raises(ValueError, match="weighted"):
        identify(parameters, bag.from_sequence(files), 5.0, method="robust")
