# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What all nodes share: lifecycle, parameters, robot description, diagnostics, parts."""
