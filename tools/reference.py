# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Write config/dynamics.yaml, docs/parameters.md and docs/interfaces.md from declarations.

    tools/environment.py development python tools/reference.py

`make docs` does so, and writes the other pages.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

import usage  # noqa: F401

# isort: split
import yaml

from dyn_ros.node.settings import Setting
from dyn_ros.registry import NODES, node_class

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 120

YAML_HEAD = """\
# Parameters of the dynamics nodes with their default values, written by tools/reference.py from
# the declarations; `ros2 param describe` prints them too. A parameter marked (live) may change
# while a node is configured; to change another one, clean up the node first. Parameters of several
# nodes are at the top; a section of a node further down has precedence.
# These lines change the QoS of the subscription to joint_states:
# qos_overrides./joint_states.subscription.reliability: reliable
# qos_overrides./joint_states.subscription.depth: 10
"""
MARKDOWN_HEAD = """\
# Parameters of the nodes

Written by `tools/reference.py` from the declarations of the nodes. *Live* parameters may change
while a node is configured, and take effect at once. All other parameters are read when the node is
configured; a change is refused until the node is cleaned up. Every change is checked together with
all other values. Parameters of several nodes come first, then those of each node, then those of the
C++ controllers.
"""
PLUGINS = ROOT / "src" / "dyn_controllers" / "plugins"
CONTROLLERS = {
    "effort_controller": "The controllers of dyn_controllers",
    "gravity_compensation": "GravityCompensation of dyn_controllers alone",
    "computed_torque": "ComputedTorque of dyn_controllers alone",
    "cartesian_impedance": "CartesianImpedance of dyn_controllers alone",
}


def parameter_file() -> str:
    """Return config/dynamics.yaml."""
    shared = _shared_settings()
    sections = [_section("/**", shared)]
    for name in NODES:
        own = [setting for setting in node_class(name).all_settings() if setting not in shared]
        sections += [_section(f"/**/{name}", own)] if own else []
    return YAML_HEAD + "".join(sections)


def parameter_table() -> str:
    """Return docs/parameters.md."""
    shared = _shared_settings()
    groups: dict[str, list[Setting]] = {}
    for setting in shared:
        groups.setdefault(_declaring(setting), []).append(setting)
    tables = ["\n## Several nodes\n"]
    tables += [f"\n**{nodes}:**\n\n{_rows(settings)}" for nodes, settings in groups.items()]
    for name in NODES:
        own = [setting for setting in node_class(name).all_settings() if setting not in shared]
        tables += [_table(f"{name}: {NODES[name].summary}", own)] if own else []
    return MARKDOWN_HEAD + "".join([*tables, *map(_controller, CONTROLLERS)])


INTERFACES = run_path(str(Path(__file__).with_name("interfaces.py")))
FILES = {
    "config/dynamics.yaml": parameter_file,
    "docs/parameters.md": parameter_table,
    **INTERFACES["FILES"],
}


def _shared_settings() -> list[Setting]:
    """Return what more than one node declares, in the order in which it first appears."""
    declared = [setting for name in NODES for setting in node_class(name).all_settings()]
    first = [x for i, x in enumerate(declared) if x not in declared[:i]]
    return [x for x in first if declared.count(x) > 1]


def _section(nodes: str, settings: Sequence[Setting]) -> str:
    lines = [f"\n{nodes}:", "  ros__parameters:"]
    for setting in settings:
        comment = setting.description + (" (live)" if setting.live else "") + _allowed(setting)
        lines += textwrap.wrap(comment, WIDTH, initial_indent="    # ", subsequent_indent="    # ")
        lines.append(f"    {setting.name}: {_plain(setting.default)}")
    return "\n".join(lines) + "\n"


def _table(title: str, settings: Sequence[Setting]) -> str:
    return f"\n## {title}\n\n{_rows(settings)}"


def _rows(settings: Sequence[Setting]) -> str:
    """Return a table of settings."""
    lines = [_row(("parameter", "type", "default", "live", "meaning")), "|---" * 5 + "|"]
    for setting in settings:
        kind = "bool or text" if setting.mixed else setting.type.name.lower().replace("_", " ")
        live = "live" if setting.live else ""
        meaning = setting.description + _allowed(setting)
        names = f"`{setting.name}`", kind, f"`{_plain(setting.default)}`", live
        lines.append(_row((*names, meaning)))
    return "\n".join(lines) + "\n"


def _controller(name: str) -> str:
    """Return the table of what generate_parameter_library declares for controllers."""
    text = (PLUGINS / f"{name}_parameters.yaml").read_text(encoding="utf-8")
    (declared,) = yaml.safe_load(text).values()
    head = ("parameter", "type", "default", "live", "meaning")
    lines = [f"\n## {CONTROLLERS[name]}\n", _row(head), "|---" * len(head) + "|"]
    for parameter, entry in flat(declared):
        default = f"`{_plain(entry['default_value'])}`" if "default_value" in entry else "required"
        live = "" if entry.get("read_only") else "live"
        meaning = entry["description"] + _validated(entry.get("validation", {}))
        kind = entry["type"].replace("_", " ")
        lines.append(_row((f"`{parameter}`", kind, default, live, meaning)))
    return "\n".join(lines) + "\n"


def flat(declared: dict[str, Any], group: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and declaration of each parameter of a file of generate_parameter_library."""
    for name, entry in declared.items():
        if "type" in entry:
            yield group + name, entry
        else:
            yield from flat(entry, f"{group}{name}.")


def _validated(rules: dict[str, Any]) -> str:
    """Return what the rules of generate_parameter_library allow, in words."""
    if "one_of<>" in rules:
        return f". One of: {', '.join(rules['one_of<>'][0])}"
    if "bounds<>" in rules:
        lowest, highest = rules["bounds<>"]
        return f". From {lowest:g} to {highest:g}"
    return ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _declaring(setting: Setting) -> str:
    """Return the nodes that declare a setting."""
    return INTERFACES["among_nodes"](
        [name for name in NODES if setting in node_class(name).all_settings()]
    )


def _allowed(setting: Setting) -> str:
    if setting.choices:
        return f". One of: {setting.allowed}"
    if setting.limits:
        lowest, highest = setting.limits
        return f". From {lowest:g} to {highest:g}"
    return ""


def _plain(value: Any) -> str:
    """Return a value as YAML writes it."""
    if isinstance(value, str) and value:
        return value
    style = '"' if value == "" else None
    return yaml.safe_dump(value, default_style=style, default_flow_style=True).split("\n")[0]


if __name__ == "__main__":
    try:
        written = {path: text() for path, text in FILES.items()}
    except ValueError as error:
        raise SystemExit(f"nothing is written: {error}") from error
    for path, text in written.items():
        (ROOT / path).write_text(text, encoding="utf-8")
