# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF, MuJoCo's format: robots, and elements that a Model cannot represent."""

from dyn_core.readers.mjcf.reader import model_from_mjcf

__all__ = ["model_from_mjcf"]
