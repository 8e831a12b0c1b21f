"""The documentation as a site: `make docs-site`."""

project = "dyn suite"
copyright = "the maintainers, Apache-2.0"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Rigid-body dynamics for ROS 2"
