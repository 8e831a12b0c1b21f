# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: `make docs-site`."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "dyn suite"
copyright = "the maintainers, Apache-2.0"
extensions = ["myst_parser", "notebooks"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
version = release = os.environ.get("DOCS_VERSION", "latest")
html_title = f"dyn suite, {version}"
html_context = {"versions": os.environ.get("DOCS_VERSIONS", version).split()}
templates_path = ["static"]
html_static_path = ["static"]
html_css_files = ["fit.css"]
html_search_scorer = str(Path(__file__).with_name("static") / "scorer.js")
