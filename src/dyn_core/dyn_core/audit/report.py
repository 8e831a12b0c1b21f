# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What an audit says: lines, tables and pictures, gathered check by check."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any


class Level(IntEnum):
    """How much a line matters; from :attr:`WARNING` on it is a finding."""

    FINE = 0
    """As it should be."""
    NOTE = 1
    """Worth knowing; nothing is wrong, or it could not be found out."""
    WARNING = 2
    """Probably wrong."""
    ERROR = 3
    """Certainly wrong: no such robot exists, or its dynamics have no solution."""


@dataclass(frozen=True)
class Line:
    """One thing that a check found."""

    level: Level
    found: str
    """The finding, with its numbers."""
    action: str = ""
    """What to do about it."""
    subject: str = ""
    """The link, joint, pose or integrator that it is about; empty for the whole robot."""
    why: str = ""
    """Consequence of the finding, unless the check's own."""
    effort: float = 0.0
    """Of a finding about a link or a joint: the largest effort that gravity asks for it at a joint,
    in the worst pose of those examined, N m or N; 0 if unknown."""
    joint: str = ""
    """At which joint that is."""

    @property
    def consequence(self) -> str:
        """Effort that depends on the finding, in words; empty if unknown."""
        return f"{self.effort:.3g} N m hang on it at '{self.joint}'" if self.effort else ""


@dataclass(frozen=True)
class Table:
    """Numbers side by side."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | float | int]]


@dataclass(frozen=True)
class Bars:
    """A picture: bars, one group for each label."""

    title: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]
    unit: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Curves:
    """A picture: lines over a common axis."""

    title: str
    x: Sequence[float]
    x_label: str
    series: Mapping[str, Sequence[float]]
    y_label: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Scene:
    """A picture: the robot with its inertia ellipsoids and centres of mass, in the world, m."""

    title: str
    ellipsoids: Mapping[str, Sequence[Sequence[Sequence[float]]]]
    """Of each link the outlines in its three principal planes, points (3, n, 3)."""
    centers: Mapping[str, Sequence[float]]
    """Of each link its centre of mass."""
    bones: Sequence[Sequence[Sequence[float]]]
    """Lines (2, 3) from each joint to its children."""


Figure = Bars | Curves | Scene
Item = Line | Table | Figure


def fine(found: str) -> Line:
    """A line that says that all is well."""
    return Line(Level.FINE, found)


def counted(sound: int, looked: int, what: str) -> Line:
    """A line of how many of those that were looked at are well; of none there is nothing to say.

    Args:
        sound: how many are well.
        looked: how many there are.
        what: the rest of the sentence ``3 of 4 ...``.
    """
    if not looked:
        return note("nothing to check: the robot has none of what this check looks at")
    return fine(f"{sound} of {looked} {what}")


def note(found: str, action: str = "", subject: str = "", why: str = "") -> Line:
    """A line that is worth knowing."""
    return Line(Level.NOTE, found, action, subject, why)


def warning(found: str, action: str, subject: str = "", why: str = "") -> Line:
    """A finding that is probably a mistake."""
    return Line(Level.WARNING, found, action, subject, why)


def error(found: str, action: str, subject: str = "", why: str = "") -> Line:
    """A finding that is certainly a mistake."""
    return Line(Level.ERROR, found, action, subject, why)


@dataclass(frozen=True)
class Outcome:
    """The result of a check."""

    name: str
    claim: str
    """What holds of a sound robot."""
    why: str
    step: str
    """Where the check comes from."""
    items: tuple[Item, ...]
    seconds: float = 0.0

    @property
    def lines(self) -> list[Line]:
        """The lines among the items."""
        return [item for item in self.items if isinstance(item, Line)]

    @property
    def level(self) -> Level:
        """The gravest of its lines."""
        return max((line.level for line in self.lines), default=Level.FINE)

    def name_of(self, line: Line) -> str:
        """The name of a finding; it holds no numbers, because these change with every edit."""
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
        """In plain values, for JSON; pictures are left out."""
        return {
            "check": self.name,
            "claim": self.claim,
            "step": self.step,
            "level": self.level.name.lower(),
            "seconds": round(self.seconds, 3),
            "lines": [
                {
                    "level": line.level.name.lower(),
                    "subject": line.subject,
                    "found": line.found,
                    "why": line.why or self.why,
                    "action": line.action,
                    "effort": line.effort,
                    "joint": line.joint,
                }
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
    """The file that was read; empty for a model of the program."""
    outcomes: tuple[Outcome, ...] = field(default=())

    @property
    def findings(self) -> list[tuple[Outcome, Line]]:
        """All lines that are findings, with the check that each is of.

        The gravest first, and of those alike the one on which most effort hangs.
        """
        found = [(o, line) for o in self.outcomes for line in o.lines if line.level > Level.NOTE]
        return sorted(found, key=lambda pair: (-pair[1].level, -pair[1].effort))

    def allowing(self, allowed: Collection[str]) -> AuditReport:
        """The report with known findings lowered to notes; a name is ``check: subject``."""
        return replace(self, outcomes=tuple(outcome.allowing(allowed) for outcome in self.outcomes))

    @property
    def names(self) -> list[str]:
        """The names of its findings, in alphabetical order."""
        return sorted({outcome.name_of(line) for outcome, line in self.findings})

    @property
    def level(self) -> Level:
        """The gravest of all."""
        return max((outcome.level for outcome in self.outcomes), default=Level.FINE)

    def status(self, fail_on: Level = Level.WARNING) -> int:
        """0 if no finding is as grave as that, else 1."""
        return int(self.level >= fail_on)

    def outcome(self, name: str) -> Outcome:
        """The outcome of the check called ``name``.

        Raises:
            KeyError: there is none; the message lists those there are.
        """
        for outcome in self.outcomes:
            if outcome.name == name:
                return outcome
        known = ", ".join(outcome.name for outcome in self.outcomes)
        raise KeyError(f"no check '{name}'; there are {known}")

    def plain(self) -> dict[str, Any]:
        """In plain values, for JSON."""
        return {
            "robot": self.robot,
            "source": self.source,
            "status": self.status(),
            "findings": len(self.findings),
            "checks": [outcome.plain() for outcome in self.outcomes],
        }
