# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot description made ready to compute with: parsed, checked, compiled, allocated."""
