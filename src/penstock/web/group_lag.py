"""How far a group is behind: what it committed, beside where the partitions end."""

import msgspec

from penstock.client import AsyncClient, place


class PartitionLag(msgspec.Struct):
    topic: str
    partition: int
    committed: int | None
    """null: nothing is committed, and the lag counts from the partition's begin."""
    end: int
    lag: int


async def lags(client: AsyncClient, group: str, topics: list[str] | None = None) -> list[PartitionLag]:
    """Of every partition that it has committed for, or of all partitions of these topics."""
    committed = (await client.committed_offsets(group)).done
    wanted = set(committed)
    if topics is not None:
        infos = (await client.describe_topics(topics)).all()
        wanted = {place(name, index) for name, info in infos.items() for index in info.partitions}
    ranges = await client.offset_ranges(sorted(wanted), patiently=False)
    found = []
    for where, held in sorted(ranges.done.items()):
        known = committed.get(where)
        begin = held.begin if known is None else known.offset
        found.append(
            PartitionLag(
                where.topic,
                where.partition,
                None if known is None else known.offset,
                held.end,
                max(held.end - begin, 0),
            )
        )
    return found
