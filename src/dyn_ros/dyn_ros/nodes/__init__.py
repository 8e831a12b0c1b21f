# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Lifecycle nodes. They hold no mathematics: that is in dyn_core and beside this folder."""
