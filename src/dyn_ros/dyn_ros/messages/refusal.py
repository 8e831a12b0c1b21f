# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is raised when an input cannot be used."""


class InputRefusedError(ValueError):
    """An input that must not be computed with.

    `reason` is short and always the same for the same kind of fault, so that it can be counted;
    the message names the joint or the size and says what to do.
    """

    def __init__(self, reason: str, message: str) -> None:
        """Keep the countable reason beside the worded message."""
        super().__init__(message)
        self.reason = reason
