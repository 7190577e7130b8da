"""/health, /ready and /metrics of the broker beside this process, passed on as they are."""

from typing import Any, Final

import httpx
from litestar import MediaType, Request, Response, Router, get

from penstock.web.problems import Problem

PATHS: Final = ("/health", "/ready", "/metrics")
TIMEOUT_S: Final = 10.0
PASSED_ON: Final = ("accept", "accept-encoding")


def broker_pages(base: str) -> Router:
    """`base`: http://HOST:PORT, whose pages these are."""

    @get(list(PATHS), media_type=MediaType.TEXT, include_in_schema=False)
    async def page(request: Request[Any, Any, Any]) -> Response[bytes]:
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        url = f"{base.rstrip('/')}{request.url.path}"
        try:
            async with httpx.AsyncClient(trust_env=False, timeout=TIMEOUT_S) as http:
                found = await http.get(url, params=request.url.query, headers=headers)
        except httpx.HTTPError as error:
            raise Problem(502, "broker-silent", f"{url} does not answer: {error}") from error
        return Response(
            found.content, status_code=found.status_code, media_type=found.headers.get("content-type", "text/plain")
        )

    return Router("/", route_handlers=[page])
