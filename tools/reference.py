"""Writes config/dynamics.yaml, docs/parameters.md and docs/interfaces.md from the nodes.

tools/in_ros.sh .venv/kilted .build/kilted/install -- python tools/reference.py
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

import yaml

from dyn_ros.base.settings import Setting
from dyn_ros.registry import NODES, node_class

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 100

YAML_HEAD = """\
# Parameters of the dynamics nodes with their default values, written by tools/reference.py from
# what the nodes declare; `ros2 param describe` says the same. Those marked (live) may change while
# a node is configured; for the others clean up the node first. What several nodes declare alike is
# at the top, for all of them; a section of a node further down has precedence.
# joint_states is subscribed best effort, depth 10:
# qos_overrides./joint_states.subscription.reliability: reliable
# qos_overrides./joint_states.subscription.depth: 100
"""
MARKDOWN_HEAD = """\
# Parameters of the nodes

Written by `tools/reference.py` from what the nodes declare. *Live* parameters may change while a
node is configured and are in force at once; the others are read by configure, and a change is
refused until the node is cleaned up. Every change is checked together with all other values.
"""


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
    return MARKDOWN_HEAD + "".join(_table(name) for name in NODES)


FILES = {
    "config/dynamics.yaml": parameter_file,
    "docs/parameters.md": parameter_table,
    **run_path(str(Path(__file__).with_name("interfaces.py")))["FILES"],
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


def _table(name: str) -> str:
    lines = [
        f"\n## {name}: {NODES[name].summary}\n",
        "| parameter | type | default | live | meaning |",
        "|---|---|---|---|---|",
    ]
    for setting in node_class(name).all_settings():
        kind = setting.type.name.lower().replace("_", " ")
        live = "live" if setting.live else ""
        meaning = setting.description + _allowed(setting)
        lines.append(
            f"| `{setting.name}` | {kind} | `{_plain(setting.default)}` | {live} | {meaning} |"
        )
    return "\n".join(lines) + "\n"


def _allowed(setting: Setting) -> str:
    if setting.choices:
        return f". One of: {', '.join(setting.choices)}"
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
    for path, text in FILES.items():
        (ROOT / path).write_text(text(), encoding="utf-8")
