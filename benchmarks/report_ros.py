# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The sections of nodes and controllers in the document."""

from __future__ import annotations

from tables import Row, judged, table
from words import WORDS_OF_CONTROLLERS, WORDS_OF_ROS

ROS_KINDS = ("latency", "rate", "service")
LATENCIES = {"median": "median", "p99": "p99", "block_p99": "p99 of a block", "cpu": "CPU"}


def controllers(rows: list[Row]) -> list[str]:
    """In the controller manager."""
    lines = [
        (
            row["controller"], "on" if row["limiters"] else "off",
            judged(row["ours_us"], row["goal"]["update_us"]), row["forward_us"],
            judged(row["ours_us"] / row["forward_us"], row["goal"]["over_forward"]),
            f"{row['error']:.0e}" if row["error"] else "0", row["cycles"],
        )
        for row in rows
    ]  # fmt: skip
    head = (
        "controller", "limiters", "update, us (goal)", "forwarding, us", "ratio (goal)",
        "error, N m", "cycles",
    )  # fmt: skip
    return [WORDS_OF_CONTROLLERS, table(head, lines)]


def ros(rows: list[Row]) -> list[str]:
    """Nodes beside relays that compute nothing."""
    kinds = {kind: [row for row in rows if row["kind"] == kind] for kind in ROS_KINDS}
    times = [
        (
            row["label"], *(f"{row[x]:.0f}" for x in LATENCIES),
            *(judged(row["ratio"][x], row["goal"].get(x)) for x in LATENCIES),
            f"{row['lost']} of {row['sent']}",
        )
        for row in kinds["latency"]
    ]  # fmt: skip
    rates = [
        (row["joints"], *row["hz"].values(), judged(row["ratio"], row["goal"], more=True))
        for row in kinds["rate"]
    ]
    services = [
        (row["states"], *row["us"].values(), judged(row["ratio"], row["goal"]))
        for row in kinds["service"]
    ]
    names = LATENCIES.values()
    head = ("", *(f"{x}, µs" for x in names), *(f"{x}, ratio" for x in names), "lost")
    priority = f"Real-time priority: {'yes' if kinds['latency'][0]['real_time'] else 'no'}."
    return [
        WORDS_OF_ROS, priority, table(head, times),
        table(("joints", *(f"{x}, Hz" for x in kinds["rate"][0]["hz"]), "ratio (goal)"), rates),
        table(("states", "inverse_dynamics, µs", "empty service, µs", "ratio (goal)"), services),
    ]  # fmt: skip
