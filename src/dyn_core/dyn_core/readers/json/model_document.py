# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Documents: a Model or Data as plain data, headed by its format and version.

This file lists the stored parts of a robot.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dyn_core.compiler.runtime import Data
from dyn_core.errors import ModelError
from dyn_core.model import Model
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.coupling import Coupling
from dyn_core.model.fluid import Fluid
from dyn_core.model.frame import Frame
from dyn_core.model.gravity_compensator import Lift
from dyn_core.model.joints import Joint
from dyn_core.model.loop import Loop
from dyn_core.model.reference_checks import configuration
from dyn_core.model.tendon import Tendon
from dyn_core.model.tree_joint import Limits, TreeJoint
from dyn_core.readers.json import data_document as results
from dyn_core.readers.json.plain_values import Plain, PlainValue, plain
from dyn_core.readers.json.typed_values import MAX_JOINTS, to_plain, value_of
from dyn_core.spatial import SE3, Inertia

MODEL_FORMAT, DATA_FORMAT = "dyn_core.model", "dyn_core.data"
VERSION = 1
"""Version of both formats. It grows if a reader of the previous version could misread them."""
HEAD = ("format", "version")
FIELDS = ("name", "gravity", "fixed_inertia", "joints", "frames", "reference_configurations")
"""Fields of a model. ``joints`` begins with joint 1; of joint 0, the universe, only the inertia of
bodies that are fixed to it is stored."""
OPTIONAL_FIELDS: dict[str, Any] = {
    "loops": tuple[Loop, ...], "couplings": tuple[Coupling, ...], "lifts": tuple[Lift, ...],
    "fluid": Fluid, "tendons": tuple[Tendon, ...],
}  # fmt: skip
"""Fields of a model with their types; empty ones are left out."""
JOINT_FIELDS: dict[str, Any] = {
    "name": str, "joint": Joint, "parent": int, "primary": int, "placement": SE3,
    "inertia": Inertia, "limits": Limits,
}  # fmt: skip
LIMITS = ("lower", "upper", "velocity", "effort", "damping", "friction", "armature")
OPTIONAL_LIMITS = tuple(name for name in Limits.__dataclass_fields__ if name not in LIMITS)
"""Limits that are left out if they have their defaults."""


def to_document(thing: Model | Data) -> dict[str, Plain]:
    """The document of a Model or Data.

    A model is read back before its document is returned, so that each written document can be read.

    Raises:
        ModelError: a part cannot be stored, such as a joint type of the user.
    """
    if isinstance(thing, Data):
        _model_document(thing.model)  # fingerprints do not tell apart what users' classes compute
        return {"format": DATA_FORMAT, "version": VERSION, **results.data_to_plain(thing)}
    if not isinstance(thing, Model):
        raise TypeError(f"only a Model or Data can be written, not a {type(thing).__name__}")
    if type(thing) is not Model:
        raise ModelError(
            f"{thing!r} is a {type(thing).__name__}, and would be read back as a plain Model, "
            "without what its class overrides; pickle it, or write a Model"
        )
    try:
        document = _model_document(thing)
        read = from_document(document)
    except RecursionError as error:
        raise ModelError(f"{thing!r}: its joints are nested too deeply") from error
    assert isinstance(read, Model)
    if _model_document(read) != document:
        raise ModelError(
            f"{thing!r} cannot be written: it would be read back as another model; "
            "build it with a ModelBuilder"
        )
    return document


def from_document(document: object, model: Model | None = None) -> Model | Data:
    """The Model of a document, or the Data of one if its ``model`` is given.

    Raises:
        ModelError: the document is damaged, foreign, newer than this release, or of another kind.
    """
    node = PlainValue(document, "document")
    format_ = node.get("format").text()
    if format_ not in (MODEL_FORMAT, DATA_FORMAT):
        raise node.error(
            f"the format is '{format_:.100}', not '{MODEL_FORMAT}' or '{DATA_FORMAT}': "
            "this is not a file of dyn_core"
        )
    version = node.get("version")
    if version.integer(1, 2**31) > VERSION:
        raise version.error(
            f"this was written by a newer dyn_core, in version {version.value} of the format; "
            f"this one reads up to version {VERSION}, so update it"
        )
    if format_ == MODEL_FORMAT:
        if model is not None:
            raise node.error("this is a Model, not Data; read it without giving a model")
        return _model_of(node.fields((*HEAD, *FIELDS), OPTIONAL_FIELDS))
    if model is None:
        raise node.error("this is Data, not a Model; to read it, give the model that it is of")
    return results.data_of(node.fields((*HEAD, *results.FIELDS)), model)


def _model_document(model: Model) -> dict[str, Plain]:
    configurations = model.reference_configurations.items()
    present = {x: kind for x, kind in OPTIONAL_FIELDS.items() if getattr(model, x)}
    return {
        "format": MODEL_FORMAT,
        "version": VERSION,
        "name": model.name,
        "gravity": plain(model.gravity),
        "fixed_inertia": to_plain(Inertia, model.inertias[0]),
        "joints": [_joint_to_plain(entry) for entry in model.tree[1:]],
        "frames": to_plain(tuple[Frame, ...], model.frames),
        "reference_configurations": [{"name": x, "q": plain(list(q))} for x, q in configurations],
        **{name: to_plain(kind, getattr(model, name)) for name, kind in present.items()},
    }


def _joint_to_plain(entry: TreeJoint) -> Plain:
    usual, own = Limits.of(entry.joint), entry.limits
    unusual = [x for x in OPTIONAL_LIMITS if getattr(own, x) != getattr(usual, x)]
    limits = {name: plain(getattr(own, name)) for name in (*LIMITS, *unusual)}
    kinds = {name: kind for name, kind in JOINT_FIELDS.items() if kind is not Limits}
    try:
        found = {name: to_plain(kind, getattr(entry, name)) for name, kind in kinds.items()}
    except ModelError as error:
        raise ModelError(f"joint '{entry.name}': {error}") from error
    return {**found, "limits": plain(limits)}


def _model_of(found: dict[str, PlainValue]) -> Model:
    x, y, z = found["gravity"].numbers(3)
    builder = ModelBuilder(found["name"].text(), (x, y, z))
    entries = [item.fields(JOINT_FIELDS) for item in found["joints"].items(MAX_JOINTS)]
    names = ["", *(entry["name"].text() for entry in entries)]
    for entry in entries:
        _add_joint(builder, entry, names)
    fixed = value_of(Inertia, found["fixed_inertia"])
    builder.tree[0] = replace(builder.tree[0], inertia=fixed)
    builder.frames.clear()  # all are stored, those of the joints too
    for item in found["frames"].items():
        item.get("joint").integer(0, len(entries))
        frame = value_of(Frame, item)
        builder.add_frame(frame.name, frame.type, frame.joint, frame.placement)
    for name in OPTIONAL_FIELDS.keys() & found.keys():
        value: Any = value_of(OPTIONAL_FIELDS[name], found[name])
        setattr(builder, name, list(value) if isinstance(value, tuple) else value)
    model = builder.build()
    configurations = found["reference_configurations"].items()
    builder.reference_configurations = dict(_configuration(item, model) for item in configurations)
    if len(builder.reference_configurations) != len(configurations):
        raise found["reference_configurations"].error("two of them have one name; rename one")
    return builder.build()


def _add_joint(builder: ModelBuilder, entry: dict[str, PlainValue], names: list[str]) -> None:
    """Add one joint; the builder checks names and mimicry."""
    index, name = len(builder.tree), entry["name"].text()
    entry = {
        key: PlainValue(node.value, f"joint '{name:.100}', {key}") for key, node in entry.items()
    }
    joint: Joint = value_of(Joint, entry["joint"])  # type: ignore[type-abstract]
    primary = entry["primary"].integer(1, len(names) - 1)
    bounds = entry["limits"].fields(LIMITS, OPTIONAL_LIMITS)
    try:
        limits = Limits.of(joint, **{x: node.numbers(finite=False) for x, node in bounds.items()})
    except ModelError as error:
        raise ModelError(f"joint '{name:.100}': {error}") from error
    parent = entry["parent"].integer(0, index - 1)
    mimicked = None if primary == index else names[primary]
    builder.add_joint(parent, joint, value_of(SE3, entry["placement"]), name, limits, mimicked)
    inertia = value_of(Inertia, entry["inertia"])
    builder.tree[index] = replace(builder.tree[index], inertia=inertia)


def _configuration(node: PlainValue, model: Model) -> tuple[str, tuple[float, ...]]:
    entry = node.fields(("name", "q"))
    name = entry["name"].text()
    return name, configuration(model, entry["q"].numbers(model.nq), f"configuration '{name:.100}'")
