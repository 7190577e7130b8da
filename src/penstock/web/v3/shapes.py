"""What all answers of version 3 look like: a kind, where it is, and links to what belongs to it."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from litestar import Request

from penstock.client import AsyncClient, ClusterInfo
from penstock.web.problems import Problem

AnyRequest = Request[Any, Any, Any]
Answer = dict[str, Any]


class Shapes:
    """Answers of one request: their links begin where it was asked."""

    def __init__(self, request: AnyRequest) -> None:
        self._base = str(request.base_url).rstrip("/") + "/v3"
        self._here = str(request.url)

    def link(self, *path: object) -> Answer:
        return {"related": self._url(path)}

    def one(self, kind: str, path: Iterable[object], **members: Any) -> Answer:
        return {"kind": f"Kafka{kind}", "metadata": {"self": self._url(path)}, **members}

    def many(self, kind: str, items: Iterable[Answer]) -> Answer:
        metadata = {"self": self._here, "next": None}
        return {"kind": f"Kafka{kind}List", "metadata": metadata, "data": list(items)}

    def _url(self, path: Iterable[object]) -> str:
        return "/".join([self._base, *(quote(str(each), safe=":") for each in path)])


async def cluster_info(client: AsyncClient, cluster_id: str) -> ClusterInfo:
    """The cluster, if that is its id. Problem 404 if it is another one's."""
    info = await client.describe_cluster()
    if info.cluster_id != cluster_id:
        raise Problem(404, "unknown-cluster", f"This server stands in front of the cluster {info.cluster_id}")
    return info
