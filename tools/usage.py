# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Importing this first makes --help of a tool print its docstring, whatever else is installed."""

import sys

if sys.argv[1:] in (["-h"], ["--help"]):
    print(sys.modules["__main__"].__doc__)
    sys.exit()
