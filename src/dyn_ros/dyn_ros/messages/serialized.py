# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Messages that are received serialized, because most of them need not be read."""

from typing import Any

from rclpy.serialization import deserialize_message

from dyn_ros.messages.refusal import InputRefusedError


def deserialized(data: bytes, kind: Any) -> Any:
    """Return the message of a kind. Raises InputRefusedError if the bytes are none."""
    try:
        return deserialize_message(data, kind)
    except RuntimeError as error:
        raise InputRefusedError(
            "length mismatch",
            f"a message of {len(data)} bytes cannot be read as {kind.__name__}: {error}",
        ) from error
