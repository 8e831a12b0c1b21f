# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tables of topics, services and diagnostics of the nodes, as they are while a node is active."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Container, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import rclpy
from rclpy.action import get_action_server_names_and_types_by_node
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions

from dyn_ros.node.report import EVERYWHERE, Report, facts
from dyn_ros.process.domain import DomainReservation
from dyn_ros.registry import NODES, node_class

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "src" / "dyn_core" / "test"))

from robots import example_robots  # noqa: E402

UR5 = ROOT / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
HUMANOID = example_robots() / "simple_humanoid_description" / "urdf" / "simple_humanoid.urdf"
NAMESPACE = "/namespace"
REQUESTS = ("service", "action")
HEAD = """\
# Topics, services and diagnostics of the nodes

Written by `tools/reference.py` from the active nodes. [What the nodes do](nodes_overview.md)
explains each. What several nodes have is at the end. Names are relative to the namespace of a
node; `~` is the node's name. Every node also has the services of its lifecycle (`~/change_state`,
`~/get_state`, ...) and of its parameters; with `use_sim_time` it reads `/clock`. Diagnostics are
the keys of its status on `/diagnostics`. Counts of refused messages, and ages of messages on other
topics, follow them once there are any.
"""
# Parameters that bring more topics, one after the other.
VARIANTS: tuple[tuple[str, Any], ...] = (
    ("use_sim_time", True),
    ("gravity_source", "imu"),
    ("floating_base", True),
    ("wrench_topics", ["~/wrench"]),
    ("wrench_frames", ["tool0"]),
    ("command_interface", "velocity"),
    ("tool", "tool0, forearm_link"),
)


# Parameters of nodes that do not work for a UR5 without any.
EXAMPLES: dict[str, dict[str, Any]] = {
    "robot_sim": {"urdf_file": str(UR5)},
    "cop_filter": {
        "robot_description": re.sub(  # the limits of its file are another joint's
            r'lower="[^"]*"', 'lower="-3"', HUMANOID.read_text(encoding="utf-8")
        ),
        "feet": ["l_ankle", "r_ankle"],
        "ankle_height": 0.1,
        "posture": ", ".join(
            f"{side}LEG_{joint}"
            for side in "LR"
            for joint in ("HIP_P=0.3", "KNEE=-0.6", "ANKLE_P=0.3")
        ),
    },
}


class Interface(NamedTuple):
    """A topic or service of a node."""

    name: str
    direction: str  # in, out, service
    kind: str
    qos: str


def interfaces_document() -> str:
    """Return docs/interfaces.md."""
    with DomainReservation() as reservation:  # no other process sees the nodes
        context = rclpy.Context()
        rclpy.init(
            args=["--ros-args", "--log-level", "fatal"],
            context=context,
            domain_id=reservation.domain,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        try:
            found = {name: _find(name, context) for name in NODES}
        finally:
            context.try_shutdown()
    tables = {name: _tables(name, found[name]) for name in NODES}
    shared = {of: _shared(tables, of) for of in range(3)}
    rows = {row for groups in shared.values() for group in groups.values() for row in group}
    sections = [_section(name, tables[name], rows) for name in NODES]
    sections += [_shared_section(of, groups) for of, groups in shared.items()]
    return HEAD + "".join([*sections, _types()])


class Found(NamedTuple):
    """What a node has."""

    rows: list[tuple[Interface, str]]  # and with which parameter only
    keys: list[str]  # of its diagnostics


def _find(name: str, context: rclpy.Context) -> Found:
    """Look at a node with its usual parameters, then with each of VARIANTS that it knows."""
    usual, keys = _look_at(name, context)
    rows = [(interface, "") for interface in usual]
    known = {setting.name for setting in node_class(name).all_settings()}
    if name == "robot_sim":  # the others listen to what it says then
        known.add("use_sim_time")
    if name == "impedance":  # which has one tool
        known.remove("tool")
    for parameter, value in VARIANTS:
        if parameter in known:
            more, _ = _look_at(name, context, **{parameter: value})
            rows += [(x, f"`{parameter}` {_plain(value)}") for x in more if x not in usual]
    return Found(rows, keys)


Tables = tuple[list[str], list[str], list[str]]
"""Rows of the topics, services and diagnostics of a node."""

TITLES = "topics", "services", "diagnostics"
HEADS = (
    ("| topic | | type | QoS | only with | meaning |", "|---|---|---|---|---|---|"),
    ("| service or action | type | meaning |", "|---|---|---|"),
    ("| diagnostics | meaning |", "|---|---|"),
)


def _tables(name: str, found: Found) -> Tables:
    """Return the rows of a node."""
    topics = [
        f"| `{x.name}` | {x.direction} | {x.kind} | {x.qos} | {only} | {meaning(name, x)} |"
        for x, only in found.rows
        if x.direction not in REQUESTS
    ]
    services = [
        f"| `{x.name}` | {x.kind} | {meaning(name, x)} |"
        for x, _ in found.rows
        if x.direction in REQUESTS
    ]
    return topics, services, [f"| `{key}` | {_declared(name, key)} |" for key in found.keys]


def _shared(tables: dict[str, Tables], of: int) -> dict[str, list[str]]:
    """Return rows that several nodes have, by the nodes; a topic of a node's own is no such row."""
    users: dict[str, list[str]] = {}
    for name, rows in tables.items():
        for row in rows[of]:
            users.setdefault(row, []).append(name)
    groups: dict[str, list[str]] = {}
    for row, names in users.items():
        if len(names) > 1 and (TITLES[of] == "services" or not row.startswith("| `~/")):
            groups.setdefault(among_nodes(names), []).append(row)
    return groups


def _section(name: str, tables: Tables, shared: Container[str]) -> str:
    lines = [f"\n## {name}: {NODES[name].summary}\n"]
    for head, rows in zip(HEADS, tables, strict=True):
        own = [row for row in rows if row not in shared]
        lines += [*head, *own, ""] if own else []
    return "\n".join(lines)


def _shared_section(of: int, groups: dict[str, list[str]]) -> str:
    lines = [f"\n## Several nodes: {TITLES[of]}\n"]
    for nodes, rows in groups.items():
        lines += [f"**{nodes}:**\n", *HEADS[of], *rows, ""]
    return "\n".join(lines)


def among_nodes(names: Collection[str]) -> str:
    """Return which nodes these are, by those that they are or those that they are not."""
    others = [name for name in NODES if name not in names]
    if len(others) < len(names):
        return f"All nodes but {', '.join(others)}" if others else "All nodes"
    return ", ".join(names)


def meaning(node: str, interface: Interface) -> str:
    """Return what a topic or service is for: what the node declares, or its file in dyn_msgs."""
    package, _, word = interface.kind.partition("/")
    if (interface.name, interface.direction) == ("/diagnostics", "in"):
        return "whether the controller is active, and whether other nodes command the same joints"
    try:
        return _declared(node, interface.name)
    except ValueError:
        if package != "dyn_msgs":
            raise
        return _first_sentence(next((ROOT / "src" / "dyn_msgs").glob(f"*/{word}.*")))


def _declared(node: str, name: str) -> str:
    """Return what a node declares of a topic, service or diagnostics key.

    Raises ValueError if it says nothing.
    """
    of_node = node_class(node)
    for declared in (EVERYWHERE, of_node.ABOUT, *(part.ABOUT for part in of_node.PARTS)):
        for pattern, meaning in declared.items():
            if name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1])):
                return meaning
    raise ValueError(f"{node}: say in ABOUT what '{name}' is, where it is made")


def _plain(value: Any) -> str:
    return ", ".join(f"`{x}`" for x in value) if isinstance(value, list) else str(value).lower()


def _look_at(
    name: str, context: rclpy.Context, **parameters: Any
) -> tuple[list[Interface], list[str]]:
    """Return the interfaces of a node that is activated, and the keys of its diagnostics.

    Nothing if it cannot be with `parameters`. Raises ValueError if it cannot be without any.
    """
    usual = {"robot_description": UR5.read_text(encoding="utf-8")}
    given = {**EXAMPLES.get(name, usual), **parameters}
    overrides = [Parameter(key, value=value) for key, value in given.items()]
    options = {"namespace": NAMESPACE, "context": context}
    plain = LifecycleNode("plain", **options)
    node = node_class(name)(parameter_overrides=overrides, **options)
    found: list[Interface] = []
    report = Report()
    if node.trigger_configure() is TransitionCallbackReturn.SUCCESS:
        node.trigger_activate()
    if node.active:
        report.values.update(facts(node.model))
        for part in (*node.parts, node):
            part.report(report)
        others = set(_interfaces(node)) - set(_interfaces(plain))
        found = sorted(others, key=lambda x: (x.direction, x.name))
        node.trigger_deactivate()
        node.trigger_cleanup()
    elif not parameters:
        raise ValueError(f"{name} cannot be activated: give it parameters in EXAMPLES")
    node.destroy_node()
    plain.destroy_node()
    return found, list(report.values)


def _interfaces(node: Any) -> Iterator[Interface]:
    for publisher in node.publishers:
        yield _topic(node, publisher.topic_name, "out", publisher)
    for subscription in node.subscriptions:
        yield _topic(node, subscription.topic_name, "in", subscription)
    for service in node.services:
        name = node.resolve_service_name(service.srv_name)
        yield Interface(_short(node, name), "service", _kind(service.srv_type), "")
    own = node.get_name(), node.get_namespace()
    for name, kinds in get_action_server_names_and_types_by_node(node, *own):
        yield Interface(_short(node, name), "action", kinds[0].replace("/action/", "/"), "")


def _topic(node: Any, name: str, direction: str, endpoint: Any) -> Interface:
    kind = _kind(endpoint.msg_type)
    return Interface(_short(node, name), direction, kind, _describe(endpoint.qos_profile))


def _short(node: Any, name: str) -> str:
    own = node.get_fully_qualified_name()
    if name.startswith(f"{own}/"):
        return f"~{name.removeprefix(own)}"
    return name.removeprefix(f"{NAMESPACE}/")


def _kind(kind: Any) -> str:
    return f"{kind.__module__.split('.')[0]}/{kind.__name__}"


def _describe(qos: QoSProfile) -> str:
    reliable = qos.reliability == ReliabilityPolicy.RELIABLE
    latched = qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
    return ", ".join(
        [
            "reliable" if reliable else "best effort",
            f"depth {qos.depth}",
            *(["transient local"] if latched else []),
        ]
    )


def _types() -> str:
    """What dyn_msgs has, each with the first sentence of its file."""
    lines = ["\n## Types of dyn_msgs\n", "| type | what it is |", "|---|---|"]
    for folder, ending in (("msg", "*.msg"), ("srv", "*.srv")):
        for path in sorted((ROOT / "src" / "dyn_msgs" / folder).glob(ending)):
            lines.append(
                f"| [{path.stem}](../{path.relative_to(ROOT)}) | {_first_sentence(path)} |"
            )
    return "\n".join(lines) + "\n"


def _first_sentence(path: Path) -> str:
    """Of what a file says below its header."""
    _, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    lines = takewhile(lambda line: line.startswith("# "), text.splitlines())
    comments = [line.removeprefix("# ") for line in lines]
    return " ".join(comments).partition(". ")[0].rstrip(".:") + "."


FILES = {"docs/interfaces.md": interfaces_document}
