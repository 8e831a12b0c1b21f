# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Commands in the guides: targets, options, nodes, topics and files are there."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import dyn_core
import dyn_ros.launch_arguments
from dyn_ros.registry import NODES, PROGRAMS, node_class

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TYPED = re.compile(r"^(?:```|~~~)\w*\n(.*?)^(?:```|~~~)$", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
OPEN = re.compile(r"(?<=[,{])\n\s*")
"""Ends of lines within the YAML of a message."""
BEGINS = re.compile(r"(?:[A-Z_]+=\S+ )*(make|dyn-core|ros2) ")
OTHERS = {"/diagnostics", "/joint_states"}
"""Topics that are no node's own."""


@cache
def commands(page: Path) -> list[str]:
    """The commands of a page: in blocks, in tables and in sentences."""
    text = re.sub(r"\\\n\s*", "", page.read_text(encoding="utf-8"))
    typed, rest = "\n".join(TYPED.findall(text)), TYPED.sub("", text)
    lines = [line for line in rest.splitlines() if line.startswith("    ")]
    lines += OPEN.sub(" ", typed).splitlines()
    quoted = [" ".join(x.split()) for x in QUOTED.findall(rest)]
    found = [part.strip() for line in [*lines, *quoted] for part in line.split(" && ")]
    return sorted({command for command in found if BEGINS.match(command)})


def words(start: str) -> list[Any]:
    """All commands that start so, as their words without comments, named by page and command."""
    return [
        pytest.param(shlex.split(command, comments=True), id=f"{page.stem}: {command[:60]}")
        for page in PAGES
        for command in commands(page)
        if re.match(rf"(?:[A-Z_]+=\S+ )*{start}(?: |$)", command)
    ]


@pytest.mark.parametrize("line", words("make"))
def test_targets_of_make(line: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text()
    names = [word for word in line if "=" not in word and not word.startswith("-")]
    for target in names[1:]:
        assert f"\n{target}:" in makefile
    for variable in (word.partition("=")[0] for word in line[line.index("make") + 1 :]):
        assert (
            variable in names or f"$({variable})" in makefile or f"$(or $({variable})" in makefile
        )


@pytest.mark.parametrize("line", words("dyn-core"))
def test_options_of_dyn_core(line: list[str]) -> None:
    command = import_module("typer.main").get_command(import_module("dyn_core.cli.app").app)
    rest = line[1:]
    while rest and hasattr(command, "commands"):
        assert rest[0] in command.commands
        command = command.commands[rest.pop(0)]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= known


def arguments(path: Path) -> set[str]:
    """The arguments that a launch file declares, also by names of dyn_ros.launch_arguments."""
    names: set[str] = set()
    for table in (x for x in ast.walk(ast.parse(path.read_text())) if isinstance(x, ast.Dict)):
        names |= {str(key.value) for key in table.keys if isinstance(key, ast.Constant)}
        for name in (x.id for x in ast.walk(table) if isinstance(x, ast.Name)):
            value = getattr(dyn_ros.launch_arguments, name, ())
            names |= {value} if isinstance(value, str) else set(value)
    return names


@pytest.mark.parametrize("line", words("ros2 launch dyn_ros"))
def test_launch_files_and_their_arguments(line: list[str]) -> None:
    folder = ROOT / "src" / "dyn_ros"
    assert (folder / "launch" / line[3]).exists()
    given = dict(word.split(":=", 1) for word in line[4:] if ":=" in word)
    assert set(given) <= arguments(folder / "launch" / line[3])
    for name in given.get("nodes", "").split(","):
        assert name in ("", *NODES)
    file = given.get("params_file", "").partition("/config/")[2]
    assert (folder / "config" / file).exists()


@pytest.mark.parametrize("line", words("ros2 run dyn_ros"))
def test_executables_and_their_options(line: list[str]) -> None:
    name = line[3]
    assert name in {**NODES, **PROGRAMS}
    options = [word for word in line[4:] if word.startswith("--") and word != "--ros-args"]
    source = Path(import_module(PROGRAMS[name]).__file__ or "").read_text() if options else ""
    assert all(f'"{option}"' in source for option in options)


@pytest.mark.parametrize("line", words("ros2 (?:service call|topic (?:echo|pub)|lifecycle get) .*"))
def test_names_and_types_of_topics_and_services(line: list[str]) -> None:
    line = [word.replace("$node", "gravity_compensation") for word in line]  # of a loop
    name = next(word for word in line if word.startswith("/"))
    node, _, own = name[1:].partition("/")
    assert name in OTHERS or node in NODES
    section = tables(node)
    if own:
        section += (ROOT / "docs" / "interfaces.md").read_text().partition(" nodes: services")[2]
        assert f"`~/{own}`" in section
    after = line[line.index(name) + 1 :]
    if line[1] == "service" or line[2] == "pub":
        package, folder, kind = after[0].split("/")
        message = getattr(import_module(f"{package}.{folder}"), kind)
        message = message.Request if folder == "srv" else message
        fields_fit(message, yaml.safe_load(after[1].replace("...", "0")))
        assert after[0] in section or f"{package}/{kind}" in section
    elif "--field" in after:
        (kinds,) = (
            re.findall(rf"`~/{own}`.*?(\w+)/(?:msg/)?(\w+)", section)
            if own
            else [("sensor_msgs", "JointState")]
        )
        message = getattr(import_module(f"{kinds[0]}.msg"), kinds[1])
        assert after[after.index("--field") + 1] in message.get_fields_and_field_types()


def fields_fit(message: Any, values: dict[str, Any]) -> None:
    """Assert that a message has all fields that are given, also those of its parts."""
    fields = message.get_fields_and_field_types()
    assert set(values) <= set(fields), message
    for name, value in values.items():
        part = re.sub(r"sequence<(.*?)(, \d+)?>", r"\1", fields[name])
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                package, kind = part.split("/")
                fields_fit(getattr(import_module(f"{package}.msg"), kind), item)


def tables(name: str) -> str:
    """The tables of a node in interfaces.md."""
    table = (ROOT / "docs" / "interfaces.md").read_text()
    return table.partition(f"\n## {name}: ")[2].partition("\n## ")[0]


def overview(name: str) -> str:
    """What nodes_overview.md has of a node."""
    page = (ROOT / "docs" / "nodes_overview.md").read_text()
    return page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", NODES)
def test_the_overview_names_what_a_node_has(name: str) -> None:
    """Its topics and parameters; below a command stands YAML of the message that it shows."""
    own, section = tables(name), overview(name)
    topics = set(re.findall(r"`~/[a-z_/0-9]+`", section))
    assert {topic for topic in topics if topic not in own} == set()
    listed = " ".join(re.findall(r"^\* Parameters: (.*?)\.$", section, re.DOTALL | re.MULTILINE))
    known = {setting.name for setting in node_class(name).all_settings()}
    assert set(re.findall(r"`([^`]+)`", listed)) <= known
    for call, topic, answer in re.findall(
        r"ros2 (?:service call \S+ (\S+)|topic echo --once \S*/(\w+)).*?```\n\n```yaml\n(.*?)```",
        section,
        re.DOTALL,
    ):
        kind = call or re.findall(rf"`~/{topic}` \| out \| (\S+)", own)[0].replace("/", "/msg/")
        package, folder, word = kind.split("/")
        message = getattr(import_module(f"{package}.{folder}"), word)
        fields_fit(message.Response if call else message, yaml.safe_load(answer))


def test_efforts_of_the_overview_are_those_of_the_arm() -> None:
    model = dyn_core.Model.from_urdf(str(ROOT / "src/dyn_ros/config/robots/ur5.urdf"))
    poses = {"gravity_compensation": [0.0], "inverse_dynamics": [0.0, -1.0, 1.0]}
    for name, q in {**poses, "computed_torque": [0.0, -0.3, 0.5]}.items():
        text = re.findall(r"^effort: (.*)$", overview(name), re.MULTILINE)[0]
        efforts = dyn_core.generalized_gravity(model, np.resize([*q, *[0.0] * 6], 6))
        assert np.allclose(yaml.safe_load(text), efforts, atol=0.005)


@pytest.mark.parametrize("start", ["make", "dyn-core", "ros2 launch", "ros2 service", "ros2 topic"])
def test_the_guides_have_such_commands(start: str) -> None:
    """Or the tests above would have found nothing."""
    assert len(words(start)) > 3
