"""Confluent's REST API, version 3: the paths and shapes that its clients know."""

from litestar import Router

from penstock.web.v3.clusters import Clusters

v3 = Router("/v3", route_handlers=[Clusters], tags=["Confluent v3"])
