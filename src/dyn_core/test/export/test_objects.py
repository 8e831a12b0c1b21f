# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Objects: the bits of Python, nothing needed, and refusals in words."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from robots import OWN_ARM, load, own_arm

import dyn_core
from dyn_core import payload, wrench
from dyn_core.compiler.runtime.build_spec import flattened
from dyn_core.errors import ModelError
from dyn_core.export import PROCESSORS, load_object, native, processors, write_object
from dyn_core.export import object_writer as writing

FUNCTIONS = ["generalized_gravity", "rnea", "crba", "aba", dyn_core.frame_jacobian.request("tool0")]
INPUTS = [payload("tool0"), wrench("tool0"), "gravity"]
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic")
PROGRAM = """
#include "ur5_dynamics.h"
#include <stdio.h>
int main(void) {
    double q[6] = {0.1, -0.4, 0.9, -1.6, 0.7, 0.3}, g[6], same[6];
    const double *in[1];
    double *out[1];
    int k;
    in[0] = q;
    out[0] = same;
    ur5_generalized_gravity(q, g);
    dyn_core_object.functions[0].call(in, out);
    for (k = 0; k < 6; ++k)
        printf("%.17g %.17g\\n", g[k], same[k]);
    return 0;
}
"""
Q = np.array([0.1, -0.4, 0.9, -1.6, 0.7, 0.3])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An object of the arm's gravity."""
    folder = tmp_path_factory.mktemp("object")
    path, _ = write_object(own_arm(), ["gravity"], folder, description=OWN_ARM.read_text())
    return path


def agree(model, functions, inputs, folder) -> None:
    """Objects and kernels give the same bits at random states."""
    random, neutral = np.random.default_rng(3), dyn_core.neutral(model)
    path, _ = write_object(model, functions, folder, inputs)
    loaded = load_object(path)
    assert (loaded.nq, loaded.nv) == (model.nq, model.nv)
    assert loaded.joints == tuple(model.names[i] for i in model.own_coordinates)
    for function, asked in zip(loaded.functions.values(), functions, strict=True):
        names = [x.name for x in function.inputs]
        extras = [x for x in inputs if (x if isinstance(x, str) else x.name) in names]
        kernel = dyn_core.compile(model, [asked], extras)
        assert tuple(names) == kernel.inputs
        for _ in range(5):
            shapes = {x.name: x.shape for x in function.inputs}
            arrays = [random.normal(size=shape) for shape in shapes.values()]
            arrays[0] = dyn_core.integrate(model, neutral, random.normal(size=model.nv))
            assert names[0] == "q"
            expected = list(flattened(kernel(*arrays)))
            for one, other in zip(flattened(function(*arrays)), expected, strict=True):
                np.testing.assert_array_equal(one, other)


def test_object_gives_the_bits_that_python_gives(tmp_path: Path) -> None:
    agree(own_arm(), FUNCTIONS, [], tmp_path / "plain")
    agree(own_arm(), FUNCTIONS, INPUTS, tmp_path / "inputs")
    agree(load("hyq").model, ["gravity", "rnea", "aba", "integrate"], ["gravity"], tmp_path)


def test_long_kernels_prefetch_their_code_in_objects_too(monkeypatch, tmp_path: Path) -> None:
    """As those of hands and humanoids do."""
    monkeypatch.setattr("dyn_core.compiler.targets.llvm.functions.MIN_PREFETCH_NODES", 1)
    agree(own_arm(), ["gravity", "rnea", "crba"], [], tmp_path)


def test_object_needs_no_library(written: Path) -> None:
    output = subprocess.run(["readelf", "-d", written], capture_output=True, text=True, check=True)
    assert "NEEDED" not in output.stdout


@pytest.mark.parametrize(("compiler", "language"), [("cc", "c"), ("c++", "c++")])
def test_header_and_object_serve_c(
    written: Path, compiler: str, language: str, tmp_path: Path
) -> None:
    source, program = tmp_path / "main.c", tmp_path / "main"
    source.write_text(PROGRAM)
    search = [f"-I{written.parent}", f"-Wl,-rpath,{written.parent}"]
    words = [compiler, "-x", language, str(source), "-x", "none", str(written)]
    subprocess.run([*words, *search, *WARNINGS, "-o", str(program)], check=True)
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    found = np.array([[float(x) for x in line.split()] for line in output.splitlines()])
    expected = dyn_core.generalized_gravity(own_arm(), Q)
    np.testing.assert_array_equal(found, np.column_stack([expected, expected]))


def test_truncated_and_altered_objects_are_refused(written: Path, tmp_path: Path) -> None:
    whole, path = written.read_bytes(), tmp_path / "part.so"
    for length in (0, 1, 31, 32, 1000, -33, -32, -8, -1):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelError, match=r"part.so.*(truncated|damaged).*write it anew"):
            load_object(path)
    for where in (0.0, 0.1, 0.5, 0.9, 0.99):
        content = bytearray(whole)
        content[int(where * (len(content) - 40))] ^= 1
        path.write_bytes(content)
        with pytest.raises(ModelError, match="damaged"):
            load_object(path)


def test_object_of_another_description_is_refused(written: Path) -> None:
    text = OWN_ARM.read_text()
    assert load_object(written, description=text).robot == own_arm().name
    assert load_object(written, description=text.replace("\n", "\r\n")).robot == own_arm().name
    with pytest.raises(ModelError, match="made from another"):
        load_object(written, description=text + " ")


def test_object_of_another_version_is_refused(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(writing, "INTERFACE", 99)
    path, _ = write_object(own_arm(), ["gravity"], tmp_path)
    with pytest.raises(ModelError, match=r"version 99.*write it anew"):
        load_object(path)


def test_object_for_another_processor_is_refused(monkeypatch, written: Path) -> None:
    lacking = dict.fromkeys(processors.llvm.get_host_cpu_features(), False)
    monkeypatch.setattr(processors.llvm, "get_host_cpu_features", lambda: lacking)
    with pytest.raises(ModelError, match=rf"{load_processor(written)} processors, which this one"):
        load_object(written)


def load_processor(path: Path) -> str:
    [name] = [x for x in PROCESSORS if x.encode() in path.read_bytes()]
    return name


def test_object_that_computes_something_else_fails_its_test(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(writing, "_test_vector", lambda order: list(range(12)))
    path, _ = write_object(own_arm(), ["gravity"], tmp_path)
    with pytest.raises(ModelError, match="generalized_gravity: its self-test is off by"):
        load_object(path)


def test_an_input_that_no_function_takes_is_refused(tmp_path: Path) -> None:
    """It was left out, and the object computed with the constant."""
    with pytest.raises(ValueError, match="takes the input 'gravty'"):
        write_object(own_arm(), ["rnea"], tmp_path, inputs=["gravty"])


def test_object_that_is_written_anew_leaves_the_loaded_one_alone(tmp_path: Path) -> None:
    """A controller continues with what it has loaded."""
    path, _ = write_object(own_arm(), ["gravity"], tmp_path)
    loaded = load_object(path).functions["generalized_gravity"]
    before = loaded(Q)
    write_object(own_arm().with_gravity([0.0, 0.0, -1.62]), ["gravity"], tmp_path)
    np.testing.assert_array_equal(loaded(Q), before)
    anew = load_object(path).functions["generalized_gravity"](Q)
    np.testing.assert_allclose(anew, before * 1.62 / 9.81, atol=1e-12)


def test_wrong_arrays_are_refused_by_name(written: Path) -> None:
    gravity = load_object(written).functions["generalized_gravity"]
    with pytest.raises(TypeError, match=r"expected \(q\), got 0"):
        gravity()
    with pytest.raises(TypeError, match="q must be an array of float64"):
        gravity(np.zeros(6, dtype=np.float32))
    with pytest.raises(ValueError, match=r"q \(configuration\) must have shape \(6,\), not \(5,\)"):
        gravity(np.zeros(5))


def test_unknown_target_and_missing_linker_are_named(monkeypatch, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no target 'z80': choose from .*aarch64"):
        write_object(own_arm(), ["gravity"], tmp_path, target="z80")
    monkeypatch.setattr(processors.shutil, "which", lambda name: None)
    with pytest.raises(ModelError, match="apt install binutils-aarch64-linux-gnu"):
        write_object(own_arm(), ["gravity"], tmp_path, target="aarch64")


def test_every_level_below_this_processors_runs_here(tmp_path: Path) -> None:
    below = [x for x in PROCESSORS.values() if x.machine == native().machine and x.runs_here()]
    expected = dyn_core.rnea(own_arm(), Q, Q, Q)
    for processor in below:
        path, _ = write_object(own_arm(), ["rnea"], tmp_path, target=processor.name)
        found = load_object(path).functions["rnea"](Q, Q, Q)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)


@pytest.mark.skipif(
    not (shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64")),
    reason="gcc-aarch64-linux-gnu and qemu-user are not installed",
)
def test_arm_under_an_emulator_gives_the_same_numbers(tmp_path: Path) -> None:
    path, _ = write_object(own_arm(), ["gravity"], tmp_path, target="aarch64")
    source, program = tmp_path / "main.c", tmp_path / "main"
    source.write_text(PROGRAM)
    compiler = ["aarch64-linux-gnu-gcc", f"-I{tmp_path}", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run([*compiler, str(source), str(path), "-o", str(program)], check=True)
    run = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", str(program)]
    output = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    found = [float(line.split()[0]) for line in output.splitlines()]
    expected = dyn_core.generalized_gravity(own_arm(), Q)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-13)
