"""The cluster that a request of version 3 is about, and what all answers look like: a kind, a place, and links."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from litestar import Request

from penstock.client import AsyncClient
from penstock.web.problems import Problem

Answer = dict[str, Any]
AnyRequest = Request[Any, Any, Any]


class Here:
    def __init__(self, request: AnyRequest, client: AsyncClient, cluster_id: str) -> None:
        self.client = client
        self.cluster_id = cluster_id
        self._base = f"{str(request.base_url).rstrip('/')}/v3/clusters/{quote(cluster_id, safe='')}"
        self._asked = str(request.url)

    def url(self, *path: object) -> str:
        return "/".join([self._base, *(quote(str(each), safe="") for each in path)])

    def link(self, *path: object) -> Answer:
        return {"related": self.url(*path)}

    def one(self, kind: str, path: Iterable[object], **members: Any) -> Answer:
        """A resource at this path below the cluster."""
        metadata = {"self": self.url(*path)}
        return {"kind": f"Kafka{kind}", "metadata": metadata, "cluster_id": self.cluster_id, **members}

    def many(self, kind: str, items: Iterable[Answer]) -> Answer:
        return {"kind": f"Kafka{kind}List", "metadata": {"self": self._asked, "next": None}, "data": list(items)}


async def provide_here(request: AnyRequest, client: AsyncClient) -> Here:
    """Problem 404 where the path names another cluster. A path that names none is about the only one there is."""
    metadata = client.core.metadata
    asked = request.path_params.get("cluster_id")
    if metadata.cluster_id is None or asked != metadata.cluster_id:
        known = (await client.describe_cluster()).cluster_id
        if asked not in (None, known):
            raise Problem(404, "unknown-cluster", f"This server stands in front of the cluster {known}")
        return Here(request, client, known)
    return Here(request, client, metadata.cluster_id)
