# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Damaged, foreign and hostile files are refused with words that name the place."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from random_trees import random_model
from serialized import FORMS, model

import dyn_core
from dyn_core import ModelError, serialize
from dyn_core.joints import Revolute
from dyn_core.model import ModelBuilder
from dyn_core.model.gravity_compensator import Lift
from dyn_core.readers.json.model_document import from_document, to_document
from dyn_core.spatial import SE3


def setting(*path: Any) -> Callable[[Any], None]:
    """Sets what is at ``path[:-1]`` to ``path[-1]``."""

    def change(document: Any) -> None:
        for step in path[:-2]:
            document = document[step]
        document[path[-2]] = path[-1]

    return change


def removing(*path: Any) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return change


FIRST, LIMITS = ("joints", 0), ("joints", 0, "limits")
AXIS = ("joints", 0, "joint", 1, "axis")
BAD = {
    "no format": (removing("format"), "document: field 'format' is missing"),
    "other format": (setting("format", "png"), "the format is 'png', not 'dyn_core.model'"),
    "newer version": (
        setting("version", 2),
        r"newer dyn_core, in version 2 .* reads up to version 1",
    ),
    "true for 1": (setting("version", True), "version: an integer was expected"),
    "extra field": (setting("color", "red"), "document: unknown field 'color'; remove it"),
    "gravity of two": (setting("gravity", [0.0, 0.0]), "gravity: 3 numbers were expected, not 2"),
    "no parent": (removing(*FIRST, "parent"), r"joints\[0\]: field 'parent' is missing"),
    "parent itself": (
        setting(*FIRST, "parent", 1),
        "joint 'lead', parent: 1 is not within 0 and 0",
    ),
    "primary of no mimic": (setting(*FIRST, "primary", 2), "'lead': a mimic joint, and only"),
    "mimic of a ball": (
        setting("joints", 1, "primary", 4),
        "'mimic' mimics 'ball', a Spherical joint",
    ),
    "two of one name": (setting(*FIRST, "name", "ball"), "joint 'ball' exists already"),
    "unknown joint": (
        setting(*FIRST, "joint", 0, "os.system"),
        "joint 'lead', joint: unknown joint type 'os.system'; the known ones are Composite",
    ),
    "axis too long": (setting(*AXIS, [0.0, 0.0, 2.0]), "not those of any Revolute"),
    "NaN axis": (
        setting(*AXIS, 0, "nan"),
        r"joint 'lead', joint\[1\].axis\[0\]: nan is not finite",
    ),
    "composite of nothing": (
        setting("joints", 2, "joint", 1, "parts", []),
        "joint 'both', joint: a composite joint needs at least one part",
    ),
    "composite of an unknown": (
        setting("joints", 2, "joint", 1, "parts", 0, 0, "Weld"),
        r"joint 'both', joint\[1\].parts\[0\]: unknown joint type 'Weld'",
    ),
    "stretched rotation": (
        setting(*FIRST, "placement", "rotation", 0, 1.1),
        "joint 'lead', placement.rotation: the placement does not turn by a rotation matrix",
    ),
    "negative mass": (
        setting(*FIRST, "inertia", 0, -1.0),
        "joint 'lead', inertia: the mass -1.0 kg is negative",
    ),
    "limits crossed": (setting(*LIMITS, "upper", [-2.0]), "joint 'lead': the lower limit"),
    "frame of no joint": (
        setting("frames", 0, "joint", 99),
        r"frames\[0\].joint: 99 is not within 0 and 4",
    ),
    "unknown frame": (setting("frames", 0, "type", "cloud"), r"type: 'cloud' is unknown; use body"),
    "two configurations of one name": (
        lambda x: x["reference_configurations"].append(x["reference_configurations"][0]),
        "two of them have one name",
    ),
    "long quaternion": (
        setting("reference_configurations", 0, "q", 6, 2.0),
        "the coordinates of joint 'ball' are not of unit length",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_every_field_is_checked(case: str) -> None:
    change, words = BAD[case]
    document = to_document(model())
    change(document)
    with pytest.raises(ModelError, match=words):
        from_document(document)
    if case != "true for 1":
        with pytest.raises(ModelError, match=words):
            serialize.from_json(json.dumps(document))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wrong", [None, 5, ["x"]])
def test_other_types_are_refused(form: str, wrong: object) -> None:
    with pytest.raises(ModelError, match="load\\(\\) reads files"):
        FORMS[form][1](wrong)


def test_data_of_another_model_and_mistaken_kinds_are_refused() -> None:
    mine, other = model(), random_model(0)
    for write, read in FORMS.values():
        text = write(mine.create_data())
        with pytest.raises(ModelError, match=r"results of another model than Model\('random 0'"):
            read(text, other)
        with pytest.raises(ModelError, match="this is Data, not a Model; to read it, give the"):
            read(text)
        with pytest.raises(ModelError, match="this is a Model, not Data"):
            read(write(mine), mine)


def test_damaged_data_are_refused() -> None:
    mine = model()
    cases = [
        (setting("arrays", 0, "numbers", [0.0]), "numbers: 6 numbers were expected, not 1"),
        (setting("arrays", 0, "numbers", 0, "x"), r"numbers\[0\]: a number was expected"),
        (setting("arrays", 0, "field", "secret"), "field: unknown field 'secret'"),
        (setting("arrays", 0, "options", {"frame": "x"}), "options: unknown field 'frame'"),
        (setting("arrays", 1, "options", "frame", "x"), "options: no frame 'x'"),
        (setting("arrays", 1, "options", "frame", [0]), "frame must be name of a frame"),
        (setting("arrays", 1, "options", "frame", {"type": "x"}), "frame: the type 'x' is unknown"),
        (setting("arrays", 1, "options", "frame", None), "frame: an option is a number, a text"),
        (setting("arrays", 1, "options", {"frame": "a"}), "field 'reference' is missing"),
        (setting("arrays", 1.0), "arrays: a list was expected"),
        (removing("fingerprint"), "field 'fingerprint' is missing"),
    ]
    for change, words in cases:
        data = mine.create_data()
        data.arrays(dyn_core.rnea.request())
        data.arrays(dyn_core.frame_jacobian.request(mine.frames[0].name))
        document = to_document(data)
        change(document)
        with pytest.raises(ModelError, match=words):
            from_document(document, mine)


class Wobbly(Revolute):
    """A joint type of a user's own."""


class HeavyLift(Lift):
    """A compensator of a user's own."""


def test_what_could_not_be_read_is_not_written() -> None:
    builder = ModelBuilder("robot")
    builder.add_joint(0, Wobbly(), SE3.identity(), "knee")
    wobbly = builder.build()
    for thing in (wobbly, wobbly.create_data()):  # whose fingerprint does not tell methods apart
        with pytest.raises(ModelError, match="joint 'knee': a Wobbly joint cannot be written"):
            serialize.to_json(thing)
    own = replace(model(), lifts=(HeavyLift(1, 0.3, (0.1, 0.0, 0.0)),))
    with pytest.raises(ModelError, match="a HeavyLift cannot be written: it would become a Lift"):
        serialize.to_json(own)
    with pytest.raises(TypeError, match="only a Model or Data can be written, not a dict"):
        serialize.to_json({})


def test_files_are_refused_by_name(tmp_path: Path) -> None:
    damaged = tmp_path / "robot.json"
    damaged.write_bytes(serialize.to_json(model()).encode()[:100])
    with pytest.raises(ModelError, match=r"robot.json': this is not JSON"):
        serialize.load(damaged)
    damaged.write_bytes(b"\xff\xfe\0")
    with pytest.raises(ModelError, match=r"robot.json': this is neither text nor a binary form"):
        serialize.load(damaged)
    os.mkfifo(tmp_path / "pipe.json")  # which is not waited for
    for path in (tmp_path, "/dev/zero", tmp_path / "pipe.json"):
        with pytest.raises(ModelError, match="this is not a file"):
            serialize.load(path)
    for path in (tmp_path / "nose", "a\0b"):
        with pytest.raises(ModelError, match=r"cannot be read: .*; check the path"):
            serialize.load(path)
    with pytest.raises(ModelError, match=r"robot.yaml': the suffix '.yaml' is no known form"):
        serialize.save(model(), tmp_path / "robot.yaml")


def test_a_failed_save_leaves_the_file_before(tmp_path: Path) -> None:
    path = tmp_path / "robot.json"
    serialize.save(model(), path)
    builder = ModelBuilder("robot")
    builder.add_joint(0, Wobbly(), SE3.identity(), "knee")
    with pytest.raises(ModelError, match="Wobbly"):
        serialize.save(builder.build(), path)
    assert serialize.load(path).fingerprint == model().fingerprint
    assert list(tmp_path.iterdir()) == [path]


HOSTILE = [
    (serialize.from_json, "hello", "not JSON"),
    (serialize.from_json, "[]", "a map with named fields was expected"),
    (serialize.from_json, '{"format": NaN}', "NaN is not JSON; write it as one of the texts"),
    (serialize.from_json, '{"format": 1e999}', "the number 1e999 is too large"),
    (serialize.from_json, '{"format": ' + "9" * 100_000 + "}", "is too large"),
    (serialize.from_json, '{"format": "a", "format": "b"}', "field 'format' is there 2 times"),
    (serialize.from_json, "[" * 1_000_000, "nested too deeply|not JSON"),
    (serialize.from_json, '{"format": ' + "[" * 100 + "]" * 100 + "}", "a text was expected"),
    (serialize.from_xml, "hello", "not XML"),
    (serialize.from_xml, "<robot/>", "one element <dyn_core> that holds JSON, not <robot>; .*from"),
    (serialize.from_xml, '<dyn_core x="1">{}</dyn_core>', "one element <dyn_core>"),
    (serialize.from_xml, "<dyn_core>{}</dyn_core>", "field 'format' is missing"),
    (serialize.from_xml, "<dyn_core>\ud800</dyn_core>", "not XML"),
    (
        serialize.from_xml,
        '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><dyn_core>&x;</dyn_core>',
        "has a document type",
    ),
    (serialize.from_xml, "<dyn_core>" * 200_000, "not XML"),
    (serialize.from_binary, b"", "not JSON"),
    (serialize.from_binary, b"\x89PNG\r\n", "not JSON compressed by gzip"),
    (serialize.from_binary, serialize.to_binary(model())[:-1], "not JSON compressed by gzip"),
    (
        serialize.from_binary,
        gzip.compress("\u00e9".encode(), mtime=0),
        "not JSON compressed by gzip",
    ),
    (serialize.from_binary, gzip.compress(bytes(10 * serialize.MAX_BYTES)), "more than the"),
    (serialize.from_base64, "====", "not base64"),
    (serialize.from_base64, base64.b64encode(b"hello").decode(), "not JSON compressed by gzip"),
]


@pytest.mark.parametrize(("read", "text", "words"), HOSTILE)
def test_foreign_texts_and_bytes_are_refused(read: Callable, text: str | bytes, words: str) -> None:
    """At once, however long they are or would become."""
    with pytest.raises(ModelError, match=words):
        read(text)


def test_lines_of_base64_may_be_folded() -> None:
    folded = "\n".join(serialize.to_base64(model()))
    assert serialize.from_base64(folded).fingerprint == model().fingerprint
