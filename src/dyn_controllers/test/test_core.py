# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The core of the controllers, in C++: the numbers of Python, limits, refusals, no allocation.

The same tests run with AddressSanitizer, and with an allocator that ends the program in a cycle.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robots import OWN_ARM, load, own_arm

import dyn_core
from dyn_core import payload
from dyn_core.export import native, write_object
from dyn_core.export import object_writer as writing
from dyn_core.export.manifest import interface_declared

PACKAGE = Path(__file__).resolve().parents[1]
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror")
BUILDS = {
    "sanitized": ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"),
    "without allocation": ("-DREFUSE_ALLOCATION",),
}
ONCE = pytest.mark.parametrize("program", ["sanitized"], indirect=True)
INPUTS = ["gravity", payload("tool0")]
FUNCTIONS = ["gravity", "rnea", dyn_core.friction_efforts.request(smoothing=0.01)]
N, DT = 6, 0.001
FREE = "settings inf inf 0 0 0.01 0.02"
Q = np.array([0.1, -0.8, 0.9, -1.6, 0.7, 0.3])
ZERO = np.zeros(N)
DYN_CORE = (Path(sys.executable), "-m", "dyn_core.cli")
NAN = np.array([np.nan, *np.zeros(N - 1)])


def _written(word: object) -> str:
    """As the program reads it: numbers exactly, and in quotes what may have a space."""
    if isinstance(word, np.ndarray):
        return " ".join(float(x).hex() for x in word)
    return f'"{word}"' if isinstance(word, Path) else str(word)


class Core:
    """The program, which answers line by line."""

    def __init__(self, program: Path, object_file: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.object_file = object_file

    def __call__(self, *words: object) -> str:
        """What it answers."""
        self._process.stdin.write(" ".join(map(_written, words)) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def start(self, *quantities: str, settings: str = FREE, at: np.ndarray = ZERO) -> None:
        """Load the object and begin."""
        assert "refused" not in self("load", self.object_file, OWN_ARM)
        for quantity in quantities:
            assert self("use", quantity, -1 if "friction" in quantity else 1) == "used"
        assert self(*settings.split()) == "set"
        self("begin", at)

    def cycle(
        self, q: np.ndarray, v: np.ndarray = ZERO, reference: np.ndarray = ZERO
    ) -> tuple[str, int, np.ndarray]:
        """Phase, saturated joints and efforts."""
        phase, saturated, *efforts = self("cycle", q, v, reference).split()
        return phase, int(saturated), np.array([float.fromhex(x) for x in efforts])

    def end(self) -> int:
        """The exit status."""
        self._process.stdin.close()
        return self._process.wait(timeout=20)


@pytest.fixture(scope="module", params=BUILDS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, compiled once for all processes of a test run."""
    compiler, folder = shutil.which("c++"), tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    path = folder / f"core {request.param}".replace(" ", "_")
    sources = [PACKAGE / "test" / "core_program.cpp", *sorted(PACKAGE.glob("src/*.cpp"))]
    options = ["-std=c++17", *WARNINGS, *BUILDS[request.param], f"-I{PACKAGE / 'include'}"]
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            subprocess.run([compiler, *options, *sources, "-ldl", "-o", path], check=True)
    return path


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
    core.start("generalized_gravity")
    for q in np.random.default_rng(1).uniform(-3, 3, (10, N)):
        phase, saturated, efforts = core.cycle(q)
        assert (phase, saturated) == ("follow", 0)
        none, down = np.zeros(10), np.array([0.0, 0.0, -9.81])
        kernel = dyn_core.compile(own_arm(), ["gravity"], INPUTS)
        np.testing.assert_array_equal(efforts, kernel(q, down, none))


def test_references_are_added_exactly(core: Core) -> None:
    core.start("generalized_gravity")
    _, _, alone = core.cycle(Q)
    reference = np.array([1.0, -2.0, 0.5, 0.25, 0.1, -0.3])
    np.testing.assert_array_equal(core.cycle(Q, reference=reference)[2], alone + reference)


def test_gravity_and_payload_enter_at_once(core: Core) -> None:
    core.start("generalized_gravity")
    mass, center, inertia = 1.2, [0.01, -0.02, 0.05], [0.004, 0.001, 0.005, 0.0, 0.0005, 0.003]
    core("payload", "tool0", mass, np.array(center), np.array(inertia))
    tilted = np.array([1.0, 2.0, -9.0])
    core("gravity", tilted)
    carried = own_arm().with_payload("tool0", mass, center, matrix(inertia)).with_gravity(tilted)
    expected = dyn_core.generalized_gravity(carried, Q)
    np.testing.assert_allclose(core.cycle(Q)[2], expected, rtol=0.0, atol=1e-12)


def matrix(inertia: list[float]) -> np.ndarray:
    xx, xy, yy, xz, yz, zz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_inverse_dynamics_and_friction_add_up(core: Core) -> None:
    core.start("rnea", "friction_efforts")
    v, a = np.linspace(-0.5, 0.5, N), np.linspace(1.0, -1.0, N)
    core("accelerate", a)
    friction = dyn_core.friction_efforts(own_arm(), v, smoothing=0.01)
    expected = dyn_core.rnea(own_arm(), Q, v, a) - friction
    np.testing.assert_allclose(core.cycle(Q, v)[2], expected, rtol=0.0, atol=1e-12)


def test_efforts_ramp_from_those_that_motors_give(core: Core) -> None:
    present = np.linspace(-20.0, 20.0, N)
    core.start("generalized_gravity", settings="settings inf inf 0 0.01 0.01 0.02", at=present)
    efforts = np.array([present, *(core.cycle(Q)[2] for _ in range(12))])
    wanted = efforts[-1]
    part = np.minimum(np.arange(13) / 10, 1.0)[:, None]
    np.testing.assert_allclose(efforts, present + part * (wanted - present), atol=1e-9)


def test_effort_and_its_rate_stay_within_limits(core: Core) -> None:
    core.start("generalized_gravity", settings="settings 10 1000 0 0 0.01 0.02")
    push = np.array([50.0, -50.0, 0.0, 0.0, 0.0, 0.0])
    sent = [ZERO]
    for _ in range(15):
        _, saturated, efforts = core.cycle(Q, reference=push)
        assert np.all(np.abs(efforts) <= 10.0)
        assert np.all(np.abs(efforts - sent[-1]) <= 1.0 + 1e-12)
        assert saturated >= 2
        sent.append(efforts)
    np.testing.assert_array_equal(efforts[:2], [10.0, -10.0])
    part = np.minimum(np.arange(16) / 10, 1.0)[:, None]
    np.testing.assert_allclose(sent, part * efforts, atol=1e-12)  # all the same share of their way


@pytest.mark.parametrize("bad", ["position", "reference"])
def test_bad_numbers_hold_then_damp_then_end(core: Core, bad: str) -> None:
    core.start("generalized_gravity", settings="settings inf inf 2 0 0.0105 0.02")
    v = np.full(N, 0.5)
    for k in range(-50, 1):
        _, _, before = core.cycle(Q + DT * k * v, v)
    lost = NAN if bad == "position" else ZERO
    reference = ZERO if bad == "position" else NAN
    phases = [core.cycle(Q + DT * k * v + lost, v, reference) for k in range(1, 41)]
    names = [phase for phase, _, _ in phases]
    assert names == ["hold"] * 10 + ["damp"] * 20 + ["error"] * 10
    assert all(np.array_equal(efforts, before) for _, _, efforts in phases[:10])
    brake = np.array([0.0, *np.ones(N - 1)]) if bad == "position" else ZERO
    np.testing.assert_allclose(phases[19][2], before * (1 - 9.5 / 20) - brake, atol=1e-9)
    end = before * 0.5 / 20 - brake * 0.5 / 10  # damping too fades out, an arm may lean on it
    np.testing.assert_allclose(phases[29][2], end, atol=1e-9)
    np.testing.assert_array_equal(phases[-1][2], ZERO)
    assert core.cycle(Q)[0] == "error"  # until somebody activates it again


def test_the_error_comes_once_efforts_have_gone_to_zero_at_their_rate(core: Core) -> None:
    """Motors would keep what the rate has left of the way, or lose it in one cycle."""
    core.start("generalized_gravity", settings="settings inf inf 0 0 0 0.02")
    wanted = core.cycle(Q)[2]
    core("settings", *["inf", "1000", "0", "0", "0", "0.02"])
    core("begin", wanted)
    sent, phase = [wanted], "damp"
    while phase == "damp" and len(sent) < 1000:
        phase, _, efforts = core.cycle(NAN)
        sent.append(efforts)
    assert phase == "error"
    np.testing.assert_array_equal(efforts, ZERO)
    assert np.abs(np.diff(sent, axis=0)).max() <= 1.0 + 1e-12
    assert np.abs(wanted).max() > 21.0  # N m, more than the rate allows in the time of damping


@pytest.mark.parametrize("told", [30.0, -0.5])
@pytest.mark.parametrize("shown", [0.0, 0.4])
def test_damping_believes_a_velocity_as_far_as_positions_show_it(
    core: Core, told: float, shown: float
) -> None:
    """A joint at rest whose sensor is broken would be driven; none is driven faster."""
    core.start("generalized_gravity", settings="settings inf inf 2 0 0 1e9")
    moving = np.array([0.0, shown, 0.0, 0.0, 0.0, 0.0])
    for k in range(200):
        v = told * np.ones(N)
        phase, _, efforts = core.cycle(Q + DT * k * moving + (NAN if k >= 30 else ZERO), v)
        if k == 29:
            before = efforts
        if k >= 30:
            most = np.maximum(np.sign(told) * moving, 0.0)
            cut = np.sign(told) * np.minimum(abs(told), 1.5 * most)
            np.testing.assert_allclose(efforts, before - 2.0 * cut, atol=1e-6)
    assert phase == "damp"


def test_good_numbers_again_ramp_from_where_the_efforts_are(core: Core) -> None:
    core.start("generalized_gravity", settings="settings inf inf 0 0 0.0 0.02")
    wanted = core.cycle(Q)[2]
    core("settings", *["inf", "inf", "0", "0.01", "0.0", "0.02"])
    core("begin", wanted)
    for _ in range(10):
        phase, _, low = core.cycle(NAN)
    assert phase == "damp"
    efforts = np.array([core.cycle(Q)[2] for _ in range(12)])
    np.testing.assert_allclose(efforts[0], low + 0.1 * (wanted - low), atol=1e-9)
    np.testing.assert_array_equal(efforts[-1], wanted)


@pytest.mark.parametrize("length", [0, 31, 1000, -33, -1])
def test_truncated_object_is_refused(core: Core, length: int, tmp_path: Path) -> None:
    path = tmp_path / "part.so"
    path.write_bytes(core.object_file.read_bytes()[:length])
    said = core("load", path, OWN_ARM)
    assert said.startswith(f"refused: {path}: ")
    assert any(x in said for x in ("truncated", "damaged", "cannot be read"))


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
    )  # said to be of the arm: its joints are looked at
    assert "ros2_control knows joints of one" in core("load", floating, OWN_ARM)
    path, _ = write_object(own_arm(), ["static_torque"], tmp_path, ["f_ext"], description=text)
    assert core("load", path, OWN_ARM).split() == list(own_arm().dof_names)
    assert "takes 'f_ext', which no controller knows" in core("use", "static_torque", 1)
    assert "no function 'rnea', only static_torque" in core("use", "rnea", 1)


@ONCE
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_object_is_made_by_another_process(core: Core, ending: str, tmp_path: Path) -> None:
    description = tmp_path / "robot.urdf"
    description.write_bytes(OWN_ARM.read_text().replace("\n", ending).encode())
    asked = (description, "generalized_gravity", "gravity,payload('tool0')", 60)
    names = core("generate", *asked, *DYN_CORE)
    assert names.split() == list(own_arm().dof_names)
    core("use", "generalized_gravity", 1)
    core(*FREE.split())
    core("begin", ZERO)
    np.testing.assert_allclose(
        core.cycle(Q)[2], dyn_core.generalized_gravity(own_arm(), Q), rtol=0.0, atol=1e-12
    )


@ONCE
def test_generator_that_fails_or_hangs_is_named(core: Core, tmp_path: Path) -> None:
    asked = ("generate", OWN_ARM, "rnea", "gravity")
    assert "'no-such-command' cannot be run (No such file" in core(*asked, 10, "no-such-command")
    said = core("generate", OWN_ARM, "torque", "gravity", 60, *DYN_CORE)
    assert "failed: " in said
    assert "no quantity 'torque'" in said
    begin = time.monotonic()
    assert "took longer than 0.3" in core(*asked, 0.3, "sh", "-c", "sleep${IFS}60")
    assert time.monotonic() - begin < 20.0  # it did not wait for the end
    assert "wrote no object" in core(*asked, 10, "true")


def test_settings_without_sense_are_refused(core: Core) -> None:
    core.start("generalized_gravity")
    for wrong in ("nan inf 0 0 0 0", "1 0 0 0 0 0", "1 1 -1 0 0 0", "1 1 0 -1 0 0"):
        assert core("settings", *wrong.split()).startswith("refused: ")
