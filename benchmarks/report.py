# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The results as a document and plots."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plots
from report_ros import controllers, ros
from tables import Row, judged, short, table
from words import (
    HEAD,
    HEAD_OF_ARRAYS,
    HEAD_OF_CONTACTS,
    HEAD_OF_NODES,
    NOTES,
    WORDS_OF_ARRAYS,
    WORDS_OF_BATCH,
    WORDS_OF_CALLS,
    WORDS_OF_COLD,
    WORDS_OF_CONFIGURE,
    WORDS_OF_CONTACTS,
    WORDS_OF_GPU,
    WORDS_OF_GROWTH,
    WORDS_OF_IK,
    WORDS_OF_KERNELS,
    WORDS_OF_PASSES,
    WORDS_OF_ROLLOUTS,
    WORDS_OF_STEPS,
)

HERE = Path(__file__).parent
RESULTS = HERE / "results"
DOCS = HERE.parent / "docs"
PICTURES = DOCS / "benchmarks"
CORES_GOAL = 1.8
"""How many times faster two cores compute batches than one."""
SHARE_GOALS = {"rnea": 0.7}
"""Share of the multiplications that the processor could do in the time of a batch, by function."""


def write() -> None:
    """Make the DOCUMENTS and their plots of the results that there are."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}
    PICTURES.mkdir(exist_ok=True)
    for name, (head, sections, notes) in DOCUMENTS.items():
        parts = [head]
        for section in filter(found.__contains__, sections):
            rows = found[section]["rows"]
            parts += [f"## {TITLES[section]}", *SECTIONS[section](rows), _run(found[section])]
            plots.draw(section, rows, PICTURES)
        (DOCS / name).write_text("\n\n".join([*parts, *notes]) + "\n")


def _run(result: dict[str, Any]) -> str:
    """Where and when a section was measured."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    compiler = machine["compiler_of_pinocchio"]
    load = f", load {machine['load']}" if "load" in machine else ""
    return (
        f"*{machine['processor']}, {machine['cores']} cores{load}, {machine['date']}; "
        f"{result['repetitions']} repetitions; Python {machine['python']}, {versions}"
        f"{f', Pinocchio compiled by {compiler}' if compiler else ''}.*"
    )


def _times(row: Row, side: str) -> str:
    """The shortest time and, behind it, the median."""
    times = row["ns"].get(side)
    return f"{short(times['min'])} / {short(times['median'])}" if times else ""


def _spread(row: Row) -> str:
    return f"{100 * max(x['spread'] for x in row['ns'].values()):.0f} %"


def kernels(rows: list[Row]) -> list[str]:
    """One state."""
    lines = [
        (
            row["robot"], f"`{row['function']}`", _times(row, "dyn_core"),
            _times(row, "pinocchio_cpp"), judged(row["ratio"], row["goal"]),
            *(_times(row, f"generated_by_{x}") for x in ("clang", "gcc")),
            judged(row["ratio_generated"], row["generated_goal"]), _spread(row),
            judged(row["share_of_multipliers"], row["share_goal"], more=True),
            sum(row["operations"].values()), row["bytes"],
        )
        for row in rows
    ]  # fmt: skip
    head = (
        "robot", "function", "dyn_core, ns", "Pinocchio C++, ns", "ratio (goal)",
        "generated, clang", "generated, gcc", "ratio (goal)", "spread", "multipliers busy",
        "operations", "bytes",
    )  # fmt: skip
    return [WORDS_OF_KERNELS, picture("kernels"), table(head, lines)]


def growth(rows: list[Row]) -> list[str]:
    """Chains and trees."""
    measured = [row for row in rows if "joints" in row]
    lines = [
        (
            row["kind"], f"`{row['function']}`", row["joints"], _times(row, "dyn_core"),
            _times(row, "pinocchio_cpp"), row["ratio"], row["seconds_to_compile"],
        )
        for row in measured
    ]  # fmt: skip
    exponents = [
        (row["kind"], f"`{row['function']}`", row["from"], judged(row["exponent"], row["goal"]))
        for row in rows
        if "exponent" in row
    ]
    head = (
        "kind",
        "function",
        "joints",
        "dyn_core, ns",
        "Pinocchio C++, ns",
        "ratio",
        "compile, s",
    )
    return [
        WORDS_OF_GROWTH, picture("growth"),
        table(("kind", "function", "joints", "exponent (goal)"), exponents), table(head, lines),
    ]  # fmt: skip


def batch(rows: list[Row]) -> list[str]:
    """Many states."""
    sides = ("dyn_core", "blocks", "floats", "one_by_one", "pinocchio_cpp")
    lines = [
        (
            row["robot"], f"`{row['function']}`", row["states"],
            *(_times(row, side) for side in sides),
            judged(row["ratio"], row["goal"]),
            judged(row["speed_up_of_two_cores"], CORES_GOAL, more=True),
            judged(row["share_of_multipliers"], SHARE_GOALS.get(row["function"]), more=True),
        )
        for row in rows
        if "ns" in row
    ]  # fmt: skip
    head = (
        "robot", "function", "states", "rows, ns a state", "blocks", "floats", "one by one",
        "Pinocchio C++", "ratio (goal)", "two cores", "multipliers busy",
    )  # fmt: skip
    (period,) = (row for row in rows if "us" in row)
    taken = judged(period["us"]["dyn_core"]["min"], period["goal_us"])
    words = f"160 inverse dynamics of simple_humanoid, in rows, on one core: {taken} us."
    return [WORDS_OF_BATCH, picture("batch"), table(head, lines), words]


def calls(rows: list[Row]) -> list[str]:
    """From Python."""
    sides = ("dyn_core", "bound", "pinocchio", "mujoco", "drake")
    lines = [
        (
            row["robot"], f"`{row['function']}`", *(_times(row, side) for side in sides),
            judged(row["ratio"], row["goal"]), judged(row["ratio_bound"], row["goal"]),
            _spread(row),
        )
        for row in rows
    ]  # fmt: skip
    head = (
        "robot", "function", "dyn_core, ns", "bound, ns", "Pinocchio, ns", "MuJoCo, ns",
        "Drake, ns", "ratio (goal)", "ratio, bound", "spread",
    )  # fmt: skip
    return [WORDS_OF_CALLS, picture("calls"), table(head, lines)]


def arrays(rows: list[Row]) -> list[str]:
    """Beside frax and BARD on one core."""
    sides = ("dyn_core", "floats", "frax", "bard")
    lines = [
        (
            row["robot"], f"`{row['function']}`", row["states"],
            *(_times(row, side) for side in sides), *(_faster(row, side) for side in sides[2:]),
            _error(row["errors"]),
        )
        for row in rows
    ]  # fmt: skip
    head = (
        "robot", "function", "states", "dyn_core, ns a state", "floats", "frax", "BARD",
        "times as fast as frax", "as BARD", "apart, at most",
    )  # fmt: skip
    return [WORDS_OF_ARRAYS, table(head, lines)]


def _faster(row: Row, peer: str) -> str:
    times = row["ns"]
    return short(times[peer]["min"] / times["dyn_core"]["min"]) if peer in times else ""


def _error(errors: dict[str, float]) -> str:
    return f"{max(errors.values()):.0e}" if errors else ""


def gpu(rows: list[Row]) -> list[str]:
    """frax and BARD where they are at home, and the suite on the processor of that machine."""
    lines = [
        (
            row["peer"], row["robot"], f"`{row['function']}`", row["precision"], row["states"],
            row["min"], 1e3 / row["min"], f"{row['error']:.0e}",
        )
        for row in rows
    ]  # fmt: skip
    head = (
        "peer", "robot", "function", "precision", "states", "ns a state", "million a second",
        "apart",
    )  # fmt: skip
    return [WORDS_OF_GPU, table(head, lines)]


def rollouts(rows: list[Row]) -> list[str]:
    """Whatever columns it has."""
    return [WORDS_OF_ROLLOUTS, table(list(rows[0]), [list(row.values()) for row in rows])]


def contacts(rows: list[Row]) -> list[str]:
    """Who solves how many problems, and in which time."""
    head = ["robot", "friction"]
    sides = {"ours": "dyn_core", "pgs": "Pinocchio PGS", "admm": "Pinocchio ADMM"}
    lines = [
        [
            *(row[key] for key in head),
            judged(row["ours_of"] - row["ours_solved"], 0),
            f"{row['worst']:.0e}",
            *(f"{row[f'{x}_solved']} of {row[f'{x}_of']}, {row[f'{x}_us']} µs" for x in sides),
        ]
        for row in rows
    ]
    head += ["not solved (goal)", "worst violation"]
    return [WORDS_OF_CONTACTS, table([*head, *sides.values()], lines)]


def ik(rows: list[Row]) -> list[str]:
    """Poses that are solved, and one step."""
    poses = [row for row in rows if row["kind"] == "poses"]
    own = next(row["s"] for row in poses if row["side"] == "dyn_core")
    found = [
        (
            row["side"], row["solver"], row["poses"],
            judged(row["solved"] / row["poses"], 0.999 if row["s"] == own else None, True),
            row["s"], None if row["s"] == own else judged(row["s"] / own, 10.0, more=True),
        )
        for row in poses
    ]  # fmt: skip
    steps = [(row["side"], _short_times(row["us"])) for row in rows if row["kind"] == "step"]
    return [
        WORDS_OF_IK,
        picture("ik"),
        table(("", "solver", "poses", "solved (goal)", "s", "ratio to dyn_core (goal)"), found),
        "One step of differential inverse kinematics, with daqp, µs; placo is written in C++, with "
        "its\nown solver:",
        table(("", "shortest / median"), steps),
    ]


def _short_times(times: dict[str, float]) -> str:
    return f"{short(times['min'])} / {short(times['median'])}"


def steps(rows: list[Row]) -> list[str]:
    """A step of the simulation beside MuJoCo's."""
    head = ("robot", "points", "dyn_core, µs", "MuJoCo, µs", "ratio (goal)", "unsolved")
    lines = [
        (row["robot"], row["points"], row["ours_us"], row["mujoco_us"],
         judged(row["ratio"], row["goal"]), row["unsolved"])
        for row in rows
    ]  # fmt: skip
    falls = [
        (row["robot"], row["fall_median_us"], row["slowest_us"], row["slowest_medians"],
         row["fall_unsolved"])
        for row in rows if "slowest_us" in row
    ]  # fmt: skip
    heads = ("passive fall", "median, µs", "slowest step, µs", "medians (goal 20)", "unsolved")
    return [WORDS_OF_STEPS, table(head, lines), *([table(heads, falls)] if falls else [])]


def configure(rows: list[Row]) -> list[str]:
    """Seconds until functions can be called."""
    lines = [
        (
            row["robot"], ", ".join(row["functions"]),
            judged(row["without_cache_s"], row["goal_s"]),
            judged(row["cached_s"], row["cached_goal_s"]),
        )
        for row in rows
    ]  # fmt: skip
    head = ("robot", "functions", "without cache, s (goal)", "with cache, s (goal)")
    return [WORDS_OF_CONFIGURE, table(head, lines)]


def cold(rows: list[Row]) -> list[str]:
    """Once per millisecond."""
    lines = [
        (
            row["robot"], f"`{row['function']}`", row["ns"]["dyn_core"], row["ns"]["pinocchio"],
            judged(row["times_as_fast"], row["goal"], more=True), row["ns"]["dyn_core_kernel"],
            row["ns"].get("pinocchio_cpp"), row["ratio_cpp"], row["bytes"],
        )
        for row in rows
    ]  # fmt: skip
    head = (
        "robot", "function", "bound, ns", "Pinocchio, ns", "times as fast (goal)", "kernel, ns",
        "Pinocchio C++, ns", "ratio", "bytes",
    )  # fmt: skip
    return [WORDS_OF_COLD, table(head, lines)]


def passes(rows: list[Row]) -> list[str]:
    """A line per pass: functions whose time changes without the pass, by robot."""
    robots = list(dict.fromkeys(row["robot"] for row in rows))
    lines = []
    for name in sorted({row["without"] for row in rows}):
        own = [row for row in rows if row["without"] == name]
        changed = [row for row in own if not 0.95 < _loss(row, "warm_ns") < 1.05]
        by_robot = (
            ", ".join(
                f"`{row['function']}` {_loss(row, 'warm_ns'):.2f}"
                for row in changed
                if row["robot"] == robot
            )
            for robot in robots
        )
        most = (f"{max(_loss(row, x) for row in own):.2f}" for x in ("cold_ns", "bytes", "seconds"))
        lines.append((name, *by_robot, *most))
    head = ("without", *robots, "cold, at most", "bytes, at most", "seconds to compile, at most")
    return [WORDS_OF_PASSES, table(head, lines)]


def _loss(row: Row, figure: str) -> float:
    """A figure without the pass over that with it."""
    return float(row[figure][1] / max(row[figure][0], 0.01))


def picture(name: str) -> str:
    """A link to a plot."""
    return f"![{TITLES[name]}](benchmarks/{name}.svg)"


SECTIONS: dict[str, Callable[[Any], list[str]]] = {
    "kernels": kernels, "cold": cold, "passes": passes, "growth": growth, "batch": batch,
    "arrays": arrays, "gpu": gpu,
    "rollouts": rollouts, "calls": calls, "contacts": contacts, "ik": ik, "steps": steps,
    "configure": configure, "ros": ros, "controllers": controllers,
}  # fmt: skip
NODES = ("ros", "controllers")
ARRAYS = ("arrays", "gpu")
CONTACTS = ("contacts", "steps")
DOCUMENTS = {
    "benchmarks.md": (HEAD, [x for x in SECTIONS if x not in NODES + ARRAYS + CONTACTS], [NOTES]),
    "benchmarks_arrays.md": (HEAD_OF_ARRAYS, ARRAYS, []),
    "benchmarks_contacts.md": (HEAD_OF_CONTACTS, CONTACTS, []),
    "benchmarks_nodes.md": (HEAD_OF_NODES, NODES, []),
}
TITLES = {
    "kernels": "One state, the kernel alone",
    "cold": "Cold calls",
    "passes": "The benefit of each compiler pass",
    "growth": "How time grows with the number of joints",
    "batch": "Many states at once",
    "arrays": "Many states as arrays, on one core",
    "gpu": "Many states as arrays, on a GPU",
    "rollouts": "Rollouts",
    "calls": "One state, called from Python",
    "contacts": "Contact forces",
    "ik": "Inverse kinematics",
    "steps": "Steps of the simulated robot",
    "configure": "From a URDF file to functions",
    "ros": "Nodes beside relays that compute nothing",
    "controllers": "In the controller manager",
}
