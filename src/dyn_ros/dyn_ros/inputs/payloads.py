# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Payloads that the description does not contain: a tool, a gripped object, a camera."""

from collections.abc import Collection
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any, ClassVar

from dyn_msgs.srv import ClearPayload, SetPayload
from rclpy.parameter import Parameter

import dyn_core
from dyn_ros.inputs.load_limits import STANDARD_GRAVITY, Load, Loads
from dyn_ros.inputs.payload_messages import FORM, message_of, read_payloads, text_of
from dyn_ros.kernels.surroundings import CarriedPayload
from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.part import Host, Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Kind, Values, parameter

PAYLOADS = "payloads"
# times the arm's reach, of which so many m count at least: of the centre, and of parts around it
MAX_LEVER, MAX_SPREAD, LEAST_REACH = 3.0, 0.5, 1.0


@dataclass(frozen=True)
class PayloadSettings(Group):
    """What the robot carries."""

    payloads: list[str] = parameter(
        [],
        f"attached payloads, a text for each such as '{FORM}' (kg, m, kg m^2; com and inertia are "
        "optional; inertia is about the centre of mass); ~/set_payload and ~/clear_payload "
        "change them too",
        kind=Kind.STRING_ARRAY,
        live=True,
        local=True,
    )


class Payloads(Part):
    """~/set_payload and ~/clear_payload; the parameter `payloads` keeps the payloads.

    All of it enters the next computation, nothing is compiled, and commands ramp. What is carried
    is so also after cleanup, until it is cleared.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "payloads": "attached payloads, by name",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (PayloadSettings,)

    def __init__(self, node: Host) -> None:
        """Belong to a node whose kernels take its surroundings."""
        super().__init__(node)
        self._texts: list[str] = []  # of the parameter
        self.carried: list[CarriedPayload] = []

    @staticmethod
    def impossible(values: Values) -> str:
        """Return the reason to refuse a payload, empty if there is none."""
        try:
            read_payloads(values[PayloadSettings].payloads)
        except ValueError as error:
            return str(error)
        return ""

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if a payload's frame is not the model's, or does not move."""
        payloads = read_payloads(values[PayloadSettings].payloads)
        names = {frame.name for frame in model.frames} if payloads else set()
        loads, carried = Loads(model), list[Load]()
        for payload in payloads:
            where = f"payload '{payload.name}' is fixed to '{payload.frame}'"
            if payload.frame not in names:
                raise ValueError(
                    f"{where}, which '{model.name}' does not have: name one of "
                    f"{quoted(sorted(names))}"
                )
            try:
                place = model.frame(payload.frame)
            except KeyError as error:
                raise ValueError(f"{where}: {error.args[0]}") from error
            if not place.joint:
                raise ValueError(f"{where}, which does not move: no joint would feel it")
            body = payload.inertia
            reach = hypot(*body.com)
            carried.append(Load(payload.frame, body.mass * STANDARD_GRAVITY, reach=reach))
            if excess := loads.excess(*carried):
                raise ValueError(f"{where} with {body.mass:g} kg, but {excess}: give kg and m")
            moments, arm = body.at_com, max(loads.reach(payload.frame), LEAST_REACH)
            trace = max(0.0, moments.xx + moments.yy + moments.zz)  # of a point a rounding error
            spread = sqrt(0.5 * trace / body.mass)  # m, rms
            for what, extent, most in (
                ("its centre of mass is", reach, MAX_LEVER),
                ("by its moments of inertia its parts are", spread, MAX_SPREAD),
            ):
                if extent > most * arm:
                    raise ValueError(
                        f"{where}, but {what} {extent:.3g} m away, which is more than "
                        f"{most * arm:.3g} m ({most:g} times the arm's reach): give kg, m and "
                        "kg m^2"
                    )

    def install(self, model: dyn_core.Model) -> None:
        """Carry it with another robot."""
        self._carry()

    def changed(self) -> None:
        """Ramp to the payloads of the parameter."""
        if self.values[PayloadSettings].payloads != self._texts:
            self._carry()
            self.node.ramp()

    def _carry(self) -> None:
        self._texts = self.values[PayloadSettings].payloads
        self.carried = read_payloads(self._texts)
        self.node.surroundings.carry(self.carried)

    def open(self) -> None:
        """Offer the services."""
        self.opened.service(SetPayload, "~/set_payload", self._set)
        self.opened.service(ClearPayload, "~/clear_payload", self._clear)

    def report(self, report: Report) -> None:
        """Report the payloads."""
        report.values["payloads"] = (
            ", ".join(f"{x.name} ({x.inertia.mass:g} kg at {x.frame})" for x in self.carried)
            or "none"
        )

    def _set(self, request: SetPayload.Request, response: SetPayload.Response) -> Any:
        kept = self._texts_without({message.name for message in request.payloads})
        return self._ask([*kept, *map(text_of, request.payloads)], response)

    def _clear(self, request: ClearPayload.Request, response: ClearPayload.Response) -> Any:
        names = [payload.name for payload in self.carried]
        unknown = [name for name in request.names if name not in names]
        if unknown:
            there = quoted(names) or "none"
            return self._respond(f"no payload {quoted(unknown)} (attached: {there})", response)
        return self._ask(self._texts_without(request.names or names), response)

    def _texts_without(self, names: Collection[str]) -> list[str]:
        """Return what stays of the parameter without the payloads of these names."""
        pairs = zip(self._texts, self.carried, strict=True)
        return [text for text, payload in pairs if payload.name not in names]

    def _ask(self, texts: list[str], response: Any) -> Any:
        """Set the parameter, as if a user did, and answer."""
        change = Parameter(PAYLOADS, Kind.STRING_ARRAY, texts)
        wrong = str(self.node.set_parameters_atomically([change]).reason)
        return self._respond(wrong, response)

    def _respond(self, wrong: str, response: Any) -> Any:
        response.success = not wrong
        response.message = f"{wrong}; nothing changed" if wrong else "ok"
        response.payloads = [message_of(x) for x in self.carried]
        return response
