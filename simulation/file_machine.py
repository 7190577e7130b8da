"""A simulated machine with the real data folder on a simulated disk: real logs, flusher, housekeeping and recovery.

A killed process leaves its files to the next one, and its descriptors to nobody: what is left of it here may use them
when the world ends, so they stay taken until then. A loss of power leaves one of the images that the disk may have
(storage.py). What is in a log is read from its files, by nobody's code but this.
"""

import errno
import os
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock
from uuid import UUID

from penstock.broker.incomplete_logs import IncompleteLogs
from penstock.cluster import ClusterImage, TopicImage
from penstock.log import (
    AbortedTransaction,
    ExpectedLog,
    FilePool,
    Flusher,
    LogFolder,
    LogHousekeeping,
    PartitionLog,
)
from penstock.log.folders import names
from penstock.log.folders.names import parse_folder_name
from penstock.log.notes import FLUSHED_NOTE
from penstock.model import BrokerId, TopicId, TopicPartition
from penstock.replication.log_port import LogPort, on_disk
from penstock.settings import TopicConfig
from penstock.wire.batch import BatchHeader
from simulation.disk import Place, Stored
from simulation.keeping import KeptLogs, Machine, Opened
from simulation.storage import Disk, Folder
from simulation.system_calls import Interposer, disk_space, interposed

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess
    from simulation.world import World

TAKES_ROOM = ("open", "write", "allocate", "mkdir")


class FileView:
    """A log's batches, as its files have them."""

    def __init__(self, log: PartitionLog, on_gap: Callable[[str], None]) -> None:
        self._log = log
        self._on_gap = on_gap
        self.topic_id = log.topic_id
        self._batches: list[Stored] = []
        self._ends: list[int] = []
        self._cuts = log.cuts
        self._segment = -1
        self._position = 0
        self._is_over = False
        self._begins = log.end_offset

    @property
    def begins(self) -> int:
        self._follow()
        return self._batches[0].header.base_offset if self._batches else self._begins

    @property
    def batches(self) -> list[Stored]:
        self._follow()
        return self._batches

    @property
    def ends(self) -> list[int]:
        self._follow()
        return self._ends

    @property
    def is_damaged(self) -> bool:
        trouble = self._log.trouble
        return trouble is not None and trouble.stops_reads

    def end(self) -> None:
        """Whoever had the log is gone, or the log is: it stays as it was."""
        self._follow()
        self._is_over = True

    def _follow(self) -> None:
        log = self._log
        if self._is_over:
            return
        is_behind = bool(self._ends) and self._ends[-1] < log.segments[0].base_offset
        if log.cuts != self._cuts or is_behind:
            self._cuts, self._segment = log.cuts, -1
            self._batches.clear()
            self._ends.clear()
        self._begins = log.end_offset
        if self._ends and self._ends[-1] >= log.end_offset:
            return
        for segment in log.segments:
            if segment.base_offset < self._segment or not segment.size:
                continue
            if segment.base_offset > self._segment:
                self._segment, self._position = segment.base_offset, 0
            if self._position < segment.size:
                self._read(segment.file.path, segment.size)

    def _read(self, path: str, size: int) -> None:
        with open(path, "rb") as file:
            file.seek(self._position)
            data = file.read(size - self._position)
        at = 0
        while at < len(data):
            header = BatchHeader.peek(data, at)
            expected = self._ends[-1] if self._ends else self._log.segments[0].base_offset
            if header.base_offset != expected:
                self._on_gap(f"{self._log.partition}: a batch at {header.base_offset}, the log ended at {expected}")
            self._batches.append(Stored(header, data[at : at + header.size]))
            self._ends.append(header.next_offset)
            at += header.size
        self._position = size


class HeldFiles:
    """As the machine has it, whatever process looks at it."""

    def __init__(self, view: FileView, folder: str, disk: Disk) -> None:
        self._view = view
        self._folder = folder
        self._disk = disk
        self.topic_id = view.topic_id

    @property
    def begins(self) -> int:
        return self._view.begins

    @property
    def batches(self) -> list[Stored]:
        return self._view.batches

    @property
    def is_damaged(self) -> bool:
        return self._view.is_damaged

    @property
    def is_flush_noted(self) -> bool:
        data = self._disk.root.durable.get("data")
        folder = data.durable.get(self._folder) if isinstance(data, Folder) else None
        return isinstance(folder, Folder) and FLUSHED_NOTE in folder.durable


class FileMachines:
    """All of a world's machines that have files."""

    def __init__(self, calls: Interposer, space: Path) -> None:
        self.calls = calls
        self._space = space
        self._made = 0

    def new_folder(self) -> Path:
        self._made += 1
        path = self._space / f"disk-{self._made}"
        path.mkdir()
        return path


@contextmanager
def file_machines(dice: random.Random) -> Iterator[FileMachines]:
    with ExitStack() as stack:
        space = stack.enter_context(disk_space())
        calls = stack.enter_context(interposed())
        stack.callback(calls.let_go)
        # The order of names in a folder is of the story.
        stack.enter_context(mock.patch.object(names, "uuid4", lambda: UUID(int=dice.getrandbits(128))))
        yield FileMachines(calls, space)


class FileMachine(Machine):
    def __init__(self, world: "World", broker_id: BrokerId, machines: FileMachines) -> None:
        self._world = world
        self._id = broker_id
        self._machines = machines
        self._disk = Disk(machines.new_folder())
        self._held: dict[TopicPartition, HeldFiles] = {}
        self._logs: FileLogs | None = None
        self.has_lost_power = False

    @property
    def held(self) -> Mapping[TopicPartition, HeldFiles]:
        if self._logs is not None and self._logs.is_open:
            views = self._logs.views()
            self._held = {at: HeldFiles(view, str(at), self._disk) for at, view in views.items()}
        return self._held

    def begin(self, process: "BrokerProcess") -> "FileLogs":
        self._disk.before_change = lambda call, path: self._before_change(process, call, path)
        self._machines.calls.attach(self._disk)
        self._logs = FileLogs(process, self, self._disk.path / "data")
        return self._logs

    def _before_change(self, process: "BrokerProcess", call: str, path: str) -> None:
        if process.broker.is_full and call in TAKES_ROOM:
            raise OSError(errno.ENOSPC, "no space left on device", path)
        if self.fails_next and call in ("write", "sync") and path.endswith(".log"):
            at = parse_folder_name(Path(path).parent.name)
            if at is not None and self._world.may_fail(process, at):
                self.fails_next = False
                raise OSError(errno.EIO, "input/output error", path)

    def killed(self) -> None:
        logs, self._logs = self._logs, None
        if logs is not None:
            if logs.is_open:
                self._held = {at: HeldFiles(view, str(at), self._disk) for at, view in logs.views().items()}
                for held in self._held.values():
                    held._view.end()
            self._machines.calls.abandon(self._disk)

    def stopped(self, broker_epoch: int) -> None:
        if self._logs is not None and self._logs.is_open:
            self._logs.close(broker_epoch)

    def lose_power(self) -> int:
        self.has_lost_power = True
        image = self._machines.new_folder()
        self._disk.crash_image(self._world.dice, image)
        self._disk = Disk(image)
        return 0

    def take(self, at: TopicPartition) -> None:
        del self._held[at]
        self._disk.before_change = lambda _call, _path: None
        calls = self._machines.calls
        calls.attach(self._disk)
        data = self._disk.path / "data"
        if (data / str(at)).exists():  # a loss of power may have taken it already, and no start has looked since
            shutil.rmtree(data / str(at))
        descriptor = os.open(data, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        calls.abandon(self._disk)

    def found(self, views: Mapping[TopicPartition, FileView]) -> None:
        """By a start, which has opened all logs. A killed process loses nothing."""
        for at, held in self._held.items():
            view = views.get(at)
            if view is None or view.topic_id != held.topic_id or view.is_damaged or held.is_damaged:
                continue
            if view.begins > self._world.oracle.deleted_to(Place(view.topic_id, at)):
                self._world.violated(f"{at}: was found from {view.begins} on, and less was deleted")
            before = [stored for stored in held.batches if stored.header.base_offset >= view.begins]
            if self.has_lost_power:
                self._world.marks["unflushed batches lost"] += max(0, len(before) - len(view.batches))
            elif [stored.data for stored in view.batches] != [stored.data for stored in before]:
                self._world.violated(
                    f"{at}: a killed process left {len(before)} batches, and {len(view.batches)} were found"
                )
        self.has_lost_power = False


class SeenFolder(LogFolder):
    """Tells of what becomes of its logs."""

    seen_by: "FileLogs"

    def delete(self, partition: TopicPartition) -> None:
        self.seen_by.view(self.logs[partition]).end()
        super().delete(partition)

    def set_aside(self, partition: TopicPartition) -> None:
        self.seen_by.view(self.logs[partition]).end()
        super().set_aside(partition)
        self.seen_by.process.set_aside(partition)


class FileLogs(KeptLogs):
    def __init__(self, process: "BrokerProcess", machine: FileMachine, path: Path) -> None:
        self.process = process
        self._machine = machine
        self.is_open = False
        folder = SeenFolder(path, cluster_id="c", node_id=process.id, pool=FilePool(24), clock=process.clock)
        folder.seen_by = self
        self.folder: SeenFolder = folder
        self.flusher: Flusher = Flusher()
        self._views: dict[PartitionLog, FileView] = {}

    def open(self, image: ClusterImage, config_of: Callable[[TopicImage], TopicConfig]) -> Opened:
        me, world = self.process.id, self.process.world

        def expected(at: TopicPartition, topic_id: TopicId) -> ExpectedLog | None:
            topic = image.topics.get(at.topic)
            is_its_own = topic is not None and (topic_id == topic.topic_id or world.bugs.opens_logs_of_former_topics)
            if topic is None or not is_its_own or me not in topic.partitions[at.partition].replicas:
                world.marks["log of a deleted topic set aside"] += not is_its_own
                return None
            return ExpectedLog(config_of(topic), topic.topic_id)

        logs = self.folder.open_all(expected)
        self.is_open = True
        self._machine.found(self.views())
        found = IncompleteLogs([self.folder], image, me, is_folder_gone=False)
        return Opened(dict(logs), found.report)

    def views(self) -> dict[TopicPartition, FileView]:
        return {at: self.view(log) for at, log in self.folder.logs.items()}

    async def keep_house(self) -> None:
        await LogHousekeeping(self.folder, self.flusher, self.process.config, self.process.clock).run()

    def close(self, broker_epoch: int) -> None:
        if any(self.flusher.is_busy(log) for log in self.folder.logs.values()):
            return  # a node waits for its threads first: here it was killed over it
        for view in self.views().values():
            view.end()
        self.folder.close(broker_epoch=broker_epoch)

    def view(self, log: LogPort) -> FileView:
        real = on_disk(log)
        view = self._views.get(real)
        if view is None:
            view = self._views[real] = FileView(real, self.process.world.appended_with_a_gap)
        return view

    def aborted(self, log: LogPort, start: int, before: int) -> list[AbortedTransaction]:
        return on_disk(log).aborts.between(start, before)

    def damage(self, log: LogPort) -> None:
        log.health.take_offline("damaged", stops_reads=True)
