# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What every node is: lifecycle, parameters, robot description, diagnostics, parts."""
