"""What stands in front of every path: whose pages may ask, by which name, and whether anything may be written."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from penstock.web.options import WebOptions
from penstock.web.problems import CHALLENGE, MEDIA_TYPE, Problem, of_problem
from penstock.web.slashes import put_back

READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
READS_BY_POST: Final = "read_by_post"
"""A handler's `opt` of this name: it is a POST and writes nothing."""
_JSON: Final = re.compile(r"application/([\w.+-]+\+)?json(\s*;.*)?", re.IGNORECASE)
_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def host_of(authority: str) -> str:
    """The name in a Host header or an origin, without its port."""
    try:
        return (urlsplit(f"//{authority}").hostname or "").lower()
    except ValueError:
        return ""


async def deny(send: Any, found: Mapping[str, Any]) -> None:
    """Answer to a WebSocket that is not opened: an HTTP answer like any other."""
    headers = [(b"content-type", MEDIA_TYPE.encode())]
    if found["status"] == 401:
        headers += [(name.encode(), value.encode()) for name, value in CHALLENGE.items()]
    await send({"type": "websocket.http.response.start", "status": found["status"], "headers": headers})
    await send({"type": "websocket.http.response.body", "body": msgspec.json.encode(found)})


class Guard:
    """A browser lets every page send requests to this machine, with the login that it remembers. So what comes from a
    page is taken only if it is a page of ours, and only under a name that is ours (DNS rebinding).
    """

    def __init__(self, options: WebOptions) -> None:
        self._hosts = _HERE | {each.lower() for each in options.hosts}
        self._is_read_only = options.read_only

    def check(self, method: str, headers: Mapping[str, str], *, reads: bool) -> None:
        host = headers.get("host", "")
        if "*" not in self._hosts and host_of(host) not in self._hosts:
            raise Problem(
                421, "unknown-host", f"This is not {host_of(host) or 'a host without a name'} (--allow-host names it)"
            )
        origin = headers.get("origin")
        if origin is not None and (origin == "null" or urlsplit(origin).netloc.lower() != host.lower()):
            raise Problem(403, "foreign-page", f"A page of {origin} may not ask this server")
        has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        if has_body and not _JSON.fullmatch(headers.get("content-type", "")):
            raise Problem(415, "not-json", "A body is application/json here")
        if self._is_read_only and method not in READS and not reads:
            raise Problem(403, "read-only", "This server was started with --read-only")

    def around(self, app: ASGIApp) -> ASGIApp:
        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            put_back(scope["path_params"])
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            reads = READS_BY_POST in scope["route_handler"].opt
            try:
                self.check(str(scope.get("method", "GET")), headers, reads=reads)
            except Problem as problem:
                if scope["type"] != ScopeType.WEBSOCKET:
                    raise
                await deny(send, of_problem(problem))
                return
            await app(scope, receive, send)

        return guarded
