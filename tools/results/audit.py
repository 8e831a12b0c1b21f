# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Audit of real robots.

All URDF files of example-robot-data, and the MJCF files of the folder that the environment variable
MJCF_FOLDER names (such as MuJoCo's Menagerie); without it the page keeps those it has. The robots
one by one go to docs/audit.md.
"""

from __future__ import annotations

import os
import re
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from parts import table, with_part

from dyn_core.audit import CHECKS, AuditReport, Level, Line, Outcome, check_robot, read_robot
from dyn_core.audit.checks.structure import UNREAD
from dyn_core.errors import ModelError

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "audit.md"
"""How the finding begins that a mesh was not at hand."""
SEEN = 3
"""Links named per kind of finding."""
FLOATING = (
    "laikago", "g1_", "go1", "go2", "a1_", "anymal_", "hyq", "hextilt", "human", "alexander", "b1_",
    "borinot", "talos_data", "alex_", "bolt", "romeo", "centauro", "iris", "icub", "hector",
    "quadruped", "solo", "cassie", "simple_humanoid",
)  # fmt: skip
"""Folders of robots that walk or fly; all others stand still."""
STANDING = ("talos_left_arm",)
VARIANT = "mjx"
"""In the names of files of robots that another file of the Menagerie has in full."""
LARGE = 120
"""Degrees of freedom from which a robot is not audited here: compiling takes minutes."""
HEAD = """# What the audit finds

`dyn-core check` was run on every URDF of the wheel `example-robot-data` and on MJCF files of
MuJoCo's Menagerie. `make results` writes this page (`RESULTS_ARGS=audit`; `MJCF_FOLDER=...` for the
second table). A finding is a warning or an error of the report. Each check is listed with the
number of its findings and the links or joints concerned. Robots that walk or fly were read with a
free flyer. The time is the CPU time of the whole audit, including the compilation of the free swing
unless it was in the cache. The largest meshes of the Menagerie were missing. The counts leave out
the finding of `structure` for a missing mesh. Collision shapes replaced the missing meshes, and the
results of these shapes do not count as findings.

A check is one file in `src/dyn_core/dyn_core/audit/checks`: a generator of lines, tables and
pictures under `@declare(...)`. The package finds the file, and the report and this table are
derived from the declaration. Steps and sections are those of *Rigid-Body Dynamics (Newton-Euler &
Lagrangian), Robotics Reference*; the pipeline is its section 8c.
"""


FOUND = """\
Findings of the Menagerie that are mistakes beyond doubt: inertias about the origins of links
(T1), moments that are those of the link's own mesh to 5 %, but about other axes (Toddlerbot's
knees, hips and ankles), a default (iiwa's last link). Of 38 kinds of mistakes planted in a link
of the Menagerie's xArm7, 21 were found by the checks as they were, and 29 once what was missed
had been added (`drives`, gravity, radians taken for degrees, forgotten inertials); of the same in
its iiwa 30. Missed are signs or order of a centre of mass, or none given, where it stays in its
shape and within a quarter of the shape's size; axes of moments that differ by less than 30 %; a
mass of four digits with a template's moments; stiffness; no gravity (a note); all masses scaled,
without `--mass`."""


@dataclass(frozen=True)
class Row:
    """What an audit of a file came to."""

    file: str
    report: AuditReport | None
    size: str
    seconds: float
    refusal: str = ""
    unfound: bool = False
    """Whether a mesh was not at hand."""

    @property
    def findings(self) -> list[tuple[Outcome, Line]]:
        """Those of the audit, but that a mesh was not at hand."""
        found = self.report.findings if self.report else []
        return [one for one in found if not (self.unfound and one[1].found.startswith(UNREAD))]


def section() -> str:
    """Audit everything; the summary."""
    page = with_part(PAGE.read_text() if PAGE.exists() else HEAD, "checks", checks_table())
    text = []
    for name, what, folder, files in _collections():
        rows = [_row(folder, file) for file in files]
        page = with_part(page, name, f"## {what}\n\n{_table(rows)}")
        PAGE.write_text(page)
        text.append(_summary(what, rows))
    return "\n\n".join([*text, FOUND]) + "\n\nRobot by robot: [audit.md](audit.md)."


def checks_table() -> str:
    """The declarations of the checks."""
    rows = [[check.name, check.claim, check.why, check.step] for check in CHECKS]
    return "## The checks\n\n" + table(["check", "claim", "why it matters", "from"], rows)


def _collections() -> list[tuple[str, str, Path, list[Path]]]:
    sys.path.insert(0, str(ROOT / "src" / "dyn_core" / "test"))
    from robots import example_robots

    urdf = example_robots()
    found = [("urdf", "URDF of example-robot-data", urdf, sorted(urdf.rglob("*.urdf")))]
    if folder := os.environ.get("MJCF_FOLDER"):
        files = [f for f in sorted(Path(folder).rglob("*.xml")) if _is_robot(f)]
        found.append(("mjcf", "MJCF of MuJoCo's Menagerie", Path(folder), files))
    return found


def _is_robot(file: Path) -> bool:
    """Scenes and keyframes only include robots."""
    text = file.read_text(errors="replace")
    is_whole = "<mujoco" in text and "<joint" in text and "<include" not in text
    return is_whole and VARIANT not in file.name


def _row(folder: Path, file: Path) -> Row:
    name = file.relative_to(folder).as_posix()
    floating = file.suffix == ".urdf" and any(name.startswith(word) for word in FLOATING)
    floating = floating and not any(word in name for word in STANDING)
    start = time.process_time()
    print(name, end=" ", flush=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            root = "free_flyer" if floating else None
            robot = read_robot(file, root_joint=root)
            if robot.model is not None and robot.model.nv > LARGE:
                raise ModelError(f"left out here, because it has {robot.model.nv} dof")
            report = check_robot(robot)
    except ModelError as problem:
        print("refused")
        return Row(name, None, "", time.process_time() - start, str(problem))
    seconds = time.process_time() - start
    print(f"{len(report.findings)} {seconds:.1f} s", flush=True)
    nv = str(robot.model.nv) if robot.model else "?"
    size = f"{nv}{' floating' if robot.floats else ''}"
    return Row(name, report, size, seconds, unfound=robot.unfound)


def _table(rows: list[Row]) -> str:
    head = ["file", "nv", "errors", "warnings", "findings", "time, s"]
    return table(head, [_cells(row) for row in rows])


def _cells(row: Row) -> list[str]:
    if row.report is None:
        words = " ".join(row.refusal.split()).replace("|", "/")
        words = re.sub(r"/\S*/", "", words)  # no folder of this machine
        return [f"`{row.file}`", "", "", "", f"not audited: {words[:160]}", f"{row.seconds:.1f}"]
    levels = Counter(line.level for _, line in row.findings)
    kinds = []
    for outcome in row.report.outcomes:
        about = [line.subject for of, line in row.findings if of is outcome]
        if about:
            names = [name for name in dict.fromkeys(about) if name]
            named = ", ".join(names[:SEEN])
            more = ", ..." if len(names) > SEEN else ""
            kinds.append(f"{outcome.name}: {len(about)}" + (f" ({named}{more})" if named else ""))
    if row.unfound:
        kinds.append("(a mesh was not at hand)")
    counts = [str(levels[level]) for level in (Level.ERROR, Level.WARNING)]
    return [f"`{row.file}`", row.size, *counts, "; ".join(kinds) or "none", f"{row.seconds:.1f}"]


def _summary(what: str, rows: list[Row]) -> str:
    read = [row for row in rows if row.report is not None]
    kinds: Counter[str] = Counter()
    for row in read:
        kinds.update({outcome.name for outcome, _ in row.findings})
    clean = sum(not row.findings for row in read)
    times = sorted(row.seconds for row in read)
    lines = [
        f"{what}: {len(rows)} files, of which {len(read)} can be read; {clean} have no findings. "
        f"An audit takes {times[len(times) // 2]:.1f} s of processor time or less in half of the "
        f"cases, {times[-1]:.1f} s at most.",
        "",
        table(["check", "files with findings"], [[k, str(n)] for k, n in kinds.most_common()]),
    ]
    return "\n".join(lines)
