# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML file with embedded pictures, readable offline."""

from __future__ import annotations

import html
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dyn_core.audit.inertia_figure import draw_scene
from dyn_core.audit.report import (
    AuditReport,
    Bars,
    Curves,
    Figure,
    Item,
    Level,
    Line,
    Outcome,
    Scene,
    Table,
    amount,
)
from dyn_core.errors import MissingExtraError
from dyn_core.extras import optional

COLORS = {
    Level.FINE: "#1a7f37",
    Level.NOTE: "#57606a",
    Level.WARNING: "#b35900",
    Level.ERROR: "#c01c28",
}
MARKS = {Level.FINE: "✓", Level.NOTE: "i", Level.WARNING: "!", Level.ERROR: "✗"}
STYLE = """
:root { color-scheme: light }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 2rem auto; padding: 0 1rem;
  color: #1f2328; background: #fff }
h1 { margin-bottom: 0 } h2 { margin: 2.5rem 0 .3rem; border-top: 1px solid #d0d7de;
  padding-top: 1rem; font-size: 1.25rem }
.source, .claim, .why { color: #57606a } .claim { margin: 0 } .why { margin: 0 0 .8rem }
ul { list-style: none; padding: 0; margin: .5rem 0 } li { padding: .25rem 0 .25rem 1.9rem;
  text-indent: -1.9rem }
li > * { text-indent: 0 }
.mark { display: inline-block; width: 1.4rem; height: 1.4rem; line-height: 1.4rem; color: #fff;
  border-radius: .7rem; text-align: center; margin-right: .5rem; font-weight: 600;
  font-size: .85rem }
a { color: #0550ae } .subject { font-weight: 600 } .action { color: #57606a; font-style: italic }
figure { margin: 1rem 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .6rem 0; font-size: .87rem }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
th, td { border-bottom: 1px solid #d0d7de; padding: .2rem .7rem .2rem 0; text-align: right }
th:first-child, td:first-child { text-align: left } th { vertical-align: bottom }
nav { columns: 2; margin: 1rem 0 } nav .mark { text-decoration: none }
nav a { color: #0550ae; display: block; padding: .15rem 0; break-inside: avoid }
section > details > summary { border-top: 1px solid #d0d7de; padding-top: .6rem }
section h2 { display: inline; border: 0; padding: 0 }
svg { max-width: 100%; height: auto } details { margin: .6rem 0 } summary { cursor: pointer }
@media print { details { display: block } }
"""
FOLDED_ROWS = 12
"""Number of rows from which a table is folded."""
WIDTH_IN = 9.0
"""Width of pictures, inches."""
MAX_BARS = 40
ZERO_TOLERANCE = 1e-12


def page(report: AuditReport) -> str:
    """The whole page. Without matplotlib it has a line for each picture, and all findings.

    The page depends on the report alone: equal reports give equal bytes.
    """
    verdict = report.verdict if report.findings else "nothing found"
    lines = (line for outcome in report.outcomes for line in outcome.lines)
    notes = sum(line.level is Level.NOTE for line in lines)
    title = f"Audit of {html.escape(report.robot)}"
    body = "".join(_section(k, outcome) for k, outcome in enumerate(report.outcomes))
    links = "".join(
        f'<a href="#check{k}">{_mark(o.level)}{html.escape(o.name)}</a>'
        for k, o in enumerate(report.outcomes)
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        f'<p class="source">{html.escape(report.source)} &mdash; {verdict}, '
        f"{amount(notes, 'note')}, {amount(len(report.outcomes), 'check')}</p>\n"
        f"{_gravest(report)}{_robot(report)}<nav>{links}</nav>\n{body}</body></html>\n"
    )


def _gravest(report: AuditReport) -> str:
    """All findings, ordered by level and effort, with links to their checks."""
    if not report.findings:
        return ""
    numbers = {outcome.name: k for k, outcome in enumerate(report.outcomes)}
    rows = "".join(
        f'<li>{_mark(line.level)}<a href="#check{numbers[outcome.name]}">'
        f"{html.escape(outcome.name)}</a> {_text_of(line)}</li>\n"
        for outcome, line in report.findings
    )
    return f"<h2>Findings, the most serious first</h2><ul>{rows}</ul>\n"


def _robot(report: AuditReport) -> str:
    """The section of the robot, which is shown with and without findings."""
    scenes = (x for outcome in report.outcomes for x in outcome.items if isinstance(x, Scene))
    return "".join(f"<figure>{_drawn(scene)}</figure>\n" for scene in scenes)


def _section(number: int, outcome: Outcome) -> str:
    """The section of a check; folded if it has no findings."""
    opened = " open" if outcome.level > Level.NOTE else ""
    return (
        f'<section id="check{number}"><details{opened}><summary>'
        f"<h2>{_mark(outcome.level)}{html.escape(outcome.name)}</h2></summary>\n"
        f'<p class="claim">{html.escape(_sentence(outcome.claim))} '
        f"({html.escape(outcome.step)})</p>\n"
        f'<p class="why">Why it matters: {html.escape(outcome.why)}.</p>\n'
        + "".join(_blocks(outcome.items))
        + "</details></section>\n"
    )


def _blocks(items: Sequence[Item]) -> Iterator[str]:
    lines = [item for item in items if isinstance(item, Line)]
    yield "<ul>" + "".join(map(_line, lines)) + "</ul>\n"
    for item in items:
        if isinstance(item, Bars | Curves):
            yield f"<figure>{_drawn(item)}</figure>\n"
        elif isinstance(item, Table):
            yield _table(item)


def _line(line: Line) -> str:
    return f"<li>{_mark(line.level)}{_text_of(line)}</li>\n"


def _text_of(line: Line) -> str:
    subject = f'<span class="subject">{html.escape(line.subject)}</span>: ' if line.subject else ""
    why = f" ({html.escape(line.why)})" if line.why else ""
    hangs = html.escape(line.consequence)
    action = (
        f' <span class="action">&rarr; {html.escape(line.action)}</span>' if line.action else ""
    )
    return f"{subject}{html.escape(line.found)}{why}{f' [{hangs}]' if hangs else ''}{action}"


def _table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell_text(cell))}</td>" for cell in row) + "</tr>"
        for row in table.rows
    )
    title = html.escape(table.title)
    if len(table.rows) < FOLDED_ROWS:
        inner = f"<caption>{title}</caption><tr>{head}</tr>{rows}"
        return f'<div class="wide"><table>{inner}</table></div>\n'
    return (
        f"<details><summary>{title} ({len(table.rows)} rows)</summary>"
        f'<div class="wide"><table><tr>{head}</tr>{rows}</table></div></details>\n'
    )


def cell_text(cell: str | float | int) -> str:
    """A cell as text: numbers with four digits, rounding errors as zero."""
    if isinstance(cell, float):
        return f"{cell if abs(cell) > ZERO_TOLERANCE else 0.0:.4g}"
    return str(cell)


def _mark(level: Level) -> str:
    style = f'style="background:{COLORS[level]}" title="{level.name.lower()}"'
    return f'<span class="mark" {style}>{MARKS[level]}</span>'


def _sentence(words: str) -> str:
    """With a capital first letter, unless the sentence begins with a symbol."""
    first = words.partition(" ")[0]
    is_word = first.isalpha() and (len(first) > 1 or first == "a")
    return (words[:1].upper() if is_word else words[:1]) + words[1:] + "."


def _drawn(figure: Figure) -> str:
    """The picture, or the reason why it is missing."""
    try:
        return picture(figure)
    except MissingExtraError as problem:
        return f"{html.escape(figure.title)}: not drawn; {html.escape(str(problem))}"


def picture(figure: Figure) -> str:
    """A picture as SVG text.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    why = "a page with pictures"
    settings = optional("matplotlib", why, extra="plots").rc_context
    canvas = optional("matplotlib.backends.backend_svg", why, extra="plots").FigureCanvasSVG
    drawn = optional("matplotlib.figure", why, extra="plots").Figure
    drawing = drawn(figsize=(WIDTH_IN, _height(figure)), layout="constrained")
    canvas(drawing)
    if isinstance(figure, Scene):
        optional("mpl_toolkits.mplot3d", why, extra="plots")
        draw_scene(drawing, figure)
    else:
        _draw_axes(drawing.add_subplot(), figure)
    text = io.StringIO()
    with settings({"svg.hashsalt": figure.title}):  # else the ids in the file are random
        drawing.savefig(text, format="svg", metadata={"Date": None})
    return _inline(text.getvalue(), figure)


def _height(figure: Figure) -> float:
    if isinstance(figure, Scene):
        return WIDTH_IN * 0.75
    return 3.2 if isinstance(figure, Curves) else 2.4 + 0.1 * min(len(figure.labels), 20)


def _draw_axes(axes: Any, figure: Bars | Curves) -> None:
    axes.set_title(figure.title, fontsize=11, loc="left")
    if isinstance(figure, Curves):
        _draw_curves(axes, figure)
    else:
        _draw_bars(axes, figure)
    if figure.logarithmic and any(x > 0.0 for values in figure.series.values() for x in values):
        axes.set_yscale("log")
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_curves(axes: Any, figure: Curves) -> None:
    for name, values in figure.series.items():
        axes.plot(figure.x[: len(values)], values, label=name, linewidth=1.2)
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(figure.y_label)
    axes.legend(fontsize=8, frameon=False, ncols=min(len(figure.series), 4))


def _draw_bars(axes: Any, figure: Bars) -> None:
    labels = list(figure.labels)[:MAX_BARS]
    places = np.arange(len(labels))
    width = 0.8 / max(len(figure.series), 1)
    for k, (name, values) in enumerate(figure.series.items()):
        axes.bar(places + (k + 0.5) * width - 0.4, list(values)[:MAX_BARS], width, label=name)
    axes.set_xticks(places, labels, rotation=40, ha="right", fontsize=8)
    axes.set_ylabel(figure.unit)
    if len(figure.series) > 1:
        axes.legend(fontsize=8, frameon=False)


def _inline(svg: str, figure: Figure) -> str:
    """The ``<svg>`` element alone, its ids made unique among the pictures of a page."""
    svg = svg[svg.index("<svg") :]
    own = f"p{zlib.crc32(figure.title.encode())}_"
    svg = re.sub(r'\bid="', f'id="{own}', svg)
    svg = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{own}", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(figure.title)}" ', 1)
