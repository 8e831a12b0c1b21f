"""The results as a document and plots."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import plots

HERE = Path(__file__).parent
RESULTS = HERE / "results"
DOCS = HERE.parent / "docs"
DOCUMENT = DOCS / "benchmarks.md"
PICTURES = DOCS / "benchmarks"
Row = dict[str, Any]


def write() -> None:
    """Make docs/benchmarks.md and its plots of the results that there are."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}
    PICTURES.mkdir(exist_ok=True)
    parts = [HEAD]
    for section, describe in SECTIONS.items():
        if section in found:
            parts += [
                f"## {TITLES[section]}",
                *describe(found[section]["rows"]),
                _run(found[section]),
            ]
            plots.draw(section, found[section]["rows"], PICTURES)
    DOCUMENT.write_text("\n\n".join([*parts, NOTES]) + "\n")


def _run(result: dict[str, Any]) -> str:
    """Where and when a section was measured."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    compiler = machine["compiler_of_pinocchio"]
    return (
        f"*{machine['processor']}, {machine['cores']} cores, {machine['date']}; "
        f"{result['repetitions']} repetitions; Python {machine['python']}, {versions}"
        f"{f', Pinocchio compiled by {compiler}' if compiler else ''}.*"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(x: object) -> str:
    if x is None:
        return ""
    return short(x) if isinstance(x, float) else str(x)


def short(x: float) -> str:
    """Four digits, or all before the point."""
    return f"{x:.0f}" if abs(x) >= 1000 else f"{x:.4g}"


def judged(value: float | None, goal: float | None, more: bool = False) -> str:
    """A figure and its goal, and whether it missed it."""
    if value is None or goal is None:
        return _cell(value)
    reached = value >= goal if more else value <= goal
    sign = "≥" if more else "≤"
    return f"{value:.3g} ({sign} {goal:g}{'' if reached else ', **missed**'})"


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
            judged(row["ratio"], row["goal"]), judged(row["speed_up_of_two_cores"], 1.8, more=True),
            judged(row["share_of_multipliers"], 0.7 if row["function"] == "rnea" else None, True),
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
    words = f"160 inverse dynamics of simple_humanoid, a row each, one core: {taken} us."
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


def rollouts(rows: list[Row]) -> list[str]:
    """Whatever columns it has."""
    return [WORDS_OF_ROLLOUTS, table(list(rows[0]), [list(row.values()) for row in rows])]


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
    """What is lost without each pass."""
    lines = [
        (
            row["without"], row["robot"], f"`{row['function']}`",
            *(f"{row[x][1] / max(row[x][0], 0.01):.2f}" for x in ("warm_ns", "cold_ns")),
            *(f"{row[x][1] / max(row[x][0], 0.01):.2f}" for x in ("bytes", "seconds")),
        )
        for row in sorted(rows, key=lambda row: str(row["without"]))
    ]  # fmt: skip
    head = ("without", "robot", "function", "warm", "cold", "bytes", "seconds to compile")
    return [WORDS_OF_PASSES, table(head, lines)]


def node(row: Row) -> list[str]:
    """The demo."""
    figures = {key: value for key, value in row.items() if key != "goal"}
    return [WORDS_OF_NODE, table(list(figures), [list(figures.values())])]


def services(row: Row) -> list[str]:
    """A topic while services are asked."""
    lines = [
        (when, row[when]["rate_hz"], row[when]["longest_gap_ms"]) for when in ("alone", "asked")
    ]
    share = judged(row["share_of_rate"], row["goal"]["share_of_rate"], more=True)
    words = (
        f"{row['clients']} clients asked {row['calls']} times; the rate stayed at {share} of it."
    )
    return [WORDS_OF_SERVICES, table(("", "rate, Hz", "longest gap, ms"), lines), words]


def picture(name: str) -> str:
    """A link to a plot."""
    return f"![{TITLES[name]}](benchmarks/{name}.svg)"


SECTIONS: dict[str, Callable[[Any], list[str]]] = {
    "kernels": kernels, "cold": cold, "passes": passes, "growth": growth, "batch": batch,
    "rollouts": rollouts, "calls": calls,
    "configure": configure, "node": node, "services": services,
}  # fmt: skip
TITLES = {
    "kernels": "One state, the kernel alone",
    "cold": "Once per millisecond",
    "passes": "What each pass of the compiler earns",
    "growth": "How time grows with the number of joints",
    "batch": "Many states at once",
    "rollouts": "Rollouts",
    "calls": "One state, called from Python",
    "configure": "From a URDF file to functions",
    "node": "A node at 1 kHz",
    "services": "Services beside commands",
}
HEAD = """\
# Benchmarks

Written by `make bench`; do not edit. `make bench BENCH_ARGS=kernels` runs one section,
`BENCH_ARGS=--quick` three of them in short, `BENCH_ARGS=--report` only writes this document and
its plots anew.

Peers run in the same process, in turn with ours, over the same random states. Times are the
shortest and the median of the repetitions; spread is how far the middle 80 % of them are apart,
over the median, of the side where it is most. Ratios are of the shortest times, ours over the
peer's; goals stand in brackets.

Peers that are optional are left out, and said so, where they are not found:

* Pinocchio's C++ is compiled from the headers of its wheel by the newest clang that is there, or by
  gcc: up to twice as slow. It takes minutes the first time.
* Pinocchio's generated code stands on CppAD and CppADCodeGen, which are neither packages of Debian
  12 nor wheels. Both install by CMake into one folder, which `CPPAD_PREFIX` names:

  ```
  git clone https://github.com/coin-or/CppAD && git clone https://github.com/joaoleal/CppADCodeGen
  export CPPAD_PREFIX=$PWD/prefix
  for x in CppAD CppADCodeGen; do
      cmake -S $x -B $x/build -D CMAKE_INSTALL_PREFIX=$CPPAD_PREFIX -D cppad_prefix=$CPPAD_PREFIX \\
          -D CMAKE_PREFIX_PATH=$CPPAD_PREFIX && cmake --build $x/build --target install
  done
  ```

* Drake is a wheel: `pip install --no-deps -r requirements/bench.txt` in the environment of
  development.

RBDL is not among the peers: Debian 12 does not have it."""
WORDS_OF_KERNELS = """\
Machine code calls the kernel, so nothing of Python is in the times; all outputs are stored.
Pinocchio's model is loaded at run time, compiled with `-O3 -march=native`. Multipliers are busy
for the share of the time that the kernel's multiplications, fused or not, take at least;
operations count one on several lanes once. Generated is Pinocchio's straight-line code for one
model, of symmetric matrices one half, compiled with `-O3 -march=native`, and with `-ffast-math`
where that leaves its numbers right; the ratio is to the faster of both. panda is with its two
fingers, panda_arm without; hyq, simple_humanoid and talos are on free flyers."""
WORDS_OF_COLD = """\
Before each call 96 MB of other data are read and another kernel of 250 KB runs. Medians; the time
of an empty call is taken off. Bound is what `compile(...).bind(data)` returns, beside Pinocchio's
binding; the kernel alone beside Pinocchio's C++."""
WORDS_OF_PASSES = """\
Without a pass, over with all of them: minima of the kernel alone (warm), medians after other work
went through the caches (cold), bytes of code, processor seconds to trace, print and compile. What
a pass does not change is left out. docs/compiler.md says what each one does."""
WORDS_OF_GROWTH = """\
Revolute joints in a row, or at random parents. The exponent is the slope from the smallest to the
largest."""
WORDS_OF_BATCH = """\
Nanoseconds for each of 1024 states, or as many as 4 MB hold the outputs of, on one core: rows of
arrays; blocks of eight states, which need no transposing; rows of floats. One by one is the kernel
of one state in a loop, which keeps all outputs too; Pinocchio overwrites its own. Two cores: how
many times faster than one, on as many states as 16 MB hold."""
WORDS_OF_ROLLOUTS = """\
1024 motions of 50 steps of a panda, in milliseconds, beside MuJoCo's rollout."""
WORDS_OF_CALLS = """\
`dyn_core.rnea(model, data, q, v, a)` beside the same call of Pinocchio's binding; MuJoCo's
`mj_inverse`, `mj_makeM` with what it needs, and `mj_forward`, which compute more than that, with
the state copied into its data; and Drake's `CalcInverseDynamics`, `CalcMassMatrix` and
`EvalTimeDerivatives` of a plant without geometry, with the state set in its context. Bound is what
`compile(...).bind(data)` returns."""
WORDS_OF_CONFIGURE = """\
Each in a process of its own, imports not counted (of which the reader of URDF, imported when it
is first needed, is 0.03 s): URDF, trace, compile and bind. Medians of five."""
WORDS_OF_NODE = """\
The demo: a simulated arm held by the gravity compensation node, over DDS, on two cores."""
WORDS_OF_SERVICES = """\
All nodes in one process: the rate of gravity efforts, alone and while clients ask a service of the
same process all the time."""
NOTES = """\
## What is missed, and why

* **Multipliers busy, rnea.** In a single state each link waits for the one before. An ur5's
  multiplications take 30 ns of its 35; robots with limbs as lanes also move numbers between lanes,
  and what exceeds the registers goes to memory and back. What was tried: docs/notes/compiler.md. In
  batches a Zen 4 does one multiplication of eight doubles per cycle: 160 states of simple_humanoid
  take at least 10 us of them. The rest are 370 stores per block of what 32 registers cannot hold,
  among 1700 multiplications: forces and sines of each link wait from the way out for the way back,
  in any order of the links. Vectors of 256 bits, whose stores are twice as many at half the width,
  were tried: within 8 % the same on panda and simple_humanoid, 17 % slower on hyq. Blocks, which
  need no transposing, take 11 to 12 us.
* **Derivatives of a panda's inverse dynamics.** 2700 multiplications take 370 ns of the 460: its
  arm alone, with 2300, passes. Fingers cost moves between lanes, and 31.8 KB of code leave no room
  in the instruction cache.
* **Batches of legged robots beside one by one.** Mass matrices of many humanoids are bound by
  writing them. The kernel of one state has limbs as lanes already, so that hyq's mass matrix and
  derivatives take as long in a batch, or a tenth longer.
* **Two cores** share what takes longer than 0.2 ms; less stays in the calling thread. The other
  one's processor sleeps: until it computes, 0.03 to 0.06 ms go by, of the 1.1 ms that 16 MB of an
  ur5's states take on one. Two threads that wait in a loop for each other, and share nothing, are
  1.8 to 2.0 times as fast as one here.
* **Growth of trees.** Of the tree of 200 joints 111 lie on one path: each step there waits for the
  one before, and takes its multiplications, 106 of rnea's. The tree of ten joints, with which the
  exponent compares, has limbs as lanes and goes by its mass matrix: its forward dynamics takes 27
  ns a joint, that of 200 joints 51.
* **Derivatives of a panda's forward dynamics.** 45 KB of straight-line code outgrow the instruction
  cache and arrive at 16 bytes per cycle. Nearly half of them move what 32 registers cannot hold:
  docs/notes/compiler.md says what was tried. Without its fingers 34 KB remain."""
