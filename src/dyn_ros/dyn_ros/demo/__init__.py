# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the suite is for, live: a simulated arm is held, loaded, pushed, moved and let go."""
