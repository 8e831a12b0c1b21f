# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Layouts for RViz, PlotJuggler and Foxglove of any robot, made of those in config for a UR5."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import dyn_core
from dyn_core.model import FrameType
from dyn_ros.inputs.robot_state import scalar_names
from dyn_ros.kernels.robot import load_model, root_link

FILES = ("dynamics.rviz", "plotjuggler.xml", "foxglove.json")
ROOT, TOOL = "base_link", "tool0"  # of the UR5
COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#17becf")
CURVE = re.compile(r' *<curve name="/(?:joint_states/[^/"]+/\w+|[^"]+\[\d+\])" color="[^"]+"/>\n')


def write_layouts(
    description: str, config: Path, folder: Path, ignore: tuple[str, ...] = ()
) -> list[Path]:
    """Write the layouts of a robot into a folder, which is made; return their paths.

    `config` is the folder of those of the UR5, `ignore` the nodes' parameter. Raises ValueError if
    the description cannot be used, OSError if the folder cannot.
    """
    model = load_model(description, massless=True, ignore=ignore)
    texts = {name: (config / name).read_text(encoding="utf-8") for name in FILES}
    folder.mkdir(parents=True, exist_ok=True)
    written = dict(zip(FILES, layouts(model, *texts.values()), strict=True))
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in FILES]


def layouts(model: dyn_core.Model, rviz: str, plotjuggler: str, foxglove: str) -> tuple[str, ...]:
    """Return the texts for a robot, in the order of FILES."""
    joints = scalar_names(model)
    plots = re.sub(
        rf"(?:{CURVE.pattern})+", lambda curves: "".join(_curves(curves[0], joints)), plotjuggler
    )
    return (
        rviz.replace(ROOT, root_link(model)).replace(TOOL, _tip(model)),
        plots.replace("the UR5", model.name),
        json.dumps(_of_joints(json.loads(foxglove), model, joints), indent=2) + "\n",
    )


def _curves(lines: str, joints: Sequence[str]) -> Iterator[str]:
    """Return the lines of curves, one for each joint, like the first of those of the UR5."""
    first = lines.splitlines(keepends=True)[0]
    for i, (joint, color) in enumerate(zip(joints, cycle(COLORS), strict=False)):
        line = re.sub(r'color="[^"]+"', f'color="{color}"', first)
        line = re.sub(r"\[\d+\]", f"[{i}]", line)
        before, topic, after = line.partition("/joint_states/")
        yield before + topic + (escape(joint) + after[after.index("/") :] if topic else "")


def _of_joints(layout: Any, model: dyn_core.Model, joints: Sequence[str]) -> Any:
    for panel in layout["configById"].values():
        if "followTf" in panel:
            panel["followTf"] = root_link(model)
        paths = panel.get("paths", [])
        if paths and paths[0]["value"].endswith("]"):
            stem = paths[0]["value"].rpartition("[")[0]
            panel["paths"] = [
                {**paths[0], "value": f"{stem}[{i}]", "label": joint}
                for i, joint in enumerate(joints)
            ]
    return layout


def _tip(model: dyn_core.Model) -> str:
    """Return the last link: where a tool is, or nothing on purpose."""
    return [frame.name for frame in model.frames if frame.type is FrameType.BODY][-1]
