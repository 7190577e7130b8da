"""A small world for the controller's decisions: a store, brokers whose images lag behind it, and a model of their logs.

What is real: the image, `DutyMachine`, `elections`, the in-sync transaction. What is modelled: replication, as whole
copies (a follower's log becomes its leader's), with the rules that leaders keep (RULES 5, 6): nothing is committed but
by all of the in-sync set and of what was proposed for it, and not below its minimum.
"""

import random

from penstock.cluster import BrokerRecord, ClusterBugs, ClusterImage, Endpoint, Keys, eligible_after
from penstock.cluster.duties.machine import DutyMachine
from penstock.cluster.duties.partition_writes import PartitionWrite
from penstock.cluster.elections import ElectedFrom
from penstock.cluster.image.shapes import PartitionImage
from penstock.cluster.in_sync import in_sync_transaction
from penstock.cluster.records import ControllerRecord, IdentityRecord, PartitionRecord, TopicRecord, encode
from penstock.metastore import Changes, Conflict, Delete, Listing, Put, Revision, Transaction, absent, created_at
from penstock.metastore.machine import KeySpace
from penstock.model import BrokerId, LeaderEpoch, TopicId, topic_id_text
from penstock.settings.config import Config

KEYS = Keys("world")
TOPIC = TopicId(b"0123456789abcdef")
BROKERS = tuple(BrokerId(number) for number in (1, 2, 3, 4))
PARTITIONS = 2
IN_SYNC_MIN = 2
CONFIG = Config.for_broker({"min.insync.replicas": str(IN_SYNC_MIN)})

Entry = tuple[int, int]
"""Epoch and number of a record."""


class SimBroker:
    def __init__(self, broker_id: BrokerId, bugs: ClusterBugs) -> None:
        self.id = broker_id
        self.image = ClusterImage(KEYS)
        self.duties = DutyMachine(self.image, KEYS, CONFIG, bugs)
        self.unheard: list[Changes] = []
        self.is_running = False
        self.life = 0
        self.boot = 0
        self.epoch = Revision(0)
        self.logs: dict[int, list[Entry]] = {index: [] for index in range(PARTITIONS)}
        self.flushed: dict[int, int] = dict.fromkeys(range(PARTITIONS), 0)
        self.seen: dict[tuple[int, BrokerId], tuple[Revision, int, int]] = {}
        """As a leader: the registration, leader epoch and length with which a follower last fetched."""
        self.pending: dict[int, tuple[Revision, set[BrokerId]]] = {}
        """As a leader: what was proposed, until the image holds that revision."""


class PartitionWorld:
    def __init__(self, dice: random.Random, bugs: ClusterBugs | None = None) -> None:
        self.dice = dice
        self.bugs = bugs or ClusterBugs()
        self.space = KeySpace()
        self.truth = ClusterImage(KEYS)
        self.brokers = {broker: SimBroker(broker, self.bugs) for broker in BROKERS}
        self.committed: dict[int, list[Entry]] = {index: [] for index in range(PARTITIONS)}
        self.writers: dict[tuple[int, int], tuple[BrokerId, int]] = {}
        self.is_last_resort: set[int] = set()
        self.epochs: dict[int, int] = {}
        self.elections = self.conflicts = self.records = 0
        for broker in BROKERS:
            self.start(self.brokers[broker])
        self.stand(self.brokers[BROKERS[0]])
        self.create()
        self.hear_all()

    # The store --------------------------------------------------------------------------------------------------

    def commit(self, transaction: Transaction, *, how: ElectedFrom | None = None) -> Revision | None:
        before = {part.index: part for _, part in self.truth.partitions()}
        try:
            changes = self.space.decide(transaction)
        except Conflict:
            self.conflicts += 1
            return None
        if changes is not None:
            self.space.apply(changes)
            self.truth.apply(changes)
            for broker in self.brokers.values():
                broker.unheard.append(changes)
            for _, part in self.truth.partitions():
                self.judge(before.get(part.index), part, how)
        return self.space.revision

    def judge(self, before: PartitionImage | None, part: PartitionImage, how: ElectedFrom | None) -> None:
        assert part.leader_epoch >= self.epochs.get(part.index, 0), "a leader epoch fell"
        self.epochs[part.index] = part.leader_epoch
        if before is None or before.leader == part.leader or part.leader < 0:
            return
        self.elections += 1
        assert part.leader in part.in_sync, "a leader is not in sync"
        if how is ElectedFrom.LAST_LEADER:
            self.is_last_resort.add(part.index)

    def serve(self, leader: SimBroker, part: PartitionImage) -> None:
        """Judged when an elected leader first acts: one that died before that steps down when it comes back."""
        log, turn = leader.logs[part.index], (part.index, int(part.leader_epoch))
        if turn in self.writers:
            assert self.writers[turn] == (leader.id, leader.life), f"two processes lead in epoch {part.leader_epoch}"
            return
        self.writers[turn] = (leader.id, leader.life)
        if part.index in self.is_last_resort:  # told loudly: nobody who had more was left
            self.is_last_resort.discard(part.index)
            self.committed[part.index] = list(log)
        missing = [entry for entry in self.committed[part.index] if entry not in log]
        assert not missing, f"epoch {part.leader_epoch} begins without {missing}"

    # Brokers ----------------------------------------------------------------------------------------------------

    def hear(self, broker: SimBroker, count: int) -> None:
        for changes in broker.unheard[:count]:
            broker.image.apply(changes)
        del broker.unheard[:count]
        for index, (revision, _) in list(broker.pending.items()):
            if broker.image.revision >= revision:
                del broker.pending[index]

    def hear_all(self) -> None:
        for broker in self.brokers.values():
            self.hear(broker, len(broker.unheard))

    def start(self, broker: SimBroker) -> None:
        """A new process: its former registration goes, it takes back what it must, it registers (RULES 2, 3, 4)."""
        broker.life += 1
        broker.seen.clear()
        broker.pending.clear()
        key, identity = KEYS.broker(broker.id), KEYS.identity(broker.id)
        self.commit(Transaction(deletes=(Delete(key),)))
        broker.image.load(Listing(self.space.revision, self.space.range(KEYS.prefix)))
        broker.unheard.clear()
        known = broker.image.marks.identities.get(broker.id)
        lost = known is not None and known.boot_id != str(broker.boot)
        self.write(broker, broker.duties.step_down(broker.id, lost_page_cache=lost))
        self.hear(broker, len(broker.unheard))
        record = IdentityRecord(str(broker.id), str(broker.life), str(broker.boot))
        self.register(broker, Put(identity, encode(record)))
        broker.is_running = True

    def register(self, broker: SimBroker, *more: Put) -> None:
        record = BrokerRecord(
            {"L": Endpoint("h", 1)}, folder_id=str(broker.id), incarnation=str(broker.life), boot_id=str(broker.boot)
        )
        key = KEYS.broker(broker.id)
        revision = self.commit(Transaction(compares=(absent(key),), puts=(Put(key, encode(record)), *more)))
        if revision is not None:
            broker.epoch = revision

    def kill(self, broker: SimBroker, *, lose_page_cache: bool) -> None:
        broker.is_running = False
        if lose_page_cache:
            broker.boot += 1
            for index, log in broker.logs.items():
                broker.flushed[index] = min(broker.flushed[index], len(log))
                del log[broker.flushed[index] :]

    def stand(self, broker: SimBroker) -> None:
        put = Put(KEYS.controller, encode(ControllerRecord(broker.id)))
        self.commit(
            Transaction(
                compares=(absent(KEYS.controller), created_at(KEYS.broker(broker.id), broker.epoch)), puts=(put,)
            )
        )

    def create(self) -> None:
        puts = []
        for index in range(PARTITIONS):
            replicas = tuple(BROKERS[(index + step) % len(BROKERS)] for step in range(3))
            first = PartitionRecord(replicas, replicas[0], LeaderEpoch(0), replicas)
            puts.append(Put(KEYS.partition(topic_id_text(TOPIC), index), encode(first)))
        puts.append(Put(KEYS.topic("t"), encode(TopicRecord(topic_id_text(TOPIC), PARTITIONS, {}))))
        self.commit(Transaction(puts=tuple(puts)))

    # Duties and leaders -----------------------------------------------------------------------------------------

    def write(self, broker: SimBroker, rulings: list[PartitionWrite]) -> None:
        for ruling in rulings:  # one by one, so that each can lose on its own
            (batch,) = broker.duties.batches([ruling])
            self.commit(batch.transaction, how=ruling.how)

    def review(self, broker: SimBroker) -> None:
        if broker.image.controller_id == broker.id:
            self.write(broker, broker.duties.review(None, broker.duties.election_view()))

    def give_back(self, broker: SimBroker) -> None:
        if broker.image.controller_id == broker.id:
            self.write(broker, broker.duties.elect_preferred(None, broker.duties.election_view()))

    def fence(self, broker: SimBroker, other: SimBroker) -> None:
        there = broker.image.brokers.get(other.id)
        if broker.image.controller_id == broker.id and other is not broker and there is not None:
            self.commit(broker.duties.fence(other.id, there.epoch))

    def fetch(self, follower: SimBroker, index: int) -> None:
        """The follower's log becomes its leader's, if both agree on who leads and in which epoch."""
        mine = follower.image.topics["t"].partitions[index]
        leader = self.brokers.get(mine.leader)
        if leader is None or leader is follower or not leader.is_running or follower.id not in mine.replicas:
            return
        theirs = leader.image.topics["t"].partitions[index]
        if theirs.leader == leader.id and theirs.leader_epoch == mine.leader_epoch:
            self.serve(leader, theirs)
            follower.logs[index] = list(leader.logs[index])
            leader.seen[index, follower.id] = (follower.epoch, mine.leader_epoch, len(follower.logs[index]))

    def produce(self, leader: SimBroker, index: int) -> None:
        part = leader.image.topics["t"].partitions[index]
        if part.leader == leader.id:
            self.serve(leader, part)
            self.records += 1
            leader.logs[index].append((part.leader_epoch, self.records))

    def acknowledge(self, leader: SimBroker, index: int) -> None:
        """Commit what all that count have, at this moment."""
        part = leader.image.topics["t"].partitions[index]
        if part.leader != leader.id or len(part.in_sync) < IN_SYNC_MIN or part.eligible:
            return
        counting = set(part.in_sync) | leader.pending.get(index, (Revision(0), set()))[1]
        upto = len(leader.logs[index])
        for broker in counting - {leader.id}:
            seen = leader.seen.get((index, broker))
            upto = min(upto, seen[2] if seen is not None and seen[1] == part.leader_epoch else 0)
        known = self.committed[index]
        for entry in leader.logs[index][:upto]:
            if entry not in known:
                known.append(entry)

    def change_in_sync(self, leader: SimBroker, index: int, other: SimBroker) -> None:
        part = leader.image.topics["t"].partitions[index]
        if part.leader != leader.id or other is leader or other.id not in part.replicas or index in leader.pending:
            return
        joining: dict[BrokerId, Revision] = {}
        if other.id in part.in_sync:
            if other.is_running:
                return
            in_sync = tuple(broker for broker in part.in_sync if broker != other.id)
        else:
            seen = leader.seen.get((index, other.id))
            if seen is None or seen[1] != part.leader_epoch or seen[2] < len(leader.logs[index]):
                return
            in_sync, joining = (*part.in_sync, other.id), {other.id: seen[0]}
        transaction = in_sync_transaction(
            KEYS,
            TOPIC,
            part,
            in_sync=in_sync,
            eligible=eligible_after(
                in_sync_before=part.in_sync, in_sync=in_sync, eligible=part.eligible, in_sync_min=IN_SYNC_MIN
            ),
            joining=joining,
            bugs=self.bugs,
        )
        revision = self.commit(transaction)
        if revision is not None:
            leader.pending[index] = (revision, set(in_sync))

    # Luck -------------------------------------------------------------------------------------------------------

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.step()

    def step(self) -> None:
        dice = self.dice
        broker, other = dice.choice(list(self.brokers.values())), dice.choice(list(self.brokers.values()))
        index = dice.randrange(PARTITIONS)
        if not broker.is_running:
            if dice.random() < 0.3:
                self.start(broker)
            return
        self.hear(broker, dice.randrange(12))
        roll = dice.random()
        if roll < 0.20:
            self.produce(broker, index)
        elif roll < 0.40:
            self.fetch(broker, index)
            end = len(broker.logs[index])
            broker.flushed[index] = dice.randint(min(broker.flushed[index], end), end)
        elif roll < 0.50:
            self.acknowledge(broker, index)
        elif roll < 0.62:
            self.change_in_sync(broker, index, other)
        elif roll < 0.80:
            if not other.is_running:
                self.fence(broker, other)
            self.review(broker)
        elif roll < 0.83:
            self.give_back(broker)
        elif roll < 0.85:
            self.fence(broker, other)
        elif roll < 0.90:
            self.kill(broker, lose_page_cache=dice.random() < 0.3)
        elif roll < 0.98:
            self.look_after_itself(broker)
        else:
            self.depose(broker)

    def look_after_itself(self, broker: SimBroker) -> None:
        """Register again where the registration is gone; stand where nobody decides."""
        if broker.id not in broker.image.brokers:
            self.register(broker)
        if broker.image.controller_id < 0:
            self.stand(broker)

    def depose(self, broker: SimBroker) -> None:
        """The controller's address refused a connection, or its lease has ended."""
        if broker.image.controller_id != broker.id and broker.image.controller_epoch:
            epoch = broker.image.controller_epoch
            fence = created_at(KEYS.controller, epoch)
            self.commit(Transaction(compares=(fence,), deletes=(Delete(KEYS.controller),)))
            self.stand(broker)

    def calm_down(self) -> None:
        for broker in self.brokers.values():
            if not broker.is_running:
                self.start(broker)
        for _ in range(5):
            self.hear_all()
            for broker in self.brokers.values():
                self.look_after_itself(broker)
            self.hear_all()
            for broker in self.brokers.values():
                self.review(broker)
            for broker in self.brokers.values():
                for index in range(PARTITIONS):
                    self.fetch(broker, index)
        self.hear_all()
