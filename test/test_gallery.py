# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The gallery shows every example, with a picture that the example draws itself."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 90_000
"""Bytes of a picture: all of them travel with every clone."""
LONG = (
    "humanoid_on_one_leg",
    "numba_control_loop",
    "quadruped_trot",
    "ur5_identification",
    "walking",
)
"""Take long: their motions run in tests of their own."""


def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "tools" / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


GALLERY = module()
DRAWN = [name for name, tree in GALLERY.examples().items() if GALLERY.caption(tree) is not None]


def test_the_page_is_that_of_the_examples() -> None:
    """Run `make gallery GALLERY_ARGS=NAME` after a change of an example."""
    assert (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8") == GALLERY.page()
    without = {"casadi_reach", "casadi_trot", "learn_masses", "optimize_throw"}
    without |= {"ros_inverse_dynamics", "ros_without_cli"}
    assert set(GALLERY.examples()) - set(DRAWN) == without


def test_every_picture_is_there_and_small_and_none_is_left_over() -> None:
    pictures = {path.stem: path.stat().st_size for path in GALLERY.PICTURES.glob("*")}
    assert set(pictures) == {*DRAWN, *(notebook.stem for notebook in GALLERY.NOTEBOOKS)}
    assert {name: size for name, size in pictures.items() if size > LARGEST} == {}


@pytest.mark.quick("reach")
@pytest.mark.parametrize("name", sorted({*DRAWN} - {*LONG}))
def test_an_example_draws_its_picture(name: str, tmp_path: Path) -> None:
    shorter = {"motions": 16, "controls": 8} if name == "mppi_panda" else {}
    path = GALLERY.draw(name, tmp_path, **shorter)
    assert path.read_bytes()[8:12] == b"WEBP"
    assert path.stat().st_size > 2000  # something is on it
