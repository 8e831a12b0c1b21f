#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Build docs/ as a site, in an environment of its own; warnings and broken links are errors.

The site has the pages of this checkout as `latest`, and those of every tag `X.Y.Z`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import environment as suite
import usage  # noqa: F401

LATEST = "latest"
"""Name of the version of this checkout."""
FIRST_PAGE = '<meta http-equiv="refresh" content="0; url={version}/index.html">\n'
"""Leads to the newest release."""


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
    tags = output("tag", "--list", "[0-9]*", "--sort=-version:refname").decode().split()
    versions = [LATEST, *tags]
    with TemporaryDirectory() as folder:
        for version in versions:
            source = suite.ROOT
            if version != LATEST:
                source = Path(folder, version)
                source.mkdir()
                subprocess.run(["tar", "-xC", source], input=output("archive", version), check=True)
            build = [python, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
            named = {"DOCS_VERSION": version, "DOCS_VERSIONS": " ".join(versions)}
            build += [str(source / "docs"), str(site / version)]
            if subprocess.run(build, env={**os.environ, **named}).returncode:
                sys.exit(f"the site of {version} could not be built")
    (site / "index.html").write_text(FIRST_PAGE.format(version=versions[min(1, len(tags))]))
    print(f"the site: {site / 'index.html'}")


def output(*words: str) -> bytes:
    """Return what a command of git prints."""
    return subprocess.run(["git", *words], cwd=suite.ROOT, check=True, capture_output=True).stdout


if __name__ == "__main__":
    main()
