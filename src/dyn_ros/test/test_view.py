# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The live view of a robot that runs: its words, its page, and what a person does on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pinocchio as pin
import pytest
from browser import opened
from called import Called
from dyn_msgs.msg import ExternalEfforts
from geometry_msgs.msg import PoseStamped, Vector3, WrenchStamped
from nav_msgs.msg import Odometry
from robots import ROBOT_FILES, example_robots
from ros_helpers import UR5, Ros, arm, clock, joint_state, until
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import dyn_core
from dyn_core.view import View
from dyn_ros.inputs.target_input import TargetInput
from dyn_ros.listener import Listener, NodeReport
from dyn_ros.node.description import description_qos
from dyn_ros.operator import Steps
from dyn_ros.registry import node_class
from dyn_ros.view.controls import SIM, Controls
from dyn_ros.view.judgement import ERROR, MAX_SILENCE_S, OK, WARN, judged
from dyn_ros.view.page import Page, pose_of

PORT = 18_190
HOLDER = "gravity_compensation"


def report(level: int = OK, message: str = "working", **values: str) -> NodeReport:
    keys = {"state": "active", "commands": "active", "terms": "gravity", "latency_p99_us": "420.0"}
    return NodeReport(HOLDER, level, message, {**keys, **values}, time=100.0)


def test_the_light_names_the_commanding_node_and_the_terms() -> None:
    light, words = judged([report()], now=100.5)
    assert light == "green"
    assert f"{HOLDER} commands (active, terms: gravity)" in words
    assert "99 of 100 results within 0.42 ms" in words


def test_the_light_turns_with_what_the_nodes_report() -> None:
    lost = "437 of 867 joint states got lost: is the processor overloaded?"
    assert judged([report(), report(WARN, lost)], 100.0)[0] == "yellow"
    light, words = judged([report(ERROR, "no robot description"), report(WARN, lost)], 100.0)
    assert light == "red"
    assert "437 of 867 joint states got lost" in words


def test_who_is_silent_or_inactive_commands_nothing() -> None:
    assert judged([report()], 100.0 + MAX_SILENCE_S)[0] == "grey"
    assert "no node reports commands" in judged([report(state="inactive")], 100.0)[1]
    for idle in ("off", "waiting"):
        assert "no node reports commands" in judged([report(commands=idle)], 100.0)[1]
    broken = {"latency_p99_us": "soon"}
    assert judged([report(**broken)], 100.0)[0] == "green"


@pytest.fixture
def page(ros: Ros) -> Iterator[tuple[Page, Controls]]:
    """The page of the tester's namespace, whose node the fixture `ros` spins."""
    pytest.importorskip("viser", reason="needs viser: the extra view")
    with View(port=PORT) as view:
        page = Page(view, Listener(ros.tester))
        yield page, Controls(ros.tester, view, page, allowed=False)


def simulator(ros: Ros, **parameters: object) -> None:
    """A simulated UR5 that stands still until a command comes."""
    start = {"robot_description": UR5.read_text(), "start_position": "elbow_joint=0.7"}
    node = ros.create(node_class(SIM), autostart=True, **start, **parameters)
    ros.start()
    until(lambda: node.active, 120.0)  # a first compilation on a busy computer


def drawn(page: Page, controls: Controls) -> str:
    """What the page says after another look."""
    if page.install_newest():
        controls.add()
    page.draw(clock().now())
    controls.step()
    return page.view._status[1]


def ask(page: tuple[Page, Controls], what: Callable[[], Steps]) -> None:
    """Ask as a person does, who sees the robot: not before it is known to be simulated."""
    until(lambda: drawn(*page) and page[0].model and page[1]._is_simulated(), 30.0)
    page[1]._ask(what)


@pytest.mark.wiring
def test_the_page_shows_the_robot_that_runs(ros: Ros, page: tuple[Page, Controls]) -> None:
    simulator(ros)
    until(lambda: "no node reports commands" in drawn(*page), 30.0)
    model, view = page[0].model, page[0].view
    q = np.zeros(6)
    q[model.dof_names.index("elbow_joint")] = 0.7
    placements = dyn_core.forward_kinematics(model, q)
    shown = [frame.position for frame, _ in view.scene._bodies.values()]
    assert np.allclose(shown, placements[:, :3, 3], atol=1e-6)
    assert "elbow" in view._bars.content


@pytest.mark.parametrize("simulated_time", [True, False])
def test_simulated_time_slows_down(
    ros: Ros, page: tuple[Page, Controls], simulated_time: bool
) -> None:
    """Where messages have it; otherwise the page says what is missing, and nothing changes."""
    simulator(ros, use_sim_time=simulated_time)
    ask(page, lambda: page[1]._slow_down(0.1))
    words = "runs at 0.1 times real time" if simulated_time else "set use_sim_time to true"
    until(lambda: drawn(*page) and words in page[1]._text, 30.0)
    if simulated_time:
        assert page[1]._pace.visible


@pytest.mark.wiring
def test_a_payload_of_the_page_is_carried_by_the_simulated_robot(
    ros: Ros, page: tuple[Page, Controls]
) -> None:
    simulator(ros)
    ask(page, lambda: page[1]._attach([SIM], 3.0))
    until(lambda: drawn(*page) and "3.0 kg at tool0: set in robot_sim" in page[1]._text, 30.0)


def test_a_node_is_deactivated_while_another_does_not_answer(
    ros: Ros, page: tuple[Page, Controls]
) -> None:
    simulator(ros)
    ask(page, lambda: page[1]._attach(["nobody"], 3.0))
    until(lambda: drawn(*page) and page[1]._running)
    page[1].stop(SIM)
    until(lambda: drawn(*page) and page[1]._text == f"{SIM} is deactivated", 30.0)
    assert len(page[1]._running) == 1


def test_the_dragged_arrow_is_a_wrench_on_the_robot(ros: Ros, page: tuple[Page, Controls]) -> None:
    simulator(ros)
    pushes = ros.collect(WrenchStamped, f"{SIM}/wrench")
    until(lambda: drawn(*page) and page[0].model, 30.0)
    pull = page[1]._pull
    pull.handle.position = page[0].tool[:3, 3] + np.array([0.0, 0.0, 0.2])
    pull.drag()
    until(lambda: drawn(*page) and pushes, 30.0)
    force = pushes[-1].wrench.force
    world = page[0].tool[:3, :3] @ [force.x, force.y, force.z]
    assert np.allclose(world, [0.0, 0.0, 20.0], atol=1e-6)
    assert pushes[-1].header.frame_id == "tool0"
    pull.let_go()
    until(lambda: drawn(*page) and pushes[-1].wrench.force == Vector3())


def test_a_page_that_is_left_pulls_no_longer(ros: Ros, page: tuple[Page, Controls]) -> None:
    """A browser that is closed, or dies, cannot let go of the arrow any more."""
    simulator(ros)
    until(lambda: drawn(*page) and page[0].model, 30.0)
    pull, server = page[1]._pull, page[0].view.server
    with opened(400, 300) as browser:
        browser.page.goto(page[0].view.url)
        until(lambda: drawn(*page) and server.get_clients(), 60.0)
        pull.handle.position = page[0].tool[:3, 3] + np.array([0.0, 0.0, 0.2])
        pull.drag()
        drawn(*page)
        assert np.linalg.norm(pull.force(page[0].tool[:3, 3])) > 10.0
    until(lambda: not np.any(pull.force(page[0].tool[:3, 3])))


def test_a_dragged_handle_is_a_target_of_the_tool(ros: Ros, page: tuple[Page, Controls]) -> None:
    """It follows the tool until it is dragged, and again once it is let go."""
    view, controls = page
    node = ros.create(node_class("ik"), robot_description=UR5.read_text(), autostart=True)
    simulator(ros)
    targets = ros.collect(PoseStamped, "ik/targets")

    def shown() -> bool:
        drawn(*page)
        return bool(controls._targets and controls._targets._handles)

    until(lambda: node.active and shown(), 60.0)
    handle = controls._targets.handle("ik/targets")
    assert np.allclose(handle.position, view.tool[:3, 3], atol=1e-6)
    assert not targets
    there = np.array(handle.position) + np.array([0.0, 0.1, 0.0])
    handle.position = there
    controls._targets.drag("ik/targets")
    until(lambda: drawn(*page) and targets, 30.0)
    place, turn = targets[-1].pose.position, targets[-1].pose.orientation
    assert np.allclose([place.x, place.y, place.z], there)
    read = pin.Quaternion(turn.w, turn.x, turn.y, turn.z).matrix()
    assert np.allclose(read, view.tool[:3, :3], atol=1e-6)
    assert targets[-1].header.frame_id == "base_link"
    until(lambda: node.part(TargetInput).targets)
    controls._targets.let_go()
    until(lambda: drawn(*page) and np.allclose(handle.position, view.tool[:3, 3], atol=1e-6))
    node.trigger_deactivate()
    until(lambda: drawn(*page) and not handle.visible, 30.0)


def test_what_the_ground_gives_a_quadruped_is_drawn(ros: Ros, page: tuple[Page, Controls]) -> None:
    """Its weight at four feet, as the observer says it, and the CoP below the middle of them."""
    urdf = (example_robots() / ROBOT_FILES["hyq"]).read_text()
    model = pin.buildModelFromXML(urdf, pin.JointModelFreeFlyer())
    data, q = model.createData(), pin.neutral(model)
    q[7:] = [0.0, 0.75, -1.5, 0.0, -0.75, 1.5] * 2
    pin.computeJointJacobians(model, data, q)
    weight = 9.81 * sum(body.mass for body in model.inertias[1:])
    outside = np.zeros(model.nv)
    for name in ("lf_foot", "lh_foot", "rf_foot", "rh_foot"):
        frame = model.getFrameId(name)
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        outside += J[2] * weight / 4
    create = ros.tester.create_publisher
    create(String, "robot_description", description_qos()).publish(String(data=urdf))
    states, bases = create(JointState, "joint_states", 1), create(Odometry, "odom", 1)
    efforts = create(ExternalEfforts, "external_torque/external_efforts", 1)
    joints = list(model.names)[2:]
    base = Odometry()
    base.pose.pose.orientation.w = 1.0
    names = [*(f"root_joint/{x}" for x in ("vx", "vy", "vz", "wx", "wy", "wz")), *joints]

    def shown() -> bool:
        bases.publish(base)
        states.publish(JointState(name=joints, position=list(q[7:])))
        efforts.publish(ExternalEfforts(joint_names=names, effort=list(outside)))
        drawn(*page)
        scene = page[0].view.scene if page[0].model else None
        return scene is not None and scene._pressure.visible

    until(shown, 60.0)
    scene = page[0].view.scene
    arrows = np.array(scene._contacts.points)
    assert arrows.shape == (4, 2, 3)
    assert np.allclose(arrows[:, 1] - arrows[:, 0], [0.0, 0.0, 0.25], atol=0.01)
    assert np.allclose(scene._pressure.position[:2], 0.0, atol=0.01)


def test_the_page_only_shows_a_robot_that_is_not_simulated(
    ros: Ros, page: tuple[Page, Controls]
) -> None:
    publisher = ros.tester.create_publisher(String, "robot_description", description_qos())
    publisher.publish(String(data=UR5.read_text()))
    until(lambda: page[0].install_newest(), 30.0)
    page[1].add()
    page[1]._ask(lambda: page[1]._attach([SIM], 1.0))
    assert "not simulated" in page[1]._text
    assert not page[1]._asked
    pushes = ros.tester.create_subscription(WrenchStamped, f"{SIM}/wrench", lambda _: None, 1)
    until(lambda: ros.tester.count_subscribers(f"{SIM}/wrench"), 10.0)
    assert not page[1]._is_simulated()  # though another node subscribes as robot_sim would
    ros.tester.destroy_subscription(pushes)


def test_the_page_survives_whatever_is_published(ros: Ros, page: tuple[Page, Controls]) -> None:
    """Descriptions of other robots, or of none; states that do not fit, or are no numbers."""
    descriptions = ros.tester.create_publisher(String, "robot_description", description_qos())
    states = ros.tester.create_publisher(JointState, "joint_states", 10)
    stone = '<robot name="stone"><link name="a"/></robot>'
    odd = [
        joint_state([], []),
        joint_state(["first"], [0.1, 0.2]),
        joint_state(["first", "second"], [float("nan"), float("inf")]),
        joint_state(["second", "first", "first"], [1e308, -1e308]),
        joint_state(["first", "second"], [0.1, 0.2], effort=[float("nan")] * 3),
    ]
    for description in (stone, arm(), "no robot", arm(name="other", mass=3)):
        descriptions.publish(String(data=description))
        until(lambda text=description: drawn(*page) and page[0]._shown[0] == text, 30.0)
        for state in odd:
            for _ in range(3):
                states.publish(state)
                drawn(*page)
    good = joint_state(["first", "second"], [0.3, -0.2])
    until(lambda: states.publish(good) or drawn(*page).startswith("no node"), 10.0)
    q = np.array([0.3, -0.2])
    until(lambda: drawn(*page) and close(page[0], q), 10.0)
    half = joint_state(["second"], [-0.2])
    until(lambda: states.publish(half) or "no position received of first" in drawn(*page), 10.0)


def test_a_base_whose_odometry_comes_seldom_is_drawn_where_it_was_last(called: Called) -> None:
    """The robot was read and drawn anew with each message and a second after it."""
    pytest.importorskip("viser", reason="needs viser: the extra view")
    create = called.tester.create_publisher
    text, base = (example_robots() / ROBOT_FILES["hyq"]).read_text(), Odometry()
    base.pose.pose.position.z = base.pose.pose.orientation.w = 1.0
    with View(port=PORT) as view:
        page = Page(view, Listener(called.tester, called.clock))
        create(String, "robot_description", description_qos()).publish(String(data=text))
        create(Odometry, "odom", 1).publish(base)
        assert page.install_newest()
        clock().sleep(1.5)
        assert not page.install_newest()
        create(JointState, "joint_states", 1).publish(JointState())
        page.draw(clock().now())
        assert "no odom received" in view._status[1]
    assert page.places["base_link"][2, 3] == pytest.approx(1.0)


@pytest.mark.parametrize("length", [0.0, 1e300, float("nan")])
def test_an_orientation_that_is_none_is_drawn_upright(length: float) -> None:
    message = Odometry()
    message.pose.pose.orientation.z = message.pose.pose.orientation.w = length
    assert pose_of(message) == [0.0] * 6 + [1.0]


def close(page: Page, q: np.ndarray) -> bool:
    """Whether the page shows a configuration."""
    wanted = dyn_core.forward_kinematics(page.model, q)[:, :3, 3]
    shown = [frame.position for frame, _ in page.view.scene._bodies.values()]
    return bool(np.allclose(shown, wanted, atol=1e-6))
