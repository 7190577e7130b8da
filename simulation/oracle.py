"""What must always hold of a simulated cluster, looked at whenever a replica's role or high watermark changes.

The oracle knows what nobody in the world does: every batch that any leader ever committed, which is what lies below its
high watermark. From then on that batch is at its offset in every replica that claims to be so far, and in every leader
of a later epoch; no producer's batch is there twice; whatever a client was told was written is among them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from penstock.cluster import ClusterImage, PartitionImage, TopicImage
from penstock.model import BrokerId, TopicPartition
from penstock.replication import Partition
from penstock.replication.machine import Leader
from penstock.wire.batch import CRC_FROM
from simulation.disk import Place, Stored
from simulation.keeping import Held

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess


class Violation(AssertionError):
    """An invariant does not hold."""


class Committed:
    """A partition's history, as far as it is certain."""

    def __init__(self) -> None:
        self.batches: list[Stored] = []
        self.ends: list[int] = []
        self.epochs: list[int] = []
        """The leader epoch in which each was committed."""
        self.payloads: dict[bytes, int] = {}
        """Of producers' batches, and where each ends."""
        self.deleted_to = 0
        """Somebody had what is below deleted."""

    @property
    def end_offset(self) -> int:
        return self.ends[-1] if self.ends else 0

    def at(self, offset: int) -> Stored | None:
        place = self.place_of(offset)
        return self.batches[place] if place < len(self.batches) else None

    def place_of(self, offset: int) -> int:
        """Of the batch there, among them all."""
        return bisect_right(self.ends, offset)


class Eye:
    """Looks at one replica whenever its role or its high watermark changes, at that very moment."""

    __slots__ = ("high_watermark", "oracle", "partition", "process", "role")

    def __init__(self, oracle: "Oracle", process: "BrokerProcess", partition: Partition) -> None:
        self.oracle = oracle
        self.process = process
        self.partition = partition
        self.high_watermark = 0
        self.role: object = None

    def partition_moved(self) -> None:
        try:
            self.oracle.look(self)
        except Violation as violation:
            self.oracle.on_violation(violation)  # whoever called may catch what is raised here
            raise


class Oracle:
    def __init__(self, truth: ClusterImage, disk_of: Callable[[int, Place], Held | None]) -> None:
        self.truth = truth
        self._disk_of = disk_of
        self.committed: dict[Place, Committed] = {}
        self._written_to: dict[bytes, Place] = {}
        self.acknowledged = 0
        self.on_violation: Callable[[Violation], None] = lambda _: None
        self.about_to_count: Callable[[Place], set[BrokerId]] = lambda _: set()
        """Whom a write would make count that is under way, or will be tried again."""
        self._leaders: dict[tuple[Place, int], object] = {}
        self.holders: dict[Place, set[BrokerId]] = {}
        """Brokers that are bound to have all that is committed, unless power was lost since."""
        self._powerless: dict[Place, dict[BrokerId, str]] = {}
        """Brokers that lost power and have not caught up since, with the machine's boot id from then on: a registration
        under another one is of before, though it may arrive at the store later.
        """
        self._damaged: dict[Place, set[BrokerId]] = {}
        """Brokers whose log was damaged, or is gone, and that have not caught up since."""
        self._last_held_in: dict[Place, dict[BrokerId, int]] = {}
        """The last life of a broker in which it had its log: the next one misses it, and must say so. The registration
        may be of this life or of one before, which nobody has ended yet.
        """

    def of(self, partition: Place) -> Committed:
        committed = self.committed.get(partition)
        if committed is None:
            committed = self.committed[partition] = Committed()
        return committed

    # Replicas ---------------------------------------------------------------------------------------------------

    def watch(self, process: "BrokerProcess", partition: Partition) -> None:
        eye = Eye(self, process, partition)
        partition.waiters.watch(eye)
        eye.partition_moved()

    def look(self, eye: Eye) -> None:
        process, partition = eye.process, eye.partition
        if partition.role is not eye.role:
            eye.role = partition.role
            if isinstance(partition.role, Leader):
                self._leads(process, partition)
        if partition.high_watermark != eye.high_watermark:
            self._moved(process, partition, eye)

    def serves(self, process: "BrokerProcess") -> None:
        """A process begins to take requests: what it leads by now it leads for others."""
        for partition in process.watched:
            if isinstance(partition.role, Leader):
                self._leads(process, partition)

    def _leads(self, process: "BrokerProcess", partition: Partition) -> None:
        if not process.is_serving:
            return  # what a process finds in the image when it starts; it serves nobody yet
        where, epoch = place_of(partition), partition.leader_epoch
        former = self._leaders.setdefault((where, epoch), process)
        if former is not process:
            raise Violation(f"{where}: {process} leads in epoch {epoch}, and so did {former}")
        committed, view = self.of(where), process.view(partition)
        if partition.log.start_offset > committed.deleted_to:
            raise Violation(
                f"{where}: {process} leads epoch {epoch} from {partition.log.start_offset} on,"
                f" {committed.deleted_to} was the last to be deleted"
            )
        needed = bisect_left(committed.epochs, epoch)
        if needed and (view.ends[-1] if view.ends else view.begins) < committed.ends[needed - 1]:
            raise Violation(
                f"{where}: {process} leads epoch {epoch} with records up to {partition.log.end_offset},"
                f" {committed.ends[needed - 1]} were committed"
            )
        first = committed.place_of(max(view.begins, committed.deleted_to))
        mine = _from(view.batches, committed.batches[first].header.base_offset) if first < needed else []
        for stored, same in zip(committed.batches[first:needed], mine, strict=False):
            if stored.data != same.data:
                raise Violation(f"{where}: {process} leads epoch {epoch} with another batch at {_place(same)}")

    def _moved(self, process: "BrokerProcess", partition: Partition, eye: Eye) -> None:
        where, view, mark = place_of(partition), process.view(partition), partition.high_watermark
        before, eye.high_watermark = eye.high_watermark, mark
        if mark > partition.log.end_offset:
            raise Violation(
                f"{where}: {process} has records up to {partition.log.end_offset}, its high watermark is {mark}"
            )
        if mark < before and before > self.deleted_to(where):  # a batch of which only the end is left is taken whole
            raise Violation(f"{where}: the high watermark of {process} fell from {before} to {mark}")
        committed, is_leader = self.of(where), isinstance(partition.role, Leader)
        batches, ends = view.batches, view.ends
        if not partition.log.health.is_readable and (not ends or ends[-1] < mark):
            return  # a start could not read it: nothing here is of it but what checkpoints say
        upto = bisect_left(ends, mark) + 1 if mark > view.begins else 0
        for here in range(bisect_right(ends, before), upto):
            stored = batches[here]
            known = committed.at(stored.header.base_offset)
            if known is not None:
                if known.data != stored.data and ends[here] > committed.deleted_to:
                    raise Violation(
                        f"{where}: {process} has {_place(stored)} below its high watermark {mark},"
                        f" committed was {_place(known)}"
                    )
            elif not is_leader:
                raise Violation(f"{where}: {process} follows, and its high watermark {mark} is beyond every leader's")
            else:
                self._commit(where, committed, stored, ends[here], partition.leader_epoch)
        self._check_in_sync(where, f"{process} moves its high watermark to {mark}")

    def _commit(self, where: Place, committed: Committed, stored: Stored, end: int, epoch: int) -> None:
        if stored.header.producer_id >= 0 and not stored.header.is_control:
            payload = stored.data[CRC_FROM:]
            if committed.payloads.get(payload, 0) > committed.deleted_to:  # what is deleted nobody can know again
                raise Violation(f"{where}: a producer's batch is there twice, at {_place(stored)} the second time")
            committed.payloads[payload] = end
            if self._written_to.setdefault(payload, where) != where:
                raise Violation(f"{where}: the batch at {_place(stored)} was written to a topic that was deleted")
        committed.batches.append(stored)
        committed.ends.append(end)
        committed.epochs.append(epoch)

    # What clients are told --------------------------------------------------------------------------------------

    def deleted(self, where: Place, start: int) -> None:
        """A leader was asked to delete what is below, and did."""
        committed = self.of(where)
        committed.deleted_to = max(committed.deleted_to, start)

    def deleted_to(self, where: Place) -> int:
        return self.of(where).deleted_to

    def told(self, where: Place, base_offset: int, batch: bytes) -> None:
        """A client was told that its batch is at this offset, and replicated."""
        self.acknowledged += 1
        stored = self.of(where).at(base_offset)
        if stored is None or stored.header.base_offset != base_offset:
            raise Violation(f"{where}: the batch at {base_offset} was acknowledged, and is not committed")
        if stored.data[CRC_FROM:] != batch[CRC_FROM:]:
            raise Violation(f"{where}: another batch is committed at {base_offset} than the acknowledged one")

    # Who has what is committed ----------------------------------------------------------------------------------

    def partition_written(self, where: Place, before: PartitionImage, after: PartitionImage, least: int) -> None:
        """The store's record of a partition changed: whoever is in sync has all that is committed; below the minimum
        nothing more is committed, so those who leave have it still.
        """
        powerless, damaged = self._powerless.setdefault(where, {}), self._damaged.setdefault(where, set())
        for broker in set(after.in_sync) - set(before.in_sync):
            disk = self._disk_of(broker, where)
            if disk is not None and not disk.is_damaged:
                damaged.discard(broker)
            registered = self.truth.brokers.get(broker)
            if registered is not None and registered.boot_id == powerless.get(broker):
                powerless.pop(broker, None)  # else it joins by what it had before: nobody knows yet that it is gone
        holders = self.holders.setdefault(where, set(before.in_sync))
        if len(after.in_sync) >= min(least, len(after.replicas)):
            holders = set(after.in_sync)
        else:
            holders = holders | set(after.in_sync)
        damaged &= set(after.replicas)
        self.holders[where] = (holders & set(after.replicas)) - powerless.keys() - damaged
        self._check_in_sync(
            where, f"in-sync set {after.in_sync}, eligible {after.eligible}, epoch {after.leader_epoch}"
        )

    def _check_in_sync(self, where: Place, when: str) -> None:
        """Whoever is in sync or eligible, by the store's record, has all that is committed. Those who lost power and
        have not registered since do not count: they will step down before they do.
        """
        image = self._image_of(where)
        if image is None or not self.of(where).batches:
            return
        powerless = self._powerless.get(where, {})
        for broker in (*image.in_sync, *image.eligible):
            registered = self.truth.brokers.get(broker)
            if broker in powerless and (registered is None or registered.boot_id != powerless[broker]):
                continue
            last = self._last_held_in.get(where, {}).get(broker)
            if last is not None and (registered is None or life_of(registered.incarnation) <= last):
                continue
            disk = self._disk_of(broker, where)
            if disk is None or not self.has_all(where, disk):
                raise Violation(f"{where}: broker {broker} has not all that is committed, and counts ({when})")

    def has_all(self, where: Place, held: Held) -> bool:
        """That is committed, and not deleted."""
        committed = self.of(where)
        last = committed.batches[-1]
        if held.begins > committed.deleted_to:
            return False
        return held.begins == committed.end_offset or _from(held.batches, last.header.base_offset)[:1] == [last]

    def _image_of(self, where: Place) -> PartitionImage | None:
        topic = self.truth.topics_by_id.get(where.topic_id)
        return None if topic is None else topic.partitions[where.at.partition]

    def topic_created(self, topic: TopicImage) -> None:
        for image in topic.partitions:
            self.holders[Place(topic.topic_id, TopicPartition(topic.name, image.index))] = set(image.in_sync)

    def topic_deleted(self, topic: TopicImage) -> None:
        """Nobody is bound to have anything of it any more."""
        for where in [where for where in self.holders if where.topic_id == topic.topic_id]:
            del self.holders[where]

    def power_lost(self, broker: BrokerId, boot_id: str) -> None:
        for where, holders in self.holders.items():
            holders.discard(broker)
            self._powerless.setdefault(where, {})[broker] = boot_id

    def damaged(self, broker: BrokerId, where: Place) -> None:
        self.holders.get(where, set()).discard(broker)
        self._damaged.setdefault(where, set()).add(broker)

    def log_gone(self, broker: BrokerId, where: Place, life: int) -> None:
        self.damaged(broker, where)
        self._last_held_in.setdefault(where, {})[broker] = life

    def may_lose_power(self, broker: BrokerId, least: int) -> bool:
        return all(self.may_lose(broker, where, least) for where in self.holders)

    def may_lose(self, broker: BrokerId, where: Place, least: int) -> bool:
        """Whether everything committed must survive that this broker loses what it has. Of those who count, fewer than
        min.insync.replicas may be without their memory at a time (KIP-966): of more, the last that has everything may
        be taken out of the in-sync set before anybody knows what the others lost.
        """
        image = self._image_of(where)
        if image is None:
            return True
        counted = {*image.in_sync, *image.eligible, *self.about_to_count(where)}
        return bool(self.holders[where] - {broker}) and len(self._lost(broker, where) & counted) < least

    def may_lose_log(self, broker: BrokerId, where: Place, least: int) -> bool:
        """As `may_lose`, and somebody else can lead. Of a new topic those who are in sync may not have made their logs
        yet, so it waits for the first record that is committed. Where a damaged log is all that counts, nobody leads
        until an operator decides.
        """
        image = self._image_of(where)
        if image is None:
            return True
        others = {*image.in_sync, *image.eligible} - self._lost(broker, where)
        return bool(others and self.of(where).batches) and self.may_lose(broker, where, least)

    def _lost(self, broker: BrokerId, where: Place) -> set[BrokerId]:
        """Who would be without its memory, or its log, if this broker were."""
        return {broker, *self._powerless.get(where, {}), *self._damaged.get(where, ())}


def place_of(partition: Partition) -> Place:
    return Place(partition.topic_id, partition.topic_partition)


def incarnation_of(broker: BrokerId, life: int) -> str:
    return f"{broker}-{life}"


def life_of(incarnation: str) -> int:
    return int(incarnation.partition("-")[2])


def _from(batches: list[Stored], offset: int) -> list[Stored]:
    return batches[bisect_left(batches, offset, key=lambda stored: stored.header.base_offset) :]


def _place(stored: Stored) -> str:
    return f"{stored.header.base_offset} of epoch {stored.header.leader_epoch}"
