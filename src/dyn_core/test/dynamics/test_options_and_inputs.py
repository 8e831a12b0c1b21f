# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Frames as options, and forces, gravity, payloads and inertias as inputs of compiled code."""

from __future__ import annotations

import numpy as np
import pytest
from robots import Robot, load, relative_error

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, WORLD, frame_jacobian, payload, rnea, wrench
from dyn_core.compiler import machine_code as machine

BODY = np.array([2.0, 0.1, -0.2, 0.3, 0.3, 0.01, 0.4, 0.02, 0.03, 0.5])
"""Ten inertial parameters of a payload about the origin of its frame."""


def forces(robot: Robot, seed: int = 0) -> np.ndarray:
    """A random force on every body."""
    return np.random.default_rng(seed).normal(size=(robot.model.njoints, 6))


def test_payload_and_gravity_and_inertias_as_inputs_equal_an_edited_model(robot: Robot) -> None:
    model, s, frame = robot.model, robot.states(1)[0], robot.model.frames[-1].name
    state = s["q"], s["v"], s["a"]
    gravity = np.array([1.0, -2.0, 3.0])
    body = dyn_core.spatial.Inertia.from_parameters(BODY.tolist())
    at_com = np.array([list(row) for row in body.at_com.full().rows])
    edited = model.with_payload(frame, body.mass, tuple(body.com), at_com).with_gravity(gravity)
    expected = rnea(edited, *state)
    given = rnea(model, *state, gravity=gravity, payload={frame: BODY})
    assert relative_error(given, expected) < 1e-12
    parameters = np.array([inertia.parameters for inertia in edited.inertias])
    given = rnea(model, *state, inertial_parameters=parameters, gravity=gravity)
    assert relative_error(given, expected) < 1e-12


def test_another_payload_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load("ur5").model.with_gravity([0.0, 0.0, -1.0])
    s, data = load("ur5").states(1)[0], model.create_data()
    compiled, original = [], machine.to_object_code
    monkeypatch.setattr(machine, "to_object_code", lambda ir: compiled.append(ir) or original(ir))
    monkeypatch.setenv("DYN_CORE_CACHE", "")
    results = [
        rnea(model, data, s["q"], s["v"], s["a"], payload={"tool0": k * BODY}).copy()
        for k in (0.0, 1.0, 2.0, 3.0)
    ]
    assert len(compiled) == 1
    steps = np.diff(results, axis=0)
    assert np.abs(steps).max() > 0.1
    assert relative_error(steps[1:], steps[:1].repeat(2, axis=0)) < 1e-11  # linear in the payload


def test_wrench_at_a_frame_is_felt_through_its_jacobian(robot: Robot) -> None:
    model, s, frame = robot.model, robot.states(1)[0], robot.model.frames[-1].name
    push = np.array([1.0, -2.0, 3.0, 0.4, 0.5, -0.6])
    free = rnea(model, s["q"], s["v"], s["a"])
    pushed = rnea(model, s["q"], s["v"], s["a"], wrench={frame: push})
    J = dyn_core.frame_jacobian(model, s["q"], frame=frame)
    assert relative_error(free - pushed, J.T @ push) < 1e-9


def test_several_payloads_and_wrenches_in_one_kernel() -> None:
    robot = load("ur5")
    s = robot.states(1)[0]
    inputs = [payload("tool0"), payload("forearm_link"), wrench("tool0"), "f_ext", "gravity"]
    kernel = dyn_core.compile(robot.model, [rnea, "mass_matrix"], inputs)
    names = "q v a payload[tool0] payload[forearm_link] wrench[tool0] f_ext gravity"
    assert kernel.inputs == tuple(names.split())
    push, f_ext = np.arange(6.0), forces(robot)
    extras = (BODY, 2.0 * BODY, push, f_ext, np.array([0.0, 0.0, -1.62]))
    tau, M = kernel(s["q"], s["v"], s["a"], *extras)
    loads = {"tool0": BODY, "forearm_link": 2.0 * BODY}
    named = {"payload": loads, "wrench": {"tool0": push}, "f_ext": f_ext, "gravity": extras[-1]}
    assert relative_error(rnea(robot.model, s["q"], s["v"], s["a"], **named), tau) < 1e-13
    assert relative_error(dyn_core.crba(robot.model, s["q"], payload=loads), M) < 1e-13


def test_an_input_that_does_not_fit_is_refused_in_words() -> None:
    model, q = load("ur5").model, np.zeros(6)
    with pytest.raises(ValueError, match=r"none of .*crba.* takes 'f_ext'; there are gravity"):
        dyn_core.crba(model, q, f_ext=np.zeros((7, 6)))
    with pytest.raises(ValueError, match=r"wrench\[tool0\]: none of .*crba.* takes f_ext"):
        dyn_core.crba(model, q, wrench={"tool0": np.zeros(6)})
    with pytest.raises(KeyError, match=r"no frame .*hand.* in .*ur5"):
        rnea(model, q, q, q, payload={"hand": BODY})
    with pytest.raises(TypeError, match="payload must be a dictionary from frames to arrays"):
        rnea(model, q, q, q, payload=BODY)
    with pytest.raises(ValueError, match=r"f_ext \(external .*\) must have shape \(7, 6\), not"):
        rnea(model, q, q, q, f_ext=np.zeros((6, 6)))
    with pytest.raises(ValueError, match="'payload' belongs to a frame"):
        dyn_core.compile(model, [rnea], ["payload"])
    with pytest.raises(ValueError, match="give each input once"):
        dyn_core.compile(model, [rnea], ["gravity", "gravity"])
    with pytest.raises(TypeError, match="3 is no input"):
        dyn_core.compile(model, [rnea], [3])


def test_requests_in_one_kernel_and_calls_give_the_same_fields_of_data() -> None:
    robot = load("panda")
    model, s = robot.model, robot.states(1)[0]
    hand, elbow = frame_jacobian.request("panda_hand"), frame_jacobian.request("panda_link4", WORLD)
    kernel = dyn_core.compile(model, ["mass_matrix", hand, elbow])
    data = model.create_data()
    found = kernel.bind(data)(s["q"])
    assert kernel.inputs == ("q",)
    assert all(x is y for x, y in zip(found, (data.M, data[hand], data[elbow]), strict=True))
    alone = dyn_core.crba.request()(model, s["q"]), hand(model, s["q"]), elbow(model, s["q"])
    for together, expected in zip(found, alone, strict=True):
        assert relative_error(together, expected) < 1e-13
    assert frame_jacobian(model, data, s["q"], frame="panda_hand") is data[hand]
    turned = frame_jacobian(model, s["q"], frame="panda_hand", reference=LOCAL_WORLD_ALIGNED)
    assert not np.allclose(data[hand], turned)


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
