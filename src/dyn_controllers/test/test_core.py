# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The core of the controllers, in C++: the numbers of Python, limits, refusals, no allocation.

The program ends where AddressSanitizer finds a fault, or a cycle allocates or frees memory.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from core_process import PACKAGE, Core
from robots import OWN_ARM, load, own_arm

import dyn_core
from dyn_core import payload
from dyn_core.export import native, write_object
from dyn_core.export import object_writer as writing
from dyn_core.export.manifest import interface_declared

INPUTS = ["gravity", payload("tool0")]
FUNCTIONS = ["gravity", "rnea", dyn_core.friction_efforts.request(smoothing=0.01)]
N = 6
Q = np.array([0.1, -0.8, 0.9, -1.6, 0.7, 0.3])
ZERO = np.zeros(N)
DYN_CORE = (Path(sys.executable), "-m", "dyn_core.cli")


@pytest.fixture(scope="module")
def object_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("object")
    path, _ = write_object(own_arm(), FUNCTIONS, folder, INPUTS, description=OWN_ARM.read_text())
    return path


@pytest.fixture
def core(program: Path, object_file: Path) -> Iterator[Core]:
    running = Core(program, object_file)
    yield running
    assert running.end() == 0


def test_header_is_that_of_the_declarations() -> None:
    """Else write `interface_declared()` into it anew, below its first three lines."""
    header = PACKAGE / "include" / "dyn_controllers" / "object_interface.h"
    assert header.read_text().split("\n", 3)[3] == interface_declared()


@pytest.mark.parametrize("length", [1, 55, 56, 63, 64, 119, 120, 1000])
def test_hash_is_sha256(core: Core, length: int) -> None:
    text = ("dynamics" * length)[:length]
    assert core("sha256", text) == writing.sha256(text)


def test_gravity_has_the_bits_of_python(core: Core) -> None:
    core.start("generalized_gravity", at=ZERO)
    for q in np.random.default_rng(1).uniform(-3, 3, (10, N)):
        phase, saturated, efforts = core.cycle(q, ZERO, ZERO)
        assert (phase, saturated) == ("following", 0)
        none, down = np.zeros(10), np.array([0.0, 0.0, -9.81])
        kernel = dyn_core.compile(own_arm(), ["gravity"], INPUTS)
        np.testing.assert_array_equal(efforts, kernel(q, down, none))


def test_references_are_added_exactly(core: Core) -> None:
    core.start("generalized_gravity", at=ZERO)
    _, _, alone = core.cycle(Q, ZERO, ZERO)
    reference = np.array([1.0, -2.0, 0.5, 0.25, 0.1, -0.3])
    np.testing.assert_array_equal(core.cycle(Q, ZERO, reference)[2], alone + reference)


def test_gravity_and_payload_enter_at_once(core: Core) -> None:
    core.start("generalized_gravity", at=ZERO)
    mass, center, inertia = 1.2, [0.01, -0.02, 0.05], [0.004, 0.001, 0.005, 0.0, 0.0005, 0.003]
    core("payload", "tool0", mass, np.array(center), np.array(inertia))
    tilted = np.array([1.0, 2.0, -9.0])
    core("gravity", tilted)
    carried = own_arm().with_payload("tool0", mass, center, matrix(inertia)).with_gravity(tilted)
    expected = dyn_core.generalized_gravity(carried, Q)
    np.testing.assert_allclose(core.cycle(Q, ZERO, ZERO)[2], expected, rtol=0.0, atol=1e-12)


def matrix(inertia: list[float]) -> np.ndarray:
    xx, xy, yy, xz, yz, zz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_inverse_dynamics_and_friction_add_up(core: Core) -> None:
    core.start("rnea", "friction_efforts", at=ZERO)
    v, a = np.linspace(-0.5, 0.5, N), np.linspace(1.0, -1.0, N)
    core("accelerate", a)
    friction = dyn_core.friction_efforts(own_arm(), v, smoothing=0.01)
    expected = dyn_core.rnea(own_arm(), Q, v, a) - friction
    np.testing.assert_allclose(core.cycle(Q, v, ZERO)[2], expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("length", [0, 31, 1000, -33, -1])
def test_truncated_object_is_refused(core: Core, length: int, tmp_path: Path) -> None:
    path = tmp_path / "part.so"
    path.write_bytes(core.object_file.read_bytes()[:length])
    answer = core("load", path, OWN_ARM)
    assert answer.startswith(f"refused: {path}: ")
    assert any(x in answer for x in ("truncated", "damaged", "cannot be read"))


def test_altered_object_is_refused(core: Core, tmp_path: Path) -> None:
    content = bytearray(core.object_file.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "altered.so").write_bytes(content)
    assert "the object is damaged" in core("load", tmp_path / "altered.so", OWN_ARM)


def test_object_that_does_not_fit_is_refused(core: Core, monkeypatch, tmp_path: Path) -> None:
    other = tmp_path / "other.urdf"
    other.write_text(OWN_ARM.read_text() + " ")
    assert "made from another" in core("load", core.object_file, other)
    options = {"description": OWN_ARM.read_text()}
    monkeypatch.setattr(writing, "INTERFACE", 99)
    path, _ = write_object(own_arm(), ["gravity"], tmp_path, **options)
    assert "its interface has version 99, this loader 1" in core("load", path, OWN_ARM)
    monkeypatch.undo()
    monkeypatch.setattr(writing, "_test_vector", lambda order: list(range(2 * N)))
    path, _ = write_object(own_arm(), ["gravity"], tmp_path, **options)
    assert "generalized_gravity: its self-test is off" in core("load", path, OWN_ARM)


def test_object_for_another_processor_is_refused(core: Core, monkeypatch, tmp_path: Path) -> None:
    later = replace(native(), name="x86-64-v9")
    monkeypatch.setattr(writing, "processor_named", lambda target: later)
    path, _ = write_object(own_arm(), ["gravity"], tmp_path, description=OWN_ARM.read_text())
    assert "x86-64-v9 processors, which this one is not" in core("load", path, OWN_ARM)


def test_floating_robot_and_unknown_inputs_are_refused(core: Core, tmp_path: Path) -> None:
    text = OWN_ARM.read_text()
    floating, _ = write_object(
        load("hyq").model, ["gravity"], tmp_path, description=text
    )  # declared for the arm: its joints are compared
    assert "ros2_control knows joints of one" in core("load", floating, OWN_ARM)
    path, _ = write_object(own_arm(), ["static_torque"], tmp_path, ["f_ext"], description=text)
    assert core("load", path, OWN_ARM).split() == list(own_arm().dof_names)
    assert "takes 'f_ext', which no controller knows" in core("use", "static_torque", 1)
    assert "no function 'rnea', only static_torque" in core("use", "rnea", 1)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_object_is_made_by_another_process(core: Core, ending: str, tmp_path: Path) -> None:
    description = tmp_path / "robot.urdf"
    description.write_bytes(OWN_ARM.read_text().replace("\n", ending).encode())
    asked = (description, "generalized_gravity", "gravity,payload('tool0')", 60)
    names = core("generate", *asked, *DYN_CORE)
    assert names.split() == list(own_arm().dof_names)
    core("use", "generalized_gravity", 1)
    core.policy(np.inf * np.ones(N), np.inf * np.ones(N))
    core.begin(ZERO)
    np.testing.assert_allclose(
        core.cycle(Q, ZERO, ZERO)[2],
        dyn_core.generalized_gravity(own_arm(), Q),
        rtol=0.0,
        atol=1e-12,
    )


def test_generator_that_fails_or_hangs_is_named(core: Core, tmp_path: Path) -> None:
    asked = ("generate", OWN_ARM, "rnea", "gravity")
    assert "'no-such-command' cannot be run (No such file" in core(*asked, 10, "no-such-command")
    answer = core("generate", OWN_ARM, "torque", "gravity", 60, *DYN_CORE)
    assert "failed: " in answer
    assert "no quantity 'torque'" in answer
    begin = time.monotonic()
    assert "took longer than 0.3" in core(*asked, 0.3, "sh", "-c", "sleep${IFS}60")
    assert time.monotonic() - begin < 20.0  # it did not wait for the end
    assert "wrote no object" in core(*asked, 10, "true")
    assert "kernel is empty" in core(*asked, 10)
