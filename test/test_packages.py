# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What packages, their metadata, requirement files and messages have to agree on."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.metadata import Distribution, distribution
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

import pytest
import yaml
from packaging.requirements import Requirement

import dyn_core.extras
import dyn_core.version
import dyn_ros.version
from dyn_core.extras import command
from dyn_ros.registry import PROGRAMS

ROOT = Path(__file__).resolve().parents[1]
COMMON_PINS = ("setuptools", "run", "build", "view", "apps", "dev")
DISTRIBUTIONS = {"dyn_core": "dyn-suite", "dyn_ros": "dyn-suite-ros"}
"""The name of each Python package where pip looks for it."""
PYTHONS = ("3.10", "3.13")
"""The oldest and the newest that are tested."""
READ = (".md", ".py", ".toml", ".txt", ".yaml", ".yml", ".sh")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(package: Distribution) -> set[str]:
    """The names of all that a distribution requires, its extras included."""
    return {canonical(re.match(r"[\w.-]+", text)[0]) for text in package.requires or []}


@pytest.mark.parametrize("package", DISTRIBUTIONS)
def test_metadata_and_manifest_agree(package: str) -> None:
    metadata = distribution(DISTRIBUTIONS[package]).metadata
    manifest = ET.parse(ROOT / "src" / package / "package.xml")
    assert manifest.findtext("name") == package
    assert metadata["Version"] == manifest.findtext("version")
    assert metadata["License"] == manifest.findtext("license")
    assert metadata["Author"] == manifest.findtext("maintainer")
    assert metadata["Author-email"] == manifest.find("maintainer").get("email")


def test_packages_have_one_version() -> None:
    manifests = [ET.parse(path) for path in sorted(ROOT.glob("src/*/package.xml"))]
    versions = {manifest.findtext("version") for manifest in manifests}
    assert versions == {dyn_core.version.__version__} == {dyn_ros.version.__version__}


@pytest.mark.parametrize("package", ["dyn_controllers", "dyn_core", "dyn_msgs", "dyn_ros"])
def test_package_released_alone_has_the_licence(package: str) -> None:
    assert (ROOT / "src" / package / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_nodes_require_the_library_of_their_version() -> None:
    needed = map(Requirement, distribution(DISTRIBUTIONS["dyn_ros"]).requires or [])
    specifiers = {str(x.specifier) for x in needed if x.name == "dyn-suite" and not x.marker}
    assert specifiers == {f"=={dyn_core.version.__version__}"}


def test_no_requirement_of_ours_names_a_stranger() -> None:
    """On the package index ``dyn_core`` is another project: nothing may install it."""
    names = {name: distribution(name) for name in DISTRIBUTIONS.values()}
    imports = {canonical(package) for package in DISTRIBUTIONS} | {"dyn-msgs"}
    for package in names.values():
        assert not required(package) & imports
    assert canonical(dyn_core.extras.DISTRIBUTION) in {canonical(name) for name in names}
    for path in ROOT.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(ROOT).parts)
        if path.suffix in READ and not hidden and path != Path(__file__):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"pip install [^\n]*(?<![/\w-])dyn_(core|ros|msgs)\b", text), path


def test_every_extra_that_a_message_names_exists() -> None:
    extras = set(distribution(dyn_core.extras.DISTRIBUTION).metadata.get_all("Provides-Extra"))
    package = Path(find_spec("dyn_core").origin).parent
    call = re.compile(r"""optional\(\s*"[\w.]+",\s*[^()]*?(?:extra=)?"(\w+)"\s*\)""")
    named = {x for path in package.rglob("*.py") for x in call.findall(path.read_text())}
    assert {"geometry", "plots", "recordings", "xacro"} <= named <= extras


def test_a_message_has_a_command_that_works_today() -> None:
    """The distribution is on no index yet: a command names what the extra brings."""
    assert command("view", "viser").startswith("pip install pycollada trimesh 'viser>=1.1' (")
    assert command("cli", "typer").startswith("pip install rich typer (")
    for extra in distribution(dyn_core.extras.DISTRIBUTION).metadata.get_all("Provides-Extra"):
        words = shlex.split(command(extra, "").partition(" (")[0])
        assert words[2:], extra
        assert all(Requirement(word).name != dyn_core.extras.DISTRIBUTION for word in words[2:])


def test_a_message_of_sources_without_metadata_names_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dyn_core.extras, "DISTRIBUTION", "nobody-has-this")
    assert command("view", "viser").startswith("pip install viser (")


def pinned(*files: str, python: str) -> list[str]:
    """The names of the packages that requirement files pin for a Python, each exactly."""
    lines = [
        line for x in files for line in (ROOT / "requirements" / f"{x}.txt").read_text().split("\n")
    ]
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"==[\w.]+", str(pin.specifier)) for pin in pins)
    return [
        canonical(pin.name)
        for pin in pins
        if pin.marker is None or pin.marker.evaluate({"python_version": python})
    ]


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("distribution", ["kilted", "jazzy"])
def test_every_requirement_is_pinned_once(distribution: str, python: str) -> None:
    names = pinned(*COMMON_PINS, distribution, python=python)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("python", PYTHONS)
def test_what_packages_can_import_is_pinned(python: str) -> None:
    ours = {canonical(name) for name in DISTRIBUTIONS.values()}
    large = {"jax", "torch"}  # in newest.txt and bard.txt
    for name in DISTRIBUTIONS.values():
        assert required(distribution(name)) - ours - large <= set(
            pinned(*COMMON_PINS, python=python)
        )


def test_the_conda_recipe_is_of_this_version_and_asks_for_the_same() -> None:
    """numpy >=1.26 there is numpy>=1.26 of pip."""
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text())
    assert recipe["context"]["version"] == dyn_core.version.__version__
    ours = distribution(recipe["package"]["name"])
    wanted = [text for text in ours.requires or [] if ";" not in text]
    asked = [text.replace(" ", "") for text in recipe["requirements"]["run"]]
    assert sorted(map(str, map(Requirement, asked))) == sorted(
        str(Requirement(text)) for text in [*wanted, f"python{ours.metadata['Requires-Python']}"]
    )


def test_containers_start_what_is_there() -> None:
    services = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]
    for service in services.values():
        start = service["command"].split()
        assert start[:3:2] == ["ros2", "dyn_ros"]
        launch = start[1] == "launch"
        assert (ROOT / "launch" / start[3]).exists() if launch else start[3] in PROGRAMS
        build = service["build"]
        assert (ROOT / "docker" / build["context"] / build["dockerfile"]).exists()


def test_what_runs_on_arm_is_there() -> None:
    sys.path.append(str(ROOT / "tools"))
    chosen = run_path(str(ROOT / "tools" / "arm_tests.py"))["TESTS"]
    for path, _, name in (test.partition("::") for test in chosen):
        assert f"def {name.partition('[')[0]}" in (ROOT / path).read_text()


def test_hooks_and_citation_have_the_versions_of_the_repository() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    pins = (ROOT / "requirements" / "dev.txt").read_text()
    assert re.search(r"rev: v(.*)", hooks)[1] == re.search(r"^ruff==(.*)$", pins, re.M)[1]
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.*)$", citation, re.M)[1] == dyn_core.version.__version__


@pytest.mark.parametrize("package", ["dyn_controllers", "dyn_core", "dyn_msgs", "dyn_ros"])
def test_package_released_alone_has_a_changelog(package: str) -> None:
    text = (ROOT / "src" / package / "CHANGELOG.rst").read_text()
    assert f"Changelog for package {package}\n" in text


def test_an_executable_without_ros_names_what_is_missing(tmp_path: Path) -> None:
    """As after `pip install ./src/dyn_ros` where no ROS 2 is sourced."""
    code = "import sys; sys.argv[1:] = ['robot_sim']; from dyn_ros.executables import main; main()"
    trees = os.pathsep.join(str(ROOT / "src" / package) for package in DISTRIBUTIONS)
    hidden = "import sys; sys.modules['geometry_msgs'] = None; sys.modules['rclpy'] = None; "
    run = subprocess.run(
        [sys.executable, "-c", hidden + code],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": trees},
    )  # fmt: skip
    assert run.stderr.startswith("robot_sim needs ROS 2 and dyn_msgs, but Python finds no '")
    assert run.stderr.count("\n") == 1
