# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Topics that are of one frame each."""

import re


def frame_topic(topic: str, frame: str) -> str:
    """Return the topic below another that is of a frame; what topics cannot have becomes _."""
    token = re.sub("[^A-Za-z0-9_]", "_", frame)
    return f"{topic}/_{token}" if token[:1].isdigit() else f"{topic}/{token}"
