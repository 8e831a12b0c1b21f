# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of a robot refuse what was made for another robot, with as many joints or fewer."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace as Namespace

import numpy as np
import pytest
from robots import OWN_ARM, own_arm

from dyn_core import Data, Model, audit
from dyn_core import control as c
from dyn_core import identification as i
from dyn_core import simulation as s
from dyn_core import walking as w
from dyn_core.audit.described_links import links_of_model
from dyn_core.geometry import CollisionChecker as Checker
from dyn_core.view import Desk, Replay, View, skeleton

ARM = own_arm()
Q = np.zeros(6)
TWIN = Model.from_urdf(OWN_ARM.read_text().replace("wrist", "hand"))
SHORT = ARM.reduced(ARM.names[1:2], Q)
POINT = s.ContactPoint(1, (0.0, 0.0, 0.0), 0.1)
BASE, OTHER = (i.BaseParameters.of(i.Parameters(x)) for x in (ARM, SHORT))
FOUND = i.Identification(Namespace(base=BASE, delay=0.0), Q, {}, 0.0, None, 1.0)


@pytest.mark.parametrize("o", [TWIN, SHORT], ids=["twin", "short"])
def test_parts_of_another_robot_are_refused(o: Model) -> None:
    """With as many joints they were taken without a message, of others as an IndexError."""
    shapes, robot, them, law = skeleton(o), Namespace(model=ARM), Namespace(model=o), s.Dynamics(o)
    prior, checker = i.Knowledge(i.Prior.of_model(o)), Checker(o, shapes)
    steps = (s.explicit_euler, s.semi_implicit_euler, s.runge_kutta_4, s.implicit_euler)
    for call in (
        lambda: Checker(ARM, shapes),
        lambda: shapes.without_adjacent(ARM),
        lambda: i.hulls_of(ARM, shapes),
        lambda: i.Prior.of_shapes(ARM, shapes, 1.0),
        lambda: View.install(None, ARM, shapes),
        lambda: Desk(them, ARM),
        lambda: Replay(them, ARM, [0.0], [Q], [Q]),
        lambda: i.excitation(BASE, checker=checker),
        lambda: i.planned_sweeps(ARM, checker=checker),
        lambda: i.consistent(BASE.parameters, Q, Q, prior, 1.0),
        lambda: FOUND.residual_of(o),
        lambda: FOUND.residual(cutoff=5.0, model=o),
        lambda: c.InverseKinematics(ARM, [], limits=c.JointLimits(o)),
        lambda: c.InverseKinematics(ARM, [], barriers=[c.CollisionBarrier(checker)]),
        lambda: c.WholeBodyControl(ARM, [], limits=c.JointLimits(o)),
        lambda: s.Dynamics(ARM, s.JointEfforts(o)),
        *(lambda step=step: step(ARM, law, Q, Q, 1e-3) for step in (*steps, s.variational)),
        *(lambda step=step: s.rollout(ARM, step, law, Q, Q, 1e-3, 2) for step in steps),
        lambda: s.TimeStepper(ARM, 1e-3, s.Ground(o, [POINT], 0.5)),
        lambda: s.Ground(ARM, [POINT], 0.5).within(Data(o)),
        lambda: s.PredictionCheck(ARM).update(0.0, Q, Q, s.Predictor(o, 1, 1e-3)),
        lambda: w.pattern(robot, None, begun=them),
        lambda: w.walked(robot, them),
        lambda: w.DynamicFilter(robot, them),
        lambda: replace(audit.read_robot(OWN_ARM), model=o),
        lambda: replace(audit.robot_of_model(ARM), links=links_of_model(o)),
        lambda: replace(audit.robot_of_model(ARM), shapes=audit.read_robot(OWN_ARM).shapes),
    ):
        with pytest.raises(ValueError, match=r"is of|is moved by|has other param|has shapes of"):
            call()
    s.rollout(replace(ARM), s.semi_implicit_euler, s.Dynamics(ARM), Q, Q, 1e-3, 2)  # an equal one
    with pytest.raises(ValueError, match="other base parameters"):
        i.estimate(BASE, i.Evidence.none(OTHER))


@pytest.mark.parametrize("size", [5, 7, 60, 100])
def test_arrays_of_another_size_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match="must have shape"):
        i.Prior.of_model(SHORT).distance(np.ones(size))
    with pytest.raises(ValueError, match="q must have shape"):
        s.longest_step(ARM, np.zeros(size), [])
