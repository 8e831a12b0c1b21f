# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Payloads in messages, and in the texts that a parameter keeps."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

import yaml
from dyn_msgs.msg import Payload as PayloadMessage

from dyn_core.spatial import Inertia, Symmetric3, Vector3, objection
from dyn_ros.kernels.surroundings import CarriedPayload
from dyn_ros.messages.geometry import write_xyz, xyz
from dyn_ros.messages.joint_order import quoted

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# payloads, characters of one: reading them keeps samples waiting
MAX_PAYLOADS, MAX_TEXT_LENGTH = 100, 2000
REQUIRED_FIELDS = ("name", "frame", "mass")
SIZES = {"mass": 1, "com": 3, "inertia": len(MOMENTS)}  # of the fields that have numbers
MIN_MASS_KG = 1e-9
MAX_NUMBER = 1e6  # kg, m, kg m^2: the largest plausible mass, lever and inertia
FORM = f"{{name: tool, frame: tool0, mass: 1.2, com: [0, 0, 0.1], inertia: [{', '.join(MOMENTS)}]}}"


def read_payloads(texts: Sequence[str]) -> list[CarriedPayload]:
    """Return the payloads of a parameter. Raises ValueError, worded, if one is impossible."""
    if len(texts) > MAX_PAYLOADS:
        raise ValueError(f"{len(texts)} payloads are too many: give at most {MAX_PAYLOADS}")
    for text in texts:
        if len(text) > MAX_TEXT_LENGTH:
            raise ValueError(
                f"payload '{text[:100]}...' takes {len(text)} characters: give it shorter names, "
                f"at most {MAX_TEXT_LENGTH} in all"
            )
    payloads = [_read(text) for text in texts]
    names = Counter(payload.name for payload in payloads)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ValueError(f"payload {quoted(twice)} is given twice: name every payload once")
    return payloads


def text_of(message: PayloadMessage) -> str:
    """Return what a parameter keeps of a payload in a message."""
    inertia = message.inertia
    numbers = {
        "mass": inertia.m,
        "com": xyz(inertia.com),
        "inertia": [getattr(inertia, moment) for moment in MOMENTS],
    }
    return json.dumps({"name": message.name, "frame": message.frame_id, **numbers})


def message_of(payload: CarriedPayload) -> PayloadMessage:
    """Return a payload as a message."""
    body = payload.inertia
    result = PayloadMessage(name=payload.name, frame_id=payload.frame)
    result.inertia.m = float(body.mass)
    write_xyz(result.inertia.com, body.com)
    rows = [[*row] for row in body.at_com.full().rows]
    for moment in MOMENTS:
        i, j = ("xyz".index(axis) for axis in moment[1:])
        setattr(result.inertia, moment, float(rows[i][j]))
    return result


@lru_cache(2 * MAX_PAYLOADS)  # texts stay while others change, and are checked before they are used
def _read(text: str) -> CarriedPayload:
    fields = _fields(text)
    absent = [field for field in REQUIRED_FIELDS if field not in fields]
    unknown = [str(field) for field in fields if field not in (*REQUIRED_FIELDS, *SIZES)]
    if absent or unknown:
        raise _no_payload(text, f"it lacks {absent[0]}" if absent else f"unknown: {unknown[0]}")
    numbers: list[float] = []
    for field, size in SIZES.items():
        given = [fields[field]] if size == 1 else fields.get(field, [0.0] * size)
        try:
            numbers += (found := [float(str(x)) for x in given])  # true is no number
        except (TypeError, ValueError, OverflowError) as error:
            raise _no_payload(text, f"{field} must be numbers") from error
        if len(found) != size:
            why = f"{field} has {len(found)} numbers, it should have {size}"
            raise _no_payload(text, why)
    name, frame = str(fields["name"]), str(fields["frame"])
    if not name.strip() or not frame.strip():
        raise ValueError("a payload has no name or no frame: give it both")
    if not all(map(isfinite, numbers)):
        raise ValueError(f"payload '{name}' has a number that is not finite: send finite ones")
    if max(map(abs, numbers)) > MAX_NUMBER:
        raise ValueError(
            f"payload '{name}' has a number beyond {MAX_NUMBER:g}: give kg, m and kg m^2"
        )
    mass, x, y, z, xx, xy, xz, yy, yz, zz = numbers
    if 0.0 < mass < MIN_MASS_KG:
        raise ValueError(f"payload '{name}' has {mass:g} kg: give at least {MIN_MASS_KG:g}")
    body = Inertia.from_com(mass, Vector3(x, y, z), Symmetric3(xx, xy, yy, xz, yz, zz))
    if wrong := objection(body):
        raise ValueError(
            f"payload '{name}' cannot exist: {wrong}. Moments of inertia are about the centre of "
            "mass; leave all of them zero for a point"
        )
    return CarriedPayload(name, frame, body)


def _fields(text: str) -> dict[Any, Any]:
    """Return what a text holds: quickly of JSON, in which services write, else of YAML."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        try:
            fields = yaml.safe_load(text)
        except (ValueError, RecursionError, yaml.YAMLError) as error:
            raise _no_payload(text, "it is neither JSON nor YAML") from error
    if not isinstance(fields, dict):
        raise _no_payload(text, "it has no fields")
    if not all(str(x).isprintable() for field in fields.items() for x in field):  # no ROS text
        raise _no_payload(text, "it has characters that cannot be printed")
    return fields


def _no_payload(text: str, why: str) -> ValueError:
    return ValueError(f"'{text[:100]}' is not a payload: {why}; write {FORM}")
