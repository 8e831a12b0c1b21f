# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot and its efforts live in a web browser; needs the extra ``view``.

:func:`show` is for one robot at a desk: sliders move it, a payload, a force and the tilt of gravity
change its efforts. :func:`replay` plays a recording. :class:`View` draws measured states,
such as those of the ROS nodes. :func:`draw_sticks` is for pictures on paper.
The page is served to this computer alone unless another address is asked for.
"""

from dyn_core.view.contact_forces import ContactForces
from dyn_core.view.drawn_shapes import geometry_to_show, skeleton
from dyn_core.view.effort_bars import JointRow
from dyn_core.view.interactive import Desk, Pull, show
from dyn_core.view.page import LOCALHOST, PORT, Efforts, View
from dyn_core.view.replay import Replay, replay
from dyn_core.view.stick_figures import draw_sticks

__all__ = [
    "LOCALHOST",
    "PORT",
    "ContactForces",
    "Desk",
    "Efforts",
    "JointRow",
    "Pull",
    "Replay",
    "View",
    "draw_sticks",
    "geometry_to_show",
    "replay",
    "show",
    "skeleton",
]
