# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Write functions of a robot as a shared object and its C header."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from pathlib import Path

import llvmlite
import numpy as np

from dyn_core.compiler.pipeline import print_one_state
from dyn_core.compiler.runtime import compile
from dyn_core.compiler.runtime.build_spec import BuildSpec, flattened
from dyn_core.compiler.signature import Asked, Extra, Input, extras_of, requests_of
from dyn_core.compiler.targets.c import identifier, identifiers
from dyn_core.compiler.targets.llvm.functions import renamed
from dyn_core.compiler.targets.llvm.instructions import pointer
from dyn_core.dynamics.declare import Request
from dyn_core.errors import ModelError
from dyn_core.export.c_project import example_states
from dyn_core.export.constant_data import DataSection, address, function
from dyn_core.export.manifest import (
    INTERFACE,
    MANIFEST,
    MAX_DIMENSIONS,
    ArrayEntry,
    Function,
    JointEntry,
    Manifest,
    interface_declared,
)
from dyn_core.export.processors import Processor, linked, processor_named, replace
from dyn_core.model.model import Model
from dyn_core.version import __version__

DOUBLES = pointer("double")
MAGIC = b"dyn_core object\n"
SEAL = struct.Struct("<16sQQ")
"""The last bytes of a file: magic, bytes before it, their checksum. The system's loader maps a
truncated file in full, and the program crashes when it reads beyond the end. The seal shows
damage; it does not prove who wrote the file."""
OFFSET, PRIME = 0xCBF29CE484222325, 0x100000001B3
"""Of the checksum: FNV-1a of 64 bits over words of eight bytes (Fowler, Noll and Vo 1991)."""


def write_object(
    model: Model,
    functions: Sequence[Asked],
    folder: str | Path,
    inputs: Sequence[Extra] = (),
    target: str | None = None,
    description: str | None = None,
) -> tuple[Path, Path]:
    """Write functions of a robot as machine code for other programs.

    Each function takes its inputs and fills its outputs, arrays of doubles in C order. It allocates
    no memory and has no state, so threads may share it; its results equal those in Python bit by
    bit.

    Args:
        model: the robot.
        functions: what is computed, each by a function of its own.
        folder: where the files are written, made if it is not there.
        inputs: optional inputs, as of :func:`dyn_core.compile`, such as ``payload("tool0")``.
        target: a name of :data:`PROCESSORS`; by default the newest level of this computer's
            processor.
        description: the text that the model was read from. A controller compares its hash with the
            hash of its ``robot_description``.

    Returns:
        The shared object, ``lib<robot>_dynamics.so``, and its header.

    Raises:
        KeyError, TypeError, ValueError: a quantity or an input does not exist or does not fit.
        ModelError: a target that does not exist, a linker that is missing or fails.
        OSError: the files cannot be written.
    """
    processor = processor_named(target)
    extras = extras_of(inputs)
    parts = [_Part.of(model, request, extras) for request in requests_of(functions)]
    for extra in extras:
        if not any(extra in part.spec.extras for part in parts):
            raise ValueError(f"none of {list(functions)} takes the input {extra!r}")
    if len({part.symbol for part in parts}) < len(parts):
        raise ModelError(f"two of {list(functions)} have the same name in C: write them apart")
    texts = [*(part.text for part in parts), _manifest(model, parts, processor, description)]
    stem = f"{identifier(model.name).lower()}_dynamics"
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    library, header = where / f"lib{stem}.so", where / f"{stem}.h"
    replace(library, sealed(linked(texts, processor)))
    replace(header, _header(stem, parts).encode())
    return library, header


@dataclass(frozen=True)
class _Part:
    """One function of an object."""

    spec: BuildSpec
    symbol: str
    text: str
    """Its code, and an entry point that takes an array of addresses of arrays."""

    @classmethod
    def of(cls, model: Model, request: Request, extras: Sequence[Extra]) -> _Part:
        spec = BuildSpec(model, (request,), _taken(request, extras))
        symbol = f"{identifier(model.name)}_{identifier(name_of(request))}".lower()
        kernel = print_one_state(model, spec.requests, spec.extras)
        text = renamed(kernel, symbol)
        return cls(spec, symbol, text + _entry(spec, symbol))

    @property
    def inputs(self) -> dict[str, Input]:
        """By name."""
        return self.spec.signature.inputs

    def fields(self, data: DataSection) -> dict[str, object]:
        """Its entry in the manifest."""
        taken = [
            _array(data, name, x.array.meaning, x.array.unit, x.shape)
            for name, x in self.inputs.items()
        ]
        shapes = self.spec.signature.outputs
        filled = [
            _array(data, output.field, output.meaning, output.unit, shape)
            for output, shape in zip(self.spec.outputs, shapes, strict=True)
        ]
        return {
            "name": name_of(self.spec.requests[0]),
            "call": address(_TYPE_OF_ENTRY, f"@{self.symbol}.call"),
            "input_count": len(taken),
            "inputs": data.structures(ArrayEntry, taken) if taken else 0,
            "output_count": len(filled),
            "outputs": data.structures(ArrayEntry, filled),
            "test": data.doubles(_test_vector(self.spec)),
        }

    def prototype(self) -> str:
        """Its declaration in C."""
        names = identifiers(self.inputs)
        taken = [f"const double {names[x]}[{prod(i.shape)}]" for x, i in self.inputs.items()]
        shapes = self.spec.signature.outputs
        filled = [
            f"double {identifier(output.field)}_out[{prod(shape)}]"
            for output, shape in zip(self.spec.outputs, shapes, strict=True)
        ]
        return f"void {self.symbol}({', '.join([*taken, *filled])});"


_TYPE_OF_ENTRY = f"void ({pointer(DOUBLES)}, {pointer(DOUBLES)})"


def _taken(request: Request, extras: Sequence[Extra]) -> tuple[Extra, ...]:
    """The optional inputs of a function: without forces if its quantity takes none."""
    knows = {p.name for p in request.parameters.values() if p.optional}
    return tuple(
        x
        for x in extras
        if (x in knows if isinstance(x, str) else x.kind != "wrench" or "f_ext" in knows)
    )


def name_of(request: Request) -> str:
    """A quantity's name, and its options unless they are the defaults."""
    return repr(request) if request.label else request.quantity.__name__


def _entry(spec: BuildSpec, symbol: str) -> str:
    """The function that reads the addresses of its arrays from two arrays."""
    table = pointer(DOUBLES)
    lines, arguments = [], []
    for name, count in (("in", len(spec.signature.inputs)), ("out", len(spec.outputs))):
        for k in range(count):
            place, array = f"%{name}.{k}.a", f"%{name}.{k}"
            lines.append(f"{place} = getelementptr {DOUBLES}, {table} %{name}, i64 {k}")
            lines.append(f"{array} = load {DOUBLES}, {table} {place}, align 8")
            arguments.append(f"{DOUBLES} {array}")
    lines += [f"call void @{symbol}({', '.join(arguments)})", "ret void"]
    return function(f"define void @{symbol}.call({table} %in, {table} %out)", *lines) + "\n"


def _manifest(
    model: Model, parts: Sequence[_Part], processor: Processor, description: str | None
) -> str:
    """The module text of the manifest, with declarations of the functions in other modules."""
    data = DataSection()
    joints = [
        {"name": model.names[i], "idx_q": model.idx_q[i], "nq": joint.nq,
         "idx_v": model.idx_v[i], "nv": joint.nv}
        for i, joint in enumerate(model.joints) if i in model.own_coordinates
    ]  # fmt: skip
    data.exported(
        MANIFEST,
        Manifest,
        {
            "interface": INTERFACE,
            "made_by": f"dyn_core {__version__}, llvmlite {llvmlite.__version__}",
            "processor": processor.name,
            "robot": model.name,
            "description_sha256": sha256(description),
            "gravity": model.gravity,
            "nq": model.nq,
            "nv": model.nv,
            "joint_count": len(joints),
            "joints": data.structures(JointEntry, joints) if joints else 0,
            "function_count": len(parts),
            "functions": data.structures(Function, [part.fields(data) for part in parts]),
        },
    )
    table = pointer(DOUBLES)
    declared = [f"declare void @{part.symbol}.call({table}, {table})" for part in parts]
    return "\n".join([*declared, data.text])


def sha256(description: str | None) -> str:
    """The hash that identifies the description of an object.

    Of its text in UTF-8 with the line ends of Unix, which files that are read have anyway.
    """
    if description is None:
        return ""
    text = description.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(content: bytes) -> bytes:
    """The content of a file and its seal."""
    padded = content + bytes(-len(content) % 8)
    return padded + SEAL.pack(MAGIC, len(padded), checksum(padded))


def checksum(content: bytes) -> int:
    """The checksum of bytes whose number is a multiple of eight."""
    words = struct.unpack(f"<{len(content) // 8}Q", content[: len(content) // 8 * 8])
    return reduce(lambda total, word: (total ^ word) * PRIME % 2**64, words, OFFSET)


def _array(
    data: DataSection, name: str, meaning: str, unit: str, shape: tuple[int, ...]
) -> dict[str, object]:
    if len(shape) > MAX_DIMENSIONS:
        raise ModelError(f"'{name}' has {len(shape)} dimensions; objects know {MAX_DIMENSIONS}")
    return {
        "name": name,
        "meaning": meaning,
        "unit": unit,
        "size": prod(shape),
        "dimensions": len(shape),
        "shape": shape,
    }


def _test_vector(spec: BuildSpec) -> list[float]:
    """A state and the results of the function, computed by this computer's own machine code."""
    arrays = [array[0] for array in example_states(spec, 1)]
    results = compile(spec.model, spec.requests, spec.extras)(*arrays)
    return [float(x) for array in (*arrays, *flattened(results)) for x in np.ravel(array)]


def _header(stem: str, parts: Sequence[_Part]) -> str:
    guard = f"{identifier(stem).upper()}_H"
    functions = "\n".join(part.prototype() for part in parts)
    return f"""\
/* Functions of one robot in lib{stem}.so: arrays of doubles in C order, nothing allocated.
   What they are, their sizes and units stand in {MANIFEST}. Generated by dyn_core. */
#ifndef {guard}
#define {guard}

{interface_declared()}
#ifdef __cplusplus
extern "C" {{
#endif

{functions}

extern const DynCoreManifest {MANIFEST};

#ifdef __cplusplus
}}
#endif

#endif
"""
