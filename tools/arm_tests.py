#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Run tests of dyn_core on 64-bit ARM, by qemu-user: `make test-arm`.

Python comes from Debian's packages for arm64, unpacked into the private folder of this checkout
without root rights; its packages are the pins of requirements/ as wheels for aarch64. Arguments
are passed to pytest; without any, TESTS run. C is compiled by this machine's cross compiler.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import environment as suite
import usage  # noqa: F401

EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
DEBIAN = ("python3", "libgomp1", "libstdc++6")
PINS = ("run", "apps", "dev", "build")
PACKAGES = [
    *("numpy", "llvmlite", "numba", "lxml", "urdfdom-py", "PyYAML", "typing_extensions", "scipy"),
    *("pytest", "iniconfig", "pluggy", "packaging", "Pygments", "hypothesis", "sortedcontainers"),
    *("pin", "libpinocchio", "example-robot-data", "coal", "libcoal", "eigenpy", "cmeel"),
    *("cmeel-assimp", "cmeel-boost", "cmeel-console-bridge", "cmeel-eigen", "cmeel-octomap"),
    *("cmeel-qhull", "cmeel-tinyxml2", "cmeel-urdfdom", "cmeel-zlib"),
]
"""What the tests import, with what that needs."""
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64")
FOLDER = "src/dyn_core/test/"
IN_C = f"{FOLDER}compiler/test_c_source.py::test_c_computes_what_the_kernel_does"
TESTS = [
    f"{FOLDER}dynamics/test_two_link.py",
    *(
        f"{FOLDER}compiler/test_executions.py::test_compiled_code_is_the_definition[{name}-ur5]"
        for name in ("rnea", "crba", "aba", "minverse", "forward_kinematics", "joint_jacobians")
    ),
    *(
        f"{FOLDER}compiler/test_batch.py::test_every_execution_of_any_quantity_computes_the_same[{name}]"
        for name in ("rnea", "crba", "aba")
    ),
    f"{FOLDER}compiler/test_batch.py::test_a_bad_state_leaves_all_others_as_they_were",
    f"{FOLDER}compiler/test_batch.py::test_nothing_beyond_the_last_state_is_read_or_written",
    f"{FOLDER}compiler/test_batch.py::test_sine_and_cosine_are_within_two_units_of_the_last_place_of_one",
    f"{FOLDER}compiler/test_batch.py::test_what_is_no_angle_gives_nan",
    f"{FOLDER}compiler/test_sharing.py::test_threads_share_the_states",
    IN_C,
]
"""Compiled code of one state, of vectors and of threads, and C: 80 s of a processor."""
COMPILER = "aarch64-linux-gnu-gcc"
EXECUTABLE = "ARM_PYTHON"
"""The variable with the program by which Python starts itself."""


def main(*arguments: str) -> None:
    """Make the root unless it is there, then run the tests in it."""
    emulator = next(filter(None, map(shutil.which, EMULATORS)), None)
    if not emulator:
        sys.exit("please install: apt install qemu-user-static")
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        sys.exit("apt-get and dpkg-deb are needed: use Debian, Ubuntu or a container of them")
    environment = suite.Environment()
    with suite.locked(environment):
        python = prepared(environment, str(emulator))
    places = {"PYTHONPATH": str(suite.ROOT / "src" / "dyn_core"), EXECUTABLE: str(python)}
    tests = list(arguments) or TESTS
    if shutil.which(COMPILER):
        places["CC"] = COMPILER
    elif not arguments:
        suite.say("Without the generated C, which needs: apt install gcc-aarch64-linux-gnu")
        tests = [test for test in TESTS if test != IN_C]
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", *tests]
    os.chdir(suite.ROOT)
    os.execve(command[0], command, {**os.environ, **places})


def prepared(environment: suite.Environment, emulator: str) -> Path:
    """The command that is Python on ARM, made anew when what it is made of has changed."""
    folder = environment.state / "arm"
    root, python, stamp = folder / "root", folder / "python", folder / ".made"
    inputs = f"{emulator} {DEBIAN} {PACKAGES} {PLATFORMS}\n"
    inputs += suite.contents(map(suite.requirements, PINS))
    if suite.is_current(stamp, inputs):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    unpack_debian(folder, root)
    version = os.readlink(root / "usr" / "bin" / "python3")
    python.write_text(f'#!/bin/sh\nexec {emulator} -L {root} {root}/usr/bin/{version} "$@"\n')
    python.chmod(0o755)
    install_wheels(root / "usr" / "local" / "lib" / version / "dist-packages", version)
    stamp.write_text(inputs)
    return python


def unpack_debian(folder: Path, root: Path) -> None:
    """Unpack Python and what it needs, of the release and by the mirror of this machine's apt.

    ARM_SOURCES names a sources.list where that mirror has no arm64, as Ubuntu's has not.
    """
    state, cache = folder / "apt" / "state", folder / "apt" / "cache"
    for path in (state / "lists" / "partial", cache / "archives" / "partial", root):
        path.mkdir(parents=True)
    (state / "status").touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Cache": cache,
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
    }
    if "ARM_SOURCES" in os.environ:
        sources = Path(os.environ["ARM_SOURCES"]).resolve()
        settings |= {"Dir::Etc::sourcelist": sources, "Dir::Etc::sourceparts": "-"}
    apt = ["apt-get", "-qq", *(f"-o{key}={value}" for key, value in settings.items())]
    suite.say("Unpacking Debian's Python for arm64")
    wanted = ["install", "--yes", "--download-only", "--no-install-recommends", *DEBIAN]
    for words in (["update"], wanted):
        if subprocess.run([*apt, *words]).returncode != 0:
            sys.exit(
                "apt did not get the packages for arm64: ARM_SOURCES=FILE make test-arm reads a "
                "sources.list of a mirror that has them"
            )
    for package in sorted((cache / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(package), str(root)], check=True)


def install_wheels(site: Path, version: str) -> None:
    """Install the pins of PACKAGES, and set how Python starts itself."""
    suite.say("Installing wheels for aarch64")
    wanted = {suite.canonical(name) for name in PACKAGES}
    lines = "\n".join(suite.requirements(name).read_text() for name in PINS).splitlines()
    pins = [x for x in lines if suite.canonical(re.split(r"[=;\s]", x)[0]) in wanted]
    number = version.removeprefix("python")
    options = ["--no-deps", "--no-compile", "--only-binary=:all:", f"--python-version={number}"]
    options += [f"--platform={name}" for name in PLATFORMS]
    pip = [sys.executable, "-m", "pip", "install", "-qq", f"--target={site}", *options, *pins]
    if subprocess.run(pip).returncode != 0:
        sys.exit("pip did not find these wheels for aarch64: see above")
    (site / "itself.pth").write_text(
        f"import os, sys; sys.executable = os.environ.get({EXECUTABLE!r}, sys.executable)\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
