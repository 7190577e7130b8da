"""The faults of a chaos run. Each is dealt, proven to have taken, held and healed; one that did not take fails it.

    with FAULTS["kill -9 of a leader"](cluster, dice) as what:
        ...                                    # what: in words, whom it hit

A kill that hits a wrapper, or a packet filter that filters nothing, looks like a perfect system: hence the proofs.
"""

from __future__ import annotations

import os
import random
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

from confluent_kafka import Message, Producer
from tests.support.bad_sectors import SECTOR
from tests.support.chaos_cluster import ChaosCluster, broker_name
from tests.support.faults import health, recovery_point
from tests.support.replica_files import read_replica

from penstock.processes.networks import CLIENTS
from penstock.processes.raw_requests import ask
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import ApiVersionsResponse
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from penstock.wire.messages.fetch_response import FetchResponse

TOPIC = "history"
CLOCK_TOPIC = "clock"
"""One partition led by each broker, with the broker's own time on every record."""
STEP_S = 1_500
"""Within the hour that records may be ahead of a broker's clock (message.timestamp.after.max.ms)."""
FULL_BYTES_LEFT = 8 * 1024
PROOF_S = 90.0
FOUND = "damaged batch"
"""What a broker says of a part of a log that cannot be read, whoever came upon it."""

Found = TypeVar("Found")
Fault = Callable[[ChaosCluster, random.Random], AbstractContextManager[str]]


class DidNotTake(AssertionError):
    """The fault was dealt and nothing was hurt."""


def must(holds: Callable[[], bool], what: str, *, within_s: float = PROOF_S) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            raise DidNotTake(what)
        time.sleep(0.02)


def found(look: Callable[[], Found | None], what: str) -> Found:
    """On a busy machine who leads may change at any time: looked for until there is one."""
    last: list[Found | None] = [None]

    def is_there() -> bool:
        last[0] = look()
        return bool(last[0])

    must(is_there, what)
    assert last[0] is not None
    return last[0]


def some_leader(cluster: ChaosCluster, dice: random.Random, *, topic: str = TOPIC) -> int:
    def leaders() -> list[int]:
        return sorted({part.leader_id for part in cluster.metadata(topic).topics[0].partitions} - {-1})

    return dice.choice(found(leaders, f"somebody leads {topic}"))


# Processes --------------------------------------------------------------------------------------------------------


def refuses(cluster: ChaosCluster, broker_id: int) -> bool:
    host, _, port = cluster[broker_id].bootstrap.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


def _kill(cluster: ChaosCluster, broker_id: int) -> None:
    pid = cluster[broker_id].pid
    cluster.kill(broker_id)
    if Path(f"/proc/{pid}").exists() or not refuses(cluster, broker_id):
        raise DidNotTake(f"broker {broker_id} was killed and still answers")


@contextmanager
def killed_leader(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    victim = some_leader(cluster, dice)
    _kill(cluster, victim)
    yield f"broker {victim}"
    cluster.start(victim)


@contextmanager
def killed_controller(cluster: ChaosCluster, _dice: random.Random) -> Iterator[str]:
    victim = found(lambda: max(cluster.controller(), 0), "there is a controller")
    _kill(cluster, victim)
    yield f"broker {victim}"
    cluster.start(victim)


@contextmanager
def paused_leader(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    victim = some_leader(cluster, dice)
    address = cluster[victim].bootstrap
    cluster.pause(victim)
    try:
        state = Path(f"/proc/{cluster[victim].pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state != "T" or answers(address, within_s=0.5):
            raise DidNotTake(f"broker {victim} was stopped and is in state {state}")
        yield f"broker {victim}"
    finally:
        cluster.resume(victim)
    must(lambda: answers(address), f"broker {victim} goes on")


def answers(address: str, *, within_s: float = 10.0) -> bool:
    request = ApiVersionsRequest(client_software_name="chaos", client_software_version="1")
    try:
        ask(address, request, ApiVersionsResponse, version=3, timeout_s=within_s)
    except OSError:
        return False
    return True


@contextmanager
def restarted(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    """Not a fault, but nothing may be lost by it either."""
    victim = some_leader(cluster, dice)
    cluster.stop(victim)
    if not refuses(cluster, victim):
        raise DidNotTake(f"broker {victim} was stopped and still answers")
    yield f"broker {victim}"
    cluster.start(victim)


@contextmanager
def killed_etcd(cluster: ChaosCluster, _dice: random.Random) -> Iterator[str]:
    victim = found(lambda: cluster.etcd.leader, "etcd has a leader")
    pid = victim.pid
    victim.kill()
    if Path(f"/proc/{pid}").exists():
        raise DidNotTake(f"etcd {victim.name} was killed and still runs")
    must(lambda: cluster.etcd.leader not in (None, victim), "another etcd leads")
    yield f"{victim.name}, its leader"
    cluster.etcd.launch(victim)
    cluster.etcd.wait_until_healthy([victim])


@contextmanager
def late_etcd(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    """A broker is started while all of etcd is away, as after a power cut in a rack: it waits for it."""
    victim = some_leader(cluster, dice)
    _kill(cluster, victim)
    for member in cluster.etcd.members:
        member.kill()
    cluster[victim].launch()
    yield f"for broker {victim}"
    if cluster[victim].is_started:
        raise DidNotTake(f"broker {victim} has started without etcd")
    for member in cluster.etcd.members:
        cluster.etcd.launch(member)
    cluster.etcd.wait_until_healthy(cluster.etcd.members)
    cluster[victim].wait_until_started()


# Networks ---------------------------------------------------------------------------------------------------------


@contextmanager
def _cut(cluster: ChaosCluster, name: str, *others: str, one_way: bool = False) -> Iterator[None]:
    cluster.networks.cut(name, *others, one_way=one_way)
    try:
        for other in others:
            if cluster.passes(name, other):
                raise DidNotTake(f"{name} was cut from {other} and packets pass")
        yield
    finally:
        cluster.networks.heal([name])
    for other in others:
        must(lambda other=other: cluster.passes(name, other), f"packets pass from {name} to {other} again")  # type: ignore[misc]


@contextmanager
def cut_from_brokers(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    victim = some_leader(cluster, dice)
    others = [broker_name(number) for number in cluster.brokers if number != victim]
    with _cut(cluster, broker_name(victim), *others):
        yield f"broker {victim} from all others"


@contextmanager
def cut_one_way(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    """What one broker sends does not reach another; what that sends arrives."""
    victim = some_leader(cluster, dice)
    other = dice.choice([number for number in cluster.brokers if number != victim])
    with _cut(cluster, broker_name(victim), broker_name(other), one_way=True):
        yield f"from broker {victim} to {other}"


@contextmanager
def cut_from_etcd(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    victim = some_leader(cluster, dice)
    with _cut(cluster, broker_name(victim), *cluster.etcd_names):
        yield f"broker {victim} from etcd"


@contextmanager
def cut_off(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    """Clients reach it, but neither brokers nor etcd do: it must send its clients away."""
    victim = some_leader(cluster, dice)
    others = [broker_name(number) for number in cluster.brokers if number != victim]
    with _cut(cluster, broker_name(victim), *others, *cluster.etcd_names):
        yield f"broker {victim} from brokers and etcd"


@contextmanager
def silent(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    """Nobody hears of it any more, and nobody is refused: a cable pulled."""
    victim = some_leader(cluster, dice)
    others = [broker_name(number) for number in cluster.brokers if number != victim]
    with _cut(cluster, broker_name(victim), CLIENTS, *others, *cluster.etcd_names):
        yield f"broker {victim}"


# Disks ------------------------------------------------------------------------------------------------------------


@contextmanager
def full_disk(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    victim = some_leader(cluster, dice)
    disk = cluster.disks[victim]
    size = os.statvfs(disk.path).f_blocks * os.statvfs(disk.path).f_frsize
    disk.fill_up(left_bytes=FULL_BYTES_LEFT)
    try:
        if takes(disk.path, 4 * FULL_BYTES_LEFT):
            raise DidNotTake(f"the disk of broker {victim} was filled up and takes more")
        yield f"that of broker {victim}"
    finally:
        disk.resize(size)
    must(lambda: takes(disk.path, 1 << 20), f"the disk of broker {victim} takes more again")


def takes(folder: Path, size: int) -> bool:
    ballast = folder / ".chaos-ballast"
    try:
        ballast.write_bytes(b"x" * size)
    except OSError:
        return False
    finally:
        ballast.unlink(missing_ok=True)
    return True


@contextmanager
def bad_sector(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    """A sector of a log that its leader's disk does not give back. Those who read there are refused, and only those; in
    the end it is mended from another replica: the disk is not put right before.
    """
    victim = some_leader(cluster, dice)
    parts = [part for part in cluster.metadata(TOPIC).topics[0].partitions if part.leader_id == victim]
    found = [
        (part.partition_index, segment, segment.stat().st_size)
        for part in parts
        for segment in sorted((cluster[victim].data_dir / f"{TOPIC}-{part.partition_index}").glob("*.log"))
    ]
    large = [each for each in found if each[2] >= 4 * SECTOR]
    if not large:
        raise DidNotTake(f"broker {victim} leads no log that has a few sectors")
    index, segment, size = dice.choice(large)
    said = cluster.logs(victim).count(FOUND)

    def is_found() -> bool:
        return cluster.logs(victim).count(FOUND) > said

    # In its older half: a consumer at the end would be told that a batch is bad, and some give up then.
    cluster.bad_sectors.add(segment, dice.randrange(size // SECTOR // 2) * SECTOR)
    base = int(segment.stem)
    must(lambda: _reads(cluster, victim, index, base) or is_found(), f"{segment} of broker {victim} is read")
    if not is_found():
        raise DidNotTake(f"{segment} of broker {victim} was read, and nothing was amiss")
    try:
        yield f"one of {TOPIC}-{index} of broker {victim}"
        must(lambda: health(cluster[victim]).status == 200, f"the log of broker {victim} is mended")
    finally:
        cluster.bad_sectors.clear()


def _reads(cluster: ChaosCluster, broker_id: int, index: int, offset: int) -> bool:
    """Whether a segment can be read from its beginning, all at once."""
    wanted = FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=1 << 30)
    request = FetchRequest(max_bytes=1 << 30, topics=[FetchTopic(topic=TOPIC, partitions=[wanted])])
    try:
        answer = ask(cluster[broker_id].bootstrap, request, FetchResponse, version=12, timeout_s=30)
    except OSError:
        return False
    return not answer.responses[0].partitions[0].error_code


@contextmanager
def torn_logs(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    """A broker's logs lose a part of their tails, or have it overwritten, while it is down, as a power cut does it."""
    victim = some_leader(cluster, dice)
    _kill(cluster, victim)
    broker = cluster[victim]
    hurt = []
    for folder in sorted(broker.data_dir.glob(f"{TOPIC}-*")):
        segment = max(folder.glob("*.log"), default=None)
        if segment is None or segment.stat().st_size < 2_000:
            continue
        index = int(folder.name.rpartition("-")[2])
        hurt.append(_tear(segment, dice, floor=_floor(folder, recovery_point(broker, TOPIC, index))))
    if not any(hurt):
        raise DidNotTake(f"broker {victim} had no log with a tail to tear")
    yield f"{sum(hurt)} of broker {victim}"
    cluster.start(victim)


def _floor(folder: Path, recovery_offset: int) -> int:
    """The byte of the last segment from which on its start may cut (RULES 21): what is below had been flushed."""
    replica = read_replica(0, folder, 0)
    base = int(max(folder.glob("*.log")).stem)
    return sum(len(data) for offset, data in replica.batches.items() if base <= offset < recovery_offset)


def _tear(segment: Path, dice: random.Random, *, floor: int) -> bool:
    before = segment.read_bytes()
    if len(before) - floor < 1_000:
        return False
    at = dice.randrange(max(floor, len(before) - 3_000), len(before) - 100)
    match dice.randrange(3):
        case 0:
            after = before[:at]
        case 1:
            after = before[:at] + dice.randbytes(len(before) - at)
        case _:
            after = before[:at] + bytes([before[at] ^ 0x40]) + before[at + 1 :] + dice.randbytes(50)
    segment.write_bytes(after)
    return segment.read_bytes() != before


@contextmanager
def lost_logs(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    """All brokers die, and the first to come back has lost the folders of its logs: it must not lead them empty."""
    victim = some_leader(cluster, dice)
    for broker_id in cluster.brokers:
        _kill(cluster, broker_id)
    folders = sorted(cluster[victim].data_dir.glob(f"{TOPIC}-*"))
    if not folders:
        raise DidNotTake(f"broker {victim} has no logs to lose")
    for folder in folders:
        shutil.rmtree(folder)
    cluster.start(victim)
    yield f"{len(folders)} of broker {victim}"
    for broker_id in cluster.brokers:
        if broker_id != victim:
            cluster[broker_id].launch()
    for broker_id in cluster.brokers:
        cluster[broker_id].wait_until_started()


# Clocks -----------------------------------------------------------------------------------------------------------


@contextmanager
def stepped_clock(cluster: ChaosCluster, dice: random.Random) -> Iterator[str]:
    victim = some_leader(cluster, dice, topic=CLOCK_TOPIC)
    step_s = dice.choice([-STEP_S, STEP_S])
    cluster.step_clock(victim, seconds=step_s)
    try:
        must(lambda: abs(clock_of(cluster, victim) - step_s) < 60, f"the clock of broker {victim} is off by {step_s} s")
        yield f"that of broker {victim} by {step_s:+d} s"
    finally:
        cluster.step_clock(victim, seconds=0)
    must(lambda: abs(clock_of(cluster, victim)) < 60, f"the clock of broker {victim} is right again")


def clock_of(cluster: ChaosCluster, broker_id: int) -> float:
    """How many seconds it is ahead, by the time it puts on a record; infinity while it leads nothing to write to."""
    partitions = cluster.metadata(CLOCK_TOPIC).topics[0].partitions
    index = next((part.partition_index for part in partitions if part.leader_id == broker_id), None)
    if index is None:
        return float("inf")
    times: list[float] = []

    def delivered(error: object, message: Message) -> None:
        if error is None:
            times.append(message.timestamp()[1] / 1000)

    producer = Producer({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
    producer.produce(CLOCK_TOPIC, b"what time is it?", partition=index, on_delivery=delivered)
    producer.flush(30)
    return times[0] - time.time() if times else float("inf")


FAULTS: dict[str, Fault] = {
    "kill -9 of a leader": killed_leader,
    "kill -9 of the controller": killed_controller,
    "SIGSTOP of a leader": paused_leader,
    "partition between brokers": cut_from_brokers,
    "one-way partition between brokers": cut_one_way,
    "partition between a broker and etcd": cut_from_etcd,
    "leader cut off from brokers and etcd": cut_off,
    "silent leader": silent,
    "disk full": full_disk,
    "lost logs": lost_logs,
    "torn and corrupted logs": torn_logs,
    "bad sector": bad_sector,
    "clock step": stepped_clock,
    "kill -9 of etcd's leader": killed_etcd,
    "etcd late": late_etcd,
    "controlled restart": restarted,
}
