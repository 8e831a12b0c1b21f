# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Every row of the bad-input policy is declared once, and has a test."""

from __future__ import annotations

from pathlib import Path

from dyn_ros.inputs.bad_input import ANSWERS
from dyn_ros.node.settings import Setting
from dyn_ros.registry import NODES, node_class

PREFIX = "bad_input."


def rows() -> dict[str, Setting]:
    """Return the parameters of the policy by name, of all nodes."""
    settings = [x for name in NODES for x in node_class(name).all_settings()]
    return {x.name: x for x in settings if x.name.startswith(PREFIX)}


def test_every_row_has_a_test() -> None:
    """Named by its parameter, or by the reason that diagnostics count."""
    own = Path(__file__)
    texts = [path.read_text() for path in own.parent.glob("test_*.py") if path != own]
    for name in rows():
        reason = name.removeprefix(PREFIX)
        words = (reason, reason.replace("_", " "))
        assert any(word in text for text in texts for word in words), f"{name} has no test"


def test_every_row_offers_the_four_answers_and_means_the_same_everywhere() -> None:
    table = rows()
    for name, row in table.items():
        assert set(ANSWERS) <= set(row.choices), name
    for node in NODES:
        for setting in node_class(node).all_settings():
            assert setting == table.get(setting.name, setting), f"{setting.name} of {node}"
