# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The services of inverse_dynamics, called without DDS."""

from __future__ import annotations

from typing import Any

import dyn_core
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.nodes.inverse_dynamics import Services
from dyn_ros.services.dynamics_services import DynamicsServices
from dyn_ros.services.trajectory_efforts import TrajectoryEfforts


class CalledServices:
    """What `Services` needs of an active node; `call` asks what it offers."""

    active = configured = True

    def __init__(self, model: dyn_core.Model) -> None:
        self.surroundings = Surroundings(model)
        self.dynamics = DynamicsServices(model, lambda _: "tape", lambda _: None)
        self.trajectory_efforts = TrajectoryEfforts(model)
        self._answers: dict[str, Any] = {}
        Services(self)  # type: ignore[arg-type]

    def create_service(self, kind: Any, name: str, answer: Any, **options: Any) -> None:
        self._answers[name.removeprefix("~/")] = kind, answer

    def call(self, name: str, **request: Any) -> Any:
        """Return the response of a service."""
        kind, answer = self._answers[name]
        return answer(kind.Request(**request), kind.Response())
