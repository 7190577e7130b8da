"""/docs: every path on one page, made here from the OpenAPI document. No script, and nothing from another host."""

from functools import cache
from html import escape
from typing import Any, Final

from litestar import Litestar, MediaType, Request, Response, Router, get

METHODS: Final = ("get", "post", "put", "patch", "delete")
PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
        "detail": {"type": "string"}, "error_code": {"type": "integer"}, "message": {"type": "string"},
        "kafka_error": {"type": "string"}, "kafka_error_code": {"type": "integer"},
    },
}  # fmt: skip
STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "code{font-size:.95em}summary{cursor:pointer}b{display:inline-block;width:4.5rem}td,th{padding:.1rem .8rem .1rem 0;"
    "text-align:left;vertical-align:top}"
)


def _row(method: str, path: str, operation: dict[str, Any]) -> str:
    parameters = "".join(
        f"<tr><td><code>{escape(each['name'])}</code></td><td>{escape(each['in'])}</td>"
        f"<td>{escape(each.get('description') or each['schema'].get('description') or '')}</td></tr>"
        for each in operation.get("parameters", ())
    )
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {}).get("$ref")
    name = escape(body.rpartition("/")[2]) if body else ""
    body = f"<p>Body: <code>{name}</code> in <a href='/openapi.json'>openapi.json</a></p>" if name else ""
    return (
        f"<details><summary><b>{method.upper()}</b> <code>{escape(path)}</code></summary>"
        f"<p>{escape(operation.get('description') or operation.get('summary') or '')}</p>"
        f"<table>{parameters}</table>{body}</details>"
    )


@cache
def _page(app: Litestar) -> str:
    found = _document(app)
    by_tag: dict[str, list[str]] = {}
    for path in sorted(found["paths"]):
        for method in METHODS:
            if operation := found["paths"][path].get(method):
                (tag, *_) = operation.get("tags") or ["Other"]
                by_tag.setdefault(tag, []).append(_row(method, path, operation))
    sections = "".join(f"<h2>{escape(tag)}</h2>{''.join(by_tag[tag])}" for tag in sorted(by_tag, reverse=True))
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Penstock REST</title><style>{STYLE}</style>"
        f"<h1>Penstock REST</h1><p>The same for programs: <a href='/openapi.json'>openapi.json</a> (OpenAPI 3.1).</p>"
        f"{sections}"
    )


@get("/docs", media_type=MediaType.HTML, include_in_schema=False, sync_to_thread=False)
def docs(request: Request[Any, Any, Any]) -> Response[str]:
    return Response(
        _page(request.app), media_type=MediaType.HTML,
        headers={"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"},
    )  # fmt: skip


@get("/openapi.json", include_in_schema=False, sync_to_thread=False)
def openapi(request: Request[Any, Any, Any]) -> dict[str, Any]:
    return _document(request.app)


@cache
def _document(app: Litestar) -> dict[str, Any]:
    """Of every operation it is said once that whatever else it answers is a problem document."""
    found: dict[str, Any] = app.openapi_schema.to_schema()
    found["components"]["schemas"]["Problem"] = PROBLEM
    problem = {"$ref": "#/components/schemas/Problem"}
    default = {"description": "A problem", "content": {"application/problem+json": {"schema": problem}}}
    for operations in found["paths"].values():
        for method in METHODS:
            if operation := operations.get(method):
                operation["responses"].pop("400", None)
                operation["responses"]["default"] = default
    return found


docs_page = Router("/", route_handlers=[docs, openapi])
