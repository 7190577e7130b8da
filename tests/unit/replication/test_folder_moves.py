"""What is asked of moves between data folders: what begins, what is remembered, what is refused, what is called off."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.logs import ORDERS_0, read_all
from tests.support.moves import TwoFolders

from penstock.errors import KafkaStorageError, LogDirNotFound, Refusal, ReplicaNotAvailable, UnknownTopicOrPartition
from penstock.log import LogFolder
from penstock.log.health import Trouble
from penstock.model import TopicPartition
from penstock.replication import FolderMoves, Partition


class Kept:
    """As much of a broker's partitions as moves ask for."""

    def __init__(self) -> None:
        self.partition: Partition | None = None
        self.logs = SimpleNamespace(wanted_folders=dict[TopicPartition, LogFolder]())

    def get(self, topic: str, index: int) -> Partition | None:
        return self.partition if (topic, index) == (ORDERS_0.topic, ORDERS_0.partition) else None


class Broker:
    """With two folders, one log in the first, and a topic of two partitions."""

    def __init__(self, world: TwoFolders) -> None:
        self.world = world
        world.make_log(50)
        self.kept = Kept()
        self.kept.partition = world.partition()
        self.tasks: list[asyncio.Task[Any]] = []
        kept: Any = self.kept
        image: Any = SimpleNamespace(topics={"orders": SimpleNamespace(partitions=[None, None])})
        self.moves = FolderMoves(
            kept,
            image,
            folders=world.folders,
            flusher=world.flusher,
            config=world.broker_config,
            clock=world.clock,
            spawn=self._spawn,
        )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[Any]:
        self.tasks.append(asyncio.get_running_loop().create_task(work))
        return self.tasks[-1]

    def ask(self, folder: LogFolder, *, topic: str = "orders", index: int = 0) -> None:
        self.moves.request(topic, index, str(folder.path.absolute()))


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    world = TwoFolders(tmp_path)
    made = Broker(world)
    yield made
    await asyncio.gather(*made.tasks, return_exceptions=True)
    await world.close()


async def test_a_replica_moves_to_the_folder_that_is_asked_for(broker: Broker) -> None:
    before = read_all(broker.world.log)
    broker.ask(broker.world.b)
    assert broker.moves.of(ORDERS_0) is not None
    await asyncio.gather(*broker.tasks)
    assert broker.world.homes == ["b"] and read_all(broker.world.log) == before


async def test_asking_twice_for_the_same_folder_begins_one_move(broker: Broker) -> None:
    broker.ask(broker.world.b)
    broker.ask(broker.world.b)
    assert len(broker.tasks) == 1


async def test_asking_for_the_folder_that_it_is_in_calls_a_move_off(broker: Broker) -> None:
    broker.ask(broker.world.b)
    broker.ask(broker.world.a)
    await asyncio.gather(*broker.tasks, return_exceptions=True)
    assert broker.moves.of(ORDERS_0) is None and broker.world.homes == ["a"]
    assert ORDERS_0 not in broker.world.b.futures.logs


async def test_a_replica_that_is_in_its_folder_stays_there(broker: Broker) -> None:
    broker.ask(broker.world.a)
    assert not broker.tasks


async def test_a_folder_that_the_broker_does_not_have_is_refused(broker: Broker) -> None:
    with pytest.raises(LogDirNotFound):
        broker.moves.request("orders", 0, "/not/a/folder")


async def test_the_folder_of_a_replica_that_may_come_is_remembered(broker: Broker) -> None:
    with pytest.raises(ReplicaNotAvailable):
        broker.ask(broker.world.b, index=1)
    ((name, folder),) = broker.kept.logs.wanted_folders.items()
    assert (name.partition, folder) == (1, broker.world.b)


@pytest.mark.parametrize(("topic", "index"), [("orders", 2), ("bills", 0)])
async def test_of_a_partition_that_nobody_has_no_folder_is_remembered(broker: Broker, topic: str, index: int) -> None:
    with pytest.raises(UnknownTopicOrPartition):
        broker.ask(broker.world.b, topic=topic, index=index)
    assert not broker.kept.logs.wanted_folders


@pytest.mark.parametrize(
    ("trouble", "refusal"),
    [
        (Trouble("it could not be made", stops_reads=True, may_pass=False, is_unmade=True), ReplicaNotAvailable),
        (Trouble("it is damaged", stops_reads=True, may_pass=False), KafkaStorageError),
    ],
)
async def test_a_log_that_is_not_well_does_not_move(broker: Broker, trouble: Trouble, refusal: type[Refusal]) -> None:
    unwell: Any = SimpleNamespace(log=SimpleNamespace(trouble=trouble))
    broker.kept.partition = unwell
    with pytest.raises(refusal):
        broker.ask(broker.world.b)
    assert not broker.tasks and (ORDERS_0 in broker.kept.logs.wanted_folders) == trouble.is_unmade
