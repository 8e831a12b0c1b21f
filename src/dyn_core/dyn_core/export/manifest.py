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

    MEANINGS: dict[str, str]

    @classmethod
    def fields(cls) -> list[tuple[str, Any]]:
        """Name and type of each field."""
        return [(field[0], field[1]) for field in cls._fields_]


class ArrayEntry(Described):
    """An array in C order."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("meaning", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
        ("size", ctypes.c_int64),
        ("dimensions", ctypes.c_int64),
        ("shape", ctypes.c_int64 * MAX_DIMENSIONS),
    ]
    MEANINGS = {
        "name": "of an input the argument's, of an output the field's",
        "meaning": "in words",
        "unit": "SI units of its parts",
        "size": "numbers in it",
        "dimensions": "how many entries of shape count",
        "shape": "sizes",
    }


class Function(Described):
    """A function; it allocates no memory, has no state and returns nothing."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("call", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)),
        ("input_count", ctypes.c_int64),
        ("inputs", ctypes.POINTER(ArrayEntry)),
        ("output_count", ctypes.c_int64),
        ("outputs", ctypes.POINTER(ArrayEntry)),
        ("test", ctypes.POINTER(ctypes.c_double)),
    ]
    MEANINGS = {
        "name": "the quantity, with its options",
        "call": "takes the addresses of the inputs and of the outputs",
        "input_count": "arrays that it reads",
        "inputs": "what they are",
        "output_count": "arrays that it fills",
        "outputs": "what they are",
        "test": "inputs and the outputs that belong to them, one array after the other",
    }


class JointEntry(Described):
    """A joint that has coordinates of its own."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("idx_q", ctypes.c_int64),
        ("nq", ctypes.c_int64),
        ("idx_v", ctypes.c_int64),
        ("nv", ctypes.c_int64),
    ]
    MEANINGS = {
        "name": "as the description has it",
        "idx_q": "where its coordinates begin in q",
        "nq": "how many it has there",
        "idx_v": "where they begin in v, efforts and accelerations",
        "nv": "how many it has there",
    }


class Manifest(Described):
    """The content of the object."""

    _fields_ = [
        ("interface", ctypes.c_int64),
        ("made_by", ctypes.c_char_p),
        ("processor", ctypes.c_char_p),
        ("robot", ctypes.c_char_p),
        ("description_sha256", ctypes.c_char_p),
        ("gravity", ctypes.c_double * 3),
        ("nq", ctypes.c_int64),
        ("nv", ctypes.c_int64),
        ("joint_count", ctypes.c_int64),
        ("joints", ctypes.POINTER(JointEntry)),
        ("function_count", ctypes.c_int64),
        ("functions", ctypes.POINTER(Function)),
    ]
    MEANINGS = {
        "interface": "version of this interface",
        "made_by": "versions of what made it",
        "processor": "level of the processors that run it",
        "robot": "name of the robot",
        "description_sha256": "of the text of the description, in hexadecimal; empty if unknown",
        "gravity": "acceleration of gravity in the world frame, m/s^2, where it is no input",
        "nq": "size of a configuration",
        "nv": "size of a velocity",
        "joint_count": "joints with coordinates of their own",
        "joints": "in the order of their coordinates",
        "function_count": "functions",
        "functions": "in the order in which they were asked for",
    }


STRUCTURES: dict[type[Described], str] = {
    ArrayEntry: "DynCoreArray",
    Function: "DynCoreFunction",
    JointEntry: "DynCoreJoint",
    Manifest: "DynCoreManifest",
}
"""Their names in C."""
PLAIN: dict[Any, str] = {
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
    for name, of in kind.fields():
        lines.append(f"    {_declared(name, of)}; /* {kind.MEANINGS[name]} */")
    return "\n".join([*lines, f"}} {STRUCTURES[kind]};", ""])


def _declared(name: str, of: Any) -> str:
    if of in PLAIN:
        return f"{PLAIN[of]}{name}"
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
