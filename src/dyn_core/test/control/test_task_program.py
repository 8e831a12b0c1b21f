# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Usual tasks in one compiled program give the velocity of the same tasks evaluated one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from covering import covers
from robots import load
from test_inverse_kinematics import DT, START, UR5, guarded

import dyn_core
from dyn_core.control import (
    ComTask,
    DampingTask,
    FrameTask,
    InverseKinematics,
    JointLimits,
    LowAccelerationTask,
    PostureTask,
    RelativeFrameTask,
)
from dyn_core.control.tasks import Task
from dyn_core.control.tasks.task_program import TaskProgram, program_request

FRAMES = {"panda": ("panda_hand", "panda_link4"), "hyq": ("lf_foot", "rh_foot")}


class Unasked(DampingTask):
    """A task of a user's class, without cost: each task beside it is evaluated by itself."""


USUAL = {
    "frame": lambda frames: FrameTask(frames[0], 0.7, (1.0, 0.0, 2.0), gain=np.inf),
    "second frame": lambda frames: FrameTask(frames[1], 0.0, gain=3.0, lm_damping=0.0),
    "relative frame": lambda frames: RelativeFrameTask(*frames, lm_damping=0.3),
    "centre of mass": lambda frames: ComTask((1.0, 0.5, 0.0)),
    "posture": lambda frames: PostureTask(0.3, lm_damping=0.1),
    "velocities": lambda frames: DampingTask(0.2),
    "accelerations": lambda frames: LowAccelerationTask(0.4),
}


def as_usual(
    name: str, tasks: list[Task], random: np.random.Generator, **arguments
) -> Iterator[InverseKinematics]:
    """Inverse kinematics by one program, before each step to random targets in a random state.

    After each step its velocity is compared with that of the same tasks, evaluated one by one.
    """
    model = load(name).model
    together = InverseKinematics(model, tasks, **arguments)
    alone = InverseKinematics(model, [*tasks, Unasked(0.0)], **arguments)
    assert program_request(tasks)
    assert not program_request(alone.tasks)
    for state in load(name).states(4, seed=len(tasks)):
        q, before = state["q"], 0.3 * state["v"]
        for task in tasks:
            near = dyn_core.integrate(model, q, 0.3 * random.normal(size=model.nv))
            task.set_target_from_configuration(model, near)
        yield together
        found, expected = (ik.velocity(q, before, DT) for ik in (together, alone))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@covers(dyn_core.velocity_program)
@pytest.mark.parametrize("limits", [{}, {"acceleration": 4.0}, {"margin": 0.2, "rate": 300.0}])
@pytest.mark.parametrize(("name", "frames"), FRAMES.items(), ids=FRAMES)
def test_usual_tasks_in_one_program_give_the_velocity_of_each_by_itself(
    name: str, frames: tuple[str, str], limits: dict
) -> None:
    """Also for joints beyond their ends, and where costs, gains and rates change."""
    model, random = load(name).model, np.random.default_rng(0)
    for chosen in (["frame", "velocities"], ["posture"], list(USUAL)[1:], ["relative frame"]):
        tasks = [USUAL[task](frames) for task in chosen]
        arguments = {"limits": JointLimits(model, **limits), "damping": 1e-3}
        for ik in as_usual(name, tasks, random, **arguments):
            tasks[0].cost = random.uniform(0.1, 2.0)
            tasks[0].gain = random.choice([0.0, 3.0, 50.0, np.inf])
            tasks[0].lm_damping = random.uniform(0.0, 0.2)
            rows = 6 if chosen == ["relative frame"] else model.nv
            tasks[-1].set_motion(random.normal(size=rows))
            ik.limits.velocity = np.minimum(ik.limits.velocity, random.uniform(0.5, 2.0))


def test_usual_tasks_beside_a_barrier_give_the_velocity_of_each_by_itself() -> None:
    together, _ = guarded()
    tasks, barriers = [*together.tasks, Unasked(0.0)], together.barriers
    alone, q, v = InverseKinematics(UR5, tasks, barriers=barriers), START, np.zeros(6)
    for _ in range(20):
        expected = alone.velocity(q, v, DT)
        q, v = together.step(q, v, DT)
        np.testing.assert_allclose(v, expected, rtol=1e-9, atol=1e-9)


def test_limits_are_arrays_that_the_program_takes_without_copying_them() -> None:
    for limits in (
        JointLimits(UR5),
        JointLimits(UR5, 3.0),
        JointLimits(UR5).including(3.0 * START),
    ):
        for array in (limits.ends, limits.velocity, limits.acceleration):
            assert array.flags.c_contiguous


def test_bounds_of_a_program_are_those_of_joint_limits() -> None:
    """Near ends and far from them or beyond, some joints without limit of acceleration."""
    random, request = np.random.default_rng(2), program_request([])
    assert request
    program = TaskProgram(UR5, [], request)
    for size in np.geomspace(1e-6, 1e3, 300):
        acceleration = np.where(random.integers(3, size=6), size * random.uniform(size=6), np.inf)
        limits = JointLimits(UR5, acceleration, margin=0.5)
        q = random.choice([limits.lower, limits.upper]) + random.normal(size=6) / size
        v, dt = random.normal(size=6), random.choice([1e-4, 0.01, 1.0])
        filled = program.filled(q, v, dt, 1.0, limits)
        assert filled
        np.testing.assert_allclose(filled[2:], limits.velocities(q, v, dt), rtol=1e-9, atol=1e-9)


def test_arrays_that_the_program_does_not_take_are_converted() -> None:
    """Whole numbers, lists and strided arrays give the velocity of arrays of floats."""
    task, expected = PostureTask(), PostureTask()
    expected.set_target(np.round(START))
    task.target = np.round(START).astype(int)
    task.set_motion([1, 0, 0, 0, 0, 0])
    expected.set_motion(np.eye(6)[0])
    states = (list(START), [0] * 6), (np.repeat(START, 2)[::2], np.zeros(6))
    given, plain = (InverseKinematics(UR5, [x]) for x in (task, expected))
    for q, before in states:
        v = plain.velocity(START, np.zeros(6), DT)
        np.testing.assert_allclose(given.velocity(q, before, DT), v, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PostureTask((1.0, 2.0)), "one number or 6"),
        (lambda: PostureTask(), "target of PostureTask must be finite numbers of shape"),
    ],
)
def test_bad_tasks_of_a_program_are_refused_in_words(make, words: str) -> None:
    task = make()
    task.set_target(np.zeros(6 if np.ndim(task.cost) else 5))
    with pytest.raises(ValueError, match=words):
        InverseKinematics(UR5, [task]).velocity(START, np.zeros(6), DT)
