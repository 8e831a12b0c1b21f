#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The gallery of examples: docs/gallery.md, with a picture that each example draws itself.

    tools/gallery.py [NAME...]

draws the pictures of these examples anew, or of all, and writes the page. An example draws by its
function `picture`, which returns a figure of matplotlib.
"""

from __future__ import annotations

import ast
import json
import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

import usage  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "figures" / "gallery"
SIZE, DPI = (8.0, 4.0), 90
"""Of a picture, inches and dots per inch."""
HEAD = """# Gallery

Each example is a program in `examples/`; the tests run all of them. Install
`pip install './src/dyn_core[all]'` and, for public robots, `pip install example-robot-data`.
`make gallery` draws the pictures anew.
"""
NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))
"""Draw too, for pages of their own."""
WITHOUT = "![What the demo shows in the browser](figures/view.webp)"
"""For an example that draws nothing: one of the nodes."""


def examples() -> dict[str, ast.Module]:
    """Every example by its name."""
    paths = sorted((ROOT / "examples").glob("*.py"))
    return {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def page() -> str:
    """The page, from what the examples say of themselves."""
    return HEAD + "".join(_section(name, tree) for name, tree in examples().items())


def caption(tree: ast.Module) -> str | None:
    """What the picture of an example shows; None if it draws none."""
    drawn = [x for x in tree.body if isinstance(x, ast.FunctionDef) and x.name == "picture"]
    return (ast.get_docstring(drawn[0]) or "") if drawn else None


def program(name: str) -> dict[str, Any]:
    """What an example or a notebook defines."""
    for notebook in NOTEBOOKS:
        if notebook.stem == name:
            return run_notebook(notebook)
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


def run_notebook(path: Path) -> dict[str, Any]:
    """Run the code of a notebook from top to bottom; its names."""
    names: dict[str, Any] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), path.name, "exec"), names)
    return names


def draw(name: str, folder: Path = PICTURES, **more: float) -> Path:
    """Draw the picture of an example or a notebook, smaller ones if ``more`` says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what robots of others leave out
        figure = program(name)["picture"](**more)
    if figure.get_figheight() < 1.5 * SIZE[1]:
        figure.set_size_inches(*SIZE)
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    path = folder / f"{name}.webp"
    figure.savefig(path, dpi=DPI, pil_kwargs={"quality": 80})
    return path


def _section(name: str, tree: ast.Module) -> str:
    words, _, _ = (ast.get_docstring(tree) or "").partition("\n    python ")
    shown = caption(tree)
    picture = f"![{shown}](figures/gallery/{name}.webp)\n\n*{shown}*"
    parts = (
        f"## {name}",
        words.strip(),
        f"[examples/{name}.py](../examples/{name}.py)",
        picture if shown is not None else WITHOUT if name.startswith("ros_") else "",
    )
    return "\n" + "\n\n".join(filter(None, parts)) + "\n"


def main(*names: str) -> None:
    """Draw, and write the page."""
    PICTURES.mkdir(exist_ok=True)
    drawn = [name for name, tree in examples().items() if caption(tree) is not None]
    for name in names or [*drawn, *(notebook.stem for notebook in NOTEBOOKS)]:
        print(draw(name).relative_to(ROOT), flush=True)
    (ROOT / "docs" / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
