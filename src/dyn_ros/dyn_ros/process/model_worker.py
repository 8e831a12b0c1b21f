# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The process that reads robot descriptions and compiles kernels for a node's process.

    python -m dyn_ros.process.model_worker FD

answers requests on the socket FD until the other end is closed. Machine code is not sent: it goes
through dyn_core's cache on disk. Signals stay blocked, so that Ctrl-C is a matter of the node.
"""

import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from dyn_core import serialize
from dyn_ros.kernels.robot import KernelRequest, load_compiled, notes_on


def serve(connection: Connection) -> None:
    """Call `answer` for each received message and send the result, until the pipe is closed."""
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        try:
            connection.send(answer(*request))
        except BrokenPipeError:
            return


def answer(description: str, kernels: Sequence[KernelRequest], *how: Any) -> tuple[bool, Any]:
    """Read and compile; return the model and the notes on it, or why there is none."""
    try:
        model = load_compiled(description, kernels, *how)
    except ValueError as error:
        return False, str(error)
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"
    return True, (serialize.to_binary(model), notes_on(model))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
