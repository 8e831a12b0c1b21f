# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The page of a robot that runs: what the listener heard, drawn some times a second."""

from math import inf

import numpy as np
from nav_msgs.msg import Odometry

import dyn_core
from dyn_core.model import coordinate_names, last_body
from dyn_core.view import ContactForces, Efforts, View, geometry_to_show
from dyn_ros.arrays import Vector
from dyn_ros.inputs.robot_state import scalar_coordinates, scalar_names
from dyn_ros.kernels.robot import load_model
from dyn_ros.listener import Listener, NodeReport, by_name
from dyn_ros.safety.plausible_limits import MAX_NUMBER
from dyn_ros.view.judgement import judged

POSE = 7  # numbers of a floating base in the configuration


class Page:
    """Draws one robot after another, as descriptions come."""

    def __init__(self, view: View, listener: Listener, ignore: tuple[str, ...] = ()) -> None:
        """Draw on a view what a listener hears; `ignore` is the nodes' parameter."""
        self.view = view
        self.model: dyn_core.Model | None = None
        self.frame = ""  # where a person may pull
        self._listener, self._ignore = listener, ignore
        self._shown = ("", False)  # description, and whether its base floats
        self.places: dict[str, Vector] = {}  # of all frames; none before the first state
        self._ground: ContactForces | None = None
        view.say("grey", "no robot_description yet: nodes compile at their first start")

    @property
    def tool(self) -> Vector:
        """Where `frame` is, as a homogeneous matrix; the identity before the first state."""
        return self.places.get(self.frame, np.eye(4))

    @property
    def reports(self) -> dict[str, NodeReport]:
        """What each node has reported last."""
        return self._listener.reports

    def install_newest(self) -> bool:
        """Draw another robot if there is one; return whether there was.

        One that cannot be read is reported on the page, once.
        """
        floating = self._listener.newest("odom", old=inf) is not None
        newest = (self._listener.description, floating)
        if not newest[0] or newest == self._shown:
            return False
        self._shown = newest
        self.view.say(
            "grey", "reading the robot and compiling its functions: this takes some seconds"
        )
        try:
            model = load_model(newest[0], massless=True, floating=floating, ignore=self._ignore)
            self.view.install(model, *geometry_to_show(model, newest[0]))
        except ValueError as error:
            self.model = None
            self.view.say("red", f"the description cannot be drawn: {error}")
            return False
        self.model, self.frame = model, last_body(model)
        self._scalar, self._names = scalar_coordinates(model), scalar_names(model)
        self._kernel = dyn_core.compile(model, ["generalized_gravity", "frame_placements"])
        self._ground = ContactForces(model) if floating else None
        self.places = {}
        return True

    def draw(self, now: float) -> None:
        """Show the newest state and what the nodes report, at a monotonic time in s."""
        self.view.run(lambda: self._draw(now))

    def _draw(self, now: float) -> None:
        if self.model is None:
            return
        heard = self._listener
        light, words = judged(heard.reports.values(), now)
        if self._shown[1] and heard.newest("odom") is None:
            words = f"no odom received: the base is drawn where it was last\n{words}"
            light = "red" if light == "red" else "yellow"
        states = heard.newest("joint_states")
        if states is None:
            self.view.say("red", f"no joint_states received: the picture is out of date\n{words}")
            return
        q = self._configuration(states.name, states.position)
        gravity, places = self._kernel(q)
        frames = [frame.name for frame in self.model.frames]
        self.places = dict(zip(frames, places.copy(), strict=True))
        efforts = Efforts(gravity.copy(), *(np.full(self.model.nv, np.nan) for _ in range(2)))
        efforts.motor[self._scalar] = by_name(self._names, states.name, states.effort)
        for topic, into in (
            ("gravity_compensation/gravity_torque", efforts.gravity),
            ("external_torque/external_efforts", efforts.outside),
        ):
            message = heard.newest(topic)
            if message is not None:
                found = by_name(self._names, message.joint_names, message.effort)
                into[self._scalar] = np.where(np.isnan(found), into[self._scalar], found)
        desired = heard.newest("computed_torque/desired")
        ghost = desired and self._configuration(desired.name, desired.position)
        measured = by_name(self._names, states.name, states.position)
        if not np.isfinite(measured).all():
            missing = np.array(self._names)[~np.isfinite(measured)]
            words = f"no position received of {', '.join(missing)}: drawn at zero\n{words}"
            light = "red" if light == "red" else "yellow"
        self.view.update(q, efforts, ghost)
        self._draw_contacts(q)
        self.view.say(light, words)

    def _draw_contacts(self, q: Vector) -> None:
        """Draw what the ground gives a floating base, as external_torque estimates it."""
        if self._ground is None or self.model is None:
            return
        message = self._listener.newest("external_torque/external_efforts")
        found = None
        if message is not None:
            names = coordinate_names(self.model)
            found = self._ground.update(q, by_name(names, message.joint_names, message.effort))
        self.view.scene.show_contacts(found, self._ground.weight)

    def _configuration(self, names: list[str], positions: list[float]) -> Vector:
        """Return the configuration (nq,) of joint positions and the newest pose of the base."""
        assert self.model is not None
        step = np.zeros(self.model.nv)
        step[self._scalar] = np.nan_to_num(
            by_name(self._names, names, positions), posinf=0.0, neginf=0.0
        )
        q = np.array(self.model.space.neutral(), dtype=np.float64)
        odometry = self._listener.newest("odom", old=inf)
        if self._shown[1] and odometry is not None:
            q[:POSE] = pose_of(odometry)
        return np.array(self.model.space.integrate(q.tolist(), step.tolist()), dtype=np.float64)


def pose_of(message: Odometry) -> list[float]:
    """Position and quaternion (x, y, z, w) of a message, the identity if they are no pose."""
    there, turned = message.pose.pose.position, message.pose.pose.orientation
    numbers = [there.x, there.y, there.z, turned.x, turned.y, turned.z, turned.w]
    norm = float(np.linalg.norm(numbers[3:]))
    if not (np.abs(numbers).max() <= MAX_NUMBER and norm > 0.5):
        return [0.0] * 6 + [1.0]
    return [*numbers[:3], *(x / norm for x in numbers[3:])]
