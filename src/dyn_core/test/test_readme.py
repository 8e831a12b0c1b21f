# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The Python of README, tutorials and how-tos, run as it stands, and what pages have to name."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from repository import in_repository

ROOT = in_repository("")
documentation = pytest.importorskip("documentation")
PAGES = sorted(
    page for folder in ("tutorials", "howto") for page in (ROOT / "docs" / folder).iterdir()
)
MOST_WORDS = 600


def blocks(page: Path) -> list[str]:
    """The Python of a page, or of the cells of a notebook."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def run(page: Path) -> dict[str, object]:
    """Run the Python of a page from top to bottom; its names."""
    names: dict[str, object] = {}
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), names)
    return names


@pytest.mark.parametrize(("page", "name"), [("README.md", "M"), ("docs/library.md", "J_tool")])
def test_the_readme_and_the_library_page_are_true(
    page: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    found = run(ROOT / page)[name]
    assert np.shape(found) == (6, 6)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("page", [*PAGES, ROOT / "docs" / "conventions.md"], ids=lambda x: x.stem)
def test_a_page_that_teaches_is_true(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_notebook = page.suffix == ".ipynb"
    monkeypatch.chdir(page.parent if is_notebook else ROOT)  # as Jupyter starts it
    run(page)


def test_the_page_of_the_compiler_shows_what_its_code_prints() -> None:
    """`make docs` prints it anew."""
    page = (ROOT / "docs" / "compiler.md").read_text()
    assert page.count("```text") == 6
    assert documentation.run_page(page) == page


def test_the_readme_is_short_and_leads_somewhere() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= MOST_WORDS
    targets = re.findall(r"\]\(([^)#:]+)\)", text)
    assert len(targets) > 20
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_speed_in_the_readme_is_as_measured() -> None:
    """From the smallest ratio to the largest, kernels beside C++."""
    text = " ".join((ROOT / "README.md").read_text().split())
    stated = re.search(r"(\d+) to (\d+) times as fast", text)
    rows = json.loads((ROOT / "benchmarks" / "results" / "kernels.json").read_text())["rows"]
    ratios = [1.0 / row["ratio"] for row in rows if row.get("ratio")]
    assert [int(x) for x in stated.groups()] == [round(min(ratios)), round(max(ratios))]


def test_every_public_name_of_an_application_is_on_a_page() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    words = set(re.findall(r"\w+", "\n".join(page.read_text() for page in pages)))
    packages = {path.parent.name for path in (ROOT / "src/dyn_core/dyn_core").glob("*/__init__.py")}
    for package in documentation.PACKAGES:
        public = getattr(import_module(f"dyn_core.{package}"), "__all__", ())
        assert set(public) - words == set(), package
    above = {"audit", "contacts", "control", "geometry", "identification", "simulation", "view"}
    assert above <= packages & set(documentation.PACKAGES)


def test_every_page_is_in_the_contents_of_the_site() -> None:
    """Sphinx refuses others, where it is installed."""
    docs = ROOT / "docs"
    listed = set((docs / "index.md").read_text().split())
    pages = {
        str(page.relative_to(docs).with_suffix(""))
        for suffix in ("md", "ipynb")
        for page in docs.rglob(f"*.{suffix}")
    }
    assert pages - listed == {"index"}
