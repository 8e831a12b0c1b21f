# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Payloads in messages, and in the texts that a parameter keeps."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

import yaml
from dyn_msgs.msg import Payload as PayloadMessage
from geometry_msgs.msg import Inertia as InertiaMessage
from geometry_msgs.msg import Vector3 as VectorMessage

from dyn_core.spatial import Inertia, Symmetric3, Vector3, objection
from dyn_ros.kernels.surroundings import CarriedPayload
from dyn_ros.messages.joint_order import quoted

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# payloads, characters of one: reading them keeps samples waiting
MAX_PAYLOADS, MAX_TEXT_LENGTH = 100, 2000
REQUIRED_FIELDS = ("name", "frame", "mass")
SIZES = {"com": 3, "inertia": len(MOMENTS)}  # of the fields that may be absent
MAX_NUMBER = 1e6  # kg, m, kg m^2: the largest plausible mass, lever and inertia
FORM = f"{{name: tool, frame: tool0, mass: 1.2, com: [0, 0, 0.1], inertia: [{', '.join(MOMENTS)}]}}"


def read_payloads(texts: Sequence[str]) -> list[CarriedPayload]:
    """Return the payloads of a parameter. Raises ValueError, worded, if one is impossible."""
    if len(texts) > MAX_PAYLOADS:
        raise ValueError(f"{len(texts)} payloads are too many: give at most {MAX_PAYLOADS}")
    payloads = [_of_text(text) for text in texts]
    names = [payload.name for payload in payloads]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ValueError(f"payload {quoted(twice)} is there twice: name every payload once")
    return payloads


def texts_of(messages: Iterable[PayloadMessage]) -> list[str]:
    """Return what a parameter keeps of payloads in messages."""
    return [_text(message) for message in messages]


def messages_of(payloads: Iterable[CarriedPayload]) -> list[PayloadMessage]:
    """Return payloads as messages."""
    return [_message(payload) for payload in payloads]


def _text(message: PayloadMessage) -> str:
    inertia = message.inertia
    return json.dumps(
        {
            "name": message.name,
            "frame": message.frame_id,
            "mass": inertia.m,
            "com": [inertia.com.x, inertia.com.y, inertia.com.z],
            "inertia": [getattr(inertia, moment) for moment in MOMENTS],
        }
    )


def _of_text(text: str) -> CarriedPayload:
    if len(text) > MAX_TEXT_LENGTH:
        raise ValueError(
            f"payload '{text[:100]}...' takes {len(text)} characters: give it shorter names, at "
            f"most {MAX_TEXT_LENGTH} in all"
        )
    return _read(text)


@lru_cache(2 * MAX_PAYLOADS)  # texts stay while others change, and are checked before they are used
def _read(text: str) -> CarriedPayload:
    try:
        fields = _fields(text)
    except (ValueError, yaml.YAMLError) as error:
        raise _no_payload(text, "it is neither JSON nor YAML") from error
    if not isinstance(fields, dict):
        raise _no_payload(text, "it has no fields")
    absent = [field for field in REQUIRED_FIELDS if field not in fields]
    unknown = [str(field) for field in fields if field not in (*REQUIRED_FIELDS, *SIZES)]
    if absent or unknown:
        raise _no_payload(text, f"it lacks {absent[0]}" if absent else f"{unknown[0]} is no field")
    name, frame = str(fields["name"]), str(fields["frame"])
    (mass,) = _numbers(text, "mass", [fields["mass"]], 1)
    com, moments = (
        _numbers(text, field, fields.get(field, [0.0] * size), size)
        for field, size in SIZES.items()
    )
    if not name.strip() or not frame.strip():
        raise ValueError("a payload has no name or no frame: give it both")
    return CarriedPayload(name, frame, _inertia(name, mass, com, moments))


def _numbers(text: str, field: str, values: Any, size: int) -> list[float]:
    """Return the numbers of a field. Raises ValueError, worded, unless it has `size` of them."""
    try:
        numbers = [float(x) for x in values]
    except (TypeError, ValueError, OverflowError) as error:
        raise _no_payload(text, f"{field} is not made of numbers") from error
    if len(numbers) != size:
        raise _no_payload(text, f"{field} has {len(numbers)} numbers, it should have {size}")
    return numbers


def _no_payload(text: str, why: str) -> ValueError:
    return ValueError(f"'{text[:100]}' is no payload, for {why}: write {FORM}")


def _fields(text: str) -> Any:
    """Return what a text holds: quickly of JSON, in which services write, else of YAML."""
    try:
        return json.loads(text)
    except ValueError:
        return yaml.safe_load(text)


def _inertia(name: str, mass: float, com: Sequence[float], moments: Sequence[float]) -> Inertia:
    """Return the inertia about the frame's origin."""
    if not all(map(isfinite, (mass, *com, *moments))):
        raise ValueError(f"payload '{name}' has a number that is not finite: send finite ones")
    if max(map(abs, (mass, *com, *moments))) > MAX_NUMBER:
        raise ValueError(
            f"payload '{name}' has a number beyond {MAX_NUMBER:g}: give kg, m and kg m^2"
        )
    xx, xy, xz, yy, yz, zz = moments
    body = Inertia.from_com(mass, Vector3.of(com), Symmetric3(xx, xy, yy, xz, yz, zz))
    wrong = objection(body)
    if wrong:
        raise ValueError(
            f"payload '{name}' cannot exist: {wrong}. Moments of inertia are about the centre of "
            "mass; leave all of them zero for a point"
        )
    return body


def _message(payload: CarriedPayload) -> PayloadMessage:
    body = payload.inertia
    x, y, z = map(float, body.com)
    at_com: Any = [list(row) for row in body.at_com.full().rows]
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    moments = {moment: float(at_com[i][j]) for moment, (i, j) in zip(MOMENTS, pairs, strict=True)}
    com = VectorMessage(x=x, y=y, z=z)
    inertia = InertiaMessage(m=float(body.mass), com=com, **moments)
    return PayloadMessage(name=payload.name, frame_id=payload.frame, inertia=inertia)
