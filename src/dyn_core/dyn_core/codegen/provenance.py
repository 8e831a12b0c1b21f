"""Whether what is about to be compiled is this package's alone.

The code of a definition, joint or space of the package is known by the digest of its source, so a
short recipe (which robot, which quantities) names compiled code. Of a class of the user's only its
name is known, which stays when the class is edited: such code is named by what was traced.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from dyn_core import joints
from dyn_core.algorithms import QUANTITIES, Quantity, Request
from dyn_core.joints import Joint
from dyn_core.lie import Space
from dyn_core.model.model import Model

PACKAGE = str(Path(__file__).parents[1])


def is_ours(model: Model, requests: Iterable[Request]) -> bool:
    """Whether all joints of the model and all quantities are the package's own, unchanged."""
    return all(map(_request_is_ours, requests)) and all(map(_is_ours, model.joints))


def _request_is_ours(request: Request) -> bool:
    options = (value for _, value in request.options)
    return _quantity_is_ours(request.quantity) and not any(
        isinstance(value, (Quantity, Request)) and not _request_is_ours(_as_request(value))
        for value in options
    )


def _as_request(value: Any) -> Request:
    return value if isinstance(value, Request) else value.request()


def _quantity_is_ours(quantity: Quantity) -> bool:
    definitions = [x.definition for x in (quantity, *quantity.alternatives)]
    known = QUANTITIES.get(quantity.__name__) is quantity
    return known and all(map(_written_here, definitions))


def _is_ours(part: Joint | Space) -> bool:
    """Whether a joint or space, and all that it is made of, is of a class of the package."""
    kind = type(part)
    named = getattr(joints, kind.__name__, None) if isinstance(part, Joint) else kind
    return (
        named is kind
        and all(_written_here(method) for method in _methods(kind))
        and all(map(_is_ours, _parts(part)))
        and not any(callable(value) for value in vars(part).values())
    )


def _parts(part: Joint | Space) -> Iterable[Joint | Space]:
    if isinstance(part, Joint):
        yield part.space
    for value in vars(part).values():
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, (Joint, Space)):
                yield item


def _methods(kind: type) -> Iterable[Any]:
    """The functions of a class and of those that it inherits from, as they are now."""
    for base in kind.__mro__[:-1]:
        for value in vars(base).values():
            yield from (getattr(value, name, None) for name in ("fget", "__func__"))
            yield value


def _written_here(thing: Any) -> bool:
    return not isinstance(thing, FunctionType) or _is_source(thing.__code__)


@cache
def _is_source(code: CodeType) -> bool:
    """Whether a file of the package holds this code."""
    return code.co_filename.startswith(PACKAGE + os.sep)  # dyn_core_extras is another's
