# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Frame Jacobians: together in one kernel, of frames elsewhere, refusals."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from robots import load, relative_error

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, WORLD, frame_jacobian
from dyn_core.spatial import Motion, exp6

AT = exp6(Motion.of([0.1, -0.2, 0.3, 0.4, 0.5, -0.6]))


def test_two_jacobians_and_the_mass_matrix_in_one_kernel() -> None:
    robot = load("panda")
    model, pin_model = robot.model, robot.pin_model
    hand, elbow = frame_jacobian.request("panda_hand"), frame_jacobian.request("panda_link4", WORLD)
    kernel = dyn_core.compile(model, ["mass_matrix", hand, elbow])
    data, pin_data = model.create_data(), pin_model.createData()
    compute = kernel.bind(data)
    assert kernel.inputs == ("q",)
    for s in robot.states(5):
        M, at_hand, at_elbow = compute(s["q"])
        index = pin_model.getFrameId("panda_hand", pin.BODY)
        expected = pin.computeFrameJacobian(pin_model, pin_data, s["q"], index, pin.LOCAL)
        assert relative_error(at_hand, expected) < 1e-10
        index = pin_model.getFrameId("panda_link4", pin.BODY)
        expected = pin.computeFrameJacobian(pin_model, pin_data, s["q"], index, pin.WORLD)
        assert relative_error(at_elbow, expected) < 1e-10
        assert relative_error(M, dyn_core.crba(model, s["q"])) < 1e-14
    assert data[hand] is at_hand
    assert data[elbow] is at_elbow
    assert data.M is M


def test_one_line_is_the_same_as_the_request() -> None:
    model, q = load("ur5").model, np.linspace(0.1, 0.6, 6)
    data = model.create_data()
    by_name = frame_jacobian(model, data, q, frame="tool0")
    assert by_name is data[frame_jacobian.request("tool0")]
    assert np.array_equal(by_name, frame_jacobian.request(frame="tool0")(model, q))
    turned = frame_jacobian(model, data, q, frame="tool0", reference=LOCAL_WORLD_ALIGNED)
    assert not np.allclose(by_name, turned)


def test_a_frame_elsewhere_gets_code_of_its_own() -> None:
    """Robots whose frames of one name differ share no code."""
    model, q = load("ur5").model, np.linspace(0.1, 0.6, 6)
    near, far = (model.with_frame("tip", "tool0", place) for place in (AT, AT * AT))
    assert near.fingerprint != far.fingerprint
    results = [frame_jacobian(m, q, frame="tip") for m in (near, far)]
    for result, place in zip(results, (AT, AT * AT), strict=True):
        tool = frame_jacobian(model, q, frame="tool0")
        expected = np.array([list(place.act_inv_motion(Motion.of(x))) for x in tool.T.tolist()]).T
        assert relative_error(result, expected) < 1e-12


def test_a_request_that_does_not_fit_is_refused_in_words() -> None:
    model, q = load("ur5").model, np.zeros(6)
    with pytest.raises(KeyError, match=r"no frame .*tool1.* it has base, base_link"):
        frame_jacobian(model, q, frame="tool1")
    with pytest.raises(TypeError, match="frame_jacobian: missing a required argument: 'frame'"):
        frame_jacobian(model, q)
    with pytest.raises(TypeError, match=r"frame must be name of a frame: .*not 7"):
        frame_jacobian(model, q, frame=7)
    with pytest.raises(ValueError, match="reference must be LOCAL, WORLD or LOCAL_WORLD_ALIGNED"):
        frame_jacobian(model, q, frame="tool0", reference="body")
    with pytest.raises(AttributeError, match="'Jf' belongs to a quantity with options"):
        _ = model.create_data().Jf
