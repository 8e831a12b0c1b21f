# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""centroidal beside Pinocchio's numbers, and what its markers show."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from bench import Ur5
from called import Called
from dyn_msgs.msg import Centroidal
from ros_helpers import UR5, until
from visualization_msgs.msg import Marker, MarkerArray

import dyn_core
from dyn_core.geometry import inertia_ellipsoid
from dyn_core.spatial import SE3, Vector3
from dyn_core.spatial import uniform_solids as bodies
from dyn_core.spatial.exponential import exp3
from dyn_ros.outputs.markers import RobotMarkers

OUTPUTS = {"centroidal": Centroidal, "markers": MarkerArray}


def xyz(vector: object) -> list[float]:
    return [vector.x, vector.y, vector.z]  # type: ignore[attr-defined]


def test_centre_of_mass_momentum_and_energy(called: Called) -> None:
    bench = Ur5(called, "centroidal", OUTPUTS)
    message = bench.answer_on("centroidal", bench.stamp)
    model, data = bench.model, bench.data
    momentum = pin.computeCentroidalMomentum(model, data, bench.q, bench.v)
    assert message.header.frame_id == "base_link"
    assert message.mass == pytest.approx(pin.computeTotalMass(model))
    assert xyz(message.center_of_mass) == pytest.approx(pin.centerOfMass(model, data, bench.q))
    pin.centerOfMass(model, data, bench.q, bench.v)
    assert xyz(message.velocity) == pytest.approx(data.vcom[0])
    assert xyz(message.linear_momentum) == pytest.approx(momentum.linear, abs=1e-9)
    assert xyz(message.angular_momentum) == pytest.approx(momentum.angular, abs=1e-9)
    kinetic = pin.computeKineticEnergy(model, data, bench.q, bench.v)
    assert message.kinetic_energy == pytest.approx(kinetic)
    potential = pin.computePotentialEnergy(model, data, bench.q)
    assert message.potential_energy == pytest.approx(potential)


def test_markers_stand_in_the_frames_of_links(called: Called) -> None:
    """RViz knows their transforms; states, and so markers, are one second apart."""
    bench = Ur5(called, "centroidal", OUTPUTS)
    stamps = [bench.send(bench.names, **bench.fields) for _ in range(4)]
    for stamp in stamps:
        bench.answer_on("centroidal", stamp)
    shown = until(lambda: len(bench.received["markers"]) > 2 and bench.received["markers"])
    center, *rest = shown[-1].markers
    assert center.header.frame_id == "base_link"
    expected = pin.centerOfMass(bench.model, bench.data, bench.q)
    assert xyz(center.pose.position) == pytest.approx(expected)
    arrows = [marker for marker in rest if marker.ns == "effort"]
    links = [name.replace("_joint", "_link") for name in bench.names]
    links[1:3] = "upper_arm_link", "forearm_link"
    assert [arrow.header.frame_id for arrow in arrows] == ["shoulder_link", *links[1:]]
    tips = [sum(xyz(arrow.points[1])) for arrow in arrows]  # axes of a UR5 are y or z
    assert tips == pytest.approx(0.005 * bench.effort)
    stamps_shown = [message.markers[0].header.stamp.sec for message in shown]
    assert set(np.diff(stamps_shown)) == {1}


def test_an_ellipsoid_looks_as_heavy_as_its_body() -> None:
    """The inertia of a turned, shifted ellipsoid gives its own semi-axes and directions back."""
    lengths = [0.1, 0.25, 0.4]
    rotation = exp3(Vector3(0.3, -0.8, 0.5))
    inertia = SE3(rotation, Vector3(1.0, 2.0, 3.0)).act_inertia(bodies.ellipsoid(4.0, *lengths))
    found, axes = inertia_ellipsoid(inertia)
    assert found == pytest.approx(lengths)
    turned = np.array([[*row] for row in rotation.rows])
    assert np.abs(axes.T @ turned) == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_every_moving_body_has_an_ellipsoid_and_an_arrow() -> None:
    model = dyn_core.Model.from_urdf(UR5)
    markers = RobotMarkers(model).message.markers
    assert [x.ns for x in markers] == ["center_of_mass", *["inertia"] * 6, *["effort"] * 6]
    assert len({marker.id for marker in markers}) == 13
    assert {marker.type for marker in markers[:7]} == {Marker.SPHERE}
    assert all(min(xyz(marker.scale)) > 0.0 for marker in markers[:7])
