"""A description becomes something to compute with, or is refused with a word."""

from __future__ import annotations

import numpy as np
import pytest
from ros_helpers import UR5, arm

from dyn_ros.robot import load_model, refuse_free_joints
from dyn_ros.robot_state import RobotState
from dyn_ros.state_kernel import StateKernel
from dyn_ros.surroundings import Surroundings


class Gravity:
    """Efforts of gravity by positions of joints, as the nodes compute them."""

    def __init__(self, description: str) -> None:
        self.model = load_model(description)
        self._kernel = StateKernel(self.model, ("gravity",))
        self._surroundings = Surroundings(self.model)

    def __call__(self, position: np.ndarray) -> np.ndarray:
        state = RobotState(self.model)
        state.position[:] = position
        self._kernel.locate(state, self._surroundings)
        self._kernel.update(state.velocity, self._surroundings)
        return self._kernel.results["gravity"]


def test_gravity_of_a_planar_arm() -> None:
    """Two links of 1 m and 1 kg, centres in the middle; y turns z down, so gravity is negative."""
    gravity = Gravity(arm())
    second = 9.81 * 0.5
    first = 9.81 * 0.5 + 9.81 * 1.5
    assert gravity(np.zeros(2)) == pytest.approx([-first, -second])
    assert gravity(np.array([np.pi / 2, 0.0])) == pytest.approx([0.0, 0.0], abs=1e-12)


def test_positions_of_a_continuous_joint() -> None:
    """Its configuration is (cos, sin), but JointState still carries the angle."""
    continuous, revolute = Gravity(arm(type="continuous")), Gravity(arm())
    assert continuous.model.nq == 3
    position = np.array([0.3, 2.5])
    expected = pytest.approx(revolute(position))
    assert continuous(position) == expected
    assert continuous(position + np.array([0, 20 * np.pi])) == expected


def test_nodes_share_the_model_but_not_the_buffers() -> None:
    text = UR5.read_text()
    one, other = Gravity(text), Gravity(text)
    assert one.model is other.model
    assert one(np.zeros(6)) is not other(np.zeros(6))


@pytest.mark.parametrize(
    ("description", "word"),
    [
        (str(UR5), "is no URDF"),
        ("", "is no URDF"),
        ("<robot name='x'><link", "XML"),
        (arm(mass="nan"), "upper"),
        ("<robot name='rock'><link name='rock'/></robot>", "'rock' has no moving joint"),
    ],
)
def test_unusable_descriptions_are_refused_in_words(description: str, word: str) -> None:
    with pytest.raises(ValueError, match=word) as error:
        load_model(description)
    assert len(str(error.value)) > 20


def test_joints_of_several_degrees_of_freedom_are_refused_where_each_has_one_number() -> None:
    with pytest.raises(ValueError, match="joint 'second' has 6 degrees of freedom"):
        refuse_free_joints(load_model(arm(type="floating")))
