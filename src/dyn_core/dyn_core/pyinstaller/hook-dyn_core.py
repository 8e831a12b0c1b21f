# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""All modules go into a frozen program, as those do that are imported by name."""

from PyInstaller.utils.hooks import collect_submodules

hiddenimports = collect_submodules("dyn_core")
