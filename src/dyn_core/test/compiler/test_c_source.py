# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""C source of a robot's functions: it compiles without a warning and computes the same."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from every_request import some_arrays
from random_trees import random_model
from robots import load, relative_error

import dyn_core
from dyn_core import Contact
from dyn_core.export.c_project import c_project

STRICT = (
    "-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-Wshadow", "-Werror", "-pedantic",
    "-std=c99", "-O1",
)  # fmt: skip


def built(folder: Path, files: dict[str, str], *options: str) -> Path:
    """The program or library that gcc, or the compiler $CC, makes of the files."""
    for name, text in files.items():
        (folder / name).write_text(text)
    sources = [str(folder / name) for name in files if name.endswith(".c")]
    program = folder / "program"
    subprocess.run(
        [os.environ.get("CC", "gcc"), *STRICT, *options, *sources, "-o", str(program), "-lm"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return program


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "real"), [(0, "double"), (1, "double"), (None, "float")])
def test_the_self_test_passes(tmp_path: Path, seed: int | None, real: str) -> None:
    """With all joint types: selections, roots, functions of the C library."""
    model = load("ur5").model if seed is None else random_model(seed, joints=5, mimic=False)
    functions = ["rnea", "aba", "crba", "difference", "joint_velocities", "d_integrate"]
    held = dyn_core.constraint_residual.request(
        constraints=Contact(model.frames[-1].name)
    )  # of rounding
    program = built(tmp_path, c_project(model, [*functions, held], real))
    run = subprocess.run([program], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "")


def test_c_computes_what_the_kernel_does(tmp_path: Path) -> None:
    model, functions = load("hyq").model, [dyn_core.rnea, dyn_core.aba, dyn_core.crba]
    files = c_project(model, functions)
    sources = {name: text for name, text in files.items() if not name.startswith("test_")}
    library = ctypes.CDLL(str(built(tmp_path, sources, "-shared", "-fPIC")))
    for quantity in functions:
        kernel = dyn_core.compile(model, [quantity])
        function = getattr(library, f"{_robot(files)}_{quantity.__name__}")
        for state in zip(*some_arrays(model, kernel.signature, 5), strict=True):
            expected = kernel(*state)
            actual = np.full_like(expected, np.nan)
            arrays = [np.ascontiguousarray(x) for x in (*state, actual)]
            function(*(ctypes.c_void_p(x.ctypes.data) for x in arrays))
            assert relative_error(arrays[-1], expected) < 1e-12


def _robot(files: dict[str, str]) -> str:
    (header,) = (name for name in files if name.endswith(".h"))
    return header.removesuffix("_dynamics.h")


def test_the_self_test_notices_a_wrong_number(tmp_path: Path) -> None:
    files = c_project(load("ur5").model, ["gravity"])
    files["ur5_dynamics.c"] = files["ur5_dynamics.c"].replace("g[1] = ", "g[1] = 1e-9 + ")
    run = subprocess.run([built(tmp_path, files)], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stdout.startswith("ur5_generalized_gravity: g: off by ")


@pytest.mark.parametrize(
    ("compiler", "options"),
    [("gcc", ()), ("arm-none-eabi-gcc", ("-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mthumb"))],
)
def test_a_microcontroller_needs_little_and_nothing_else(
    tmp_path: Path, compiler: str, options: tuple[str, ...]
) -> None:
    """No memory but the stack, whose size is known, no functions but those of angles."""
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}: Debian's gcc-arm-none-eabi and libnewlib-arm-none-eabi")
    for name, text in c_project(load("ur5").model, ["rnea"], "float").items():
        (tmp_path / name).write_text(text)
    floats = ("-mfloat-abi=hard",) if options else ()
    command = [compiler, *STRICT, *options, *floats, "-O2", "-fstack-usage"]
    source = ["-c", "ur5_dynamics.c", "-o", "ur5.o"]
    subprocess.run([*command, *source], cwd=tmp_path, check=True, capture_output=True)
    tools = compiler.removesuffix("gcc")
    symbols = subprocess.run([f"{tools}nm", "ur5.o"], cwd=tmp_path, capture_output=True, text=True)
    kinds = [(line.split()[-2], line.split()[-1]) for line in symbols.stdout.splitlines()]
    assert {name for kind, name in kinds if kind == "U"} <= {"sinf", "cosf", "sincosf"}
    assert not [name for kind, name in kinds if kind in "bBcCdD"]
    (usage,) = (tmp_path / "ur5.su").read_text().splitlines()
    _, stack, kind = usage.split("\t")
    assert kind == "static"
    assert int(stack) < 1024


def test_cmake_builds_and_tests_it(tmp_path: Path) -> None:
    for name, text in c_project(load("ur5").model, ["gravity"]).items():
        (tmp_path / name).write_text(text)
    build = tmp_path / "build"
    for command in (
        ["cmake", "-S", str(tmp_path), "-B", str(build)],
        ["cmake", "--build", str(build)],
        ["ctest", "--test-dir", str(build)],
    ):
        subprocess.run(command, check=True, capture_output=True)


def test_names_that_would_be_no_c_are_made_so(tmp_path: Path) -> None:
    model = replace(load("ur5").model, name="7 */ int x; arm-β")
    files = c_project(model, ["gravity"])
    assert set(files) == {
        "_7_int_x_arm_dynamics.h",
        "_7_int_x_arm_dynamics.c",
        "test__7_int_x_arm_dynamics.c",
        "CMakeLists.txt",
    }
    built(tmp_path, files)


def test_a_robot_without_joints_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="arrays without entries"):
        c_project(dyn_core.ModelBuilder("rock").build(), ["gravity"])


PENDULUM = """
<robot name="pendulum">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="pivot" type="revolute"><parent link="base"/><child link="rod"/>
    <axis xyz="0 1 0"/><limit lower="-4" upper="4" velocity="9" effort="99"/></joint>
</robot>"""
SOURCE = """\
/* Generated by dyn_core. */
#include "pendulum_dynamics.h"

#include <math.h>

void pendulum_generalized_gravity(const double q[1], double g[1])
{
    const double n0 = q[0];
    const double n1 = fabs(n0) < 1073741824.0 ? sin(n0) : (double)NAN;
    const double n3 = n1 * (-9.81);
    const double n4 = -n3;
    g[0] = n4;
}
"""


def test_the_source_of_a_pendulum() -> None:
    """The whole of a short file, as people read it."""
    files = c_project(dyn_core.Model.from_urdf(PENDULUM), ["gravity"])
    assert files["pendulum_dynamics.c"] == SOURCE
