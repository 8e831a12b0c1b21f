# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What nodes are put together from: inputs and outputs, all with the contract in base/part.py."""
