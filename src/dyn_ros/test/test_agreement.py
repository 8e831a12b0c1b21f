# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts that the model needs, and those with which motors hold a resting arm; without DDS."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ros_helpers import UR5, arm

import dyn_core
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node.settings import Values
from dyn_ros.outputs.effort_agreement import EffortAgreement, dry_friction
from dyn_ros.safety.beginning import (
    AT_REST,
    OVERRIDE,
    Beginning,
    DisagreementError,
    NotBegunError,
    first_command,
    shortage,
)
from dyn_ros.safety.overspeed import VelocityGuard

NAMES = ("pan", "lift", "elbow")
GRAVITY = np.array([0.0, -38.9, -15.4])
LIMIT = np.array([150.0, 150.0, 150.0])
PUSH = np.array([6.0, 0.0, 0.0])


def beginning(**changes: Any) -> Beginning:
    """Return what is known of an arm that motors hold exactly; nothing is declared."""
    known = Beginning(NAMES, GRAVITY, LIMIT, GRAVITY.copy(), None, False, False, available=LIMIT)
    return replace(known, **changes)


WRONG = [
    {"measured": 0.5 * GRAVITY},  # efforts in other units
    {"measured": 1.6 * GRAVITY},
    {"measured": 3.0 * GRAVITY},
    {"gravity": 10.0 * GRAVITY},  # masses or gravity
    {"gravity": 1000.0 * GRAVITY},  # lengths in mm
    {"gravity": -GRAVITY},  # axes
    {"gravity": np.array([0.0, 14.1, -15.4])},  # one axis
    {"gravity": np.array([0.0, -38.9, 15.4])},
    {"gravity": GRAVITY + np.array([0.0, -9.81e3, -4e3])},  # a payload of 1000 kg
]


@pytest.mark.parametrize("meaning", ["total", "unknown"])
@pytest.mark.parametrize("vouched", [False, True])
@pytest.mark.parametrize("wrong", WRONG)
def test_commands_do_not_begin_where_motors_hold_the_arm_with_other_efforts(
    meaning: str, vouched: bool, wrong: dict[str, Any]
) -> None:
    with pytest.raises(DisagreementError, match=rf"joint '\w+' needs .* {OVERRIDE}"):
        first_command(beginning(meaning=meaning, vouched=vouched, **wrong))


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "unknowable",
    [
        {"source": "zero"},  # brakes or a stand hold it
        {"measured": None, "source": "gravity"},  # no sensors
        {"meaning": "other", "source": "gravity"},
        {"carried": True, "meaning": "total", "measured": 0.9 * GRAVITY, "gravity": GRAVITY / 3},
        {"friction": 1e6},
        {"measured": 0.01 * GRAVITY, "vouched": True},  # brakes of robot_sim
        {"measured": 0.01 * GRAVITY, "meaning": "total", "sent": GRAVITY},
        {"compensates": True, "meaning": "total", "gravity": GRAVITY},
    ],
)
def test_robots_that_motors_do_not_hold_or_whose_efforts_are_unknown_are_not_refused(
    wrong: dict[str, Any], unknowable: dict[str, Any]
) -> None:
    known = {"available": np.inf, "meaning": "total", **wrong, **unknowable}
    assert np.isfinite(first_command(beginning(**known))).all()


def test_undeclared_efforts_that_agree_let_commands_begin_at_gravity() -> None:
    assert list(first_command(beginning(measured=0.9 * GRAVITY))) == list(GRAVITY)
    assert list(first_command(beginning(measured=0.9 * GRAVITY, sent=GRAVITY))) == list(GRAVITY)
    for unknown in ({"resting": False}, {"measured": 0.5 * GRAVITY}):
        with pytest.raises(NotBegunError, match=r"set measured_effort to .*start_effort"):
            first_command(beginning(**unknown))
    with pytest.raises(NotBegunError, match="waiting") as wait:
        first_command(beginning(resting=None))
    assert wait.value.usual


def test_declared_efforts_of_a_moving_arm_are_taken_as_they_are() -> None:
    moving = beginning(meaning="total", measured=0.5 * GRAVITY, resting=False)
    assert list(first_command(moving)) == list(0.5 * GRAVITY)


@pytest.mark.parametrize("meaning", ["total", "unknown"])
@pytest.mark.parametrize("sent", [GRAVITY, None])
@pytest.mark.parametrize(
    ("source", "share"),
    [("measured", 1.0), ("gravity", 1.0), ("gravity", None), ("zero", 0.0), ("zero", None)],
)
def test_commands_do_not_begin_where_the_arm_needs_more_than_it_may_have(
    meaning: str, source: str, share: float | None, sent: Any
) -> None:
    """An arm on its brakes too: the first command releases them, and it would fall."""
    known = {"measured": None if share is None else share * GRAVITY, "sent": sent}
    weak = beginning(meaning=meaning, source=source, available=0.1 * LIMIT, **known)
    with pytest.raises(DisagreementError, match=r"'lift' needs an effort of -38\.9, and 15 is"):
        first_command(weak)
    first_command(replace(weak, accepted=True))
    for holdable in ({"compensates": True, "meaning": "total"}, {"carried": True}):
        first_command(replace(weak, measured=GRAVITY, **holdable))
    assert shortage(NAMES, GRAVITY, np.zeros(3), 0.0 * LIMIT)
    assert not shortage(NAMES, GRAVITY, np.full(3, 40.0), 0.0 * LIMIT)


def test_noise_offsets_and_declared_friction_are_no_disagreement() -> None:
    holding = beginning()
    random = np.random.default_rng(2)
    for _ in range(100):
        noise = random.uniform(-1.0, 1.0, 3) * (0.15 * np.abs(GRAVITY) + 0.02 * LIMIT)
        assert holding.disagreement(GRAVITY + noise) == ""
    assert "'pan'" in holding.disagreement(GRAVITY + PUSH)
    stiff = beginning(friction=PUSH)
    assert stiff.disagreement(GRAVITY + PUSH) == ""


def test_an_arm_rests_by_velocities_and_by_positions() -> None:
    guard = VelocityGuard(NAMES, np.full(3, 3.0), [])
    still, fast = np.zeros(3), np.array([0.0, 2.0 * AT_REST, 0.0])
    assert guard.rests(None) is None
    assert guard.rests(still)
    assert not guard.rests(fast)
    for k in range(200):
        guard.runaway(still, 0.001 * k * fast, 1.0 + 0.001 * k, 0.001 * k)
    assert not guard.rests(still)  # a driver that fills in zeros


# Changes while commands flow ------------------------------------------------------------------

Q = np.array([0.2, -1.0, 1.2, -0.6, 0.3, 0.2])


class Standing:
    """A UR5 at rest, whose motors give `measured`; a node as EffortAgreement sees it."""

    def __init__(self, **changes: Any) -> None:
        self.model = dyn_core.Model.from_urdf(UR5.read_text())
        self.values = Values({})
        self.surroundings = Surroundings(self.model)
        self.warnings: list[str] = []
        reader = SimpleNamespace(joint_names=self.model.dof_names, position=Q)
        self.part = lambda _: SimpleNamespace(reader=reader)
        self.agreement = EffortAgreement(self)  # type: ignore[arg-type]
        self.agreement.install(self.model)
        gravity = dyn_core.generalized_gravity(self.model, Q)
        self.names = self.model.dof_names[::-1]  # the controller's order
        self.known = Beginning(
            self.names,
            gravity[::-1],
            np.array(self.model.effort_limit)[::-1],
            changes.pop("measured", 1.0) * gravity[::-1],
            None,
            False,
            False,
            **{"meaning": "total", **changes},
        )
        self.agreement.standing = lambda: self.known

    def get_logger(self) -> Any:
        return SimpleNamespace(warning=self.warnings.append)

    def asked(self, model: dyn_core.Model | None = None, **values: Any) -> str:
        """Return why a change is refused."""
        return self.agreement.disagreement(model or self.model, self.values.replaced(values))


def payload(mass: float) -> dict[str, Any]:
    return {"payloads": [f"{{name: box, frame: tool0, mass: {mass}}}"]}


def variant(old: str, new: str) -> dyn_core.Model:
    assert old in UR5.read_text()
    return dyn_core.Model.from_urdf(UR5.read_text().replace(old, new))


@pytest.mark.parametrize("meaning", ["total", "unknown"])
@pytest.mark.parametrize(
    "wrong",
    [
        payload(1000.0),
        payload(20.0),
        {"gravity": [0.0, 0.0, -29.0]},
        {"gravity": [0.0, 0.0, 9.81]},
        {"gravity": [9.81, 0.0, 0.0]},
        {"limits.effort_scale": 0.1},
        {"limits.effort_scale": 0.0},
    ],
)
def test_a_change_that_a_resting_arm_contradicts_is_refused_once_accepted_if_asked(
    meaning: str, wrong: dict[str, Any]
) -> None:
    node = Standing(meaning=meaning)
    assert "joint '" in node.asked(**wrong)
    assert node.asked(**wrong, **{OVERRIDE: True}) == ""
    assert len(node.warnings) == 1
    assert "joint '" in node.warnings[0]
    assert node.asked(**wrong) == ""  # the same, when it is made
    assert node.asked(gravity=[0.0, -9.81, 0.0], **{OVERRIDE: True})  # no second one
    node.values = node.values.replaced(wrong)
    assert node.asked(payloads=[], gravity=[0.0, 0.0, -9.81], **{"limits.effort_scale": 1.0}) == ""
    node.agreement.start()
    assert node.asked(gravity=[0.0, -9.81, 0.0], **{OVERRIDE: True}) == ""


def test_a_description_that_a_resting_arm_contradicts_is_refused() -> None:
    node = Standing()
    heavy = node.model.with_payload("tool0", 20.0)
    assert "needs" in node.asked(heavy)
    assert "available" in node.asked(variant('effort="150"', 'effort="20"'))
    assert node.asked(variant('damping="0"', 'damping="1"')) == ""
    assert node.asked(dyn_core.Model.from_urdf(arm())) == ""  # other joints: refused elsewhere


@pytest.mark.parametrize(
    "unknowable",
    [
        {"meaning": "other"},
        {"compensates": True},
        {"measured": 0.01},  # brakes
        {"measured": 0.5, "meaning": "unknown"},  # currents, perhaps
    ],
)
def test_no_change_is_refused_where_nothing_is_known_unless_the_arm_would_fall(
    unknowable: dict[str, Any],
) -> None:
    node = Standing(**{k: x for k, x in unknowable.items() if k != "compensates"})
    held = unknowable.get("compensates", False)
    node.known = replace(node.known, compensates=held)
    assert node.asked(**payload(5.0)) == ""
    assert node.asked(**{"limits.effort_scale": 0.5}) == ""
    for weak in (payload(50.0), {"limits.effort_scale": 0.1}):
        assert ("is available" in node.asked(**weak)) != held
        assert node.asked(**weak, **{OVERRIDE: True}) == ""
        node.agreement.start()


@pytest.mark.parametrize("resting", [False, None])
def test_in_motion_only_limits_change_that_hold_the_arm(resting: bool | None) -> None:
    node = Standing(resting=resting)
    assert "change it at rest" in node.asked(**payload(5.0))
    assert node.asked(**payload(5.0), **{OVERRIDE: True}) == ""
    node.agreement.start()
    assert node.asked(**{"limits.effort_scale": 0.5}) == ""
    assert "is available" in node.asked(**{"limits.effort_scale": 0.1})


def test_no_change_is_refused_where_contacts_or_friction_hold_or_no_commands_flow() -> None:
    node = Standing()
    node.surroundings.f_ext[3, 2] = 10.0
    assert node.asked(**payload(20.0)) == ""
    node = Standing()
    node.agreement.standing = lambda: None
    assert node.asked(**payload(20.0)) == ""
    node = Standing()
    stiff = variant('friction="0"', 'friction="300"')
    assert max(dry_friction(stiff)) == 300.0
    node.agreement.install(stiff)
    assert node.agreement.disagreement(stiff, node.values.replaced(payload(20.0))) == ""


def test_a_payload_that_motors_hold_already_and_its_end_are_accepted() -> None:
    """The gripper has lifted it, and the control holds the arm; then it is set down."""
    node = Standing()
    loaded = node.model.with_payload("tool0", 3.0)
    held = dyn_core.generalized_gravity(loaded, Q)[::-1]
    node.known = replace(node.known, measured=held)
    assert node.asked(**payload(3.0)) == ""
    bare = node.known.gravity
    node.values = node.values.replaced(payload(3.0))
    node.known = replace(node.known, gravity=held, measured=bare)
    assert node.asked(payloads=[]) == ""


def test_a_light_payload_may_be_declared_before_it_hangs_there() -> None:
    assert Standing().asked(**payload(0.5)) == ""
