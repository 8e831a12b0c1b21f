"""One list names the nodes, and every name in it can be run."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import distribution

import pytest

from dyn_ros import executables
from dyn_ros.registry import NODES, PROGRAMS, node_class


def test_every_entry_is_an_executable() -> None:
    scripts = {
        script.name: script.value
        for script in distribution("dyn_ros").entry_points
        if script.group == "console_scripts"
    }
    names = [*NODES, *PROGRAMS]
    assert scripts == {name: f"dyn_ros.executables:{name}" for name in names}


@pytest.mark.parametrize("name", NODES)
def test_a_node_is_where_the_registry_says(name: str) -> None:
    kind = node_class(name)
    assert kind.__module__ == NODES[name].module
    assert callable(getattr(executables, name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_a_main(name: str) -> None:
    assert callable(import_module(PROGRAMS[name]).main)


def test_other_names_are_no_executables() -> None:
    with pytest.raises(AttributeError, match="no executable 'teleport'"):
        _ = executables.teleport
