# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The live view: what it computes, what it draws, and the page in a browser."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from threading import current_thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from browser import BARS, STATUS, opened
from robots import OWN_ARM, ROBOT_FILES, example_robots, own_arm

import dyn_core
from dyn_core import Model
from dyn_core.view import (
    JointRow,
    Replay,
    View,
    draw_sticks,
    geometry_to_show,
    replay,
    skeleton,
)
from dyn_core.view.contact_forces import ContactForces
from dyn_core.view.drawn_shapes import triangles
from dyn_core.view.effort_bars import bars, scales, share, short_names
from dyn_core.view.pages import is_allowed

Q = np.array([0.3, -1.0, 1.0, 0.2, 0.5, 0.0])
FREE_PORT = 18_080


@pytest.fixture
def shown() -> Iterator[Callable[..., Any]]:
    """Shows robots on this computer, until the test ends."""
    pytest.importorskip("viser", reason="needs viser: the extra view")
    desks = []

    def shower(*arguments: Any, **named: Any) -> Any:
        desks.append(dyn_core.show(*arguments, port=FREE_PORT, **named))
        return desks[-1]

    yield shower
    for desk in desks:
        desk.view.close()


def test_gravity_payload_and_tilt_follow_the_equations(shown: Callable[..., Any]) -> None:
    model = own_arm()
    desk = shown(model, Q, OWN_ARM)
    assert np.allclose(desk.efforts.gravity, dyn_core.generalized_gravity(model, Q))
    assert np.allclose(desk.efforts.outside, 0.0)
    desk._mass.value = 3.0
    desk.update()
    pulled = np.array([0.0, 0.0, -3.0 * 9.81])
    jacobian = dyn_core.compile(
        model, [dyn_core.frame_jacobian.request("tool0", reference=dyn_core.LOCAL_WORLD_ALIGNED)]
    )(Q)
    assert np.allclose(desk.efforts.outside, jacobian[:3].T @ pulled, atol=1e-2)
    desk._tilt.value = 180.0
    desk.update()
    assert np.allclose(desk.efforts.gravity, -dyn_core.generalized_gravity(model, Q))


def test_the_page_is_written_on_the_event_loop_of_its_server_alone(
    shown: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """viser wakes waiting tasks from the thread that writes: elsewhere that races with its loop."""
    desk = shown(own_arm(), Q, OWN_ARM)
    wake, elsewhere = asyncio.Event.set, []

    def watched(event: asyncio.Event) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            elsewhere.append(current_thread().name)
        wake(event)

    monkeypatch.setattr(asyncio.Event, "set", watched)
    desk.view.say("green", "words")
    desk.update()
    desk.view.install(own_arm(), geometry_to_show(own_arm(), OWN_ARM)[0], "remark")
    played = Replay(desk.view, desk.model, [0.0, 1.0], [Q, Q], [Q, Q])
    played.seek(0.5)
    played.toggle()
    assert elsewhere == []


def test_the_dragged_arrow_is_a_force_at_the_tool(shown: Callable[..., Any]) -> None:
    model = own_arm()
    desk = shown(model, Q, OWN_ARM)
    tool = np.array(desk.pull.handle.position)
    desk.pull.handle.position = tool + np.array([0.0, 0.2, 0.0])
    desk.pull.drag()
    desk.update()
    jacobian = dyn_core.compile(
        model, [dyn_core.frame_jacobian.request("tool0", reference=dyn_core.LOCAL_WORLD_ALIGNED)]
    )(Q)
    assert np.allclose(desk.efforts.outside, jacobian[:3].T @ [0.0, 20.0, 0.0])
    desk._let_go()
    assert np.allclose(desk.efforts.outside, 0.0)
    assert np.allclose(desk.pull.handle.position, tool)
    desk.view.close()
    with pytest.raises(RuntimeError, match="closed: open another one"):
        desk.update()


def reaches(view: View, **headers: str) -> bool:
    """Whether a websocket with such headers is accepted, and gets the page."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    protocol = Subprotocol(f"viser-v{import_module('viser').__version__}")
    port = view.server.get_port()
    host = headers.pop("Host", f"localhost:{port}")
    try:
        with socket.create_connection(("127.0.0.1", port)) as link:
            uri, named = f"ws://{host}", {"additional_headers": headers, "proxy": None}
            with connect(uri, sock=link, subprotocols=[protocol], **named) as page:
                return len(page.recv(timeout=10.0)) > 0
    except InvalidStatus as refused:
        return refused.response.status_code != 403


def test_no_page_but_its_own_reaches_the_view(shown: Callable[..., Any]) -> None:
    """Any page that is open in a browser of this computer may connect to 127.0.0.1."""
    view = shown(own_arm()).view
    assert view.server.get_host() == "127.0.0.1"
    assert view.url.startswith("http://127.0.0.1:")
    port = view.server.get_port()
    for name in ("localhost", "127.0.0.1"):
        assert reaches(view, Host=f"{name}:{port}", Origin=f"http://{name}:{port}")
    assert reaches(view)  # a program, which may do all that its user may
    assert not reaches(view, Origin="http://evil.example")
    assert not reaches(view, Origin="null")  # a file, a frame in a sandbox
    assert not reaches(view, Origin=f"http://localhost:{port + 1}")
    rebound = f"evil.example:{port}"  # a name that points to this computer
    assert not reaches(view, Host=rebound, Origin=f"http://{rebound}")
    assert not reaches(view, Host=rebound)


@pytest.mark.parametrize(
    ("host", "origin", "served", "allowed"),
    [
        ("robot.lab:8080", "http://robot.lab:8080", "robot.lab", True),
        ("robot.lab:8080", "http://robot.lab:8080", "0.0.0.0", False),
        ("192.168.1.7:8080", "http://192.168.1.7:8080", "0.0.0.0", True),
        ("[::1]:8080", "http://[::1]:8080", "::1", True),
        ("192.168.1.7:8080", "ftp://192.168.1.7:8080", "0.0.0.0", False),
        ("[bad", "http://[bad", "", False),
        ("", None, "", False),
    ],
)
def test_pages_are_those_of_the_computer(
    host: str, origin: str | None, served: str, allowed: bool
) -> None:
    assert is_allowed(host, origin, served) is allowed
    assert is_allowed(f"{socket.gethostname()}:1", f"http://{socket.gethostname()}:1", served)


def test_a_viser_without_control_of_access_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    viser = pytest.importorskip("viser", reason="needs viser: the extra view")
    stopped: list[bool] = []
    another = SimpleNamespace(stop=lambda: stopped.append(True))  # starts a server in its own way
    monkeypatch.setattr(viser, "ViserServer", lambda **_: another)
    with pytest.raises(RuntimeError, match="does not refuse other pages"):
        View(port=FREE_PORT)
    assert stopped == [True]


@pytest.mark.parametrize("address", [("127.0.0.1", 70_000), ("203.0.113.7", FREE_PORT)])
def test_an_address_where_nothing_can_listen_is_refused(address: tuple[str, int]) -> None:
    pytest.importorskip("viser", reason="needs viser: the extra view")
    with pytest.raises(OSError, match="give"):
        View(*address)


def test_a_robot_without_joints_is_shown(shown: Callable[..., Any]) -> None:
    box = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    text = f'<robot name="stone"><link name="a">{box}</link></robot>'
    desk = shown(dyn_core.Model.from_urdf(text), None, text)
    assert desk.efforts.motor.shape == (0,)


def test_a_bad_configuration_is_refused() -> None:
    for q, words in (([0.0], "give 6 numbers"), ([math.nan] * 6, "finite")):
        with pytest.raises(ValueError, match=words):
            dyn_core.show(own_arm(), q)


def test_a_robot_without_shapes_is_drawn_as_rods() -> None:
    model = own_arm()
    for entry in skeleton(model).objects:
        mesh = triangles([entry])
        assert np.isfinite(mesh.vertices).all()
        joint = entry.joint
        tips = [model.joint_placements[k].translation for k in model.children[joint]]
        wanted = [list(map(float, tip)) for tip in tips or [model.inertias[joint].com]]
        ends = (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) / 2.0 * 2.0
        assert any(np.allclose(ends, tip, atol=1e-6) for tip in wanted), entry.name


def test_sticks_are_as_long_as_the_links_and_end_where_frames_are() -> None:
    drawing = pytest.importorskip("matplotlib.figure").Figure()
    axes, model = drawing.subplots(), own_arm()
    path = np.array([np.zeros(6), Q])
    seen = draw_sticks(axes, model, path, ("tool0",), azimuth=30.0, elevation=90.0)  # from above
    ends = [line.get_xydata()[-1] for line in axes.get_lines()]
    half = len(ends) // 2
    for q, end in zip(path, (ends[half - 1], ends[-1]), strict=True):
        tool = np.array(dyn_core.frame_placement(model, q, frame="tool0"))[:3, 3]
        assert np.allclose(end, seen(tool))
        assert np.isclose(np.linalg.norm(end), np.linalg.norm(tool[:2]))
    up = draw_sticks(axes, model, path, azimuth=-90.0, elevation=0.0)
    assert np.allclose(up(np.array([1.0, 2.0, 3.0])), [1.0, 3.0])


def test_a_missing_mesh_is_reported_and_rods_are_drawn() -> None:
    text = OWN_ARM.read_text().replace(
        '<cylinder radius="0.06" length="0.15"/>', '<mesh filename="package://gone/a.stl"/>'
    )
    geometry, remark = geometry_to_show(dyn_core.Model.from_urdf(text), text)
    assert "package://gone/a.stl" in remark
    assert geometry.objects[0].name.startswith("rod")


def test_packages_are_found_above_the_description(tmp_path: Path) -> None:
    folder = tmp_path / "my_description"
    (folder / "urdf").mkdir(parents=True)
    (folder / "meshes").mkdir()
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1.0, 2.0, 3.0)).export(folder / "meshes" / "a.stl")
    path = folder / "urdf" / "arm.urdf"
    path.write_text(
        OWN_ARM.read_text().replace(
            '<cylinder radius="0.06" length="0.15"/>',
            '<mesh filename="package://my_description/meshes/a.stl"/>',
        )
    )
    geometry, remark = geometry_to_show(dyn_core.Model.from_urdf(path), path)
    assert remark == ""
    extents = [np.ptp(triangles([entry]).vertices, axis=0) for entry in geometry.objects]
    assert any(np.allclose(sizes, [1.0, 2.0, 3.0]) for sizes in extents)


def test_forces_of_the_ground_are_found_at_the_feet_with_their_cop() -> None:
    """Of efforts J' f that the equations give for forces at the feet of a quadruped."""
    model = Model.from_urdf(example_robots() / ROBOT_FILES["hyq"], root_joint="free_flyer")
    q = dyn_core.neutral(model).copy()
    q[2] = 0.5
    q[7:] = [0.0, 0.75, -1.5, 0.0, -0.75, 1.5] * 2
    ground = ContactForces(model)
    assert sorted(ground.frames) == ["lf_foot", "lh_foot", "rf_foot", "rh_foot"]
    forces = {"lf_foot": [10.0, 0.0, 200.0], "rh_foot": [0.0, -20.0, 300.0]}
    outside, pressed = np.zeros(model.nv), np.zeros(3)
    for frame, force in forces.items():
        J = dyn_core.frame_jacobian(model, q, frame=frame, reference=dyn_core.LOCAL_WORLD_ALIGNED)
        outside += J[:3].T @ force
        pressed += force[2] / 500.0 * dyn_core.frame_placement(model, q, frame=frame)[:3, 3]
    found = ground.update(q, outside)
    assert len(found.points) == 2
    expected = [forces[x] for x in ground.frames if x in forces]
    assert np.allclose(found.forces, expected, atol=2.0)
    assert found.center is not None
    assert np.allclose(found.center[:2], pressed[:2], atol=0.01)
    assert ground.update(q, np.zeros(model.nv)).center is None
    assert not len(ground.update(q, np.full(model.nv, np.nan)).points)


def test_the_camera_sees_all_of_the_robot() -> None:
    """Corners of a box around each link, where the link is; a trunk is longer than its joints."""
    pytest.importorskip("viser", reason="needs viser: the extra view")
    path = example_robots() / ROBOT_FILES["hyq"]
    model = Model.from_urdf(path, root_joint="free_flyer")
    placements = dyn_core.forward_kinematics(model, dyn_core.neutral(model))
    shapes, _ = geometry_to_show(model, path)
    with View(port=FREE_PORT) as view:
        view.install(model, shapes)
        seen = view.scene.corners(placements)
    mesh = triangles([entry for entry in shapes.objects if entry.joint == 1])
    assert np.allclose(seen.min(axis=0)[0], mesh.vertices.min(axis=0)[0])
    assert np.ptp(seen, axis=0)[0] > 1.4 * np.ptp(placements[:, :3, 3], axis=0)[0]
    assert view._names[:2] == ["root/vx", "root/vy"]


def test_bars_are_shares_of_the_limit_and_names_are_only_text() -> None:
    nothing = math.nan
    row = JointRow("<script>", 0.0, 30.0, -300.0, nothing, 150.0)
    free = JointRow("free", 0.0, 10.0, nothing, nothing, math.inf)
    assert scales([row, free]) == [150.0, 300.0]
    assert [share(x, 150.0) for x in (30.0, -300.0, nothing)] == [0.2, -1.0, 0.0]
    page = bars([row, free])
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "no limit" in page


def test_names_lose_the_ending_that_all_have() -> None:
    assert short_names(["elbow_joint", "wrist_joint"]) == ["elbow", "wrist"]
    assert short_names(["elbow_joint", "wrist"]) == ["elbow_joint", "wrist"]
    assert short_names([]) == []


@pytest.mark.thorough
def test_the_page_shows_what_a_person_changes(shown: Callable[..., Any]) -> None:
    """One browser for all: software WebGL takes most of its time to begin."""
    with opened(width=400, height=500) as page:
        desk = shown(own_arm(), Q, OWN_ARM)
        page.open(desk.view.url)
        before, torques = page.robot(), page.text(BARS)
        assert "shoulder_lift" in torques
        page.set_number("payload", 3.0)
        page.wait_for_text(STATUS, "3.0 kg")
        assert page.text(BARS) != torques
        page.wait_for_another(before)  # the links of the loaded joints have another colour
        assert page.width() <= 400
        page.page.set_viewport_size({"width": 1600, "height": 500})
        page.page.locator("[role=slider]").first.press("End")  # the keyboard alone
        page.wait_for_text(STATUS, "10.0 kg")
        assert page.width() <= 1600
        desk.view.close()
        moving = np.linspace(0.0, 1.0, 50)[:, None] * np.ones(6)
        played = replay(
            own_arm(), np.arange(50) * 0.1, moving, 9.0 * moving, OWN_ARM, port=FREE_PORT
        )
        try:
            page.open(played.view.url)
            page.wait_for_text(STATUS, "a recording of 4.9 s")
            before = page.robot()
            page.set_number("time", 3.0)
            page.wait_for_text(STATUS, "paused")
            page.wait_for_another(before)
            assert played.time == pytest.approx(3.0)
        finally:
            played.view.close()
