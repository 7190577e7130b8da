"""`python -m benchmarks.schedules`: records that wait, one partition of one broker: how late they are, what they take.

    python -m benchmarks.schedules --waiting 1000000 --rate 10000
    python -m benchmarks.schedules --waiting 10000000 --rate 10000 --json

`waiting` records are due far ahead, in no order; among them lie, evenly, those that come due at `rate` a second. The
target's log says when each came (message.timestamp.type=LogAppendTime), on the clock by which it was due. Then the
broker is killed with kill -9 and started again while records go on coming due: from its start to the first that came.
Memory is what the started broker has that one without them has not, at rest.
"""

import json
import random
import statistics
import sys
import time
from pathlib import Path

import click
import msgspec
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

import penstock.testing as penstock_testing
from benchmarks.processes import cpu_seconds
from penstock.testing.process import ProcessBroker
from penstock.wire.records import iterate

DUE, LATER = "bench", "bench.later"
VALUE = b"v" * 40
DAY_MS = 86_400_000


class Figures(msgspec.Struct):
    waiting: int
    rate: int
    produced_per_s: int
    fired: int
    early: int
    lateness_ms_p50: float
    lateness_ms_p99: float
    lateness_ms_max: float
    cpu_us_a_fired_record: float
    bytes_a_waiting_record: float
    restart_to_first_fire_s: float
    early_after_restart: int
    lateness_ms_p99_from_10_s_after: float


def now_ms() -> int:
    return int(time.time() * 1000)


def anonymous_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon"))


def make_topics(bootstrap: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for topic in (
        NewTopic(DUE, 1, 1, config={"message.timestamp.type": "LogAppendTime"}),
        NewTopic(LATER, 1, 1, config={"penstock.schedule.target": DUE, "penstock.schedule.waiting.max": "20000000"}),
    ):
        for future in admin.create_topics([topic]).values():
            future.result(60)


def load(bootstrap: str, waiting: int, due: list[int], chance: random.Random) -> None:
    """Those that are due lie among the others as evenly as may be, in no order of their times."""
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "linger.ms": 20,
            "batch.num.messages": 2_000,
            "compression.type": "lz4",
            "queue.buffering.max.messages": 500_000,
        }
    )
    chance.shuffle(due)
    far_ms, whole, placed = now_ms() + DAY_MS, waiting + len(due), 0
    for number in range(whole):
        if placed * whole < number * len(due):
            at = due[placed]
            placed += 1
        else:
            at = far_ms + chance.randrange(30 * DAY_MS)
        while True:
            try:
                producer.produce(LATER, VALUE, headers=[("penstock-deliver-at", b"%d" % at)])
                break
            except BufferError:
                producer.poll(0.05)
        if not number % 1_000:
            producer.poll(0)
    assert producer.flush(600) == 0


def lateness(data_folder: Path, *, after_ms: int = 0) -> list[int]:
    """When each record came less when it was due, by the target's log."""
    found = []
    for path in sorted(data_folder.glob(f"**/{DUE}-0/*.log")):
        data, at = path.read_bytes(), 0
        while at + 12 <= len(data):
            size = int.from_bytes(data[at + 8 : at + 12], "big") + 12
            for record in iterate(data[at : at + size]):
                due_ms = int(dict(record.headers)["penstock-due"] or 0)
                if record.timestamp >= after_ms:
                    found.append((record.timestamp, record.timestamp - due_ms))
            at += size
    return [late for _, late in sorted(found)]


def first_after(data_folder: Path, started_ms: int) -> float:
    stamps = []
    for path in sorted(data_folder.glob(f"**/{DUE}-0/*.log")):
        data, at = path.read_bytes(), 0
        while at + 12 <= len(data):
            size = int.from_bytes(data[at + 8 : at + 12], "big") + 12
            stamps += [record.timestamp for record in iterate(data[at : at + size])][:1]
            at += size
    return (min((stamp for stamp in stamps if stamp >= started_ms), default=sys.maxsize) - started_ms) / 1000


def say_by_second(late: list[int], rate: int) -> None:
    """Where it was late: the largest of each second's worth of records."""
    seconds = [late[first : first + rate] for first in range(0, len(late), rate)]
    print("by second: " + " ".join(f"{statistics.median(each):.0f}/{max(each)}" for each in seconds), file=sys.stderr)


def p99(values: list[int]) -> float:
    return statistics.quantiles(values, n=100)[98]


def measure(waiting: int, rate: int, seconds: int, lead_s: int) -> Figures:
    with penstock_testing.broker() as broker:
        assert isinstance(broker, ProcessBroker)
        folder = broker.data_dir
        make_topics(broker.bootstrap)
        broker.kill()
        broker.start()
        at_rest = anonymous_bytes(broker.pid)
        begun, begun_ms = time.monotonic(), now_ms() + 1_000 * lead_s
        step = 1000 / rate
        # Those of the second half are due while the broker is away, and after.
        due = [begun_ms + int(number * step) for number in range(rate * seconds * 2)]
        load(broker.bootstrap, waiting, due, random.Random(1))
        produced_s = time.monotonic() - begun
        if produced_s > lead_s:
            raise SystemExit(f"producing took {produced_s:.0f} s: give it more than --lead {lead_s}")
        time.sleep(max(0.0, (begun_ms - now_ms()) / 1000 - 2))
        peak = anonymous_bytes(broker.pid)
        print(f"produced in {produced_s:.0f} s; {(peak - at_rest) / waiting:.1f} B a record then", file=sys.stderr)
        time.sleep(max(0.0, (begun_ms - now_ms()) / 1000))
        cpu = cpu_seconds(broker.pid)
        time.sleep(seconds)
        cpu_us = (cpu_seconds(broker.pid) - cpu) / (rate * seconds) * 1e6
        before = lateness(folder)
        say_by_second(before, rate)
        return _restarted(
            broker, folder, before, at_rest, waiting, rate, seconds, int((waiting + len(due)) / produced_s), cpu_us
        )


def _restarted(
    broker: ProcessBroker,
    folder: Path,
    before: list[int],
    at_rest: int,
    waiting: int,
    rate: int,
    seconds: int,
    produced_per_s: int,
    cpu_us: float,
) -> Figures:
    broker.kill()
    started_ms = now_ms()
    broker.start()
    time.sleep(seconds)
    left = rate * seconds * 2
    while len(lateness(folder)) < left:
        time.sleep(2)
    time.sleep(5)
    grown = anonymous_bytes(broker.pid) - at_rest
    after = lateness(folder, after_ms=started_ms)
    calm = lateness(folder, after_ms=started_ms + 10_000)
    return Figures(
        waiting=waiting,
        rate=rate,
        produced_per_s=produced_per_s,
        fired=left,
        early=sum(late < 0 for late in before),
        lateness_ms_p50=statistics.median(before),
        lateness_ms_p99=p99(before),
        lateness_ms_max=max(before),
        cpu_us_a_fired_record=cpu_us,
        bytes_a_waiting_record=grown / waiting,
        restart_to_first_fire_s=first_after(folder, started_ms),
        early_after_restart=sum(late < 0 for late in after),
        lateness_ms_p99_from_10_s_after=p99(calm) if len(calm) > 1 else -1,
    )


@click.command()
@click.option("--waiting", type=int, default=1_000_000)
@click.option("--rate", type=int, default=10_000)
@click.option("--seconds", type=int, default=20, help="How long they come due, before the kill and after it.")
@click.option("--lead", type=int, default=0, help="Seconds until the first is due; by default as producing may take.")
@click.option("--json", "as_json", is_flag=True)
def main(waiting: int, rate: int, seconds: int, lead: int, as_json: bool) -> None:
    figures = measure(waiting, rate, seconds, lead or 15 + waiting // 30_000)
    said = msgspec.structs.asdict(figures)
    if as_json:
        print(json.dumps(said))
    else:
        for name, value in said.items():
            print(f"{name:40} {value:,.1f}" if isinstance(value, float) else f"{name:40} {value:,}")


if __name__ == "__main__":
    main()
