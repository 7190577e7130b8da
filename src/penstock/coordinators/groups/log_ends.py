"""Where partitions end, wherever they are led: here in place, elsewhere by asking their leaders, many in one request.

Only for those to whom a number that is a moment old, or missing now and then, does no harm.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from penstock.cluster import ClusterImage
from penstock.errors import Refusal
from penstock.model import BrokerId
from penstock.replication import Partitions, Peers
from penstock.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from penstock.wire.messages.list_offsets_response import ListOffsetsResponse

REQUEST_VERSION: Final = 8
TIMEOUT_S: Final = 5.0
AT_ONCE: Final = 2_000
"""Partitions that one request asks for."""
CONNECTION_NAME: Final = "ends"
CONSUMER: Final = -1
LATEST: Final = -1

Place = tuple[str, int]
"""Topic and partition."""


class LogEnds:
    def __init__(self, partitions: Partitions, image: ClusterImage, peers: Peers) -> None:
        self._partitions = partitions
        self._image = image
        self._peers = peers

    async def of(self, places: Iterable[Place]) -> dict[Place, int]:
        """The high watermark of each; of what cannot be told nothing is said."""
        ends: dict[Place, int] = {}
        elsewhere: dict[BrokerId, list[Place]] = {}
        for place in places:
            partition = self._partitions.readable(*place)
            if partition is not None:
                ends[place] = partition.high_watermark  # a follower's is nearly right, if its leader cannot be asked
            leader = self._leader_of(place)
            if leader >= 0 and (partition is None or not partition.is_leader):
                elsewhere.setdefault(leader, []).append(place)
        for told in await asyncio.gather(*(self._ask(leader, there) for leader, there in elsewhere.items())):
            ends |= told
        return ends

    def _leader_of(self, place: Place) -> BrokerId:
        topic = self._image.topics.get(place[0])
        if topic is None or not 0 <= place[1] < len(topic.partitions):
            return BrokerId(-1)
        return topic.partitions[place[1]].leader

    async def _ask(self, leader: BrokerId, places: list[Place]) -> dict[Place, int]:
        told: dict[Place, int] = {}
        for first in range(0, len(places), AT_ONCE):
            request = _request(places[first : first + AT_ONCE])
            try:
                response: ListOffsetsResponse = await self._peers.ask(
                    leader, request, version=REQUEST_VERSION, timeout_s=TIMEOUT_S, connection_name=CONNECTION_NAME
                )
            except Refusal:
                break  # away: the next round asks again
            told |= dict(_ends_in(response))
        return told


def _request(places: Sequence[Place]) -> ListOffsetsRequest:
    topics: dict[str, ListOffsetsTopic] = {}
    for topic, index in places:
        topics.setdefault(topic, ListOffsetsTopic(topic)).partitions.append(
            ListOffsetsPartition(partition_index=index, timestamp=LATEST)
        )
    return ListOffsetsRequest(replica_id=CONSUMER, topics=list(topics.values()))


def _ends_in(response: ListOffsetsResponse) -> Iterator[tuple[Place, int]]:
    for topic in response.topics:
        for part in topic.partitions:
            if not part.error_code:
                yield (topic.name, part.partition_index), part.offset
