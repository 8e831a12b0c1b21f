# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Audit of real robots.

All URDF files of example-robot-data, and the MJCF files of the folder that the environment variable
MJCF_FOLDER names (such as MuJoCo's Menagerie), and descriptions by vendors in checkouts beside each
other in the folder VENDORS; without these the page keeps those it has. The robots one by one go to
docs/audit.md.
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
from dyn_core.audit.checks.structure import UNREAD_SHAPES
from dyn_core.errors import ModelError

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "audit.md"
"""How the finding begins that a mesh was missing."""
SEEN = 3
"""Links named per kind of finding."""
FLOATING = (
    "laikago", "g1_", "go1", "go2", "a1_", "anymal_", "hyq", "hextilt", "human", "alexander", "b1_",
    "borinot", "talos_data", "alex_", "bolt", "romeo", "centauro", "iris", "icub", "hector",
    "quadruped", "solo", "cassie", "simple_humanoid", "a2_", "aliengo", "b2_", "b2w_", "h1_", "h2_",
    "r1_", "eve_r3",
)  # fmt: skip
"""Folders of robots that walk or fly; all others stand still."""
STANDING = ("talos_left_arm",)
VARIANT = "mjx"
"""In the names of files of robots that another file of the Menagerie has in full."""
DATASET = "urdf_files_dataset/urdf_files"
VENDORS = (
    *(f"expanded/{name}.urdf" for name in (
        "ur3e", "ur5e", "ur10e", "ur16e", "ur20", "ur30", "fr3", "fr3_hand", "fer", "fp3",
        "gen3_6", "gen3_7",
    )),
    *(f"ros2_kortex/kortex_description/robots/{name}.urdf" for name in ("gen3_2f85", "gen3_lite")),
    *(f"unitree_ros/robots/{name}.urdf" for name in (
        "a2_description/urdf/a2", "aliengo_description/urdf/aliengo", "as2_description/urdf/as2",
        "b2_description/urdf/b2_description", "b2w_description/urdf/b2w_description",
        "g1_description/g1_29dof_rev_1_0", "go2_description/urdf/go2_description",
        "go2w_description/urdf/go2w_description", "h1_description/urdf/h1",
        "h1_2_description/h1_2_handless", "h2_description/H2", "r1_description/R1",
        "z1_description/xacro/z1", "dexterous_hand_description/dex3_1/dex3_1_r",
        "dexterous_hand_description/dex5_1/Dex5-URDF-R/Dex5-URDF-R",
    )),
    *(f"{DATASET}/{name}.urdf" for name in (
        "matlab/iiwa_description/urdf/kukaIiwa7",
        "matlab/mecademic_description/urdf/meca500r3",
        "matlab/sawyer_description/urdf/rethinkSawyer",
        "oems/anymal_anybotics/anymal_b_simple_description/urdf/anymal",
        "oems/baxter_rethink_robotics/baxter_description/urdf/baxter",
        "oems/eveR3_halodi/eve_r3_description/urdf/eve_r3",
        "oems/qarm_quanser/qarm_description/urdf/QARM",
        "oems/xacro_generated/jackal_clearpath_robotics/jackal_description/urdf/jackal",
        "oems/xacro_generated/kinova_robotics/kinova_description/urdf/j2s7s300_standalone",
        "oems/xacro_generated/open-manipulator_robotis/open_manipulator_description/urdf/"
        "open_manipulator_robot",
        "oems/xacro_generated/turtlebot3_robotis/turtlebot3_description/urdf/turtlebot3_burger",
        "robotics-toolbox/fetch_description/robots/freight",
        "robotics-toolbox/xacro_generated/interbotix_descriptions/urdf/wx250s",
    )),
)  # fmt: skip
"""Files by those who make the robot. What is in `expanded` is what xacro makes of the files of
UniversalRobots/Universal_Robots_ROS2_Description, frankaemika/franka_description and
Kinovarobotics/ros2_kortex; the others are of unitreerobotics/unitree_ros and
Daniella1/urdf_files_dataset. They were chosen by who wrote them, not by what an audit says; Fetch's
arm was left out, as that copy has joints of a toolbox."""
LARGE = 120
"""Degrees of freedom from which a robot is not audited here: compiling takes minutes."""
HEAD = """# What the audit finds

`dyn-core check` was run on every URDF of the wheel `example-robot-data` and on MJCF files of
MuJoCo's Menagerie, and on descriptions by vendors. `make results` writes this page
(`RESULTS_ARGS=audit`; `MJCF_FOLDER=...` for the second table, `VENDORS=...` for the third). A
finding is a warning or an error of the report. Each check is listed with the
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
Certain mistakes found in the Menagerie: inertias about the origins of links (T1); moments equal to
those of the link's own mesh to 5 %, but about other axes (Toddlerbot's knees, hips and ankles); a
default inertia (iiwa's last link).

38 kinds of mistakes were planted in a link of the Menagerie's xArm7: the checks find 29, and 30 in
the iiwa. They miss: a centre of mass with wrong signs, wrong order or none given, if it stays
inside the shape and within a quarter of the shape's size; axes of moments that differ by less than
30 %; a mass of four digits with the moments of a template; stiffness; missing gravity (reported as
a note); all masses scaled by one factor, without `--mass`.

Of the 42 descriptions by vendors, 31 have no warning and no mistake; the goal was at most 2 false
warnings in 20. All meshes were available for 19 of them; the copies of the other 12 lack the
largest files. 11 contain mistakes, each checked by hand:

* FER: moments of link 4 violate the triangle inequality (0.0127 > 0.0037 + 0.0080 kg m^2).
* B2: moments of the calves are about the links' origins; moved to the centre of mass they equal
  those of the meshes to 1 %.
* iiwa7: moments with y and z exchanged. Exchanged back, those of link 6 equal its mesh's to 0.1 %;
  as given they are within 30 %.
* Gen3 Lite: the forearm's centre of mass lies 6 cm beside its mesh, and the right finger's beside
  its own; the left finger is right.
* Gen3 with a 2F-85: paths of meshes name another machine.
* Dex5, QARM: limits of 0. EVE: limits below 0, refused.
* Meca500: no masses. wx250s: a mass of 1 g with a moment of 0.001 kg m^2.
* OpenManipulator: an element that URDF does not have, refused."""


@dataclass(frozen=True)
class Row:
    """What an audit of a file came to."""

    file: str
    report: AuditReport | None
    size: str
    seconds: float
    refusal: str = ""
    unfound: bool = False
    """Whether a mesh was missing."""

    @property
    def findings(self) -> list[tuple[Outcome, Line]]:
        """Those of the audit, but that a mesh was missing."""
        found = self.report.findings if self.report else []
        return [
            one for one in found if not (self.unfound and one[1].found.startswith(UNREAD_SHAPES))
        ]


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
    if folder := os.environ.get("VENDORS"):
        files = [Path(folder) / name for name in VENDORS]
        found.append(("vendors", "URDF by vendors", Path(folder), files))
    return found


def _is_robot(file: Path) -> bool:
    """Scenes and keyframes only include robots."""
    text = file.read_text(errors="replace")
    is_whole = "<mujoco" in text and "<joint" in text and "<include" not in text
    return is_whole and VARIANT not in file.name


def _row(folder: Path, file: Path) -> Row:
    name = file.relative_to(folder).as_posix()
    floating = file.suffix == ".urdf" and any(f"/{word}" in f"/{name}" for word in FLOATING)
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
        kinds.append("(a mesh was missing)")
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
        f"An audit takes {times[len(times) // 2]:.1f} s of processor time (median), "
        f"{times[-1]:.1f} s at most.",
        "",
        table(["check", "files with findings"], [[k, str(n)] for k, n in kinds.most_common()]),
    ]
    return "\n".join(lines)
