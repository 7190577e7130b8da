"""Deals out faults from the seed, and takes them back. What was really dealt is counted in the world's marks."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from penstock.cluster import Keys
from penstock.cluster.records import Decoders
from penstock.cluster.service import DEFAULT_NAME
from penstock.metastore import Transaction
from penstock.model import BrokerId, TopicPartition, topic_id_text
from penstock.replication import Partition
from penstock.replication.following import Follower
from simulation.disk import Place
from simulation.network import STORE
from simulation.operators import CHANGES
from simulation.oracle import place_of

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess, SimulatedBroker
    from simulation.world import World

KEYS = Keys(DEFAULT_NAME)
IN_SYNC_MIN = 2

FAULTS = (
    "broker killed",
    "leader killed",
    "controller killed",
    "power lost",
    "all power lost",
    "broker hangs",
    "cut between brokers, one way",
    "cut between brokers, both ways",
    "cut from the store, one way",
    "cut from the store, both ways",
    "store away",
    "image late",
    "messages lost",
    "network slow",
    "controlled stop",
    "in-sync write held up",
    "in-sync write not answered",
    "joining broker hangs",
    "joining broker loses power",
    "coordinator's answer held up",
    "log damaged",
    "log damaged while a fetch is late",
    "connection broken behind a fetch",
    "log gone",
    "disk full",
    "write or fsync failed",
    *CHANGES,
)


class Dealer:
    def __init__(self, world: "World") -> None:
        self.world = world
        self.dice = world.dice
        self.is_stopped = False
        self.operators = world.operators
        self._mending: list[Callable[[], None]] = []
        self._late: dict[TopicPartition, BrokerId] = {}
        """Whose next fetch is to be late, and its log damaged, or taken away, meanwhile."""
        self._answers: set[TopicPartition] = set()
        """Of these the answer is to be late, and not the question."""
        self._taken: set[TopicPartition] = set()
        self._breaking: set[tuple[int, int]] = set()
        """Whose next fetch, and from whom, is to be the last of its connection."""
        self._kinds: list[tuple[int, Callable[[], None]]] = [
            (4, self._kill_any),
            (4, self._kill_leader),
            (2, self._kill_controller),
            (5, self._lose_power),
            (3, self._lose_all_power),
            (4, self._hang),
            (3, self._cut_one_way),
            (2, self._cut_both_ways),
            (3, self._cut_from_store),
            (1, self._cut_from_store_both_ways),
            (1, self._store_away),
            (4, self._delay_image),
            (2, self._lose_messages),
            (2, self._slow_down),
            (2, self._stop_one),
            (8 if world.hurts_fetches else 3, self._damage),
            (2, self._take_log),
            (1, self._fill_disk),
            (2 if world.has_files else 0, self._fail_write),
            (2, self.operators.move),
            (10 if world.hurts_fetches else 2, self._take_away),
            (10 if world.hurts_fetches else 2, self._break_behind),
            (8 if world.flushing_changes else 0, self._switch_flushing),
            (12 if world.minimum_changes else 0, self.operators.change_minimum),
            (4 if world.makes_anew else 0, self.operators.make_anew),
        ]

    def when_sent(self, sender: int, transaction: Transaction) -> float:
        """The worst moment for some faults: a leader has just sent a change of its in-sync set."""
        if self.is_stopped or not transaction.puts or self.dice.random() >= self.world.spite:
            return 0.0
        joining = self._joining(sender, transaction)
        if joining is None:
            return 0.0
        if self.dice.random() < 0.5:
            self.world.later(0.0, lambda: self._trouble(joining, sender, hangs=0.15))
            self._dealt("in-sync write held up", f"of broker {sender}, joining {sorted(joining)}")
            # Long enough, mostly, for whoever is about to join to lose what it has and to register again.
            return 0.2 + 0.75 * self.dice.random()
        self.world.later(0.0, lambda: self._trouble(joining, sender, hangs=0.8))
        self._cut("in-sync write not answered", {(STORE, sender)}, shortest_s=1.0, longest_s=3.0)
        return 0.0

    def hold_up_answer(self) -> float:
        """Between a question to a transaction's coordinator and the append that it is asked for, much may happen."""
        if self.is_stopped or self.dice.random() >= 0.1 + self.world.spite:
            return 0.0
        self._dealt("coordinator's answer held up", "")
        return 0.6 + 2.2 * self.dice.random()

    def hold_up_fetch(
        self, process: "BrokerProcess", partition: Partition, *, is_answer: bool
    ) -> "asyncio.Future[None] | None":
        """The worst moment for a log to be damaged: a fetch that tells of it is under way, or an answer that is to be
        appended to it, and comes when another has been begun in its place.
        """
        at = partition.topic_partition
        if self.is_stopped or self._late.get(at) != process.id or is_answer != (at in self._answers):
            return None
        if is_answer and not self._is_behind(process, partition):
            return None
        del self._late[at]
        self._answers.discard(at)
        if at in self._taken:
            self._taken.discard(at)
            self.operators.take_away_and_give_back(at, process.id)
        elif self._may_be_damaged(process, partition):
            self._damage_log(process, partition, "log damaged while a fetch is late")
            self.world.loop.call_soon(self._notice, partition, context=process.context)
        else:
            return None
        held = process.held_fetches[at] = self.world.loop.create_future()
        return held

    def _is_behind(self, process: "BrokerProcess", partition: Partition) -> bool:
        """Whether an answer of its leader's has records, in all likelihood."""
        leader = self.world.brokers[partition.leader].process
        led = None if leader is None or leader.partitions is None else leader.partitions.get(*partition.topic_partition)
        return led is not None and led.log.end_offset > partition.log.end_offset

    def _is_to_be_late(self, at: TopicPartition, broker: BrokerId) -> None:
        self._late[at] = broker
        self._answers.discard(at)
        if self.dice.random() < 0.3:
            self._answers.add(at)

    def breaks(self, process: "BrokerProcess", leader: int) -> bool:
        """Whether a follower's connection breaks behind the fetch that it sends now: it comes when another connection
        has been made, and another session begun on it.
        """
        if self.is_stopped or (process.id, leader) not in self._breaking:
            return False
        self._breaking.discard((process.id, leader))
        self._dealt("connection broken behind a fetch", f"of {process} from broker {leader}")
        return True

    def _notice(self, partition: Partition) -> None:
        """As a look from time to time does, which may be at any time."""
        partition.followers.look_after(lag_ms_max=1_500)

    def _joining(self, sender: int, transaction: Transaction) -> set[BrokerId] | None:
        """Who joins by this write; None where it is no leader's write to its in-sync set."""
        for topic, partition in self.world.truth.partitions():
            key = KEYS.partition(topic_id_text(topic.topic_id), partition.index)
            for put in transaction.puts:
                if partition.leader == sender and put.key == key:
                    record = Decoders.partition.decode(put.value)
                    if record.leader_epoch == partition.leader_epoch:
                        return set(record.in_sync) - set(partition.in_sync)
        return None

    def _trouble(self, joining: set[BrokerId], leader: int, *, hangs: float) -> None:
        """What befalls those who are about to join."""
        for broker in (self.world.brokers[broker_id] for broker_id in sorted(joining)):
            chance, process = self.dice.random(), broker.process
            if process is None or process.is_paused:
                continue
            if chance < hangs:
                process.is_paused = True
                self._dealt("joining broker hangs", str(process))
                self._lasting(lambda process=process: self.world.loop.resume(process), shortest_s=0.5, longest_s=4.0)  # type: ignore[misc]
            elif chance < 0.9 and self._may_lose_power(broker):
                self._switch_off(broker, "joining broker loses power", down_s=0.02)
                self._cut("cut between brokers, one way", {(broker.id, leader)}, shortest_s=0.5, longest_s=3.0)

    async def run(self) -> None:
        weights = [weight for weight, _ in self._kinds]
        while not self.is_stopped:
            await asyncio.sleep(self.dice.expovariate(1 / self.world.fault_gap_s))
            if not self.is_stopped:
                self.dice.choices(self._kinds, weights)[0][1]()

    def stop(self) -> None:
        """No more faults, and those that last are over."""
        self.is_stopped = self.world.network.is_calm = True
        mending, self._mending = self._mending, []
        for mend in mending:
            mend()

    def _dealt(self, kind: str, detail: str) -> None:
        self.world.marks[kind] += 1
        self.world.note(f"FAULT {kind}: {detail}")

    def _lasting(self, mend: Callable[[], None], *, longest_s: float, shortest_s: float = 0.01) -> None:
        self._mending.append(mend)

        def over() -> None:
            if mend in self._mending:
                self._mending.remove(mend)
                mend()

        # Mostly short, now and then long enough for every timeout there is.
        self.world.later(shortest_s + (longest_s - shortest_s) * self.dice.random() ** 2, over)

    def _some(self) -> "SimulatedBroker | None":
        running = [broker for broker in self.world.brokers.values() if broker.process is not None]
        return self.dice.choice(running) if running else None

    # Processes and machines -------------------------------------------------------------------------------------

    def _kill(self, broker: "SimulatedBroker | None", kind: str) -> None:
        if broker is not None and broker.process is not None:
            self._dealt(kind, str(broker.process))
            broker.kill()
            self._restart(broker)

    def _restart(self, broker: "SimulatedBroker", *, down_s: float | None = None) -> None:
        self._lasting(broker.start, longest_s=down_s or self.dice.choice((0.05, 1.0, 6.0)))

    def _kill_any(self) -> None:
        self._kill(self._some(), "broker killed")

    def _kill_leader(self) -> None:
        partitions = list(self.world.truth.partitions())
        if not partitions:
            return
        _, partition = self.dice.choice(partitions)
        self._kill(self.world.brokers.get(partition.leader), "leader killed")

    def _kill_controller(self) -> None:
        self._kill(self.world.brokers.get(self.world.truth.controller_id), "controller killed")

    def _lose_power(self) -> None:
        broker = self._some()
        if broker is None or not self._may_lose_power(broker):
            return
        self._switch_off(broker, "power lost")

    def _may_lose_power(self, broker: "SimulatedBroker") -> bool:
        """Whoever has flushed first all along has nothing to lose; a new log's folder says so a moment later."""
        if self.world.flushes_before_ack and all(disk.is_flush_noted for disk in broker.machine.held.values()):
            return True
        return self.world.oracle.may_lose_power(broker.id, self.world.in_sync_least)

    def _switch_off(self, broker: "SimulatedBroker", kind: str, *, down_s: float | None = None) -> None:
        process = str(broker.process)
        lost = broker.lose_power()
        self.world.oracle.power_lost(broker.id, broker.boot_id)
        self.world.marks["unflushed batches lost"] += lost
        self._dealt(kind, f"{process}, {lost} batches")
        self._restart(broker, down_s=down_s)

    def _lose_all_power(self) -> None:
        """Only where everything counts when it is flushed does that lose nothing."""
        disks = [disk for broker in self.world.brokers.values() for disk in broker.machine.held.values()]
        if self.world.flushes_before_ack and all(disk.is_flush_noted for disk in disks):
            for broker in self.world.brokers.values():
                self._switch_off(broker, "all power lost")

    def _hang(self) -> None:
        broker = self._some()
        process = None if broker is None else broker.process
        if process is None or process.is_paused:
            return
        process.is_paused = True
        self._dealt("broker hangs", str(process))
        self._lasting(lambda: self.world.loop.resume(process), longest_s=self.dice.choice((1.0, 8.0)))

    def _damage(self) -> None:
        """A log cannot be read any more, and others have what was in it."""
        broker = self._some()
        process = None if broker is None else broker.process
        if broker is None or process is None or not process.is_serving:
            return
        sound = [partition for partition in process.watched if self._may_be_damaged(process, partition)]
        if not sound:
            return
        partition = self.dice.choice(sound)
        if isinstance(partition.role, Follower) and self.dice.random() < 0.7:
            self._is_to_be_late(partition.topic_partition, broker.id)
        else:
            self._damage_log(process, partition, "log damaged")

    def _may_be_damaged(self, process: "BrokerProcess", partition: Partition) -> bool:
        may_lose = self.world.oracle.may_lose_log
        return partition.log.trouble is None and may_lose(process.id, place_of(partition), self.world.in_sync_least)

    def _damage_log(self, process: "BrokerProcess", partition: Partition, kind: str) -> None:
        process.kept.damage(partition.log)
        self.world.oracle.damaged(process.id, place_of(partition))
        self._dealt(kind, f"{partition.topic_partition} of {process}")

    def _take_log(self) -> None:
        """A broker comes back without one of its logs: a folder that somebody removed, or a new disk."""
        broker = self._some()
        if broker is None or broker.process is None:
            return
        held = [(at, Place(disk.topic_id, at)) for at, disk in broker.machine.held.items()]
        may_go = [
            at for at, where in held if self.world.oracle.may_lose_log(broker.id, where, self.world.in_sync_least)
        ]
        if not may_go:
            return
        at, process = self.dice.choice(may_go), str(broker.process)
        where = Place(broker.machine.held[at].topic_id, at)
        broker.kill()
        broker.machine.take(at)
        self.world.oracle.log_gone(broker.id, where, broker.lives)
        self._dealt("log gone", f"{at} of {process}")
        self._restart(broker)

    def when_somebody_is_eligible(self) -> None:
        """The worst moment to lower the minimum: somebody who was left behind still counts."""
        if self.world.minimum_changes and not self.is_stopped and self.dice.random() < 0.5:
            self.world.later(0.2 * self.dice.random(), lambda: self.operators.change_minimum(1))

    def _switch_flushing(self) -> None:
        """Now and then at the worst moment: too few are left in sync, so that those who are gone count, and one of them
        cannot have flushed anything for it.
        """
        if not self.operators.flushes and self.dice.random() < 0.5:
            killed, off = self.dice.sample(list(self.world.brokers.values()), 2)
            self._kill(killed, "broker killed")
            if off.process is not None and self._may_lose_power(off):
                self._switch_off(off, "power lost", down_s=0.5)
        self.operators.switch_flushing()

    def _fill_disk(self) -> None:
        broker = self.dice.choice(list(self.world.brokers.values()))
        if broker.is_full:
            return
        broker.is_full = True
        self._dealt("disk full", f"of broker {broker.id}")

        def emptied() -> None:
            broker.is_full = False

        self._lasting(emptied, longest_s=4.0)

    def _fail_write(self) -> None:
        broker = self._some()
        if broker is not None:
            broker.machine.fails_next = True

    def may_fail(self, process: "BrokerProcess", at: TopicPartition) -> bool:
        """Whether this write of a log, or its fsync, is the one that fails: nobody goes by what is in the log then. It
        takes no more until its broker is started again, which somebody does who reads why.
        """
        held = process.broker.machine.held.get(at)
        if self.is_stopped or held is None or not process.is_serving:
            return False
        where = Place(held.topic_id, at)
        if not self.world.oracle.may_lose_log(process.id, where, self.world.in_sync_least):
            return False
        self.world.oracle.damaged(process.id, where)
        self._dealt("write or fsync failed", f"{at} of {process}")

        def restart() -> None:
            if process.broker.process is process:
                process.broker.kill()
                process.broker.start()

        self._lasting(restart, longest_s=4.0)
        return True

    def _take_away(self) -> None:
        """A replica goes and comes back, while a fetch of it is under way."""
        at = self.dice.choice(self.world.partitions)
        topic = self.world.truth.topics.get(at.topic)
        image = None if topic is None else topic.partitions[at.partition]
        if image is None or len(image.replicas) <= IN_SYNC_MIN or image.adding or image.removing:
            return
        self._is_to_be_late(at, self.dice.choice([replica for replica in image.replicas if replica != image.leader]))
        self._taken.add(at)

    def _break_behind(self) -> None:
        self._breaking.add(self._two())

    def _stop_one(self) -> None:
        broker = self._some()
        process = None if broker is None else broker.process
        if broker is None or process is None or process.is_paused or process.is_leaving:
            return
        self._dealt("controlled stop", str(process))
        process.is_leaving = True

        def gone() -> None:
            if broker.process is process:
                broker.stop()
                self._restart(broker)

        self.world.leave(process, gone)

    # Network and store ------------------------------------------------------------------------------------------

    def _cut(self, kind: str, directions: set[tuple[int, int]], *, longest_s: float, shortest_s: float = 0.01) -> None:
        self._dealt(kind, str(sorted(directions)))
        network = self.world.network
        network.cuts |= directions
        self.world.store.network_changed()

        def mend() -> None:
            network.cuts -= directions
            self.world.store.network_changed()

        self._lasting(mend, longest_s=longest_s, shortest_s=shortest_s)

    def _two(self) -> tuple[int, int]:
        one, other = self.dice.sample(sorted(self.world.brokers), 2)
        return one, other

    def _cut_one_way(self) -> None:
        self._cut("cut between brokers, one way", {self._two()}, longest_s=6.0)

    def _cut_both_ways(self) -> None:
        one, other = self._two()
        self._cut("cut between brokers, both ways", {(one, other), (other, one)}, longest_s=6.0)

    def _cut_from_store(self) -> None:
        broker = self.dice.choice(sorted(self.world.brokers))
        direction = self.dice.choice(((broker, STORE), (STORE, broker)))
        self._cut("cut from the store, one way", {direction}, longest_s=6.0)

    def _cut_from_store_both_ways(self) -> None:
        broker = self.dice.choice(sorted(self.world.brokers))
        self._cut("cut from the store, both ways", {(broker, STORE), (STORE, broker)}, longest_s=6.0)

    def _store_away(self) -> None:
        store = self.world.store
        if store.is_down:
            return
        store.is_down = True
        self._dealt("store away", "")

        def back() -> None:
            store.is_down = False
            store.network_changed()

        self._lasting(back, longest_s=5.0)

    def _delay_image(self) -> None:
        """A watch that stands still tells nobody: the broker acts on what it knows, and its writes arrive."""
        store, broker = self.world.store, self.dice.choice(sorted(self.world.brokers))
        store.late.add(broker)
        self._dealt("image late", f"of broker {broker}")

        def over() -> None:
            store.late.discard(broker)
            store.network_changed()

        self._lasting(over, longest_s=4.0)

    def _lose_messages(self) -> None:
        self._dealt("messages lost", "")
        network = self.world.network
        network.loss = 0.02 + 0.3 * self.dice.random()

        def over() -> None:
            network.loss = 0.0

        self._lasting(over, longest_s=3.0)

    def _slow_down(self) -> None:
        self._dealt("network slow", "")
        network = self.world.network
        network.slowness = 2 + 60 * self.dice.random()

        def over() -> None:
            network.slowness = 1.0

        self._lasting(over, longest_s=3.0)
