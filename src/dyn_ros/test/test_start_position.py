# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where a simulated robot starts."""

from __future__ import annotations

import pytest
from ros_helpers import arm

from dyn_ros.kernels.robot import load_model
from dyn_ros.simulator.start import start_position

SRDF = """<robot name="arm">
  <group_state name="folded" group="arm">
    <joint name="first" value="1.5"/><joint name="second" value="-0.5"/>
  </group_state>
  <group_state name="too far" group="arm"><joint name="first" value="4"/></group_state>
</robot>"""


@pytest.mark.parametrize(
    ("lower", "upper", "start"), [(-3, 3, 0.0), (0.5, 3, 0.5), (-3, -0.07, -0.07), (0, 3, 0.0)]
)
def test_the_nearest_allowed_position(lower: float, upper: float, start: float) -> None:
    description = arm().replace('lower="-3" upper="3"', f'lower="{lower}" upper="{upper}"')
    assert list(start_position(load_model(description), "")) == [start, start]


@pytest.mark.parametrize("text", ["first=1.5,second=-0.5", "second=-0.5  first=1.5", "folded"])
def test_a_given_and_a_named_position(text: str) -> None:
    model = load_model(arm()).with_srdf(SRDF)
    assert start_position(model, text) == pytest.approx([1.5, -0.5])


def test_a_named_position_of_a_joint_that_turns_without_end() -> None:
    model = load_model(arm(type="continuous")).with_srdf(SRDF)
    assert model.nq == 3
    assert start_position(model, "folded") == pytest.approx([1.5, -0.5])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("third=0", "joint 'third': the robot does not have it"),
        ("first=9", r"joint 'first' at 9, outside its limits -3 to 3"),
        ("too far", r"joint 'first' at 4, outside its limits"),
        ("first=up", "joint 'first' is at 'up': give a finite number"),
        ("first=nan", "joint 'first' is at 'nan'"),
        ("stretched", "no state of the robot's SRDF .it has 'folded', 'too far'"),
    ],
)
def test_bad_positions_are_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        start_position(load_model(arm()).with_srdf(SRDF), text)


def test_a_name_without_an_srdf() -> None:
    with pytest.raises(ValueError, match="none is known: set srdf_file"):
        start_position(load_model(arm()), "folded")
