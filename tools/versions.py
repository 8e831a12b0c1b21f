#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Test dyn_core with the oldest and the newest versions of what it stands on.

    tools/versions.py lowest [PYTEST ARGUMENTS...]   Python 3.10 and requirements/lowest.txt
    tools/versions.py newest [PYTEST ARGUMENTS...]   Python 3.13 and requirements/newest.txt

What depends on them is tested: printed code and compilers, executions, formats; nothing that needs
peers. The package is installed from its wheel, made of its source distribution. Each pair has an
environment of its own for that time. Where its Python is not installed, it is tested on this one,
and says so. All other packages are those of the other files.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import usage  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = {"lowest": "3.10", "newest": "3.13"}
OTHERS = ("urdfdom-py", "lxml", "PyYAML", "pytest", "iniconfig", "packaging", "pluggy", "Pygments",
          "exceptiongroup", "tomli", "typing_extensions", "hypothesis", "sortedcontainers",
          "attrs", "pytest-xdist", "pytest-timeout", "execnet")  # fmt: skip
"""What else the tests import."""
TESTS = (
    *(f"compiler/test_{name}.py" for name in ("operations", "tape", "numba")),
    *(
        f"compiler/test_batch.py::test_{name}"
        for name in (
            "any_number_of_states_in_lanes_of_any_width", "precisions_do_not_mix",
            "sine_and_cosine_are_within_two_units_of_the_last_place_of_one",
            "the_tape_computes_single_precision_too", "what_is_no_angle_gives_nan",
        )
    ),
    *(
        f"compiler/test_machine.py::test_{name}"
        for name in (
            "batches_are_vectors_on_arm", "nothing_assumes_more_than_sse2",
            "one_state_compiles_for_arm", "what_entries_need_outlives_them",
        )
    ),
    "dynamics/test_two_link.py", "readers/test_serialize_refusals.py", "test_jax.py",
)  # fmt: skip
"""Which do without peers."""


def main(pair: str = "", *arguments: str) -> None:
    """Make the environment, run the tests, remove it."""
    if pair not in PYTHONS:
        sys.exit(__doc__)
    python = interpreter(PYTHONS[pair])
    if python is None:
        python = sys.executable
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        print(f"No Python {PYTHONS[pair]} here: the {pair} versions are tested on {version}.")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        own = [str(Path(folder, "bin", "python")), "-m"]
        options = ("-qq", "--no-deps", "--no-compile", "--disable-pip-version-check")
        install = [*own, "pip", "install", *options]
        pins = [
            *pinned("setuptools", pair),
            *(pin for pin in pinned("run", "dev", "view", "apps", "build") if other(pin)),
        ]
        subprocess.run([*install, *pins], check=True)
        subprocess.run([*install, "--no-build-isolation", source_distribution(folder)], check=True)
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "src" / "dyn_core" / "test"),
            "DYN_CORE_CACHE": f"{folder}/cache",
        }
        tests = [f"src/dyn_core/test/{name}" for name in TESTS]
        command = [*own, "pytest", "-n", "logical", "-p", "no:cacheprovider", *tests, *arguments]
        sys.exit(subprocess.run(command, cwd=ROOT, env=environment).returncode)


def source_distribution(folder: str) -> str:
    """The package as it would be uploaded, made of a copy of its folder."""
    copy = Path(folder, "dyn_core")
    # The set-up, which may run meanwhile, leaves these.
    made = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src" / "dyn_core", copy, ignore=made)
    setup = [str(Path(folder, "bin", "python")), "setup.py", "-q", "sdist", "--dist-dir", folder]
    subprocess.run(setup, cwd=copy, check=True)
    [archive] = Path(folder).glob("*.tar.gz")
    return str(archive)


def interpreter(version: str) -> str | None:
    """A Python of this version that runs: on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    on_path = shutil.which(f"python{version}")
    found = sorted(str(path) for path in pyenv.glob(f"{version}.*/bin/python"))
    for python in [*([on_path] if on_path else []), *found]:
        answer = subprocess.run([python, "--version"], capture_output=True, text=True)
        if answer.returncode == 0 and answer.stdout.startswith(f"Python {version}."):
            return python
    return None


def pinned(*names: str) -> list[str]:
    """The pins of some files in requirements/."""
    texts = [(ROOT / "requirements" / f"{name}.txt").read_text() for name in names]
    lines = "\n".join(texts).splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def other(pin: str) -> bool:
    """Whether a pin is of a package that the tests import beside those of the pair."""
    return re.split(r"[=;\s]", pin)[0] in OTHERS


if __name__ == "__main__":
    main(*sys.argv[1:])
