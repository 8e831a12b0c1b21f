# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Geometry of real robots against Pinocchio, of MJCF against MuJoCo, and of shapes by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from mjcf_files import mjcf
from mujoco_model import configuration, random_states
from robots import ROBOT_FILES, example_robots

from dyn_core import Model, ModelError
from dyn_core.geometry import (
    CollisionChecker,
    GeometryModel,
    Kind,
    TriangleMesh,
    geometry_from_mjcf,
    geometry_from_urdf,
    with_disabled_collisions,
)
from dyn_core.readers.meshes import read_mesh

SRDF = {
    "ur5": "ur_description/srdf/ur5.srdf",
    "panda": "panda_description/srdf/panda.srdf",
    "hyq": "hyq_description/srdf/hyq.srdf",
    "talos": "talos_data/srdf/talos.srdf",
}
STATES = 4


def pinocchios(name: str) -> tuple[pin.Model, pin.GeometryModel]:
    path, folder = str(example_robots() / ROBOT_FILES[name]), example_robots().parents[1]
    model = pin.buildModelFromUrdf(path)
    geometry = pin.buildGeomFromUrdf(model, path, pin.COLLISION, package_dirs=[str(folder)])
    return model, geometry


def ours(name: str, kind: Kind = Kind.COLLISION) -> tuple[Model, GeometryModel]:
    path = example_robots() / ROBOT_FILES[name]
    model = Model.from_urdf(path, mimic=False)
    return model, geometry_from_urdf(model, path, kind, [example_robots().parents[1]])


def random_configuration(model: pin.Model, seed: int) -> np.ndarray:
    way = np.random.default_rng(seed).normal(size=model.nv)
    return pin.integrate(model, pin.neutral(model), way)


@pytest.mark.parametrize("name", ROBOT_FILES)
def test_shapes_are_where_pinocchio_has_them(name: str) -> None:
    pin_model, pin_geometry = pinocchios(name)
    model, geometry = ours(name)
    objects = list(pin_geometry.geometryObjects)
    assert [entry.name for entry in geometry.objects] == [entry.name for entry in objects]
    assert [entry.joint for entry in geometry.objects] == [entry.parentJoint for entry in objects]
    checker = CollisionChecker(model, geometry)
    pin_data, geometry_data = pin_model.createData(), pin.GeometryData(pin_geometry)
    for seed in range(STATES):
        q = random_configuration(pin_model, seed)
        pin.updateGeometryPlacements(pin_model, pin_data, pin_geometry, geometry_data, q)
        checker.update(q)
        expected = [place.homogeneous for place in geometry_data.oMg]
        assert np.allclose(checker.placements, expected, atol=1e-12)


@pytest.mark.quick("ur5", "panda", "hyq")
@pytest.mark.parametrize("name", SRDF)
def test_collisions_and_distances_are_pinocchios(name: str) -> None:
    """All pairs that the SRDF leaves, at random configurations: touching or not, and how far."""
    pin_model, pin_geometry = pinocchios(name)
    model, geometry = ours(name)
    srdf = example_robots() / SRDF[name]
    pin_geometry.addAllCollisionPairs()
    geometry = geometry.with_all_pairs()
    pairs = {tuple(sorted((p.first, p.second))) for p in pin_geometry.collisionPairs}
    assert set(geometry.pairs) == pairs
    pin.removeCollisionPairs(pin_model, pin_geometry, str(srdf))
    geometry = with_disabled_collisions(geometry, srdf)
    own = [tuple(sorted((p.first, p.second))) for p in pin_geometry.collisionPairs]
    assert set(geometry.pairs) == set(own)
    order = [own.index(pair) for pair in geometry.pairs]
    checker = CollisionChecker(model, geometry, tolerance=1e-10)
    pin_data, geometry_data = pin_model.createData(), pin.GeometryData(pin_geometry)
    for request in geometry_data.distanceRequests:
        request.gjk_tolerance = request.epa_tolerance = 1e-10
    for seed in range(STATES):
        q = random_configuration(pin_model, seed)
        checker.update(q)
        pin.computeCollisions(pin_model, pin_data, pin_geometry, geometry_data, q, False)
        expected = [geometry_data.collisionResults[k].isCollision() for k in order]
        assert checker.collisions().tolist() == expected
        assert checker.collides() == any(expected)
        pin.computeDistances(pin_model, pin_data, pin_geometry, geometry_data, q)
        far = np.array([geometry_data.distanceResults[k].min_distance for k in order])
        apart = ~np.array(expected, dtype=bool)
        # Of two cylinders the iterations end before they reach the tolerance, 4e-8 m apart.
        assert np.allclose(checker.distances()[apart], far[apart], atol=1e-7)


TWO_BALLS = """<robot name="r">
<link name="a"><collision><geometry><sphere radius="{ra}"/></geometry></collision></link>
<link name="b"><collision><origin xyz="0 0 .1"/><geometry>{shape}</geometry></collision>
<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link><joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" velocity="1" effort="1"/></joint></robot>"""


def two(shape: str, ra: float = 0.5) -> tuple[Model, GeometryModel]:
    text = TWO_BALLS.format(shape=shape, ra=ra)
    model = Model.from_urdf(text)
    return model, geometry_from_urdf(model, text).with_all_pairs()


@pytest.mark.parametrize(
    ("shape", "q", "expected"),
    [
        ('<sphere radius=".3"/>', 2.0, math.hypot(2.0, 0.1) - 0.8),
        ('<box size=".4 2 2"/>', 2.0, 2.0 - 0.2 - 0.5),
        ('<cylinder radius=".3" length="2"/>', 2.0, 2.0 - 0.3 - 0.5),
        ('<capsule radius=".3" length="2"/>', 2.0, 2.0 - 0.3 - 0.5),
    ],
)
def test_distances_by_hand(shape: str, q: float, expected: float) -> None:
    model, geometry = two(shape)
    checker = CollisionChecker(model, geometry)
    checker.update(np.array([q]))
    lengths, points = checker.nearest_points()
    assert lengths == pytest.approx([expected], abs=1e-6)
    assert np.linalg.norm(points[0, 1] - points[0, 0]) == pytest.approx(expected, abs=1e-6)
    assert not checker.collides()
    checker.update(np.array([0.5]))
    assert checker.collides()
    assert checker.collisions().tolist() == [True]
    assert checker.distances()[0] <= 0.0


def test_meshes_are_found_by_packages_and_relative_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meshes = tmp_path / "share" / "robot_meshes" / "meshes"
    meshes.mkdir(parents=True)
    (meshes / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    urdf = tmp_path / "share" / "robot_meshes" / "robot.urdf"
    for name in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)

    def read(uri: str, folders: tuple[Path, ...] = ()) -> None:
        urdf.write_text(TWO_BALLS.format(shape=f'<mesh filename="{uri}" scale="2 3 4"/>', ra=1.0))
        geometry = geometry_from_urdf(Model.from_urdf(urdf), urdf, package_dirs=folders)
        shape = geometry.objects[1].shape
        assert isinstance(shape, TriangleMesh)
        assert shape.mesh.vertices.tolist() == [[0, 0, 0], [2, 0, 0], [0, 3, 0]]

    read("meshes/t.obj")
    read(f"file://{meshes / 't.obj'}")
    package = "package://robot_meshes/meshes/t.obj"
    read(package, (tmp_path / "share",))
    read(package, (tmp_path / "share" / "robot_meshes",))
    read(package.replace("//", "///"), (tmp_path / "share",))
    with pytest.raises(ModelError, match=r"collision 1 of 'b': the file 'package://.*package_dirs"):
        read(package)
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'share'}")
    read(package)
    monkeypatch.setenv("ROS_PACKAGE_PATH", "")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    read(package)
    with pytest.raises(ModelError, match=r"the file 'meshes/u.obj' is not there \(looked for"):
        read("meshes/u.obj")
    (meshes / "points.obj").write_text("v 0 0 0\nv 1 0 0\n")
    with pytest.raises(ModelError, match=r"points\.obj' has no triangles"):
        read("meshes/points.obj")


@pytest.mark.parametrize(("unit", "size"), [('meter="0.0254" name="inch"', 0.0254), ("", 1.0)])
def test_the_unit_of_a_collada_file_counts(tmp_path: Path, unit: str, size: float) -> None:
    """RViz shows it so; Aliengo's shank is in inches."""
    trimesh = pytest.importorskip("trimesh")
    text = trimesh.exchange.dae.export_collada(trimesh.creation.box((2.0, 2.0, 2.0))).decode()
    text = text.replace("<asset>", f"<asset><unit {unit}/>") if unit else text
    path = tmp_path / "box.dae"
    path.write_text(text)
    assert np.abs(read_mesh(path, "box").vertices).max() == pytest.approx(size)


BROKEN = {
    "no shape": ("", "collision 1 of 'b' has 0 shapes"),
    "two shapes": ('<sphere radius="1"/><sphere radius="1"/>', "has 2 shapes"),
    "unknown shape": ('<cone radius="1"/>', "the shape <cone> is unknown"),
    "no radius": ("<sphere/>", "<sphere> has no radius"),
    "no length": ('<cylinder radius="1" length="0"/>', "length of its cylinder must be positive"),
    "no number": ('<box size="1 2 x"/>', "size='1 2 x' is not a number"),
    "a relative path in a text": ('<mesh filename="m.stl"/>', "a text has no folder"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_shapes_are_refused_by_name(case: str) -> None:
    shape, words = BROKEN[case]
    with pytest.raises(ModelError, match=words):
        two(shape)


def test_a_box_without_size_is_no_shape() -> None:
    """Sawyer's torso has one; it hid the shapes of all other links."""
    for size in ("0 0 0", "0.0 0 0.00"):
        _, geometry = two(f'<box size="{size}"/>')
        assert [one.body for one in geometry.objects] == ["a"]
    with pytest.raises(ModelError, match="size of its box must be positive"):
        two('<box size="0 1 0"/>')


def test_geometry_and_model_belong_together() -> None:
    model, geometry = two('<sphere radius=".3"/>')
    assert geometry.pairs == ((0, 1),)
    assert geometry.without_adjacent(model).pairs == ()
    other = Model.from_urdf('<robot name="o"><link name="a"/></robot>')
    with pytest.raises(ModelError, match="link 'b' is not in the model 'o'"):
        geometry_from_urdf(other, TWO_BALLS.format(shape='<sphere radius="1"/>', ra=1))
    floating = Model.from_urdf(
        TWO_BALLS.format(shape='<sphere radius="1"/>', ra=1), "free_flyer", massless=True
    )
    with pytest.raises(ModelError, match=r"object 'a_0' .* does not move its body 'a'; read"):
        CollisionChecker(floating, geometry)
    for k in (-1, 2):
        with pytest.raises(ModelError, match="pairs of 2 objects have an index that none has"):
            replace(geometry, pairs=((0, k),))
    checker = CollisionChecker(model, geometry)
    with pytest.raises(ModelError, match="call update"):
        checker.collisions()
    assert np.isnan(checker.placements).all()
    with pytest.raises(ValueError, match="not finite"):
        checker.update(np.array([math.nan]))


def test_looks_are_read_apart_from_what_collides() -> None:
    _, visual = ours("ur5", Kind.COLLISION)
    assert visual.kind is Kind.COLLISION
    text = TWO_BALLS.format(shape='<sphere radius="1"/>', ra=1).replace("collision>", "visual>")
    model = Model.from_urdf(text)
    assert geometry_from_urdf(model, text).objects == ()
    assert len(geometry_from_urdf(model, text, Kind.VISUAL).objects) == 2


GEOMS = {
    "sphere": '<geom size=".2"/>',
    "box": '<geom type="box" size=".1 .2 .3" euler="10 20 30"/>',
    "capsule": '<geom type="capsule" size=".1" fromto="0 0 0 .1 .2 .3"/>',
    "cylinder": '<geom type="cylinder" size=".1 .2" pos=".1 0 0"/>',
    "ellipsoid": '<geom type="ellipsoid" size=".1 .2 .3"/>',
    "mesh": '<geom type="mesh" mesh="m" pos=".1 0 0" euler="30 20 10"/>',
}
MESH = '<asset><mesh name="m" vertex="0 0 0 .3 0 0 0 .2 0 0 0 .4 .3 .2 .4"/></asset>'
WORLD = """<geom name="ball" size=".3" pos="0 0 1"/>
<geom name="floor" type="plane" size="1 1 1" pos="0 0 -2"/>"""


@pytest.mark.parametrize("name", GEOMS)
def test_distances_of_geoms_are_mujocos(name: str) -> None:
    geom = GEOMS[name].replace("<geom", '<geom name="g"')
    text = mjcf(f"{WORLD}<body><freejoint/>{geom}</body>", MESH)
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    geometry = geometry_from_mjcf(model, text)
    assert geometry.pairs == ((0, 2), (1, 2))
    checker = CollisionChecker(model, geometry)
    ids = [mujoco.mj_name2id(oracle, mujoco.mjtObj.mjOBJ_GEOM, n) for n in ("ball", "floor", "g")]
    apart = 0
    for qpos, _ in random_states(oracle, 8):
        data = mujoco.MjData(oracle)
        data.qpos[:] = qpos
        mujoco.mj_forward(oracle, data)
        checker.update(configuration(oracle, qpos))
        expected = [
            mujoco.mj_geomDistance(oracle, data, ids[i], ids[j], 100.0, np.zeros(6))
            for i, j in geometry.pairs
        ]
        for own, other in zip(checker.distances(), expected, strict=True):
            if other > 0.0:
                apart += 1
                assert own == pytest.approx(other, abs=2e-6)
            else:
                assert own <= 1e-9
    assert apart > 4


def test_pairs_are_those_that_mujoco_checks() -> None:
    """Bits, families, exclusions and explicit pairs: the contacts of balls that all overlap."""

    def ball(name: str, bits: str = "") -> str:
        return f'<geom name="{name}" size="1" {bits}/>'

    def hinged(name: str, inside: str) -> str:
        return f'<body name="{name}"><joint name="j{name}"/>{inside}</body>'

    world = (
        ball("w")
        + hinged("a", ball("a1") + hinged("b", ball("b1") + f"<body name='f'>{ball('f1')}</body>"))
        + hinged("c", ball("c1", 'contype="2" conaffinity="1"') + hinged("e", ball("e1")))
        + hinged("d", ball("d1", 'contype="0" conaffinity="0"'))
        + hinged("g", ball("g1", 'contype="4" conaffinity="0"'))
        + hinged("h", ball("h1", 'contype="0" conaffinity="4"'))
        + hinged("i", ball("i1", 'contype="4" conaffinity="0"'))
    )
    contact = '<contact><exclude body1="b" body2="c"/><pair geom1="d1" geom2="w"/></contact>'
    text = mjcf(world, "", contact)
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(oracle)
    mujoco.mj_forward(oracle, data)

    def geom(i: int) -> str:
        return mujoco.mj_id2name(oracle, mujoco.mjtObj.mjOBJ_GEOM, i)

    expected = {frozenset({geom(c.geom1), geom(c.geom2)}) for c in data.contact}
    geometry = geometry_from_mjcf(model, text)
    objects = geometry.objects
    assert {frozenset({objects[i].name, objects[j].name}) for i, j in geometry.pairs} == expected
