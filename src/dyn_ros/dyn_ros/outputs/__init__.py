# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What leaves a node: effort and motion commands, estimates, markers, transforms."""
