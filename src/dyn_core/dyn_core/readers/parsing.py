# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Common parts of the readers of descriptions: text, XML, numbers, mimic joints, inertia."""

from __future__ import annotations

import math
import os
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.parsers.expat import ExpatError, ParserCreate, errors

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.joints import Fixed
from dyn_core.spatial import SE3, Matrix3, Symmetric3, Vector3
from dyn_core.spatial.validity import TOLERANCE

ROUNDING = 1e-15
MAX_SLIP_RATIO = 0.5
"""How negative a principal moment must be, by the largest one, not to be a slip of the exporter:
that of Romeo's body misses by 0.2, that of TIAGo's antenna (1 mg) by 0.4."""
ZERO_MOMENT_KG_M2 = 1e-15
"""Moments of inertia that count as zero (kg m^2), as of iCub's massless links."""
Source = str | os.PathLike[str]
"""The text of a description, or the path of its file."""


def is_text(source: Source) -> bool:
    """Whether ``source`` is the description itself: only that has a ``<``."""
    return isinstance(source, str) and "<" in source


def named(source: Source, kind: str) -> str:
    """``URDF`` for a text, ``URDF file 'arm.urdf'`` for a path."""
    return kind if is_text(source) else f"{kind} file '{source}'"


def read_text(source: Source, kind: str) -> str:
    """The text of a description that is given as text or as a file's path.

    Raises:
        ModelError: it is empty, or the file cannot be read. ``kind`` is the format's name.
    """
    if isinstance(source, str) and not source.strip():
        raise ModelError(f"the {kind} text is empty; give the text or the path of a {kind} file")
    if is_text(source):
        return str(source)
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        hint = "save it in UTF-8" if isinstance(error, UnicodeDecodeError) else "check the path"
        raise ModelError(f"cannot read the {named(path, kind)}: {reason}; {hint}") from error
    if not text.strip():
        raise ModelError(f"the {named(path, kind)} is empty")
    return text


def parse_xml(text: str, kind: str, *, comments: bool = False) -> ET.Element:
    """The root element of a document, with its comments if that is asked for.

    A prefix need not be declared: public descriptions have such as ``drake:acceleration``, and
    ROS's own parser does not mind. Names keep it then.

    Raises:
        ModelError: it is not well-formed; the message gives line and column.
    """
    data = text.strip().encode()
    try:
        try:
            builder = ET.TreeBuilder(insert_comments=comments)
            return ET.fromstring(data, ET.XMLParser(target=builder))
        except ET.ParseError as error:
            if errors.messages[error.code] != errors.XML_ERROR_UNBOUND_PREFIX:
                raise
            return _without_namespaces(data, comments)
    except (ET.ParseError, ExpatError, ValueError, LookupError) as error:
        raise ModelError(
            f"the {kind} is not well-formed XML: {error}; correct that place"
        ) from error


def _without_namespaces(data: bytes, comments: bool) -> ET.Element:
    builder, parser = ET.TreeBuilder(insert_comments=comments), ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler, parser.CommentHandler = builder.data, builder.comment
    parser.Parse(data, True)
    return builder.close()


def read_numbers(
    text: str, where: str, most: int, least: int | None = None, infinite: bool = False
) -> list[float]:
    """The numbers of an attribute: ``most`` of them, or from ``least`` to ``most``.

    Raises:
        ModelError: not numbers, too few, too many, NaN, or infinite unless that is allowed; the
            message begins with ``where``.
    """
    try:
        numbers = [_number(word) for word in text.split()]
    except ValueError as error:
        raise ModelError(f"{where} is not a number; correct it") from error
    least = most if least is None else least
    if not least <= len(numbers) <= most:
        count = f"{most}" if least == most else f"{least} to {most}"
        raise ModelError(f"{where} must hold {count} number{'s' if most > 1 else ''}; correct it")
    if not all(math.isfinite(x) or (infinite and not math.isnan(x)) for x in numbers):
        raise ModelError(f"{where} is not finite; correct it")
    return numbers


def _number(word: str) -> float:
    if "_" in word:  # Python's float would read 1_0 as 10
        raise ValueError(word)
    return float(word)


def snapped(placement: SE3) -> SE3:
    """The placement with rounding of sin(pi) and its like (1e-15) made the exact 0, 1 or -1."""

    def snap(x: float) -> float:
        nearest = float(round(x)) if abs(x) < 1.5 else x
        return nearest if abs(x - nearest) < ROUNDING else x

    rows = [[snap(x) for x in row] for row in placement.rotation.rows]
    p = placement.translation
    return SE3(Matrix3.of(rows), Vector3(*(0.0 if abs(x) < ROUNDING else x for x in p)))


@dataclass(frozen=True)
class Following:
    """The relation of a mimic joint to its primary, which has a coordinate of its own."""

    primary: str
    multiplier: float
    offset: float


def resolve_mimicry(direct: Mapping[str, Following]) -> dict[str, Following]:
    """A joint that follows a follower follows the latter's primary in the end.

    Raises:
        ModelError: joints follow each other in a ring.
    """
    return {name: _resolved(name, direct) for name in direct}


def _resolved(name: str, direct: Mapping[str, Following]) -> Following:
    result, seen = direct[name], {name}
    while result.primary in direct:
        if result.primary in seen:
            raise ModelError(f"joint '{name}' mimics itself in the end: break the ring of mimics")
        seen.add(result.primary)
        leader = direct[result.primary]
        result = Following(
            leader.primary,
            result.multiplier * leader.multiplier,
            result.multiplier * leader.offset + result.offset,
        )
    return result


def check_inertias(builder: ModelBuilder, bodies: Mapping[int, str], kind: str) -> None:
    """Every moving body has inertia; ``bodies`` names the body of each joint that has one.

    Raises:
        ModelError: one has none. ``kind`` is what the format calls a body.
    """
    heavy = [any(entry.inertia.parameters) for entry in builder.tree]
    for joint in reversed(range(1, len(builder.tree))):
        if isinstance(builder.tree[joint].joint, Fixed):  # it moves with its carrier
            heavy[builder.tree[joint].parent] |= heavy[joint]
    for joint, body in bodies.items():
        entry = builder.tree[joint]
        if joint and not heavy[joint] and not isinstance(entry.joint, Fixed):
            raise ModelError(
                f"{kind} '{body}' is moved by joint '{entry.name}' but has no inertia; "
                "give it an <inertial> with its mass, or read the robot with massless=True (nodes: "
                "massless_armature of 0 or more) if it is meant to have none"
            )


def check_moments(at_com: Symmetric3, where: str) -> None:
    """No body has a negative moment of inertia about any axis.

    Args:
        at_com: inertia about the centre of mass, kg m^2.
        where: what has it, which begins the message.

    Raises:
        ModelError: a moment about an axis as given is negative, or a principal one clearly so; one
            that misses by less is reported by a warning.
    """
    rows = np.array([list(row) for row in at_com.rows], dtype=np.float64)
    least, middle, most = np.linalg.eigvalsh(rows).tolist()
    if least >= -TOLERANCE * most - ZERO_MOMENT_KG_M2:
        return
    words = (
        f"{where}: its inertia has the principal moments {least:.6g}, {middle:.6g}, {most:.6g} "
        "kg m^2, but no body has a negative one"
    )
    if rows.diagonal().min() < 0.0 or least < -MAX_SLIP_RATIO * most:
        raise ModelError(f"{words}; correct it")
    warnings.warn(f"{words}; it is read as it stands, correct it", stacklevel=2)
