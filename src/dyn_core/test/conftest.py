# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Fixtures: each robot in turn, the arm of identification, and a cache folder of the tests' own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from audited import FAST
from robots import ROBOT_FILES, Robot, load

from dyn_core import Model, audit

if TYPE_CHECKING:
    from dyn_core.identification import BaseParameters, Excitation


REPRESENTATIVE = ("ur5", "hyq")
"""A fixed arm and a floating base; `make test-thorough` takes the other robots."""


@pytest.fixture(
    params=[
        name if name in REPRESENTATIVE else pytest.param(name, marks=pytest.mark.thorough)
        for name in ROBOT_FILES
    ]
)
def robot(request: pytest.FixtureRequest) -> Robot:
    """Each robot in turn."""
    return load(request.param)


@pytest.fixture
def unknown_arm() -> ModuleType:
    """What identification is tested with; it needs what writes bags, which few other tests do."""
    import unknown_arm

    return unknown_arm


@pytest.fixture
def model(unknown_arm: ModuleType) -> Model:
    """The arm that identification is tested with, as described."""
    return unknown_arm.model()


@pytest.fixture
def base(unknown_arm: ModuleType) -> BaseParameters:
    """Its base parameters."""
    return unknown_arm.base()


@pytest.fixture
def motion(unknown_arm: ModuleType) -> Excitation:
    """A motion that excites it."""
    return unknown_arm.motion()


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., audit.Robot]:
    """Reads a robot that is to be audited from a text."""

    def reader(text: str, settings: audit.Settings = FAST, **options: object) -> audit.Robot:
        file = tmp_path / "arm.urdf"
        file.write_text(text)
        return audit.read_robot(file, settings, **options)

    return reader


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory):
    """Compiled code goes to a folder of this run, which its workers share, unless one is given."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DYN_CORE_VERIFY", "1")
        if "DYN_CORE_CACHE" not in os.environ:
            patch.setenv("DYN_CORE_CACHE", str(shared / "cache"))
        yield
