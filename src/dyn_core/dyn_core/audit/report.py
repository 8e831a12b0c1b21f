# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The result of an audit: lines, tables and pictures of each check."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

MAX_NAMES = 8
"""Most names that a line lists."""
EXPONENT_TOLERANCE = 1e-9
"""Rounding error of a decimal logarithm."""


class Level(IntEnum):
    """Severity of a line; from :attr:`WARNING` on the line is a finding."""

    FINE = 0
    """The property holds."""
    NOTE = 1
    """Information: nothing is wrong, or the property could not be checked."""
    WARNING = 2
    """A probable mistake."""
    ERROR = 3
    """A certain mistake: no such robot exists, or its dynamics have no solution."""


@dataclass(frozen=True)
class Line:
    """One statement of a check."""

    level: Level
    found: str
    """The finding, with its numbers."""
    action: str = ""
    """The remedy."""
    subject: str = ""
    """The link, joint, pose or integrator concerned; empty for the whole robot."""
    why: str = ""
    """Consequence of the finding; by default the check's own."""
    effort: float = 0.0
    """Largest gravity effort at a joint that depends on the link or joint concerned, in the worst
    of some poses, N m or N; 0 if unknown."""
    joint: str = ""
    """The joint with that effort."""

    @property
    def consequence(self) -> str:
        """The effort that depends on the finding, in words; empty if unknown."""
        return f"{self.effort:.3g} N m depend on it at '{self.joint}'" if self.effort else ""


@dataclass(frozen=True)
class Table:
    """A table of words and numbers."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | float | int]]


@dataclass(frozen=True)
class Bars:
    """A picture of bars, with one group for each label."""

    title: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]
    unit: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Curves:
    """A picture of curves over a common axis."""

    title: str
    x: Sequence[float]
    x_label: str
    series: Mapping[str, Sequence[float]]
    y_label: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Scene:
    """A picture of the robot's inertia ellipsoids and centres of mass, in the world frame, m."""

    title: str
    ellipsoids: Mapping[str, Sequence[Sequence[Sequence[float]]]]
    """For each link the outlines (3, n, 3) in its three principal planes."""
    centers: Mapping[str, Sequence[float]]
    """For each link its centre of mass."""
    bones: Sequence[Sequence[Sequence[float]]]
    """Lines (2, 3) from each joint to its children."""


Figure = Bars | Curves | Scene
Item = Line | Table | Figure


def fine(found: str) -> Line:
    """A line that says that the property holds."""
    return Line(Level.FINE, found)


def counted(sound: int, looked: int, what: str) -> Line:
    """A line that says how many subjects are sound; a note if there are none.

    Args:
        sound: number of sound subjects.
        looked: number of checked subjects.
        what: the rest of the sentence ``3 of 4 ...``.
    """
    if not looked:
        return note("nothing to check: this check does not apply to the robot")
    return fine(f"{sound} of {looked} {what}")


def amount(count: int, noun: str) -> str:
    """A number of things: ``1 error``, ``2 errors``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """Names with commas between, the first :data:`MAX_NAMES` of them."""
    rest = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def is_power_of_ten(number: float) -> bool:
    """Whether a number is one of a template or placeholder, such as 0.001 or 1000."""
    exponent = math.log10(number)
    return abs(exponent - round(exponent)) < EXPONENT_TOLERANCE


def note(found: str, action: str = "", subject: str = "", why: str = "") -> Line:
    """A line of information."""
    return Line(Level.NOTE, found, action, subject, why)


def warning(found: str, action: str, subject: str = "", why: str = "") -> Line:
    """A finding of a probable mistake."""
    return Line(Level.WARNING, found, action, subject, why)


def error(found: str, action: str, subject: str = "", why: str = "") -> Line:
    """A finding of a certain mistake."""
    return Line(Level.ERROR, found, action, subject, why)


@dataclass(frozen=True)
class Outcome:
    """The result of a check."""

    name: str
    claim: str
    """The property of a sound robot that is checked."""
    why: str
    step: str
    """Step or section of the reference."""
    items: tuple[Item, ...]
    seconds: float = 0.0

    @property
    def lines(self) -> list[Line]:
        """The lines among the items."""
        return [item for item in self.items if isinstance(item, Line)]

    @property
    def level(self) -> Level:
        """The highest level of its lines."""
        return max((line.level for line in self.lines), default=Level.FINE)

    def name_of(self, line: Line) -> str:
        """The name of a finding, without numbers, because these change with every edit."""
        return f"{self.name}: {line.subject}" if line.subject else self.name

    def allowing(self, allowed: Collection[str]) -> Outcome:
        """The outcome with known findings lowered to notes."""

        def known(item: Item) -> Item:
            if not isinstance(item, Line) or item.level <= Level.NOTE:
                return item
            if self.name_of(item) not in allowed:
                return item
            return replace(item, level=Level.NOTE, found=f"{item.found} (known)")

        return replace(self, items=tuple(map(known, self.items)))

    def plain(self) -> dict[str, Any]:
        """The outcome as plain values, for JSON, without pictures."""
        return {
            "check": self.name,
            "claim": self.claim,
            "step": self.step,
            "level": self.level.name.lower(),
            "seconds": round(self.seconds, 3),
            "lines": [
                {**vars(line), "level": line.level.name.lower(), "why": line.why or self.why}
                for line in self.lines
            ],
            "tables": [
                {"title": item.title, "head": list(item.head), "rows": [list(r) for r in item.rows]}
                for item in self.items
                if isinstance(item, Table)
            ],
        }


@dataclass(frozen=True)
class AuditReport:
    """An audit of a robot."""

    robot: str
    source: str
    """The file of the robot; empty for a model without a file."""
    outcomes: tuple[Outcome, ...] = field(default=())

    @property
    def findings(self) -> list[tuple[Outcome, Line]]:
        """All findings, each with its check.

        They are ordered by level, then by the effort that depends on them.
        """
        found = [(o, line) for o in self.outcomes for line in o.lines if line.level > Level.NOTE]
        return sorted(found, key=lambda pair: (-pair[1].level, -pair[1].effort))

    @property
    def verdict(self) -> str:
        """The numbers of errors and warnings, in words."""
        errors = sum(line.level is Level.ERROR for _, line in self.findings)
        return f"{amount(errors, 'error')}, {amount(len(self.findings) - errors, 'warning')}"

    def allowing(self, allowed: Collection[str]) -> AuditReport:
        """The report with known findings lowered to notes; a name is ``check: subject``."""
        return replace(self, outcomes=tuple(outcome.allowing(allowed) for outcome in self.outcomes))

    @property
    def names(self) -> list[str]:
        """The names of the findings, in alphabetical order."""
        return sorted({outcome.name_of(line) for outcome, line in self.findings})

    @property
    def level(self) -> Level:
        """The highest level of all checks."""
        return max((outcome.level for outcome in self.outcomes), default=Level.FINE)

    def status(self, fail_on: Level = Level.WARNING) -> int:
        """The exit status: 1 if a finding has the level ``fail_on`` or a higher one, else 0."""
        return int(self.level >= fail_on)

    def outcome(self, name: str) -> Outcome:
        """The outcome of the check called ``name``.

        Raises:
            KeyError: there is no such check; the message lists all of them.
        """
        for outcome in self.outcomes:
            if outcome.name == name:
                return outcome
        known = ", ".join(outcome.name for outcome in self.outcomes)
        raise KeyError(f"no check '{name}'; there are {known}")

    def plain(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return {
            "robot": self.robot,
            "source": self.source,
            "status": self.status(),
            "findings": len(self.findings),
            "checks": [outcome.plain() for outcome in self.outcomes],
        }
