# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What comes into a node: joint states, poses of free joints; each checked before it is used."""
