# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 nodes around dyn_core: gravity compensation, inverse dynamics, a simulated robot."""
