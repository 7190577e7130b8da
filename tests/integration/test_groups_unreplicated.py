"""While the high watermark stands still a group's members are told so in time, and go on where they were afterwards."""

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.nodes import some_nodes
from tests.support.raw import RawClient

from penstock.log import flushing

NOT_AVAILABLE, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS = 15, 25, 27

SETTINGS = {
    "penstock.flush.before.ack": "true",
    "offsets.commit.timeout.ms": "300",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
}


class Disk:
    """One that may take its time, with which the high watermark stands still."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()
        self.goes_on.set()

    def sync(self, fd: int) -> None:
        assert self.goes_on.wait(60)
        os.fdatasync(fd)


class Member:
    def __init__(self, client: RawClient, group: str = "readers") -> None:
        self._client = client
        self._group = group
        self.id = ""

    def join(self) -> dict[str, Any]:
        answer = self._client.request(
            "JoinGroup",
            3,
            {
                "group_id": self._group,
                "session_timeout_ms": 60_000,
                "rebalance_timeout_ms": 60_000,
                "member_id": self.id,
                "protocol_type": "consumer",
                "protocols": [{"name": "range", "metadata": b""}],
            },
        )
        self.id = answer["member_id"] or self.id
        return answer

    def sync(self, generation: int) -> dict[str, Any]:
        return self._client.request(
            "SyncGroup",
            2,
            {
                "group_id": self._group,
                "generation_id": generation,
                "member_id": self.id,
                "assignments": [{"member_id": self.id, "assignment": b"mine"}],
            },
        )


def join_until_there_is_a_generation(member: Member) -> int:
    while (answer := member.join())["error_code"]:
        assert answer["error_code"] in (14, NOT_AVAILABLE, 16, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS), answer
        if answer["error_code"] == UNKNOWN_MEMBER_ID:
            member.id = ""
    return int(answer["generation_id"])


def join_until_it_has_its_share(member: Member) -> None:
    """The machine's own disk may take longer than a commit may, too: then the member is told so, and joins again."""
    while (answer := member.sync(join_until_there_is_a_generation(member)))["error_code"]:
        assert answer["error_code"] == NOT_AVAILABLE, answer
    assert answer == {"throttle_time_ms": 0, "error_code": 0, "assignment": b"mine"}


def work(port: int, disk: Disk) -> None:
    with RawClient(port) as client:
        while client.request("FindCoordinator", 4, {"key_type": 0, "coordinator_keys": ["readers"]})["coordinators"][0][
            "error_code"
        ]:
            pass
        member = Member(client)
        join_until_it_has_its_share(member)

        generation = join_until_there_is_a_generation(member)
        disk.goes_on.clear()
        assert member.sync(generation)["error_code"] == NOT_AVAILABLE
        assert Member(client, "others").join()["error_code"] == NOT_AVAILABLE
        disk.goes_on.set()

        join_until_it_has_its_share(member)


async def test_joins_and_syncs_are_answered_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk()
    monkeypatch.setattr(flushing, "sync_data", disk.sync)
    async with some_nodes(tmp_path, 1, SETTINGS) as nodes:
        try:
            await asyncio.to_thread(work, nodes[1].endpoints["PLAINTEXT"].port, disk)
        finally:
            disk.goes_on.set()
