# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Simulation in time: integrators on the configuration space, and rollouts with them.

An integrator is a function ``(model, dynamics, q, v, dt) -> (q, v)``; orientations stay on the
manifold, whatever the step. ``dynamics`` is a :class:`Dynamics`; explicit integrators take any
function of q and v that gives an acceleration.

=============================  =====  ======================================================
:func:`explicit_euler`         1      gains energy; only for comparison
:func:`semi_implicit_euler`    1      symplectic for constant M; what physics engines do
:func:`runge_kutta_4`          4      accurate over short times
:func:`implicit_euler`         1      stable for any stiffness and damping, which it overdoes
:func:`variational`            2      symplectic: energy and momenta stay for good
=============================  =====  ======================================================

The momentum of a floating base that no force changes (a free flyer, a spherical or planar joint at
the root, or a chain of joints without masses between them that moves alike, such as three slides
and a ball, or SphericalZYX):

* the methods of Euler, :class:`TimeStepper` and :class:`ContactStepper` keep it to rounding, for
  trees with moving joints too (:mod:`dyn_core.dynamics.floating_bases`). If no joint moves, they
  keep the energy of the tumbling body and its centre of mass flies straight; a body on a chain
  keeps its energy to second order;
* they do not keep it if a joint of the base has armature, if another joint follows it, or if bodies
  between its joints have mass: there, as at a single turning or sliding joint of an arm, the error
  is proportional to dt;
* :func:`variational` keeps it to rounding;
* :func:`runge_kutta_4` loses up to ``(w dt)^5 / 10`` of its size a step, with the fastest rate w of
  base and joints: in a second of steps of 1 ms 4e-5 for a body at 50 rad/s and 4 m/s, and 7e-3 for
  an ANYmal at this rate, whose legs reach 470 rad/s.

Energy: without damping and impacts that of :class:`TimeStepper`, :class:`ContactStepper` and
:func:`variational` oscillates by an error of second order and does not drift; that of the methods
of Euler is of first order. A robot with loops loses energy in :class:`ContactStepper`, in
proportion to dt.

How long a step may be follows from the model: explicit integrators need one well below
``modes(model, q, stiffness).longest_step`` (:mod:`dyn_core.modes`), 2 / omega_n of the fastest
mode, in which ``stiffness`` has what else holds the joints, such as a controller's gains. A rollout
or a Predictor whose steps are too long for the model's own springs and dampers warns of it;
:func:`longest_step` is what both ask.

Joints with dry friction and stops, and robots on ground, have no acceleration to integrate: impacts
and sticking are jumps. :class:`TimeStepper` steps over them, for a robot on flat ground and without
an allocation to wait for; :class:`ContactStepper` by the same scheme for one with loops, on
surfaces that the caller knows.
"""

from dyn_core.simulation.contact_stepper import ContactStepper, Step
from dyn_core.simulation.driven_dynamics import Dynamics, EffortLaw, JointEfforts
from dyn_core.simulation.ground import ContactPoint, Ground
from dyn_core.simulation.integrators import (
    explicit_euler,
    implicit_euler,
    runge_kutta_4,
    semi_implicit_euler,
)
from dyn_core.simulation.prediction import PredictionCheck, Predictor
from dyn_core.simulation.rollout import Integrator, rollout
from dyn_core.simulation.step_length import LongestStep, longest_step
from dyn_core.simulation.step_types import StepError
from dyn_core.simulation.time_stepping import TimeStepper
from dyn_core.simulation.variational import variational

__all__ = [
    "ContactPoint",
    "ContactStepper",
    "Dynamics",
    "EffortLaw",
    "Ground",
    "Integrator",
    "JointEfforts",
    "LongestStep",
    "PredictionCheck",
    "Predictor",
    "Step",
    "StepError",
    "TimeStepper",
    "explicit_euler",
    "implicit_euler",
    "longest_step",
    "rollout",
    "runge_kutta_4",
    "semi_implicit_euler",
    "variational",
]
