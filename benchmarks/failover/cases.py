"""The faults, one function each: what is done to a cluster under load, and the seconds that come out of it.

A case is repeated, and each time begins with everything in sync. Values are seconds unless a key says otherwise.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from benchmarks.clusters import BROKERS, Cluster
from benchmarks.failover.load import NONE, Reads, Writes
from benchmarks.loadgen import LoadDriver
from benchmarks.workloads import THROUGHPUT

TOPIC = "load"
WARM_S = 2.0
AFTER_S = 2.0
"""How long the load is watched after it has gone on."""
GAP_S_MAX = 60.0
SHORT_TIMEOUTS = {"request.timeout.ms": 2_500, "socket.timeout.ms": 2_500}

Values = dict[str, list[float]]
Case = Callable[[Cluster, "Amount"], Values]


@dataclass(frozen=True, slots=True)
class Amount:
    """How much of everything; Kafka, whose failovers take ten times as long, is asked less often."""

    kills: int
    others: int
    partitions: int
    megabytes: int
    driver: LoadDriver


def create(cluster: Cluster, name: str, *, partitions: int = 1, led_by: int | None = None) -> None:
    """`led_by`: every partition has this broker for its first replica."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
    config = {"min.insync.replicas": "2"}
    if led_by is None:
        topic = NewTopic(name, partitions, 3, config=config)
    else:
        others = [broker for broker in BROKERS if broker != led_by]
        topic = NewTopic(name, partitions, replica_assignment=[[led_by, *others]] * partitions, config=config)
    admin.create_topics([topic], operation_timeout=60, request_timeout=60)[name].result(90)
    cluster.wait_until_in_sync(name)


@contextmanager
def _repaired(cluster: Cluster, repair: Callable[[], object], *, topic: str = TOPIC) -> Iterator[None]:
    try:
        yield
    finally:
        repair()
        cluster.wait_until_in_sync(topic)


def _after(writes: Writes, since_s: float) -> float:
    """Wait until the load has gone on for a while; the moment then."""
    writes.wait_until_acked_after(since_s + 0.25, within_s=GAP_S_MAX)
    time.sleep(AFTER_S)
    return time.monotonic()


def _gap_of_kill(cluster: Cluster, victim: int) -> float:
    with Writes(cluster.bootstrap, TOPIC) as writes:
        time.sleep(WARM_S)
        with _repaired(cluster, lambda: cluster.start(victim)):
            since_s = time.monotonic()
            cluster.kill(victim)
            return writes.gap_s(since_s, _after(writes, since_s))


def leader_killed(cluster: Cluster, amount: Amount) -> Values:
    return {"leader_killed": [_gap_of_kill(cluster, cluster.leader(TOPIC)) for _ in range(amount.kills)]}


def follower_killed(cluster: Cluster, amount: Amount) -> Values:
    def follower(number: int) -> int:
        leader = cluster.leader(TOPIC)
        return [broker for broker in BROKERS if broker != leader][number % 2]

    return {"follower_killed": [_gap_of_kill(cluster, follower(number)) for number in range(amount.others)]}


def leader_paused(cluster: Cluster, amount: Amount) -> Values:
    values: Values = {"paused_elected": [], "paused_gap": [], "paused_gap_defaults": []}
    for number in range(amount.others + 1):
        settings = NONE if number == amount.others else SHORT_TIMEOUTS
        with Writes(cluster.bootstrap, TOPIC, settings) as writes:
            elected_s, gap_s = _gap_of_pause(cluster, TOPIC, writes)
        values["paused_elected"].append(elected_s)
        values["paused_gap" if settings else "paused_gap_defaults"].append(gap_s)
    return values


def one_leader_paused(cluster: Cluster, amount: Amount) -> Values:
    """The same for a client that writes to every broker, and so has connections to those that do not hang."""
    topic = "spread"
    create(cluster, topic, partitions=len(BROKERS))
    gaps_s = []
    for _ in range(amount.others):
        with Writes(cluster.bootstrap, topic, SHORT_TIMEOUTS, also=range(1, len(BROKERS))) as writes:
            gaps_s.append(_gap_of_pause(cluster, topic, writes)[1])
    return {"paused_gap_several": gaps_s}


def _gap_of_pause(cluster: Cluster, topic: str, writes: Writes) -> tuple[float, float]:
    """How long until another broker leads, and the longest gap."""
    time.sleep(WARM_S)
    victim = cluster.leader(topic)
    others = [broker for broker in BROKERS if broker != victim]
    with _repaired(cluster, lambda: cluster.resume(victim), topic=topic):
        since_s = time.monotonic()
        cluster.pause(victim)
        elected_s = cluster.wait(
            lambda: all(cluster.leader(topic, seen_by=other) in others for other in others), "another broker leads"
        )
        return elected_s, writes.gap_s(since_s, _after(writes, since_s))


def leader_cut_off(cluster: Cluster, amount: Amount) -> Values:
    """Off the other brokers and the metadata store; clients still reach it. It heals once they have gone on."""
    values: Values = {"cut_writes": [], "cut_reads": []}
    for _ in range(amount.others):
        with Writes(cluster.bootstrap, TOPIC) as writes, Reads(cluster.bootstrap, TOPIC) as reads:
            time.sleep(WARM_S)
            since_s = time.monotonic()
            with _repaired(cluster, cluster.cut_off(cluster.leader(TOPIC))):
                until_s = _after(writes, since_s)
                values["cut_writes"].append(writes.gap_s(since_s, until_s))
                values["cut_reads"].append(reads.gap_s(since_s, until_s))
    return values


def controller_killed(cluster: Cluster, amount: Amount) -> Values:
    values: Values = {"controller_killed": [], "controller_admin": []}
    for number in range(amount.others):
        with Writes(cluster.bootstrap, TOPIC) as writes:
            time.sleep(WARM_S)
            victim = cluster.controller()
            with _repaired(cluster, lambda victim=victim: cluster.start(victim)):  # type: ignore[misc]
                survivors = ",".join(cluster.address(broker) for broker in BROKERS if broker != victim)
                since_s = time.monotonic()
                cluster.kill(victim)
                values["controller_admin"].append(_admin_works_after(survivors, f"made-{number}", since_s))
                values["controller_killed"].append(writes.gap_s(since_s, _after(writes, since_s)))
    return values


def _admin_works_after(bootstrap: str, name: str, since_s: float) -> float:
    """Creating a topic is tried on until it is there."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    while time.monotonic() < since_s + GAP_S_MAX:
        wanted = [NewTopic(name, 1, 2)]
        try:
            admin.create_topics(wanted, operation_timeout=2, request_timeout=3)[name].result(5)
            break
        except (KafkaException, TimeoutError) as failure:
            if "TOPIC_ALREADY_EXISTS" in str(failure):  # an earlier try was carried out
                break
            time.sleep(0.05)
    return time.monotonic() - since_s


def metastore_killed(cluster: Cluster, amount: Amount) -> Values:
    values: Values = {"etcd_writes": [], "etcd_reads": []}
    for _ in range(amount.others):
        with Writes(cluster.bootstrap, TOPIC) as writes, Reads(cluster.bootstrap, TOPIC) as reads:
            time.sleep(WARM_S)
            since_s = time.monotonic()
            bring_back = cluster.kill_metastore_leader()
            if bring_back is None:
                return {}
            with _repaired(cluster, bring_back):
                time.sleep(2 * AFTER_S)
                until_s = time.monotonic()
                values["etcd_writes"].append(writes.gap_s(since_s, until_s))
                values["etcd_reads"].append(reads.gap_s(since_s, until_s))
    return values


def restarted(cluster: Cluster, amount: Amount) -> Values:
    """Every broker in turn, as an upgrade does it."""
    values: Values = {"restart_gap": [], "restart_errors": []}
    for _ in range(max(1, amount.others // 2)):
        with Writes(cluster.bootstrap, TOPIC) as writes, Reads(cluster.bootstrap, TOPIC) as reads:
            time.sleep(WARM_S)
            for broker in BROKERS:
                since_s = time.monotonic()
                cluster.stop(broker)
                cluster.start(broker)
                cluster.wait_until_in_sync(TOPIC)
                time.sleep(AFTER_S)
                values["restart_gap"].append(writes.gap_s(since_s, time.monotonic()))
        values["restart_errors"].append(len(writes.errors) + len(reads.errors))
    return values


def many_partitions(cluster: Cluster, amount: Amount) -> Values:
    """As many as there are, led by the one broker that is killed."""
    values: Values = {"many_led": []}
    for number in range(max(1, amount.others // 2)):
        victim = BROKERS[number % 3]
        others = [broker for broker in BROKERS if broker != victim]
        topic = f"many-{number}"
        create(cluster, topic, partitions=amount.partitions, led_by=victim)
        time.sleep(WARM_S)
        with _repaired(cluster, lambda victim=victim: cluster.start(victim), topic=topic):  # type: ignore[misc]
            since_s = time.monotonic()
            cluster.kill(victim)
            for other in others:
                cluster.wait(
                    lambda other=other, topic=topic, others=others: _all_led(cluster, topic, other, others),  # type: ignore[misc]
                    f"all of {topic} led again",
                )
            values["many_led"].append(time.monotonic() - since_s)
    return values


def _all_led(cluster: Cluster, topic: str, seen_by: int, leaders: list[int]) -> bool:
    partitions = cluster.metadata(topic, seen_by=seen_by)
    return bool(partitions) and all(part.leader_id in leaders for part in partitions)


def throughput(cluster: Cluster, amount: Amount) -> Values:
    """1 KB records to three partitions as fast as it goes, with each of the two acks; three rounds, the best counts."""
    create(cluster, "throughput", partitions=3)
    best: dict[str, float] = {}
    for _ in range(3):
        for acks in ("1", "all"):
            done = amount.driver.run(
                *("produce", "-b", cluster.bootstrap, "-t", "throughput"),
                *("-s", 1_000, "-n", amount.megabytes * 1_000, "-p", 3),
                settings={**THROUGHPUT, "p:acks": acks},
            )
            best[acks] = max(best.get(acks, 0.0), done["bytes"] / 1e6 / done["elapsed_s"])
    return {"mb_s_1": [best["1"]], "mb_s_all": [best["all"]], "all_to_1": [best["all"] / best["1"]]}


CASES: dict[str, Case] = {
    "leader": leader_killed,
    "follower": follower_killed,
    "pause": leader_paused,
    "pause-several": one_leader_paused,
    "controller": controller_killed,
    "etcd": metastore_killed,
    "restart": restarted,
    "throughput": throughput,
    "many": many_partitions,
}
CASES_OF_NETWORKS: dict[str, Case] = {"cut": leader_cut_off}
"""Those that take a cluster with networks of its own, which only root can make."""
