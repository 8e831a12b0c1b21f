# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The manifest of an object: one definition of the data that C, C++ and Python read.

The structures below define the C header and the data in the object. All their fields take eight
bytes, so their layout is the same in every 64-bit language.
"""

from __future__ import annotations

import ctypes
from typing import Any

INTERFACE = 1
"""Version of the interface; a loader refuses another."""
MANIFEST = "dyn_core_object"
"""Symbol of the one :class:`Manifest` in an object."""
MAX_DIMENSIONS = 3


class Described(ctypes.Structure):
    """A structure whose fields have meanings."""

    FIELDS: tuple[tuple[str, Any, str], ...]
    """Name, type and meaning of each field."""


class ArrayEntry(Described):
    """An array in C order."""

    FIELDS = (
        ("name", ctypes.c_char_p, "of an input the argument's, of an output the field's"),
        ("meaning", ctypes.c_char_p, "in words"),
        ("unit", ctypes.c_char_p, "SI units of its parts"),
        ("size", ctypes.c_int64, "numbers in it"),
        ("dimensions", ctypes.c_int64, "how many entries of shape count"),
        ("shape", ctypes.c_int64 * MAX_DIMENSIONS, "sizes"),
    )
    _fields_ = [row[:2] for row in FIELDS]


class Function(Described):
    """A function; it allocates no memory, has no state and returns nothing."""

    FIELDS = (
        ("name", ctypes.c_char_p, "the quantity, with its options"),
        (
            "call",
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p),
            "takes the addresses of the inputs and of the outputs",
        ),
        ("input_count", ctypes.c_int64, "arrays that it reads"),
        ("inputs", ctypes.POINTER(ArrayEntry), "what they are"),
        ("output_count", ctypes.c_int64, "arrays that it fills"),
        ("outputs", ctypes.POINTER(ArrayEntry), "what they are"),
        (
            "test",
            ctypes.POINTER(ctypes.c_double),
            "inputs and the outputs that belong to them, one array after the other",
        ),
    )
    _fields_ = [row[:2] for row in FIELDS]


class JointEntry(Described):
    """A joint that has coordinates of its own."""

    FIELDS = (
        ("name", ctypes.c_char_p, "as the description has it"),
        ("idx_q", ctypes.c_int64, "where its coordinates begin in q"),
        ("nq", ctypes.c_int64, "how many it has there"),
        ("idx_v", ctypes.c_int64, "where they begin in v, efforts and accelerations"),
        ("nv", ctypes.c_int64, "how many it has there"),
    )
    _fields_ = [row[:2] for row in FIELDS]


class Manifest(Described):
    """The content of the object."""

    FIELDS = (
        ("interface", ctypes.c_int64, "version of this interface"),
        ("made_by", ctypes.c_char_p, "versions of what made it"),
        ("processor", ctypes.c_char_p, "level of the processors that run it"),
        ("robot", ctypes.c_char_p, "name of the robot"),
        (
            "description_sha256",
            ctypes.c_char_p,
            "of the text of the description, in hexadecimal; empty if unknown",
        ),
        (
            "gravity",
            ctypes.c_double * 3,
            "acceleration of gravity in the world frame, m/s^2, where it is no input",
        ),
        ("nq", ctypes.c_int64, "size of a configuration"),
        ("nv", ctypes.c_int64, "size of a velocity"),
        ("joint_count", ctypes.c_int64, "joints with coordinates of their own"),
        ("joints", ctypes.POINTER(JointEntry), "in the order of their coordinates"),
        ("function_count", ctypes.c_int64, "functions"),
        ("functions", ctypes.POINTER(Function), "in the order in which they were asked for"),
    )
    _fields_ = [row[:2] for row in FIELDS]


STRUCTURES: dict[type[Described], str] = {
    ArrayEntry: "DynCoreArray",
    Function: "DynCoreFunction",
    JointEntry: "DynCoreJoint",
    Manifest: "DynCoreManifest",
}
"""Their names in C."""
C_TYPES: dict[Any, str] = {
    ctypes.c_char_p: "const char *",
    ctypes.c_int64: "int64_t ",
    ctypes.POINTER(ctypes.c_double): "const double *",
    **{ctypes.POINTER(kind): f"const {name} *" for kind, name in STRUCTURES.items()},
}


def declarations() -> str:
    """The structures as a C header has them."""
    return "\n".join(map(_declaration, STRUCTURES))


def _declaration(kind: type[Described]) -> str:
    lines = [f"/* {kind.__doc__} */", "typedef struct {"]
    for name, of, meaning in kind.FIELDS:
        lines.append(f"    {_declared(name, of)}; /* {meaning} */")
    return "\n".join([*lines, f"}} {STRUCTURES[kind]};", ""])


def _declared(name: str, of: Any) -> str:
    if of in C_TYPES:
        return f"{C_TYPES[of]}{name}"
    if hasattr(of, "_length_"):
        scalar = "double" if of._type_ is ctypes.c_double else "int64_t"
        return f"{scalar} {name}[{of._length_}]"
    return f"void (*{name})(const double *const *inputs, double *const *outputs)"


def interface_declared() -> str:
    """Declarations that a program in C or C++ needs for all objects."""
    return f"""\
#ifndef DYN_CORE_OBJECT_INTERFACE
#define DYN_CORE_OBJECT_INTERFACE {INTERFACE}

#include <stdint.h>

{declarations()}
#endif
"""
