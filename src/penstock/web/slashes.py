"""Slashes within one segment of a path: names of groups and ids of their members may have them, sent as %2F.

ASGI's path is decoded as a whole, so routing would take such a slash for the end of the segment. It travels as a
character that no name has, and is put back in what handlers are given.
"""

from typing import Any, Final
from urllib.parse import unquote

from litestar.types import ASGIApp, Receive, Scope, Send

STAND_IN: Final = "\uf8f0"


def kept(app: ASGIApp) -> ASGIApp:
    async def keep(scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path")
        if isinstance(raw, bytes) and b"%2f" in raw.lower():
            path = raw.partition(b"?")[0].decode("latin-1")
            scope["path"] = "/".join(unquote(each).replace("/", STAND_IN) for each in path.split("/"))
        await app(scope, receive, send)

    return keep


def put_back(params: dict[str, Any]) -> None:
    for name, value in params.items():
        if isinstance(value, str):
            params[name] = value.replace(STAND_IN, "/")
