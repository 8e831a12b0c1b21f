# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Messages to arrays and back: joint order, validation, filling in place. Imports no rclpy."""
