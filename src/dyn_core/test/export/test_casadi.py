# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions for CasADi: the values and derivatives of Python, and a program that uses them."""

from __future__ import annotations

from pathlib import Path

import casadi
import numpy as np
import pytest
from robots import load, own_arm

import dyn_core
from dyn_core import derivative
from dyn_core.errors import ModelError
from dyn_core.export import write_casadi

FUNCTIONS = ["generalized_gravity", "rnea", "aba", "crba", dyn_core.frame_jacobian.request("tool0")]
NAMES = [
    "ur5_generalized_gravity",
    "ur5_rnea",
    "ur5_aba",
    "ur5_crba",
    "ur5_frame_jacobian_frame_tool0",
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_casadi(own_arm(), FUNCTIONS, tmp_path_factory.mktemp("casadi")))


def state(count: int) -> list[np.ndarray]:
    random = np.random.default_rng(count)
    return [random.normal(size=own_arm().nv) for _ in range(count)]


@pytest.mark.parametrize(("name", "asked"), [*zip(NAMES, FUNCTIONS, strict=True)], ids=NAMES)
def test_values_and_jacobians_are_those_of_python(library: str, name: str, asked) -> None:
    function = casadi.external(name, library)
    kernel = dyn_core.compile(own_arm(), [asked])
    assert tuple(function.name_in()) == kernel.inputs
    arrays = state(function.n_in())
    expected = kernel(*arrays)
    found = np.array(function(*arrays)).reshape(expected.shape)
    np.testing.assert_array_equal(found, expected)
    symbols = [casadi.MX.sym(x, own_arm().nv) for x in kernel.inputs]
    for by, symbol in zip(kernel.inputs, symbols, strict=True):
        jacobian = casadi.Function("J", symbols, [casadi.jacobian(function(*symbols), symbol)])
        exact = dyn_core.compile(own_arm(), [derivative.request(asked_request(asked), by=by)])(
            *arrays
        )
        columns = np.array(exact).reshape(-1, own_arm().nv, order="F")
        np.testing.assert_allclose(np.array(jacobian(*arrays)), columns, rtol=0.0, atol=1e-9)


def asked_request(asked):
    return asked if isinstance(asked, dyn_core.Request) else getattr(dyn_core, asked).request()


@pytest.mark.parametrize("name", ["rnea", "crba"])
def test_functions_written_again_are_the_new_ones_in_the_same_process(
    tmp_path: Path, name: str
) -> None:
    """A loaded library is returned again for its path, so the new file has another."""
    light, functions = own_arm(), []
    heavy = light.with_inertia("forearm_link", mass=9.0)
    functions.append(casadi.external(f"ur5_{name}", str(write_casadi(light, [name], tmp_path))))
    with pytest.warns(UserWarning, match="has loaded libur5_casadi.so"):
        path = write_casadi(heavy, [name], tmp_path)
    functions.append(casadi.external(f"ur5_{name}", str(path)))
    for model, function in zip((light, heavy), functions, strict=True):
        arrays = state(function.n_in())
        expected = dyn_core.compile(model, [name])(*arrays)
        found = np.array(function(*arrays)).reshape(expected.shape)
        np.testing.assert_array_equal(found, expected)


def test_long_kernels_prefetch_their_code_here_too(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("dyn_core.compiler.targets.llvm.functions.MIN_PREFETCH_NODES", 1)
    library = str(write_casadi(own_arm(), ["gravity", "rnea"], tmp_path))
    found = casadi.external("ur5_rnea", library)(*state(3))
    np.testing.assert_array_equal(np.ravel(found), dyn_core.rnea(own_arm(), *state(3)))


def test_missing_arguments_are_zero_and_unwanted_results_are_not_written(library: str) -> None:
    """CasADi passes null addresses for what is zero and for what nobody reads."""
    rnea = casadi.external("ur5_rnea", library)
    [q] = state(1)
    zero = np.zeros_like(q)
    q_ = casadi.MX.sym("q", 6)
    gravity = casadi.Function("g", [q_], [rnea(q_, casadi.MX(6, 1), casadi.MX(6, 1))])
    np.testing.assert_array_equal(
        np.array(gravity(q))[:, 0], dyn_core.rnea(own_arm(), q, zero, zero)
    )


def test_program_over_the_dynamics_finds_the_pose_of_given_efforts(library: str) -> None:
    """An Opti program: the pose nearest to a given one at which gravity is a tenth less."""
    gravity = casadi.external("ur5_generalized_gravity", library)
    start = np.array([0.1, -0.8, 0.9, -1.6, 0.7, 0.3])
    efforts = np.array(gravity(start))[:, 0]
    opti = casadi.Opti()
    q = opti.variable(6)
    opti.minimize(casadi.sumsqr(q - start))
    opti.subject_to(gravity(q)[1:3] == 0.9 * efforts[1:3])
    opti.set_initial(q, start)
    quiet = {"print_level": 0, "hessian_approximation": "limited-memory"}
    opti.solver("ipopt", {"print_time": False}, quiet)
    found = opti.solve().value(q)
    reached = dyn_core.generalized_gravity(own_arm(), found)
    np.testing.assert_allclose(reached[1:3], 0.9 * efforts[1:3], atol=1e-6)
    assert np.linalg.norm(found - start) < 0.5


def test_what_casadi_cannot_take_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"hyq.*nq \(19\) and nv \(18\) have to be equal"):
        write_casadi(load("hyq").model, ["gravity"], tmp_path)
    with pytest.raises(ValueError, match="is no matrix"):
        write_casadi(own_arm(), [derivative.request(dyn_core.crba, by="q")], tmp_path)
