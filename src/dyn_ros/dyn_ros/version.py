# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The version of the package, which all packages of the suite share."""

__version__ = "0.2.0"
