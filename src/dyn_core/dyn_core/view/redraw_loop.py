# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A page for one robot, redrawn periodically."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep
from typing import TypeVar

from dyn_core.geometry.geometry_model import GeometryModel
from dyn_core.model.model import Model
from dyn_core.view.page import View

Shown = TypeVar("Shown")


def served(
    model: Model,
    geometry: GeometryModel,
    remark: str,
    host: str,
    port: int,
    shown: Callable[[View], Shown],
) -> Shown:
    """What is ``shown`` in a new view of a robot; says where it is.

    The view is closed again if the robot cannot be shown. See :class:`View` for the arguments.
    """
    view = View(host, port, f"dyn_core: {model.name}")
    try:
        view.install(model, geometry, remark)
        result = shown(view)
    except BaseException:
        view.close()
        raise
    print(f"{model.name}: {view.url}", flush=True)
    return result


def keep_going(view: View, step: Callable[[], None], rate: float) -> None:
    """Call ``step`` at a rate (Hz) until Ctrl-C, which closes the view."""
    try:
        while True:
            sleep(1.0 / rate)
            step()
    except KeyboardInterrupt:
        pass
    finally:
        view.close()
