#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Build docs/ as a site, in an environment of its own; warnings and broken links are errors."""

from __future__ import annotations

import subprocess
import sys

import environment as suite
import usage  # noqa: F401


def main() -> None:
    """Install what builds the site unless that is there, then build it."""
    if sys.version_info < (3, 11):
        sys.exit("Sphinx needs Python 3.11 or later; this is {}.{}".format(*sys.version_info))
    environment = suite.Environment()
    pins = suite.requirements("docs")
    venv, site = environment.venv.parent / "docs", environment.build.parent / "site"
    python, stamp = str(venv / "bin" / "python"), venv / ".installed"
    with suite.locked(environment, "docs"):
        if not suite.is_current(stamp, suite.contents([pins])):
            suite.say("Installing what builds the site")
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)
            install = [python, "-m", "pip", "install", "-qq", "--no-deps", "-r", str(pins)]
            subprocess.run(install, check=True)
            stamp.write_text(suite.contents([pins]))
    build = [python, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    status = subprocess.run([*build, "docs", str(site)], cwd=suite.ROOT).returncode
    if status == 0:
        print(f"the site: {site / 'index.html'}")
    sys.exit(status)


if __name__ == "__main__":
    main()
