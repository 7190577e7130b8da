"""What a simulated machine keeps of its logs, and how a process there comes by them: in one of two ways.

- `ModelMachine` has the model (disk.py): batches in memory, which is fast.
- `FileMachine` (file_machine.py) has the real data folder, logs, flusher and housekeeping, on a simulated disk.

Whoever looks at a log from outside, the oracle above all, looks at a `View`, and need not know which it is.
"""

import asyncio
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from penstock.cluster import ClusterImage, LogReport, PartitionRef, TopicImage
from penstock.log import AbortedTransaction
from penstock.model import BrokerId, TopicId, TopicPartition
from penstock.replication.log_port import FlusherPort, LogFolderPort, LogPort
from penstock.settings import TopicConfig
from simulation.disk import Disk, SimulatedFlusher, SimulatedFolder, SimulatedLog, Stored

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess
    from simulation.world import World


class View(Protocol):
    """A log as it is."""

    @property
    def begins(self) -> int:
        """The offset of the first batch that is there; where the first one will be, in a log without any."""

    @property
    def batches(self) -> list[Stored]: ...

    @property
    def ends(self) -> list[int]: ...


class Held(Protocol):
    """What outlives a process of a log. After a loss of power it is what was there before, until somebody looks."""

    @property
    def topic_id(self) -> TopicId: ...

    @property
    def begins(self) -> int: ...

    @property
    def batches(self) -> list[Stored]: ...

    @property
    def is_flush_noted(self) -> bool:
        """For good: a loss of power does not take it back."""

    @property
    def is_damaged(self) -> bool: ...


class Opened(NamedTuple):
    logs: Mapping[TopicPartition, LogPort]
    report: LogReport


class KeptLogs(ABC):
    """The logs of one process."""

    folder: LogFolderPort
    flusher: FlusherPort

    @abstractmethod
    def open(self, image: ClusterImage, config_of: Callable[[TopicImage], TopicConfig]) -> Opened: ...

    @abstractmethod
    async def keep_house(self) -> None:
        """Until cancelled."""

    @abstractmethod
    def view(self, log: LogPort) -> View: ...

    @abstractmethod
    def aborted(self, log: LogPort, start: int, before: int) -> list[AbortedTransaction]:
        """Transactions that a reader of committed records has to skip between two offsets."""

    @abstractmethod
    def damage(self, log: LogPort) -> None:
        """It cannot be read any more, by this process or the next."""


class Machine(ABC):
    """What outlives every process on it."""

    fails_next = False
    """The next write or fsync of a log's file; a model has none."""

    @property
    @abstractmethod
    def held(self) -> Mapping[TopicPartition, Held]: ...

    @abstractmethod
    def begin(self, process: "BrokerProcess") -> KeptLogs: ...

    @abstractmethod
    def killed(self) -> None:
        """The process is gone; what it wrote is in the page cache."""

    @abstractmethod
    def stopped(self, broker_epoch: int) -> None:
        """The process has closed its logs as a clean stop does. After that it is killed."""

    @abstractmethod
    def lose_power(self) -> int:
        """How many batches were lost, as far as that is known before somebody looks."""

    @abstractmethod
    def take(self, at: TopicPartition) -> None:
        """Somebody removes a log, while no process runs."""


def stored_between(view: View, offset: int, *, before: int) -> list[Stored]:
    batches, ends = view.batches, view.ends
    found = batches[bisect_right(ends, offset) : bisect_left(ends, before) + 1]
    return [stored for stored in found if stored.header.next_offset <= before]


# The model ----------------------------------------------------------------------------------------------------------


class ModelMachine(Machine):
    def __init__(self, world: "World", broker_id: BrokerId) -> None:
        self._world = world
        self._id = broker_id
        self._held: dict[TopicPartition, Disk] = {}

    @property
    def held(self) -> Mapping[TopicPartition, Disk]:
        return self._held

    def begin(self, process: "BrokerProcess") -> "ModelLogs":
        return ModelLogs(process, self._held)

    def killed(self) -> None:
        """It is all in `held`."""

    def stopped(self, broker_epoch: int) -> None:
        """No model of a log says how it was stopped."""

    def lose_power(self) -> int:
        return sum(disk.lose_power(self._world.dice) for disk in self._held.values())

    def take(self, at: TopicPartition) -> None:
        del self._held[at]


class ModelLogs(KeptLogs):
    def __init__(self, process: "BrokerProcess", disks: dict[TopicPartition, Disk]) -> None:
        self._process = process
        self._disks = disks
        world = self._world = process.world
        self._folder = SimulatedFolder(disks, process.clock, is_full=lambda: process.broker.is_full)
        self._folder.on_set_aside = process.set_aside
        self._folder.on_cut, self._folder.on_gap = process.was_cut, world.appended_with_a_gap
        # Cast, here and below: a model has what replication asks of a log in this world, which is not the whole port.
        self.folder = cast(LogFolderPort, cast(Any, self._folder))
        self.flusher = SimulatedFlusher(world.dice)
        self.logs: dict[TopicPartition, SimulatedLog] = {}

    def open(self, image: ClusterImage, config_of: Callable[[TopicImage], TopicConfig]) -> Opened:
        for at, disk in list(self._disks.items()):
            topic = image.topics.get(at.topic)
            is_known = topic is not None and (
                disk.topic_id == topic.topic_id or self._world.bugs.opens_logs_of_former_topics
            )
            if topic is not None and is_known:
                self.logs[at] = self._folder.create(at, topic.topic_id, config_of(topic))
            else:
                del self._disks[at]  # set aside (RULES 15)
                self._world.marks["log of a deleted topic set aside"] += 1
        flushed = frozenset(which(log) for log in self.logs.values() if log.is_flush_noted)
        held = frozenset(which(log) for log in self.logs.values())
        return Opened(
            cast(Mapping[TopicPartition, LogPort], cast(Any, self.logs)), LogReport(flushed=flushed, held=held)
        )

    async def keep_house(self) -> None:
        dice = self._world.dice
        while True:
            await asyncio.sleep(0.5 + 4 * dice.random())
            for log in self._folder:
                if dice.random() < 0.5:
                    log.mark_flushed(log.end_offset)
                log.checkpoint()
                log.health.try_again()

    def view(self, log: LogPort) -> SimulatedLog:
        return _modelled(log)

    def aborted(self, log: LogPort, start: int, before: int) -> list[AbortedTransaction]:
        return _modelled(log).aborted

    def damage(self, log: LogPort) -> None:
        _modelled(log).damage()


def _modelled(log: LogPort) -> SimulatedLog:
    return cast(SimulatedLog, cast(Any, log))  # as above: whoever keeps models is handed no other logs


def which(log: SimulatedLog) -> PartitionRef:
    return PartitionRef(log.topic_id, log.partition.partition)
