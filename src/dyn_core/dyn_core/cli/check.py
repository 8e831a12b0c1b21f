# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core check``: an audit of a robot's description."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from dyn_core.audit import (
    CHECKS,
    AuditReport,
    CarriedMass,
    Level,
    Line,
    Robot,
    Settings,
    check_robot,
    read_robot,
)
from dyn_core.audit.checks.energy_drift import INTEGRATORS
from dyn_core.audit.html_report import MARKS, page
from dyn_core.cli.progress import progress
from dyn_core.cli.robot_arguments import (
    File,
    Ignore,
    PackageDirs,
    XacroArgs,
    check_writable,
    listed,
    source_of,
)
from dyn_core.errors import ModelError

MAX_LISTED_FINDINGS = 10
"""Findings that are listed again at the end."""
ASCII_MARKS = {Level.FINE: "+", Level.NOTE: "i", Level.WARNING: "!", Level.ERROR: "x"}
"""What a terminal shows that has no more than ASCII."""
UNREADABLE_STATUS = 2
"""Exit status where there is nothing to audit."""
COLORS = {
    Level.FINE: "green",
    Level.NOTE: "bright_black",
    Level.WARNING: "yellow",
    Level.ERROR: "red",
}


def check(
    robot: File,
    html: Annotated[
        Path | None, typer.Option(help="write an HTML report with pictures to this file")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    mass: Annotated[float | None, typer.Option(help="mass of the robot, kg")] = None,
    payload: Annotated[
        str, typer.Option(help="mass of the payload, kg, at the tip or in a frame: tool0:5")
    ] = "",
    trajectory: Annotated[
        str,
        typer.Option(
            help="CSV file: a column 'time' (s), and positions of joints by name; a joint of "
            "several degrees of freedom has columns name[0], name[1], ..."
        ),
    ] = "",
    srdf: Annotated[Path | None, typer.Option(help="SRDF file of named poses")] = None,
    root_joint: Annotated[str | None, typer.Option(help="free_flyer for a floating base")] = None,
    package_dir: PackageDirs = None,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    integrators: Annotated[
        str,
        typer.Option(help=f"integrators of the free swing, by commas: {', '.join(INTEGRATORS)}"),
    ] = "",
    fail_on: Annotated[
        str,
        typer.Option(help="severity of a finding that makes the exit status 1: error or warning"),
    ] = "warning",
    allow: Annotated[
        Path | None,
        typer.Option(help="file of known findings to ignore; see --write-allowed"),
    ] = None,
    write_allowed: Annotated[
        bool,
        typer.Option("--write-allowed", help="write all present findings to the file of --allow"),
    ] = False,
    seed: Annotated[int, typer.Option(help="seed of the random samples", min=0)] = 0,
    verbose: Annotated[
        bool, typer.Option(help="also print passed checks, and why they matter")
    ] = False,
) -> None:
    """Audit a robot's description. Exit status 0: no findings, 1: findings, 2: unreadable."""
    console = Console(stderr=True)
    try:
        check_writable("--html", html, robot)
        settings = Settings(
            mass=_positive(mass),
            payload=_payload(payload),
            trajectory=trajectory,
            seed=seed,
            integrators=_integrators(integrators),
        )
        gravest = _level(fail_on)
        known = set() if write_allowed else _known(allow)
        folders, left_out, source = package_dir or [], listed(ignore), source_of(robot, xacro_args)
        report = _audited(
            robot.name,
            lambda: read_robot(source, settings, root_joint, srdf, folders, left_out),
            silent=json_,
        )
        if write_allowed:
            _write_allowed(report, allow)
            known = set(report.names)
        for name in sorted(known.difference(report.names)):
            console.print(Text(f"--allow: there is no finding '{name}' any more; delete it"))
        report = report.allowing(known)
        if json_:
            typer.echo(json.dumps(report.plain(), indent=2))
        else:
            _print(report, Console(), verbose)
        if html is not None:  # last: the findings are printed even if it cannot be written
            html.write_text(page(report), encoding="utf-8")
            console.print(f"written: {html}", soft_wrap=True)
    except (ModelError, OSError) as problem:
        console.print(Text(f"dyn-core check: {problem}"), soft_wrap=True)
        raise typer.Exit(UNREADABLE_STATUS) from problem
    raise typer.Exit(report.status(gravest))


def _level(word: str) -> Level:
    if word not in ("error", "warning"):
        raise ModelError(f"--fail-on must be error or warning, not '{word}'")
    return Level[word.upper()]


def _known(allow: Path | None) -> set[str]:
    """The names of findings in the file of known ones."""
    if allow is None:
        return set()
    if not allow.is_file():
        raise ModelError(f"--allow: there is no file '{allow}'; write it with --write-allowed")
    try:
        lines = {line.strip() for line in allow.read_text(encoding="utf-8").splitlines()}
    except UnicodeDecodeError as problem:
        raise ModelError(f"--allow: '{allow}' is no text file: {problem}") from problem
    names = {line for line in lines if line and not line.startswith("#")}
    checks = [check.name for check in CHECKS]
    for name in sorted(names):
        if name.partition(": ")[0] not in checks:
            raise ModelError(
                f"--allow: '{name}' in '{allow}' is no check; choose from {', '.join(checks)}"
            )
    return names


def _write_allowed(report: AuditReport, known: Path | None) -> None:
    """Write the present findings to the file of known findings."""
    if known is None:
        raise ModelError("--write-allowed: name the file with --allow")
    check_writable("--allow", known)
    head = "# Findings of dyn-core check that are known; delete those that must not come back\n"
    known.write_text(head + "".join(f"{name}\n" for name in report.names), encoding="utf-8")


def _audited(name: str, reader: Callable[[], Robot], silent: bool) -> AuditReport:
    """The report, with a progress bar."""
    with progress(f"reading {name}", silent) as advance:
        read = reader()
        if read.settings.trajectory and read.model is not None:
            _ = read.motion  # mistakes in the user's input are reported at once
        if read.settings.payload is not None and read.model is not None:
            _ = read.loaded
        return check_robot(read, lambda one: advance(CHECKS.index(one), len(CHECKS), one.name))


def _print(report: AuditReport, console: Console, verbose: bool) -> None:
    for outcome in report.outcomes:
        shown = [line for line in outcome.lines if verbose or line.level > Level.FINE]
        head = Text.assemble(_mark(outcome.level, console), (outcome.name, "bold"))
        if not shown:
            head.append("  " + "; ".join(line.found for line in outcome.lines), "bright_black")
        console.print(head, soft_wrap=True)
        if verbose or outcome.level > Level.NOTE:
            console.print(Text(f"     why: {outcome.why}", "bright_black"), soft_wrap=True)
        for line in shown:
            console.print(_text(line, console), soft_wrap=True)
    if len(report.findings) > 1:
        console.print(Text("the most serious first:", "bold"))
        for outcome, line in report.findings[:MAX_LISTED_FINDINGS]:
            effort = f", {line.effort:.3g} N m" if line.effort else ""
            name = outcome.name_of(line)
            console.print(Text.assemble("   ", _mark(line.level, console), f"{name}{effort}"))
    console.print(f"{report.robot}: {report.verdict}", style="bold")


def _text(line: Line, console: Console) -> Text:
    subject = f"{line.subject}: " if line.subject else ""
    text = Text.assemble("   ", _mark(line.level, console), (subject, "bold"), line.found)
    if line.consequence:
        text.append(f" [{line.consequence}]")
    if line.why:
        text.append(f"\n     why: {line.why}", "bright_black")
    if line.action:
        text.append(f"\n     do:  {line.action}", "cyan")
    return text


def _mark(level: Level, console: Console) -> tuple[str, str]:
    try:
        MARKS[level].encode(console.encoding)
    except UnicodeEncodeError:
        return f"{ASCII_MARKS[level]} ", COLORS[level]
    return f"{MARKS[level]} ", COLORS[level]


def _positive(mass: float | None) -> float | None:
    if mass is not None and not 0.0 < mass < float("inf"):
        raise ModelError(f"--mass must be a positive number of kg, not {mass}")
    return mass


def _payload(text: str) -> CarriedMass | None:
    """``5`` or ``tool0:5``."""
    if not text:
        return None
    frame, _, number = text.rpartition(":")
    try:
        mass = float(number)
    except ValueError:
        mass = -1.0
    if not 0.0 <= mass < float("inf"):
        raise ModelError(f"--payload must be a mass in kg, or FRAME:MASS, not '{text}'")
    return CarriedMass(mass, frame)


def _integrators(text: str) -> tuple[str, ...]:
    names = listed(text)
    for name in names:
        if name not in INTEGRATORS:
            raise ModelError(f"--integrators: '{name}' is unknown; use {', '.join(INTEGRATORS)}")
    return names
