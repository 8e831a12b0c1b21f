# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What every node reports once a second."""

from __future__ import annotations

import re
from math import nan
from typing import Any

import numpy as np
import pytest
from bench import NAMES, Bench, StateBench
from called import Called
from ros_helpers import arm, until, values_of

import dyn_core
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.node.report import EVERYWHERE, facts, key
from dyn_ros.nodes.state_node import StateNode
from dyn_ros.registry import NODES, node_class

OF_ALL = {"state", "model_fingerprint", "kernels"}
OF_SAMPLES = {
    "sample_age_s",
    "deadlines_missed",
    "latency_max_us",
    "latency_median_us",
    "latency_p99_us",
    "rate_hz",
    "rate_in_hz",
    "samples_held_back",
    "samples_in",
    "samples_lost",
    "samples_out",
    "samples_refused",
}


@pytest.mark.parametrize("name", NODES)
def test_keys_of_diagnostics_are_snake_case(name: str) -> None:
    """Each key is listed in ABOUT, beside topics and services; reasons go through `key`."""
    kind = node_class(name)
    listed = {x for part in (kind, *kind.PARTS) for x in part.ABOUT} | EVERYWHERE.keys()
    assert not [x for x in listed if not re.fullmatch(r"[~/]*[a-z][a-z0-9_/*]*", x)]
    assert key("~/wrench", "refused", "not a unit m/s^2") == "wrench_refused_not_a_unit_m_s_2"


OF_STATES = [name for name in NODES if issubclass(node_class(name), StateNode)]


BAD: dict[str, tuple[list[str], dict[str, Any]]] = {  # names and other fields, by reason
    "not finite": (NAMES, {"position": [0.0, nan]}),
    "duplicate joint": ([*NAMES, NAMES[0]], {"position": [0.0] * 3}),
    "length mismatch": (NAMES, {"position": [0.0]}),
    "velocity absent": (NAMES, {"velocity": []}),
    "effort absent": (NAMES, {"effort": []}),
    "time ran backwards": (NAMES, {"time": 1}),
}


@pytest.mark.parametrize("name", OF_STATES)
def test_nodes_that_read_joint_states_report_their_quality(called: Called, name: str) -> None:
    """Rates, latencies, age, counts, deadlines.

    A bad state is counted by its reason and not answered; velocity and effort only where they are
    needed.
    """
    bench = StateBench(called, node_class(name), {}, robot_description=arm())
    until(lambda: bench.node.active)
    needed = {
        "velocity absent": bench.node.needs_velocity,
        "effort absent": bench.node.needs_effort,
    }
    bad = {why: message for why, message in BAD.items() if needed.get(why, True)}
    good = {"position": [0.0, 0.0], "velocity": [0.0, 0.0], "effort": [0.0, 0.0]}
    until(lambda: bench.send(NAMES, **good) > 1 and bench.values().get("samples_out", "0") != "0")
    values = bench.values()
    assert values.keys() >= OF_ALL | OF_SAMPLES
    assert values["state"] == "active"
    assert float(values["latency_max_us"]) >= float(values["latency_median_us"]) >= 0.0
    assert values["model_fingerprint"] == bench.node.model.fingerprint[:16]
    refused = bench.node.part(JointStateInput).statistics.reasons
    for why, (names, fields) in bad.items():  # one at a time: who commands takes the newest only
        bench.send(names, **{**good, **fields})
        until(lambda why=why: refused[why] == 1)
    until(lambda: all(bench.values().get(key("refused", why)) == "1" for why in bad))
    counts = {key: int(value) for key, value in bench.values().items() if key.startswith("samples")}
    assert counts["samples_refused"] == len(bad)
    left_out = counts["samples_held_back"]
    assert counts["samples_out"] == counts["samples_in"] - counts["samples_refused"] - left_out


@pytest.mark.parametrize("name", ["inverse_dynamics", "identification"])
def test_other_nodes_report_their_robot(called: Called, name: str) -> None:
    bench = StateBench(called, node_class(name), {}, robot_description=arm())
    until(lambda: bench.node.active)
    values = until(lambda: bench.values().keys() >= OF_ALL and bench.values())
    assert values["model_fingerprint"] == bench.node.model.fingerprint[:16]
    assert "from the cache" in values["kernels"] or "compiled" in values["kernels"]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_oddities_of_a_description_are_reported(called: Called, elsewhere: bool) -> None:
    """In /rosout and in the diagnostics, also where another process reads it."""
    fixed = """<link name="camera"/><joint name="mount" type="fixed"><parent link="lower"/>
      <child link="camera"/><mimic joint="first"/></joint></robot>"""
    odd = arm(name=f"odd_{elsewhere}").replace("</robot>", fixed)
    first = arm() if elsewhere else odd
    bench = StateBench(called, node_class("mass_matrix"), {}, robot_description=first)
    until(lambda: bench.node.active)
    if elsewhere:
        assert values_of(bench.report(""))["description_warnings"] == "none"
        bench.node.reload(odd)
    words = "joint 'mount' is fixed: its <mimic> is ignored"
    until(lambda: words in bench.values().get("description_warnings", ""))
    assert any(words in line for line in bench.logged())


def test_each_kernel_is_counted_once_also_that_of_a_scalar() -> None:
    """A quantity that is one number is kept as a function beside its kernel."""
    model = dyn_core.Model.from_urdf(arm(name="counted"))
    q = np.zeros(model.nq)
    dyn_core.potential_energy(model, q)
    dyn_core.generalized_gravity(model, q)
    assert len(model.kernels) == 4
    counts = facts(model)["kernels"].split(", ")
    assert sum(int(count.split()[0]) for count in counts) == 2


def test_why_nothing_is_commanded_is_logged_once_whatever_numbers_it_has(called: Called) -> None:
    """Each joint state has others, as an encoder's noise makes them: 163 lines came a second."""
    bench = Bench(called, robot_description=arm(), start_effort="measured")
    until(lambda: bench.node.active)
    bench.connect()
    for k in range(50):
        bench.answer(NAMES, [0.01 * k, 0.0], effort=[0.0, 0.0])
    lines = until(lambda: [line for line in bench.logged() if "and a gravity effort of" in line])
    assert len(lines) == 1
    assert not bench.commands
