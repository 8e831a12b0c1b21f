# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertia of MJCF's meshes in each of MuJoCo's ways, from text and from files."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_files import HINGE, arm, body, link, mjcf
from mujoco_model import configuration, dynamics, random_states
from robots import relative_error
from test_mjcf_against_mujoco import TOLERANCE, ours

from dyn_core import Model, ModelError
from dyn_core.errors import MissingFileError
from dyn_core.geometry import geometry_from_mjcf

# A pyramid with a dent in one side, so that no two ways of counting agree.
VERTICES = "0 0 0 5 0 0 0 4 0 0 0 3 1 1 1.2"
INSIDE_OUT = "0 1 4 0 4 2 0 2 3 1 2 4 0 3 1 1 3 2"
FACES = "0 4 1 0 2 4 0 3 2 1 4 2 0 1 3 1 2 3"
SLAB = "0 0 0 3 0 0 3 2 0 0 2 0 0 0 9 3 0 9 3 2 9 0 2 9 2 1 12"


def meshed(asset: str, geom: str = 'type="mesh"', compiler: str = "", before: str = "") -> str:
    """Two links, the second with the inertia of a mesh."""
    inside = HINGE.format("j2") + f'<geom {geom} mesh="m" pos=".1 0 .2" euler="10 20 30"/>'
    return mjcf(
        link("a", HINGE.format("j1"), body("b", inside)),
        f"<compiler {compiler}/>{before}<asset>{asset}</asset>",
    )


def mesh(attributes: str, data: str = f'vertex="{VERTICES}" face="{FACES}"') -> str:
    return f'<mesh name="m" {attributes} {data}/>'


CASES = {
    "by default": meshed(mesh("")),
    "exact": meshed(mesh('inertia="exact"')),
    "legacy": meshed(mesh('inertia="legacy"')),
    "convex": meshed(mesh('inertia="convex"')),
    "shell": meshed(mesh('inertia="shell"')),
    "mass": meshed(mesh('inertia="exact"'), 'type="mesh" mass="3"'),
    "density": meshed(mesh('inertia="exact"'), 'type="mesh" density="300"'),
    "moved, turned and scaled": meshed(
        mesh('inertia="exact" refpos=".1 .2 .3" refquat="1 2 -3 4" scale="2 .5 1.5"')
    ),
    "mirrored": meshed(mesh('inertia="exact" scale="-1 1 2"')),
    "without faces": meshed(mesh("", f'vertex="{SLAB}"')),
    "scale of the class": meshed(
        mesh("scale='1 1 2'"), before='<default><mesh scale="3 3 3" inertia="exact"/></default>'
    ),
    **{
        f"{kind} fitted{' to its box' * box}": meshed(
            mesh("", f'vertex="{SLAB}"'), f'type="{kind}" fitscale="1.2"', 'fitaabb="true"' * box
        )
        for kind in ("sphere", "capsule", "cylinder", "ellipsoid", "box")
        for box in (False, True)
    },
}


AXES = 1.5e-6
"""rad: MuJoCo turns the principal axes of a mesh no further when 1 - cos of the turn is 1e-12."""


def assert_same_inertia(model: Model, oracle: mujoco.MjModel) -> None:
    """Mass, centre and moments as MuJoCo's; the mass matrix as far as its axes are exact.

    A small error of the axes changes the matrix in proportion, and the moments by its square.
    """
    own = model.inertias[2]
    assert own.mass == pytest.approx(oracle.body_mass[2], rel=TOLERANCE)
    at_com = np.array([list(row) for row in own.at_com.rows])
    moments = np.linalg.eigvalsh(at_com)
    assert relative_error(moments, np.sort(oracle.body_inertia[2])) < TOLERANCE
    assert np.allclose(list(own.com), oracle.body_ipos[2], rtol=TOLERANCE, atol=TOLERANCE)
    for qpos, v in random_states(oracle, 3):
        _, M, bias = dynamics(oracle, qpos, v)
        own_M, own_bias = ours(model, configuration(oracle, qpos), v)
        assert relative_error(own_M, M) < AXES
        assert np.abs(own_bias - bias).max() < AXES * max(np.abs(bias).max(), np.abs(M).max())


@pytest.mark.parametrize("name", CASES)
def test_inertia_of_meshes(name: str) -> None:
    oracle = mujoco.MjModel.from_xml_string(CASES[name])
    assert_same_inertia(Model.from_mjcf(CASES[name]), oracle)


def write(path: Path) -> None:
    """The dented pyramid in the format that the name of the file says."""
    points = np.array(VERTICES.split(), dtype=np.float32).reshape(-1, 3)
    faces = np.array(FACES.split(), dtype=np.int32).reshape(-1, 3)
    if path.suffix == ".obj":
        lines = [f"v {x} {y} {z}" for x, y, z in points]
        lines += ["f {} {} {}".format(*(face + 1)) for face in faces]
        path.write_text("\n".join(lines))
    elif path.suffix == ".stl":
        triangles = b"".join(bytes(12) + points[face].tobytes() + bytes(2) for face in faces)
        path.write_bytes(bytes(80) + struct.pack("<I", len(faces)) + triangles)
    else:
        counts = struct.pack("<4i", len(points), 0, 0, len(faces))
        path.write_bytes(counts + points.tobytes() + faces.tobytes())


@pytest.mark.parametrize("suffix", ["obj", "stl", "msh"])
@pytest.mark.parametrize("compiler", ["", 'meshdir="parts"', 'assetdir="parts" strippath="true"'])
def test_mesh_files(tmp_path: Path, suffix: str, compiler: str) -> None:
    folder = tmp_path / ("parts" if compiler else "")
    folder.mkdir(exist_ok=True)
    write(folder / f"m.{suffix}")
    file = f"some/where/m.{suffix}" if "strippath" in compiler else f"m.{suffix}"
    path = tmp_path / "robot.xml"
    path.write_text(meshed(f'<mesh file="{file}" inertia="exact"/>', compiler=compiler))
    assert_same_inertia(Model.from_mjcf(path), mujoco.MjModel.from_xml_path(str(path)))


def test_a_file_of_points_is_their_hull(tmp_path: Path) -> None:
    points = np.array(SLAB.split(), dtype=np.float64).reshape(-1, 3)
    (tmp_path / "m.obj").write_text("\n".join(f"v {x} {y} {z}" for x, y, z in points))
    path = tmp_path / "robot.xml"
    path.write_text(meshed('<mesh file="m.obj"/>'))
    assert_same_inertia(Model.from_mjcf(path), mujoco.MjModel.from_xml_path(str(path)))


BROKEN = {
    "no such mesh": (meshed('<mesh name="other" vertex="0 0 0"/>'), "mesh 'm' not found"),
    "a file of a text": (meshed('<mesh name="m" file="m.stl"/>'), "a text has no folder"),
    "a face of nothing": (meshed(mesh("", f'vertex="{VERTICES}" face="0 1 9"')), "element 'm'"),
    "flat": (meshed(mesh("", 'vertex="0 0 0 1 0 0 0 1 0 1 1 0"')), "coplanar.*element 'm'"),
    "inside out": (
        meshed(mesh("inertia='exact'", f'vertex="{VERTICES}" face="{INSIDE_OUT}"')),
        "volume is negative .misoriented triangles",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_meshes_are_refused_by_name(case: str) -> None:
    text, words = BROKEN[case]
    with pytest.raises(ModelError, match=words):
        Model.from_mjcf(text)


def test_meshes_can_be_left_out() -> None:
    assert Model.from_mjcf(meshed(mesh("")), ignore="mesh", massless=True).nv == 2


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("m.stl", None, "mesh 'm': there is no mesh file '.*m.stl'; correct its path"),
        ("m.msh", b"abc", "missing header in MSH file '.*m.msh'"),
        ("m.what", b"1", "no decoder found for mesh file '.*m.what'"),
    ],
)
def test_broken_mesh_files_are_named(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "robot.xml"
    path.write_text(meshed(f'<mesh name="m" file="{name}"/>'))
    with pytest.raises(ModelError, match=words) as caught:
        Model.from_mjcf(path)
    assert isinstance(caught.value, MissingFileError) == (content is None)


UNNEEDED = {
    "body with inertia": link("a", HINGE.format("j"), '<geom type="mesh" mesh="m"/>'),
    "fixed body": body("f", '<geom type="mesh" mesh="m"/>') + arm(),
    "fitted shape": link("a", HINGE.format("j"), '<geom type="capsule" mesh="m"/>'),
    "no mass": body(
        "a", HINGE.format("j") + '<geom type="mesh" mesh="m" mass="0"/><geom size=".1"/>'
    ),
    "no density": body(
        "a", HINGE.format("j") + '<geom type="mesh" mesh="m" density="0"/><geom size=".1"/>'
    ),
    "other group": body(
        "a", HINGE.format("j") + '<geom type="mesh" mesh="m" group="2"/><geom size=".1"/>'
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNNEEDED)
def test_files_that_dynamics_do_not_depend_on_need_not_be_there(tmp_path: Path, case: str) -> None:
    """Looks, and meshes that give no inertia: the model is that without them."""
    assets = '<asset><mesh name="m" file="no.stl"/><texture type="2d" name="t" file="no.png"/>'
    before = '<compiler inertiagrouprange="0 1"/>'
    path = tmp_path / "robot.xml"
    path.write_text(mjcf(UNNEEDED[case], f"{before}{assets}<hfield name='h' file='no.png' "
                                         "size='1 1 1 1'/></asset>"))  # fmt: skip
    without = re.sub("<geom [^>]*mesh=[^>]*>", "", UNNEEDED[case])
    expected = Model.from_mjcf(mjcf(without, before))
    assert Model.from_mjcf(path).fingerprint == expected.fingerprint


def test_shapes_whose_files_are_missing_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    geoms = '<geom size=".1"/><geom type="mesh" mesh="m"/>'
    path.write_text(
        mjcf(link("a", HINGE.format("j"), geoms), '<asset><mesh name="m" file="no.stl"/></asset>')
    )
    model, missing = Model.from_mjcf(path), dict[str, str]()
    with pytest.raises(MissingFileError, match="mesh 'm': there is no mesh file"):
        geometry_from_mjcf(model, path)
    geometry = geometry_from_mjcf(model, path, missing=missing)
    assert [one.name for one in geometry.objects] == ["a_0"]
    assert missing.keys() == {"a"}
