# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The plug-in for inverse_dynamics_solver, loaded by pluginlib, has the numbers of dyn_core."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import yaml
from robots import OWN_ARM, own_arm

import dyn_core
from dyn_core.export import write_object

PROGRAM = os.environ.get("SOLVER_PROGRAM", "")
"""Set by `colcon test` where it was built."""

pytestmark = pytest.mark.skipif(
    not PROGRAM, reason="only `colcon test` runs it, where inverse_dynamics_solver is installed"
)
Q = np.array([0.1, -0.8, 0.9, -1.6, 0.7, 0.3])
V = np.linspace(-0.5, 0.5, 6)
A = np.linspace(1.0, -1.0, 6)


def solved(folder: Path, *vectors: np.ndarray, **parameters: object) -> list[np.ndarray]:
    """What the program prints; raises RuntimeError with what the plug-in refuses."""
    values = {"robot_description": OWN_ARM.read_text(), "solver": parameters}
    file = folder / "parameters.yaml"
    file.write_text(yaml.safe_dump({"/**": {"ros__parameters": values}}))
    words = [word for x in vectors for word in (str(len(x)), *(float(y).hex() for y in x))]
    run = subprocess.run(
        [PROGRAM, "--ros-args", "--params-file", file],
        input=" ".join(words),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    if run.stdout.startswith("refused: "):
        raise RuntimeError(run.stdout)
    return [np.array([float.fromhex(x) for x in line.split()]) for line in run.stdout.splitlines()]


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    functions = ["rnea", dyn_core.friction_efforts.request(smoothing=0.01)]
    text = OWN_ARM.read_text()
    return str(write_object(own_arm(), functions, tmp_path, ["gravity"], description=text)[0])


@pytest.mark.parametrize("made", [True, False])
def test_terms_are_those_of_dyn_core(made: bool, kernel: str, tmp_path: Path) -> None:
    gravity = [1.0, 2.0, -9.0]
    options = {"kernel": kernel} if made else {"codegen_command": ["dyn-core"]}
    found = solved(tmp_path, Q, V, A, gravity=gravity, **options)
    model = own_arm().with_gravity(gravity)
    g = dyn_core.generalized_gravity(model, Q)
    expected = [
        dyn_core.crba(model, Q).ravel(),
        dyn_core.nonlinear_effects(model, Q, V) - g,
        g,
        -dyn_core.friction_efforts(model, V, smoothing=0.01),
        dyn_core.rnea(model, Q, V, A),
    ]
    for here, there in zip(found, expected, strict=True):
        np.testing.assert_allclose(here, there, rtol=0.0, atol=1e-12)


def test_vectors_have_the_order_of_joints(kernel: str, tmp_path: Path) -> None:
    """Joints that are not named stay at zero."""
    names = list(own_arm().dof_names)
    order = [2, 1]
    q = np.zeros(6)
    q[order] = Q[order]
    part = Q[order]
    _, _, found, *_ = solved(
        tmp_path, part, part, part, kernel=kernel, joints=[names[k] for k in order]
    )
    expected = dyn_core.generalized_gravity(own_arm(), q)[order]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("size", "parameters", "words"),
    [
        (6, {"joints": ["knee"]}, "no joint 'knee': choose among"),
        (6, {"gravity": [0.0, -9.81]}, "gravity has to have three numbers"),
        (6, {"gravity": [0.0, 0.0, -98.1]}, "more than 30"),
        (5, {}, "vectors of 6 joints are needed, one has 5"),
        (6, {"kernel": "/nowhere.so"}, "cannot be read"),
        (6, {"codegen_timeout": 60.0}, "codegen_timeout does not exist any more"),
    ],
)
def test_what_does_not_fit_is_refused(
    size: int, parameters: dict[str, object], words: str, kernel: str, tmp_path: Path
) -> None:
    x = np.zeros(size)
    with pytest.raises(RuntimeError, match=words):
        solved(tmp_path, x, x, x, **{"kernel": kernel, **parameters})
