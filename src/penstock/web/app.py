"""The application: what all paths have in common, and the routers that make it up."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
from litestar import Litestar, Request, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig

from penstock import __version__
from penstock.client import AsyncClient
from penstock.web import problems
from penstock.web.broker_pages import broker_pages
from penstock.web.clients import Clients, Login
from penstock.web.cluster import Cluster
from penstock.web.docs_page import docs_page
from penstock.web.guard import Guard
from penstock.web.leases import Leases
from penstock.web.live import Streams
from penstock.web.options import WebOptions
from penstock.web.registry import registry_router
from penstock.web.v1 import v1
from penstock.web.v3 import v3


async def provide_login(request: Request[Any, Any, State], clients: Clients) -> AsyncIterator[Login]:
    """Whoever sent this request, with connections to the cluster."""
    async with clients.lent(clients.cluster.login(request.headers.get("authorization", ""))) as login:
        yield login


async def provide_client(login: Login) -> AsyncClient:
    """The cluster as whoever sent this request sees it: a handler takes a `client`."""
    return login.client


def create_app(options: WebOptions, cluster: Cluster, *, routers: Sequence[Router] = ()) -> Litestar:
    """`routers`: further faces. Their handlers take `client`, `clients` and `options` as these do."""
    clients = Clients(cluster, options)
    streams = Streams(options)
    leases = Leases(clients, options)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(clients.keep)
            tasks.start_soon(leases.keep)
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()
        await leases.close()
        await clients.close()

    passed_on = [broker_pages(options.broker_pages)] if options.broker_pages else []
    return Litestar(
        route_handlers=[v1, v3, docs_page, registry_router(), *passed_on, *routers],
        dependencies={
            "clients": Provide(lambda: clients, sync_to_thread=False, use_cache=True),
            "options": Provide(lambda: options, sync_to_thread=False, use_cache=True),
            "streams": Provide(lambda: streams, sync_to_thread=False, use_cache=True),
            "leases": Provide(lambda: leases, sync_to_thread=False, use_cache=True),
            "login": Provide(provide_login),
            "client": Provide(provide_client),
        },
        state=State({"streams": streams}),
        exception_handlers=problems.HANDLERS,
        middleware=[Guard(options).around],
        lifespan=[lifespan],
        request_max_body_size=options.body_bytes_max,
        openapi_config=OpenAPIConfig(title="Penstock", version=__version__, render_plugins=[]),
        debug=False,
        logging_config=None,
    )
