# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Payloads that the description does not contain: a tool, a gripped object, a camera."""

from collections.abc import Collection
from typing import Any, ClassVar

from dyn_msgs.srv import ClearPayload, SetPayload
from rclpy.parameter import Parameter

import dyn_core
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.payload import FORM, messages_of, read_payloads, texts_of
from dyn_ros.base.part import Host, Part
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Kind, Setting
from dyn_ros.surroundings import CarriedPayload

PAYLOADS = "payloads"


class Payloads(Part):
    """~/set_payload and ~/clear_payload; the parameter `payloads` keeps the payloads.

    All of it enters the next computation, nothing is compiled, and commands ramp. What is carried
    is so also after cleanup, until it is cleared.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "payloads": "what the robot carries, by name",
    }
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            PAYLOADS,
            [],
            f"what the robot carries, a text for each such as '{FORM}' (kg, m, kg m^2; com and "
            "inertia may be absent; inertia is about the centre of mass); the services "
            "~/set_payload and ~/clear_payload change it too",
            kind=Kind.STRING_ARRAY,
            live=True,
        ),
    )

    def __init__(self, node: Host) -> None:
        """Belong to a node whose kernels take its surroundings."""
        super().__init__(node)
        self._carried: list[CarriedPayload] = []

    @staticmethod
    def impossible(values: dict[str, Any]) -> str:
        """Return the reason to refuse a payload, empty if there is none."""
        try:
            read_payloads(values[PAYLOADS])
        except ValueError as error:
            return str(error)
        return ""

    def check(self, model: dyn_core.Model, values: dict[str, Any]) -> None:
        """Raise ValueError if a payload's frame is not the model's, or does not move."""
        for payload in read_payloads(values[PAYLOADS]):
            frames = {frame.name: frame.joint for frame in model.frames}
            where = f"payload '{payload.name}' is fixed to '{payload.frame}'"
            if payload.frame not in frames:
                raise ValueError(
                    f"{where}, which '{model.name}' does not have: name one of "
                    f"{quoted(sorted(frames))}"
                )
            if not model.frame(payload.frame).joint:
                raise ValueError(f"{where}, which does not move: no joint would feel it")

    def install(self, model: dyn_core.Model) -> None:
        """Carry it with another robot."""
        self._carried = read_payloads(self.values[PAYLOADS])
        self.node.surroundings.carry(self._carried)

    def changed(self) -> None:
        """Apply the payloads of the parameter."""
        self._carried = read_payloads(self.values[PAYLOADS])
        self.node.surroundings.carry(self._carried)

    def open(self) -> None:
        """Offer the services."""
        self.opened.service(SetPayload, "~/set_payload", self._set)
        self.opened.service(ClearPayload, "~/clear_payload", self._clear)

    def report(self, report: Report) -> None:
        """Report the payloads."""
        report.values[PAYLOADS] = (
            ", ".join(f"{x.name} ({x.inertia.mass:g} kg at {x.frame})" for x in self._carried)
            or "none"
        )

    def _set(self, request: SetPayload.Request, response: SetPayload.Response) -> Any:
        kept = self._texts_without({message.name for message in request.payloads})
        return self._carry([*kept, *texts_of(request.payloads)], response)

    def _clear(self, request: ClearPayload.Request, response: ClearPayload.Response) -> Any:
        names = [payload.name for payload in self._carried]
        unknown = [name for name in request.names if name not in names]
        if unknown:
            there = quoted(names) or "none"
            return self._respond(f"no payload {quoted(unknown)}: there is {there}", response)
        return self._carry(self._texts_without(request.names or names), response)

    def _texts_without(self, names: Collection[str]) -> list[str]:
        """Return what stays of the parameter without the payloads of these names."""
        pairs = zip(self.values[PAYLOADS], self._carried, strict=True)
        return [text for text, payload in pairs if payload.name not in names]

    def _carry(self, texts: list[str], response: Any) -> Any:
        """Set the parameter, which is checked as if a user had set it, and answer."""
        change = Parameter(PAYLOADS, Kind.STRING_ARRAY, texts)
        return self._respond(self.node.set_parameters_atomically([change]).reason, response)

    def _respond(self, wrong: str, response: Any) -> Any:
        response.success = not wrong
        response.message = f"{wrong}; nothing changed" if wrong else "ok"
        response.payloads = messages_of(self._carried)
        return response
