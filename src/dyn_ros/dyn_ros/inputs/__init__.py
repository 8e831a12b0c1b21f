# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What comes into a node: joint states, gravity, payloads, wrenches, trajectories, commands.

Each is checked before it is used. The parts follow the contract in node/part.py.
"""
