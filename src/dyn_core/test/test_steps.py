"""Long programs as loops over tables compute what straight code does, however joints are mixed."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_model import to_pinocchio
from random_trees import random_inertia, random_model, random_placement
from robots import load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import Kernel, Model, ModelBuilder, Quantity
from dyn_core.codegen import machine, steps
from dyn_core.codegen.llvm import KERNEL
from dyn_core.codegen.loops import print_loops
from dyn_core.codegen.memory import LANES
from dyn_core.codegen.one_state import print_one_state
from dyn_core.codegen.steps import Steps
from dyn_core.codegen.trace import trace
from dyn_core.joints import Prismatic, Revolute
from dyn_core.spatial import SE3

MATRICES = (
    dyn_core.coriolis_matrix,
    dyn_core.rnea_derivatives,
    dyn_core.cholesky,
    dyn_core.aba_derivatives,
)
QUANTITIES = (dyn_core.rnea, dyn_core.crba, dyn_core.aba, dyn_core.integrate, dyn_core.difference)


def chain(joints: int) -> Model:
    """Hinges and some slides in series, parts of their constants zero."""
    builder, random = ModelBuilder("chain"), np.random.default_rng(0)
    for k in range(joints):
        kind = Prismatic if k % 7 == 3 else Revolute
        axis = np.eye(3)[k % 3].tolist()
        builder.add_joint(k, kind(axis), random_placement(random), f"j{k}")
        builder.add_body(k + 1, random_inertia(random), SE3.identity())
    return builder.build()


def run(ir: str, arrays: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """What the kernel of a module computes, its outputs one after the other."""
    code = machine.LoadedCode(machine.to_object_code(ir), [KERNEL])
    outputs = [np.full(size, np.nan) for size in sizes]
    every = [*arrays, *outputs]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(every))(code.address(KERNEL))
    call(*(x.ctypes.data for x in every))
    assert code
    return np.concatenate(outputs)


def looped(model: Model, quantity: Quantity, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """A quantity by loops, whether they pay or not."""
    traced = trace(model, [quantity.request()])
    return run(print_loops(Steps(traced)), arrays, [len(x) for x in traced.outputs.values()])


def arguments(model: Model, quantity: Quantity, seed: int) -> list[np.ndarray]:
    """Random arrays for a quantity."""
    s = states(model, 2, seed)
    at = {**s[0], "dv": s[0]["v"], "q0": s[0]["q"], "q1": s[1]["q"]}
    return [at[name] for name in quantity.inputs]


def defined(model: Model, quantity: Quantity, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """A quantity by its definition, on floats."""
    found = quantity.define(model, *(x.tolist() for x in arrays))
    return np.concatenate([np.ravel(x) for x in (found if isinstance(found, tuple) else [found])])


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.__name__)
def test_every_joint_type(quantity: Quantity) -> None:
    """All joint types, mimic joints among them: some compare and choose, which no frame holds."""
    model = random_model(2, joints=16)
    arrays = arguments(model, quantity, 7)
    expected = defined(model, quantity, arrays)
    assert relative_error(looped(model, quantity, arrays), expected) < 1e-11


def test_steps_divided_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MOST", 25)
    model = random_model(2, joints=16)
    arrays = arguments(model, dyn_core.rnea, 7)
    expected = defined(model, dyn_core.rnea, arrays)
    assert relative_error(looped(model, dyn_core.rnea, arrays), expected) < 1e-11


@pytest.mark.parametrize("quantity", QUANTITIES[:3], ids=lambda quantity: quantity.__name__)
def test_trees_of_thirty_joints(quantity: Quantity) -> None:
    kinds = ("revolute", "prismatic", "spherical")
    model = random_model(1, joints=30, kinds=kinds, mimic=False)
    arrays = arguments(model, quantity, 1)
    expected = defined(model, quantity, arrays)
    assert relative_error(looped(model, quantity, arrays), expected) < 1e-11


@pytest.mark.parametrize("quantity", MATRICES, ids=lambda quantity: quantity.__name__)
def test_matrices_of_a_chain(quantity: Quantity) -> None:
    """Longer than the parts of an inner product, and no multiple of them."""
    model = chain(19)
    arrays = arguments(model, quantity, 4)
    expected = defined(model, quantity, arrays)
    assert relative_error(looped(model, quantity, arrays), expected) < 1e-10  # the condition of M


def test_columns_are_straight_code_unless_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    model, requests = chain(19), [dyn_core.minverse.request()]
    monkeypatch.setattr(steps, "ALIKE", 1)
    assert "@pattern" not in print_one_state(model, requests)
    monkeypatch.setattr(steps, "COLUMNS", 1000)
    printed = print_one_state(model, requests)
    assert "@pattern" in printed
    arrays = arguments(model, dyn_core.minverse, 5)
    expected = np.linalg.inv(np.array(dyn_core.crba.define(model, arrays[0].tolist()), float))
    assert relative_error(run(printed, arrays, [19 * 19]), expected.ravel()) < 1e-9


@pytest.mark.parametrize("quantity", QUANTITIES[:3], ids=lambda quantity: quantity.__name__)
def test_branches_go_side_by_side(quantity: Quantity) -> None:
    """Each step once, behind those that it needs and in no row with one of them."""
    model = random_model(1, joints=40, kinds=("revolute",), mimic=False)
    found = Steps(trace(model, [quantity.request()]))
    assert sorted({x.number for row in found.rows for x in row.steps}) == list(
        range(len(found.every))
    )
    assert len(found.rows) < 0.85 * len(found.every)
    assert {len(row.steps) for row in found.rows} == {1, LANES}
    computed = {x for step in found.every for x in step.nodes}
    done: set[int] = set()
    for row in found.rows:
        assert len({step.shape for step in row.steps}) == 1
        assert all(x in done for step in row.steps for x in step.outside if x in computed)
        done.update(x for step in row.steps for x in step.nodes)


def test_equal_links_pass_their_results_on_in_registers() -> None:
    """Their motion leaves the registers once, at the end of the chain; their forces do each."""
    builder, random = ModelBuilder("cable"), np.random.default_rng(0)
    placement, inertia = random_placement(random), random_inertia(random)
    for k in range(30):
        builder.add_joint(k, Revolute((0.0, 0.0, 1.0)), placement, f"j{k}")
        builder.add_body(k + 1, inertia, SE3.identity())
    model = builder.build()
    printed = print_loops(Steps(trace(model, [dyn_core.rnea.request()])))
    assert any("store" in end.split("}")[0] for end in printed.split("end:")[1:])
    arrays = arguments(model, dyn_core.rnea, 1)
    expected = defined(model, dyn_core.rnea, arrays)
    assert relative_error(looped(model, dyn_core.rnea, arrays), expected) < 1e-11


def test_limbs_that_look_alike_need_not_be_lanes() -> None:
    robot = load("hyq")
    for quantity in (dyn_core.rnea, dyn_core.aba):
        arrays = [robot.states(1)[0][name] for name in quantity.inputs]
        expected = defined(robot.model, quantity, arrays)
        assert relative_error(looped(robot.model, quantity, arrays), expected) < 1e-11


def test_pinocchio_agrees_on_a_chain_of_sixty() -> None:
    model = chain(60)
    peer = to_pinocchio(model).model
    s = states(model, 1, 3)[0]
    kernel = dyn_core.compile(model, ["rnea", "crba", "aba"])
    tau, M, ddq = kernel(s["q"], s["v"], s["a"], s["tau"])
    data = peer.createData()
    assert relative_error(tau, pin.rnea(peer, data, s["q"], s["v"], s["a"])) < 1e-11
    upper = np.triu(pin.crba(peer, data, s["q"]))
    assert relative_error(np.triu(M), upper) < 1e-11
    assert np.array_equal(M, M.T)
    accelerations = pin.aba(peer, data, s["q"], s["v"], s["tau"])
    assert relative_error(ddq, accelerations) < 1e-9  # the condition of M


def test_what_is_printed_does_not_grow_with_the_chain() -> None:
    for quantity in (dyn_core.rnea, dyn_core.crba, dyn_core.aba):
        lengths = [Steps(trace(chain(n), [quantity.request()])).length for n in (42, 84)]
        assert lengths[1] < 1.3 * lengths[0]  # other zeros, other patterns


def test_a_short_program_stays_straight() -> None:
    """Its code has no table."""
    assert "rows" not in print_one_state(load("ur5").model, [dyn_core.rnea.request()])
    assert "rows" in print_one_state(chain(60), [dyn_core.rnea.request()])


def test_inputs_are_read_before_outputs_are_written() -> None:
    model = chain(60)
    s = states(model, 1, 5)[0]
    kernel = dyn_core.compile(model, ["rnea"])
    expected = kernel(s["q"], s["v"], s["a"])
    arrays = [s["q"].copy(), s["v"].copy(), s["a"].copy()]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(kernel.address)
    call(*(x.ctypes.data for x in (*arrays, arrays[1])))
    assert np.array_equal(arrays[1], expected)


def test_angles_beyond_what_a_double_resolves_are_nan() -> None:
    model = chain(60)
    q = np.zeros(60)
    q[5] = 1e12
    kernel: Kernel = dyn_core.compile(model, ["gravity"])
    assert np.isnan(kernel(q)).any()
