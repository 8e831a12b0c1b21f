"""Notebooks as pages of the site: their text, and their code as blocks of Python."""

from __future__ import annotations

import json

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown page that it is; results are not stored in it."""

    supported = ("ipynb",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse it."""
        super().parse(as_markdown(inputstring), document)


def as_markdown(notebook: str) -> str:
    """The page."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(notebook)["cells"]]
    parts = [f"```python\n{text}\n```" if kind == "code" else text for kind, text in cells]
    return "\n\n".join(parts) + "\n"


def setup(app: Sphinx) -> None:
    """Register the parser: Sphinx calls this."""
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
