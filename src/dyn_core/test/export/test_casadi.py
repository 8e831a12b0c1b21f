# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions for CasADi: the values and derivatives of Python, and a program that uses them."""

from __future__ import annotations

import re
import runpy
import subprocess
import warnings
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import casadi
import numpy as np
import pytest
from random_trees import random_model
from repository import in_repository
from robots import load, own_arm, relative_error

import dyn_core
from dyn_core import derivative, payload
from dyn_core.errors import ModelError
from dyn_core.export import write_casadi, write_object
from dyn_core.spatial import SE3

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


@pytest.mark.parametrize(
    ("robot", "name"), [("2dof", "robot_2dof"), ("left__arm", "left_arm"), ("腕", "robot")]
)
def test_robots_whose_names_casadi_does_not_allow_have_functions_too(
    tmp_path: Path, robot: str, name: str
) -> None:
    model = replace(own_arm(), name=robot).with_frame("tool__1", "tool0", SE3.identity())
    jacobian = dyn_core.frame_jacobian.request("tool__1")
    library = write_casadi(model, ["potential_energy", jacobian], tmp_path)
    for end in ("potential_energy", "frame_jacobian_frame_tool_1"):
        assert casadi.external(f"{name}_{end}", str(library)).name() == f"{name}_{end}"


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


def test_other_code_for_a_file_that_is_there_is_reported(tmp_path: Path) -> None:
    """Another process may have loaded it; the same code again is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        library = write_casadi(own_arm(), ["potential_energy"], tmp_path)
        assert write_casadi(own_arm(), ["potential_energy"], tmp_path) == library
    with pytest.warns(UserWarning, match="get the old functions until they are started again"):
        write_casadi(own_arm(), ["kinetic_energy"], tmp_path)


@pytest.mark.parametrize("way", ["renamed", "linked", "relative"])
def test_functions_loaded_by_the_same_words_are_not_those_of_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The system compares the words by which a file is loaded; it returned the first robot's."""
    light, arrays = own_arm(), state(1)
    heavy, name = light.with_inertia("forearm_link", mass=9.0), "generalized_gravity"
    found = []
    for k, model in enumerate((light, heavy)):
        place = tmp_path / str(k)
        place.mkdir()
        if way == "relative":
            monkeypatch.chdir(place)
        elif k and way == "renamed":
            (tmp_path / "out").rename(tmp_path / "before")
        elif way == "linked":
            (tmp_path / "out").unlink(missing_ok=True)
            (tmp_path / "out").symlink_to(place)
        with nullcontext() if k == 0 else pytest.warns(UserWarning, match="has loaded"):
            path = write_casadi(model, [name], "out" if way == "relative" else tmp_path / "out")
        found.append((model, casadi.external(f"ur5_{name}", str(path))))
    for model, function in found:
        expected = dyn_core.compile(model, [name])(*arrays)
        np.testing.assert_array_equal(np.array(function(*arrays)).ravel(), expected)


@pytest.mark.parametrize("write", [write_casadi, write_object])
def test_names_that_become_one_name_in_c_are_refused(write, tmp_path: Path) -> None:
    model, names = own_arm(), ("tool-1", "tool_1")
    for name in names:
        model = model.with_frame(name, "tool0", SE3.identity())
    frames = [dyn_core.frame_jacobian.request(name) for name in names]
    with pytest.raises(ModelError, match="have the same name in C"):
        write(model, frames, tmp_path)
    with pytest.raises(ModelError, match=r"'payload\[tool-1\]' and 'payload\[tool_1\]' have"):
        write(model, ["rnea"], tmp_path, inputs=[payload(name) for name in names])


def test_long_kernels_prefetch_their_code_here_too(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("dyn_core.compiler.targets.llvm.functions.MIN_PREFETCH_NODES", 1)
    library = str(write_casadi(own_arm(), ["gravity", "rnea"], tmp_path))
    found = casadi.external("ur5_rnea", library)(*state(3))
    np.testing.assert_array_equal(np.ravel(found), dyn_core.rnea(own_arm(), *state(3)))


def test_missing_arguments_are_zero_and_unwanted_results_are_not_written(library: str) -> None:
    """CasADi passes null addresses for zeros and for unused outputs."""
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


def difference_of(function, arguments, k: int, step: float = 1e-6) -> list[np.ndarray]:
    """Columns of central differences of all outputs by argument ``k``, column by column."""
    columns = []
    for n in range(arguments[k].size):
        values = []
        for sign in (1.0, -1.0):
            changed = arguments[k].copy(order="F")
            changed.ravel(order="K")[n] += sign * step
            found = function.call([*arguments[:k], changed, *arguments[k + 1 :]])
            values.append([np.array(x).ravel(order="F") for x in found])
        columns.append([(x - y) / (2.0 * step) for x, y in zip(*values, strict=True)])
    return [np.array(x).T for x in zip(*columns, strict=True)]


ARM = random_model(3, joints=3, kinds=("revolute", "prismatic"), mimic=False)
QUATERNIONS = random_model(2, joints=2, kinds=("spherical", "revolute_unbounded"), mimic=False)
SECOND = [
    (ARM, "rnea", ["gravity", payload(ARM.frames[-1].name)]),
    (own_arm(), "crba", []),
    (own_arm(), dyn_core.cholesky, []),
    (QUATERNIONS, "rnea", []),
    (QUATERNIONS, "integrate", []),
    (QUATERNIONS, "difference", []),
]


@pytest.mark.quick("Payload", "cholesky", "difference-")
@pytest.mark.parametrize(("model", "asked", "inputs"), SECOND, ids=lambda x: f"{x}"[:30])
def test_first_and_second_derivatives_vs_differences(model, asked, inputs, tmp_path: Path) -> None:
    """Of all outputs, by all numbers of all inputs; of matrices and quaternions too."""
    library = str(write_casadi(model, [asked], tmp_path, inputs=inputs, hessians=True))
    names = subprocess.run(["nm", "-D", library], capture_output=True, text=True).stdout
    (name,) = re.findall(r" T adj1_(\w+)_work", names)
    function = casadi.external(name, library)
    random = np.random.default_rng(0)
    symbols = function.mx_in()
    arguments = [np.asfortranarray(random.normal(size=x.shape)) for x in symbols]
    results = function.call(symbols)
    factors = [casadi.DM(random.normal(size=y.shape)) for y in results]
    sum_of_all = sum(casadi.dot(w, y) for w, y in zip(factors, results, strict=True))
    slopes = [casadi.gradient(sum_of_all, x) for x in symbols]
    gradient = casadi.Function("gradient", symbols, slopes)
    for k, x in enumerate(symbols):
        jacobians = [casadi.jacobian(casadi.vec(y), x) for y in results]
        exact = casadi.Function("J", symbols, jacobians).call(arguments)
        for J, expected in zip(exact, difference_of(function, arguments, k), strict=True):
            assert relative_error(np.array(J), expected) < 1e-6
        hessians = [casadi.jacobian(casadi.vec(y), x) for y in slopes]
        exact = casadi.Function("H", symbols, hessians).call(arguments)
        for H, expected in zip(exact, difference_of(gradient, arguments, k), strict=True):
            assert relative_error(np.array(H), expected) < 1e-6


def test_zeros_that_follow_from_the_robot_are_no_entries(tmp_path: Path) -> None:
    """Inverse dynamics is linear in accelerations; the first joint turns about gravity."""
    library = str(write_casadi(own_arm(), ["rnea"], tmp_path, hessians=True))
    rnea = casadi.external("ur5_rnea", library)
    q, v, a, w = (casadi.MX.sym(x, 6) for x in "qvaw")
    H = casadi.hessian(casadi.dot(w, rnea(q, v, a)), casadi.vertcat(q, v, a))[0]
    pattern = np.array(casadi.DM(H.sparsity(), 1.0))
    assert not pattern[6:, 12:].any()
    assert not pattern[0].any()
    assert pattern[1:6, 1:6].all()


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["ipopt", "osqp"])
def test_example_plans_within_limits_and_reaches_its_goal(method: str) -> None:
    example = runpy.run_path(str(in_repository("examples/casadi_reach.py")))
    model = load("panda").model
    fingers = [name for name in model.names[1:] if "finger" in name]
    arm = model.reduced(fingers, dyn_core.neutral(model))
    (q, v, a), stats = example["solved"](arm, *example["functions"](arm), method)
    assert stats["return_status"] == "Solve_Succeeded"
    reached = dyn_core.frame_placement(arm, q[-1], frame=example["HAND"])[:3, 3]
    assert np.allclose(reached, example["GOAL"], atol=1e-6)
    load_ = {example["HAND"]: np.array(example["LOAD"].parameters)}
    for row in zip(q, v, a, strict=True):
        efforts = dyn_core.rnea(arm, *row, payload=load_)
        assert (abs(efforts) <= arm.effort_limit + 1e-6).all()
    assert np.allclose(v[1:] - v[:-1], (a[1:] + a[:-1]) * example["DT"] / 2.0, atol=1e-8)


@pytest.mark.thorough
def test_planned_trot_obeys_dynamics_and_limits_and_leads_there_in_simulation() -> None:
    example = runpy.run_path(str(in_repository("examples/casadi_trot.py")))
    model, dt = example["GO2"]["go2"](), example["DT"]
    use = example["functions"](model)
    plans = {}
    for method in ("ipopt", "osqp"):
        plans[method], stats = example["solved"](model, *use, method=method)
        assert stats["success"]
    (q, v, f), other = plans["ipopt"], plans["osqp"]
    assert max(abs(x - y).max() for x, y in zip((q, v), other, strict=False)) < 1e-3
    world = {"reference": dyn_core.LOCAL_WORLD_ALIGNED}
    feet = [dyn_core.frame_jacobian.request(frame=foot, **world) for foot in example["FEET"]]
    jacobians, efforts = dyn_core.compile(model, feet), []
    for now, after, rate, rate_after, forces in zip(q, q[1:], v, v[1:], f, strict=False):
        mean = (rate + rate_after) / 2.0
        assert np.allclose(dyn_core.integrate(model, now, dt * mean), after, atol=1e-7)
        middle = dyn_core.integrate(model, now, dt / 2.0 * mean)
        tau = dyn_core.rnea(model, middle, mean, (rate_after - rate) / dt)
        for J, force in zip(jacobians(middle), forces.reshape(-1, 3), strict=True):
            tau = tau - J[:3].T @ force
        for J, force in zip(jacobians(after), forces.reshape(-1, 3), strict=True):
            assert not force[2] or abs(J[:3] @ rate_after).max() < 1e-6
        efforts.append(tau)
    efforts = np.array(efforts)
    assert abs(efforts[:, :6]).max() < 1e-6
    assert (abs(efforts) <= model.effort_limit + 1e-6).all()
    assert (np.hypot(f[:, 0::3], f[:, 1::3]) <= example["FRICTION"] * f[:, 2::3] + 1e-6).all()
    assert (q <= model.upper_position_limit + 1e-6).all()
    assert (q >= model.lower_position_limit - 1e-6).all()
    assert v[-1, 0] == pytest.approx(example["SPEED"])
    reached = example["simulated"](model, q[0], v[0], efforts)
    off = dyn_core.difference(model, q[-1], reached)
    assert np.linalg.norm(off[:3]) < 2e-3
    assert np.linalg.norm(off[3:]) < 0.03


def test_what_casadi_cannot_take_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="takes the input Wrench"):
        write_casadi(own_arm(), ["crba"], tmp_path, inputs=[dyn_core.wrench("tool0")])
    with pytest.raises(ValueError, match="is no matrix"):
        write_casadi(own_arm(), [derivative.request(dyn_core.crba, by="q")], tmp_path)
