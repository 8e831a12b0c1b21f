# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Check an object, then load it: no code of a faulty object runs."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.export.manifest import INTERFACE, MANIFEST, ArrayEntry, Function, Manifest
from dyn_core.export.object_writer import MAGIC, SEAL, checksum, sha256
from dyn_core.export.processors import PROCESSORS
from dyn_core.model.model import FloatArray

TOLERANCE = 1e-9
"""Tolerance of the self-test, relative to the largest entry: processors without fused operations
round differently."""


@dataclass(frozen=True)
class ObjectArray:
    """An array that a function of an object takes or fills."""

    name: str
    meaning: str
    unit: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, array: ArrayEntry) -> ObjectArray:
        """The array in terms of Python."""
        texts = (array.name.decode(), array.meaning.decode(), array.unit.decode())
        return cls(*texts, tuple(array.shape[: array.dimensions]))


class ObjectFunction:
    """A function of an object: takes arrays and returns new ones."""

    def __init__(self, entry: Function, library: ctypes.CDLL) -> None:
        self.name: str = entry.name.decode()
        self.inputs = [ObjectArray.of(entry.inputs[k]) for k in range(entry.input_count)]
        self.outputs = [ObjectArray.of(entry.outputs[k]) for k in range(entry.output_count)]
        self._call = entry.call
        self._library = library  # the code lives as long as this object
        self._test = entry.test

    def __call__(self, *arrays: FloatArray) -> FloatArray | tuple[FloatArray, ...]:
        """Compute the outputs; one alone, several as a tuple.

        Raises:
            TypeError: a wrong number of arrays, or one that is not of float64.
            ValueError: an array of another shape.
        """
        if len(arrays) != len(self.inputs):
            names = ", ".join(x.name for x in self.inputs)
            raise TypeError(f"{self.name}: expected ({names}), got {len(arrays)} arrays")
        for array, of in zip(arrays, self.inputs, strict=True):
            if not isinstance(array, np.ndarray) or array.dtype != np.float64:
                raise TypeError(f"{self.name}: {of.name} must be an array of float64")
            if array.shape != of.shape:
                raise ValueError(
                    f"{self.name}: {of.name} ({of.meaning}) must have shape {of.shape}, "
                    f"not {array.shape}"
                )
        filled = [np.empty(of.shape) for of in self.outputs]
        given = [np.ascontiguousarray(array) for array in arrays]
        self._call(_addresses(given), _addresses(filled))
        return filled[0] if len(filled) == 1 else tuple(filled)

    def test(self) -> None:
        """Compare with the results that are stored in the object.

        Raises:
            ModelError: they differ; the message says where.
        """
        rest = self._known()
        given = [next(rest) for _ in self.inputs]
        found = self(*given)
        for x, of in zip(
            found if isinstance(found, tuple) else (found,), self.outputs, strict=True
        ):
            expected = next(rest)
            error = float(np.max(np.abs(x - expected), initial=0.0))
            if not error <= TOLERANCE * max(1.0, float(np.max(np.abs(expected), initial=0.0))):
                raise ModelError(f"{self.name}: its self-test is off by {error:g} in {of.name}")

    def _known(self) -> Iterator[FloatArray]:
        start = 0
        for of in (*self.inputs, *self.outputs):
            size = int(np.prod(of.shape))
            yield np.array(self._test[start : start + size]).reshape(of.shape)
            start += size

    def __repr__(self) -> str:
        return f"<function of an object: {self.name}({', '.join(x.name for x in self.inputs)})>"


@dataclass(frozen=True)
class KernelObject:
    """An object that was checked and loaded."""

    path: Path
    robot: str
    made_by: str
    processor: str
    description_sha256: str
    gravity: tuple[float, float, float]
    nq: int
    nv: int
    joints: tuple[str, ...]
    """Joints with coordinates of their own, in their order."""
    functions: dict[str, ObjectFunction]


def load_object(path: str | Path, description: str | None = None) -> KernelObject:
    """Load the functions of an object of :func:`write_object`.

    Args:
        path: of the shared object.
        description: the text of the robot's description; an object of another description is
            refused.

    Raises:
        OSError: the file cannot be read.
        ModelError: the file is damaged, or of another version, processor or description, or its
            self-test fails; the message says which, and nothing stays loaded.
    """
    where = Path(path).resolve()
    name = f"'{path}'"
    content = where.read_bytes()
    _check_seal(content, name)
    try:
        library = _opened(content)
        manifest = Manifest.in_dll(library, MANIFEST)
    except (OSError, ValueError) as error:
        raise ModelError(f"{name}: it cannot be loaded here: {error}") from error
    if manifest.interface != INTERFACE:
        raise ModelError(
            f"{name}: its interface has version {manifest.interface}, this loader {INTERFACE}: "
            "write it anew with this version of dyn_core"
        )
    _check_processor(name, manifest.processor.decode())
    own = manifest.description_sha256.decode()
    if description is not None and own != sha256(description):
        whose = "no description is known of it" if not own else "it was made from another"
        raise ModelError(f"{name}: not of this robot's description ({whose}): write it anew")
    functions = [
        ObjectFunction(manifest.functions[k], library) for k in range(manifest.function_count)
    ]
    for function in functions:
        function.test()
    return KernelObject(
        where,
        manifest.robot.decode(),
        manifest.made_by.decode(),
        manifest.processor.decode(),
        own,
        tuple(manifest.gravity),
        manifest.nq,
        manifest.nv,
        tuple(manifest.joints[k].name.decode() for k in range(manifest.joint_count)),
        {function.name: function for function in functions},
    )


def _check_seal(file: bytes, name: str) -> None:
    """Refuse a file that is truncated or altered, or none of :func:`write_object`."""
    magic, size, expected = SEAL.unpack(file[-SEAL.size :].rjust(SEAL.size, b"\0"))
    if magic != MAGIC:
        raise ModelError(f"{name}: no object of dyn_core, or a truncated one: write it anew")
    if size + SEAL.size != len(file) or checksum(file[: -SEAL.size]) != expected:
        raise ModelError(f"{name}: the object is damaged: write it anew")


def _opened(content: bytes) -> ctypes.CDLL:
    """The checked content, loaded from a file with a new name.

    The system's loader identifies libraries by path: while a library is loaded, it would return the
    old one for a file that was replaced.
    """
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(content)
        file.flush()
        return ctypes.CDLL(file.name)


def _check_processor(name: str, processor: str) -> None:
    known = PROCESSORS.get(processor)
    if known is None or not known.runs_here():
        raise ModelError(
            f"{name}: its code is for {processor} processors, which this one is not: write it with "
            "another target"
        )


def _addresses(arrays: list[FloatArray]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
