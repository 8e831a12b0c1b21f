# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot's description in URDF, xacro, MJCF or RBDL's Lua."""

from __future__ import annotations

from collections.abc import Collection

from dyn_core.errors import ModelError
from dyn_core.model.model import Model
from dyn_core.readers.lua import is_lua, model_from_lua
from dyn_core.readers.mjcf import model_from_mjcf
from dyn_core.readers.parsing import Source, is_text, named, parse_xml, read_text
from dyn_core.readers.urdf import model_from_urdf
from dyn_core.readers.xacro import expand_xacro, is_xacro

__all__ = ["Source", "is_mjcf", "is_text", "model_from_description", "text_of"]


def is_mjcf(source: Source) -> bool:
    """Whether a description is MJCF, by its root element; a URDF may hold settings of MuJoCo.

    Raises:
        ModelError: it cannot be read, or is not well-formed.
    """
    if is_xacro(source):
        return False
    kind = "MJCF" if str(source).endswith(".xml") else "URDF"
    return parse_xml(read_text(source, kind), named(source, kind)).tag == "mujoco"


def text_of(source: Source) -> str:
    """The text of a description as robots publish it: a xacro file is expanded.

    Raises:
        ModelError: it cannot be read.
    """
    return expand_xacro(source) if is_xacro(source) else read_text(source, "description")


def model_from_description(
    source: Source,
    root_joint: str | None = None,
    mimic: bool = True,
    massless: bool = False,
    ignore: Collection[str] = (),
) -> Model:
    """Read a robot; the arguments are those of :class:`.FileConstructors`.

    Raises:
        ModelError: it cannot be read; the message says where and what to do.
    """
    by_lua = is_lua(source)
    if not (by_lua or is_mjcf(source)):
        return model_from_urdf(source, root_joint, mimic, massless, ignore=ignore)
    if root_joint is not None:
        raise ModelError(
            "an MJCF or Lua file determines the root joint itself; leave root_joint out"
        )
    if by_lua:
        return model_from_lua(source, massless)
    return model_from_mjcf(source, mimic, massless, ignore)
