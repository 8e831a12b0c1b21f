# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names are data: no name ends a comment, a line or a text of what is generated."""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from mjcf_files import mjcf
from robots import OWN_ARM, own_arm
from test_c_source import built

import dyn_core
from dyn_core import Coupling, Model, ModelBuilder, ModelError, ModelGraph, serialize
from dyn_core.export.c_project import c_project
from dyn_core.export.latex_document import latex_document
from dyn_core.export.object_writer import write_object

OWNED = '__attribute__((constructor)) static void owned(void) { puts("owned"); }'
PIECES = (
    "*/", "/*", "*\\\n/", "*??/\n/", "??/", "*\\\r\n/", "\\", "\n", "\r", "\x0b", "\x0c", "\0", '"',
    "'", "%s", "%n", "//", "#include", "\u2028", "\u202e", "\u2066", "\x85", "é", "漢", "\u00bf",
    "$", "{", "}", "@", "`", "int", "0", OWNED, "\\end{document}", "^^M", "~", "\t",
)  # fmt: skip
"""What ends comments, lines and texts, or is taken for a command, in C, CMake, LaTeX, LLVM IR."""
INJECTIONS = [f"x{end} {OWNED} /*" for end in ("*/", "*\\\n/", "*??/\n/", "*\\\r\n/", "\n*/")]
HIDDEN = ["\0", "\n", "\r", "\t", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\u202e", "\u2066"]


def named(names: list[str]) -> Model:
    """The arm with these names, which no reader would let pass: of robot, joints and frames."""
    model = own_arm()
    joints = zip(model.tree, ["universe", *names[1:]], strict=False)
    frames = zip(model.frames, names[7:], strict=False)
    return replace(
        model,
        name=names[0],
        tree=tuple(replace(x, name=name) for x, name in joints),
        frames=tuple(replace(x, name=name) for x, name in frames),
    )


@pytest.mark.parametrize("seed", range(3))
def test_c_with_any_names_compiles_and_does_nothing_but_its_work(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    names = [f"{k}".join(chance.choices(PIECES, k=5)) + str(k) for k in range(12)]
    names[chance.randrange(7)] = names[8] = INJECTIONS[seed]
    names[9] = f"tool {INJECTIONS[-1 - seed]}"
    model = named(names)
    requests = [
        dyn_core.generalized_gravity,
        *(dyn_core.frame_placement.request(x) for x in names[7:]),
    ]
    program = built(tmp_path, c_project(model, requests), "-Wno-overlength-strings", "-O0")
    run = subprocess.run([program], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_an_object_of_any_names_has_a_header_that_compiles(tmp_path: Path) -> None:
    model = named([INJECTIONS[1], *PIECES[:6], *INJECTIONS])
    _, header = write_object(
        model, ["gravity", dyn_core.frame_placement.request(INJECTIONS[0])], tmp_path
    )
    source = f'#include "{header.name}"\n'
    built(tmp_path, {"one.c": source + "int main(void) { return 0; }\n"})
    assert OWNED not in header.read_text()


def test_requests_that_are_one_name_in_c_are_two_functions(tmp_path: Path) -> None:
    model = named(["arm", *"abcdef", "tool-0", "tool 0"])
    files = c_project(model, [dyn_core.frame_placement.request(x) for x in ("tool-0", "tool 0")])
    built(tmp_path, files)
    assert "arm_frame_placement_frame_tool_0_2(" in files["arm_dynamics.h"]


def test_machine_code_takes_inputs_of_frames_of_any_names() -> None:
    model = named(["arm", *"abcdef", *INJECTIONS])
    for name in INJECTIONS:
        assert dyn_core.compile(model, ["gravity"], [dyn_core.payload(name)]).ready


@pytest.mark.parametrize("name", [*PIECES, *INJECTIONS])
def test_names_in_latex_stay_on_one_line_and_are_no_commands(name: str) -> None:
    builder = ModelBuilder("arm")
    builder.add_joint(0, dyn_core.joints.Revolute(), dyn_core.spatial.SE3.identity(), "joint")
    model = builder.build()
    tree = (model.tree[0], replace(model.tree[1], name=name))
    plain = latex_document(model, ["gravity"])["arm_dynamics.tex"]
    (text,) = latex_document(replace(model, name=name, tree=tree), ["gravity"]).values()
    assert len(text.splitlines()) == len(plain.splitlines())
    assert text.count("\\end{document}") == 1
    assert text.splitlines()[0].startswith("% Dynamics of ")


@pytest.mark.parametrize("hidden", HIDDEN)
def test_characters_that_are_not_seen_are_refused_when_a_robot_is_made(hidden: str) -> None:
    words = f"holds the character U\\+{ord(hidden):04X}, which is not printed: rename it"
    name = f"a{hidden}b"
    at, joint = dyn_core.spatial.SE3.identity(), dyn_core.joints.Revolute()
    with pytest.raises(ModelError, match=f"joint .*{words}"):
        ModelBuilder("arm").add_joint(0, joint, at, name)
    with pytest.raises(ModelError, match=f"frame .*{words}"):
        own_arm().with_frame(name, "tool0", at)
    with pytest.raises(ModelError, match=f"robot .*{words}"):
        ModelBuilder(name).build()
    with pytest.raises(ModelError, match=f"coupling .*{words}"):
        own_arm().with_coupling(Coupling(name, (("elbow_joint", 1.0),), (), (0.0,)))
    graph = ModelGraph("arm")
    graph.add_body(name)
    with pytest.raises(ModelError, match=f"frame .*{words}"):
        graph.build(name)
    text = json.loads(serialize.to_json(own_arm()))
    text["joints"][0]["name"] = name
    with pytest.raises(ModelError, match=words):
        serialize.from_json(json.dumps(text))


@pytest.mark.parametrize("code", ["&#10;", "&#13;", "&#9;", "&#x85;", "&#x2028;", "&#x202e;"])
def test_readers_refuse_them_too(code: str) -> None:
    words = r"holds the character U\+.*rename it"
    urdf = OWN_ARM.read_text()
    for name in ("elbow_joint", "forearm_link"):
        with pytest.raises(ModelError, match=words):
            Model.from_urdf(urdf.replace(f'"{name}"', f'"{name}{code}"'))
    with pytest.raises(ModelError, match=words):
        Model.from_mjcf(mjcf(f'<body name="a{code}b"><joint/><geom size="1"/></body>'))
    state = f'<group_state name="a{code}b" group="all"/>'
    group = '<group name="all"><joint name="elbow_joint"/></group>'
    with pytest.raises(ModelError, match=words):
        own_arm().with_srdf(f'<robot name="ur5">{group}{state}</robot>')
