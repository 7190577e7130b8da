"""Groups: what they committed, committing for one that has no members, and how far they are behind."""

from typing import Annotated

import msgspec
from litestar import Controller, get, post
from litestar.params import QueryParameter
from msgspec import Meta

from penstock.client import AsyncClient, CommittedOffset, place
from penstock.web.group_lag import PartitionLag, lags
from penstock.web.problems import Problem
from penstock.web.record_json import INT64_MAX


class GroupOffset(msgspec.Struct, forbid_unknown_fields=True):
    topic: str
    partition: Annotated[int, Meta(ge=0, le=0x7FFFFFFF)]
    offset: Annotated[int, Meta(ge=0, le=INT64_MAX)]
    metadata: Annotated[str, Meta(max_length=4096)] = ""


class GroupOffsets(msgspec.Struct, forbid_unknown_fields=True):
    offsets: Annotated[list[GroupOffset], Meta(min_length=1, max_length=1000)]


class CommittedOffsets(msgspec.Struct):
    group: str
    offsets: list[GroupOffset]


class Lag(msgspec.Struct):
    group: str
    total: int
    partitions: list[PartitionLag]


class Groups(Controller):
    path = "/groups/{group:str}"

    @get("/offsets")
    async def get_offsets(self, client: AsyncClient, group: str) -> CommittedOffsets:
        """What the group has committed."""
        found = (await client.committed_offsets(group)).all()
        return CommittedOffsets(
            group,
            [GroupOffset(at.topic, at.partition, each.offset, each.metadata) for at, each in sorted(found.items())],
        )

    @post("/offsets", status_code=200)
    async def commit_offsets(self, client: AsyncClient, group: str, data: GroupOffsets) -> CommittedOffsets:
        """Commit for a group that has no members now: one that has commits by itself, and refuses others (409)."""
        wanted = {place(each.topic, each.partition): CommittedOffset(each.offset, metadata=each.metadata)
                  for each in data.offsets}  # fmt: skip
        if len(wanted) < len(data.offsets):
            raise Problem(400, "said-twice", "A partition is named twice")
        (await client.commit_offsets(group, wanted)).all()
        return CommittedOffsets(group, data.offsets)

    @get("/lag")
    async def get_lag(
        self, client: AsyncClient, group: str,
        topic: Annotated[list[str] | None, QueryParameter(description="All partitions of these topics")] = None,
    ) -> Lag:  # fmt: skip
        """How many records the group has yet to read."""
        found = await lags(client, group, topic)
        return Lag(group, sum(each.lag for each in found), found)
