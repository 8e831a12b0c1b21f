# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Changes of payload, gravity, description and limits that a resting arm contradicts; no DDS."""

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
from dyn_ros.safety.beginning import OVERRIDE, Beginning, DisagreementError

Q = np.array([0.2, -1.0, 1.2, -0.6, 0.3, 0.2])
UPRIGHT = np.array([0.2, -1.6, 0.05, -1.6, 0.3, 0.2])


class Standing:
    """A UR5 at rest, whose motors give `measured`; a node as EffortAgreement sees it."""

    def __init__(self, q: np.ndarray = Q, **changes: Any) -> None:
        self.model = dyn_core.Model.from_urdf(UR5.read_text())
        self.values = Values({})
        self.surroundings = Surroundings(self.model)
        self.warnings: list[str] = []
        reader = SimpleNamespace(joint_names=self.model.dof_names, position=q)
        self.part = lambda _: SimpleNamespace(reader=reader)
        self.agreement = EffortAgreement(self)  # type: ignore[arg-type]
        self.agreement.install(self.model)
        gravity = dyn_core.generalized_gravity(self.model, q)
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


def test_an_unknown_effort_of_one_joint_hides_no_other() -> None:
    share = np.ones(6)
    share[2] = np.nan
    node = Standing(measured=share)
    assert "its motor holds the resting arm with" in node.asked(**payload(5.0))
    assert node.asked(**payload(0.01)) == ""
    node = Standing(measured=0.0 * share)  # on brakes
    assert node.asked(**payload(5.0)) == ""


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


def test_an_arm_that_this_node_holds_upright_contradicts_too() -> None:
    """Its motors give nearly nothing, as on brakes, but that is what the model needs."""
    node, wrong = Standing(UPRIGHT), {"gravity": [9.81, 0.0, 0.0]}
    assert node.known.idle
    assert node.asked(**wrong) == ""
    node.known = replace(node.known, sent=node.known.gravity)
    assert "joint '" in node.asked(**wrong)
    node = Standing(measured=0.0)  # on brakes
    node.known = replace(node.known, sent=node.known.gravity)
    assert node.asked(**wrong) == ""


@pytest.mark.parametrize("resting", [False, None])
def test_in_motion_only_limits_change_that_hold_the_arm(resting: bool | None) -> None:
    node = Standing(resting=resting)
    assert "change it at rest" in node.asked(**payload(5.0))
    assert node.asked(**payload(5.0), **{OVERRIDE: True}) == ""
    node.agreement.start()
    assert node.asked(**{"limits.effort_scale": 0.5}) == ""
    assert "is available" in node.asked(**{"limits.effort_scale": 0.1})


def test_an_arm_that_contradicts_its_model_does_not_agree_by_moving() -> None:
    """An arm without friction, described with a tenth of its masses, drifted: commands began."""
    standing = Standing(measured=0.5)
    for resting in (True, False, False):
        known = replace(standing.known, resting=resting)
        with pytest.raises(DisagreementError, match=r"needs .* by the model"):
            standing.agreement.first_command(known)
    idle = replace(standing.known, measured=0.0 * standing.known.gravity)
    with pytest.raises(DisagreementError, match=r"needs .* by the model"):
        standing.agreement.first_command(idle)
    right = replace(standing.known, measured=standing.known.gravity)
    assert standing.agreement.first_command(right) == pytest.approx(right.gravity)
    moving = replace(standing.known, resting=False)
    assert standing.agreement.first_command(moving) == pytest.approx(moving.measured)


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
