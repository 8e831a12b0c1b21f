# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which pages may reach the view: its own, and no other that is open in a browser.

A browser lets any page connect to any address, also one of its own computer, and says in ``Origin``
whose page that is. A page whose name was made to point to this computer (DNS rebinding) has its own
name in ``Host``. viser checks neither.
"""

from __future__ import annotations

import socket
from http import HTTPStatus
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dyn_core.extras import optional

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
REFUSED_MESSAGE = (
    "Not a page of this view: open it as localhost, by an IP address or by the name of its host.\n"
)
_patching = Lock()


def is_allowed(host: str, origin: str | None, served: str = "") -> bool:
    """Whether a request comes from the view's own page.

    Args:
        host: the header ``Host``: by which name and port the server was reached.
        origin: the header ``Origin``: whose page asks; None where no browser does.
        served: the name on which the server listens.
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").lower()
        page = None if origin is None else urlsplit(origin)
    except ValueError:
        return False
    own = {*LOCAL_HOSTS, socket.gethostname().lower(), socket.getfqdn().lower(), served.lower()}
    if name not in own - {""} and not _is_address(name):
        return False
    return page is None or (page.scheme in ("http", "https") and page.netloc == host)


def serve_own_pages(host: str, port: int, label: str) -> Any:
    """A server of viser that refuses what :func:`is_allowed` does not let in.

    Args:
        host: the address to listen on.
        port: the first to try; the next free one is taken.
        label: the title of the page.

    Raises:
        MissingExtraError: viser is not installed.
        RuntimeError: this viser starts its server in another way than the ones that are known.
    """
    viser = optional("viser", "a live view", "view")
    server: Any = optional("websockets.asyncio.server", "a live view", "view")
    serve, guarded = server.serve, []

    def guard(*arguments: Any, process_request: Any = None, **named: Any) -> Any:
        def checked(connection: ServerConnection, request: Request) -> Response | None:
            hosts, origins = (request.headers.get_all(x) for x in ("Host", "Origin"))
            known = len(hosts) == 1 and len(origins) <= 1
            if not known or not is_allowed(hosts[0], next(iter(origins), None), host):
                return connection.respond(HTTPStatus.FORBIDDEN, REFUSED_MESSAGE)
            return None if process_request is None else process_request(connection, request)

        guarded.append(True)
        return serve(*arguments, process_request=checked, **named)

    with _patching:  # viser takes no check of ours, and calls this function as it begins
        server.serve = guard
        try:
            made = viser.ViserServer(host=host, port=port, label=label, verbose=False)
        finally:
            server.serve = serve
    if not guarded:
        made.stop()
        raise RuntimeError("this viser does not refuse other pages: install viser 1.1 to 1.1.1")
    return made


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
