"""Whether what is about to be compiled is this package's alone, and as it was imported.

The code of the package is known by the digest of its source, so a short recipe (which robot, which
quantities) names what is compiled of it. Of a class of the user's only its name is known, which
stays when the class is edited, and a patched function has no name at all: code of such is named by
what was traced.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dyn_core.algorithms import QUANTITIES
from dyn_core.joints import Joint
from dyn_core.lie import Space
from dyn_core.model.model import Model
from dyn_core.quantities import Quantity, Request

TRACED = ("scalars", "spatial", "lie", "joints", "model", "editing", "quantities", "algorithms")
"""Packages whose code runs on symbols."""


def is_ours(model: Model, requests: Iterable[Request]) -> bool:
    """Whether all joints of the model and all quantities are the package's own, unchanged."""
    return (
        all(map(_request_is_ours, requests)) and all(map(_is_ours, model.joints)) and _unchanged()
    )


def _request_is_ours(request: Request) -> bool:
    options = (value for _, value in request.options)
    return QUANTITIES.get(request.quantity.__name__) is request.quantity and not any(
        isinstance(value, (Quantity, Request)) and not _request_is_ours(_as_request(value))
        for value in options
    )


def _as_request(value: Any) -> Request:
    return value if isinstance(value, Request) else value.request()


def _is_ours(part: Joint | Space) -> bool:
    """Whether a joint or space, and all that it is made of, is of a class of the package."""
    own = vars(part)
    return (
        type(part) in _CLASSES
        and all(map(_is_ours, _parts(part)))
        and not any(callable(value) for value in own.values())
        and not ("space" in own and hasattr(type(part), "space"))
    )


def _parts(part: Joint | Space) -> Iterator[Joint | Space]:
    if isinstance(part, Joint):
        yield part.space
    for value in vars(part).values():
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, (Joint, Space)):
                yield item


def _unchanged() -> bool:
    """Whether every function, class and constant that definitions may use is that imported."""
    return all(
        len(now) >= len(then) and all(now.get(name) is value for name, value in then.items())
        for now, then in _IMPORTED
    ) and not any(_overridden(kind, vars(kind).keys() - names) for kind, names in _CLASSES.items())


def _overridden(kind: type, added: Iterable[str]) -> bool:
    """Whether attributes that were added to a class take the place of inherited ones."""
    return any(hasattr(base, name) for name in added for base in kind.__mro__[1:])


def _modules() -> Iterator[Mapping[str, Any]]:
    for name, module in list(sys.modules.items()):
        if name.startswith(tuple(f"dyn_core.{package}" for package in TRACED)):
            yield vars(module)


_CLASSES = {
    thing: {*vars(thing)}
    for module in _modules()
    for thing in module.values()
    if isinstance(thing, type) and thing.__module__ == module["__name__"]
}
"""The classes of these packages, and what attributes each had: another may be patched in."""
_NAMESPACES: list[Mapping[str, Any]] = [
    *_modules(),
    *(vars(kind) for kind in _CLASSES),
    *(vars(quantity) for quantity in QUANTITIES.values()),
]
NEVER_TRACED = ("__builtins__", "__call__")
"""Definitions call other definitions, and nothing that is an object."""
_IMPORTED = [
    (now, {name: value for name, value in now.items() if name not in NEVER_TRACED})
    for now in _NAMESPACES
]
