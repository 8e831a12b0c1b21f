"""What every node tells about itself once a second."""

from __future__ import annotations

import pytest
from bench import NAMES, StateBench
from ros_helpers import Ros, arm, until, values_of

from dyn_ros.nodes.state_node import StateNode
from dyn_ros.registry import NODES, node_class

OF_ALL = {"model fingerprint", "kernels"}
OF_SAMPLES = {
    "age of last sample [s]",
    "deadlines missed",
    "latency max [us]",
    "latency median [us]",
    "latency p99 [us]",
    "rate [Hz]",
    "rate in [Hz]",
    "samples held back",
    "samples in",
    "samples lost",
    "samples out",
    "samples refused",
}
OF_STATES = [name for name in NODES if issubclass(node_class(name), StateNode)]


@pytest.mark.parametrize("name", OF_STATES)
def test_nodes_that_read_joint_states_tell_how_well_they_do(ros: Ros, name: str) -> None:
    """Rates, latencies, age, counts, deadlines; a refused sample is counted by its reason."""
    bench = StateBench(ros, node_class(name), {}, robot_description=arm())
    until(lambda: bench.node.active)
    rest = {"velocity": [0.0, 0.0], "effort": [0.0, 0.0]}

    def answered() -> dict[str, str] | None:
        bench.send(NAMES, [0.0, 0.0], **rest)
        values = said(bench)
        return values if values.get("samples out", "0") != "0" else None

    values = until(answered)
    assert values.keys() >= OF_ALL | OF_SAMPLES
    assert float(values["latency max [us]"]) >= float(values["latency median [us]"]) > 0.0
    assert values["model fingerprint"] == bench.node.model.fingerprint[:16]
    bench.send(NAMES, [0.0, float("nan")], **rest)
    assert (
        values_of(bench.report("position of joint 'second' is nan"))["refused: not finite"] == "1"
    )


def said(bench: StateBench) -> dict[str, str]:
    """The newest values."""
    return dict(values_of(bench.reports[-1].status[0])) if bench.reports else {}


@pytest.mark.parametrize("name", ["inverse_dynamics", "identification"])
def test_others_tell_which_robot_they_work_for(ros: Ros, name: str) -> None:
    bench = StateBench(ros, node_class(name), {}, robot_description=arm())
    until(lambda: bench.node.active)
    values = until(lambda: said(bench).keys() >= OF_ALL and said(bench))
    assert values["model fingerprint"] == bench.node.model.fingerprint[:16]
    assert "from the cache" in values["kernels"] or "compiled" in values["kernels"]
