"""The schema registry under /registry, as clients of Confluent's expect it. What a path means is `penstock.registry`'s.

Subjects may have slashes in their names, as %2F: so the path is taken apart here, before it is decoded.
"""

from typing import Any, Final
from urllib.parse import unquote

import msgspec
from litestar import HttpMethod, Request, Response, Router, route

from penstock.client import AsyncClient
from penstock.registry import Asked, Raw, Registry, RegistryRefusal, Writes, plan
from penstock.web.guard import READS_BY_POST
from penstock.web.options import WebOptions
from penstock.web.problems import Problem

PATH: Final = "/registry"
MEDIA_TYPE: Final = "application/vnd.schemaregistry.v1+json"
_METHODS: Final = [HttpMethod.GET, HttpMethod.POST, HttpMethod.PUT, HttpMethod.DELETE]


def registry_router() -> Router:
    registry = Registry()

    # Whether it writes is known when the path is understood; a page of another site cannot send JSON unasked.
    @route([PATH, f"{PATH}/{{_path:path}}"], http_method=_METHODS, opt={READS_BY_POST: True}, include_in_schema=False)
    async def serve(request: Request[Any, Any, Any], client: AsyncClient, options: WebOptions) -> Response[bytes]:
        body = await request.body()
        try:
            planned = plan(Asked(request.method, _path(request), dict(request.query_params), body))
            if options.read_only and isinstance(planned, Writes):
                raise Problem(403, "read-only", "This server was started with --read-only")
            answer = await registry.carry_out(client, planned)
        except RegistryRefusal as refused:
            document = {"error_code": refused.code, "message": refused.message}
            return _answered(request, msgspec.json.encode(document), status=refused.status)
        return _answered(request, answer.text.encode() if isinstance(answer, Raw) else msgspec.json.encode(answer))

    return Router("/", route_handlers=[serve])


def _path(request: Request[Any, Any, Any]) -> list[str]:
    raw = request.scope["raw_path"].decode("latin-1").partition(PATH)[2].partition("?")[0]
    return [unquote(each) for each in raw.split("/")]


def _answered(request: Request[Any, Any, Any], body: bytes, *, status: int = 200) -> Response[bytes]:
    accepts = request.headers.get("accept", "")
    kind = "application/json" if "application/json" in accepts or "text/html" in accepts else MEDIA_TYPE
    return Response(body, status_code=status, media_type=kind)
