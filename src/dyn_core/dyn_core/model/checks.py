"""What a model is made of is checked here, once for all that make or change one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dyn_core.errors import ModelError
from dyn_core.model.tree_joint import ROUNDING
from dyn_core.spatial import SE3, placement_objection

if TYPE_CHECKING:
    from dyn_core.model.coupling import Coupling
    from dyn_core.model.model import Model


def finite_numbers(values: Iterable[float], count: int, what: str) -> list[float]:
    """``values`` as plain numbers, of which there must be ``count``, all finite.

    Raises:
        ModelError: they are not; the message begins with ``what``.
    """
    try:
        if isinstance(values, (str, bytes)):  # float("1") would read a text digit by digit
            raise TypeError(values)
        numbers = [float(x) for x in values]
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be {count} numbers, not {values!r}") from error
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ModelError(f"{what} must be {count} finite numbers, not {numbers}")
    return numbers


def rigid(placement: SE3, where: str) -> SE3:
    """``placement`` in plain numbers, which must be those of a rigid one.

    Raises:
        ModelError: it is not finite or turns by no rotation; the message begins with ``where``.
    """
    plain = placement.plain()
    if (why := placement_objection(plain)) is not None:
        raise ModelError(f"{where}: its placement {why}")
    return plain


def configuration(model: Model, q: Iterable[float], what: str) -> tuple[float, ...]:
    """``q`` in plain numbers, which must be a configuration (nq) of ``model``.

    Raises:
        ModelError: wrong size, not finite, or an orientation that is not of unit length.
    """
    numbers = finite_numbers(q, model.nq, what)
    for i in model.own_coordinates:
        if not model.joints[i].space.is_normalized(model.q_of(i, numbers), ROUNDING):
            raise ModelError(
                f"{what}: the coordinates of joint '{model.names[i]:.100}' are not of unit length; "
                "normalize them"
            )
    return tuple(numbers)


def check_coupling(model: Model, coupling: Coupling) -> None:
    """Refuse a coupling of what is no joint of one coordinate.

    Raises:
        ModelError: the message names coupling and joint.
    """
    check_scalar_joints(model, coupling.joints, f"coupling '{coupling.name}'")


def check_scalar_joints(model: Model, names: Iterable[str], where: str) -> None:
    """Refuse joints that have not one coordinate that adds.

    Raises:
        ModelError: one of them has another number, or is not there; it begins with ``where``.
    """
    for name in names:
        try:
            joint = model.joints[model.joint_index(name)]
        except KeyError as error:
            raise ModelError(f"{where}: {error.args[0]}") from error
        if joint.nv != 1 or not joint.space.flat:
            raise ModelError(
                f"{where}: joint '{name}', a {type(joint).__name__} joint, has not one coordinate "
                "that adds; tie others"
            )
