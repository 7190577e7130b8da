"""Killing a sink's driver, executors and Python workers in mid-transaction, and judging what came out."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from tests.support.clients import until_decided
from tests.support.spark_processes import SMALL_CLUSTER, end_family, family, kind_of

PROGRAM = "tests.pipelines.sink.writing_program"
ROOT = Path(__file__).resolve().parents[3]
GIVE_UP_S = 1800.0


@dataclass(frozen=True)
class Run:
    bootstrap: str
    topic: str
    partitions: int
    folder: Path
    batches: int
    """At least: it goes on until it was killed as often as is wanted, however fast it is."""
    rows: int
    keys: int = 40
    master: str = SMALL_CLUSTER


@dataclass
class Killer:
    """Starts the program, kills as asked, starts it again when the driver is gone, until it says that it is done."""

    run: Run
    dice: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    starts: int = 0

    def drive(self, wanted: int, kinds: tuple[str, ...]) -> int:
        """At least `wanted` kills, then to the end without: after how many batches that was."""
        deadline = time.monotonic() + GIVE_UP_S
        with _Ends(self.run) as ends:
            while True:
                program = self._start()
                try:
                    while program.poll() is None:
                        assert time.monotonic() < deadline, f"still at it; {self.kills}, see {self.run.folder}"
                        if self.kills.total() >= wanted:
                            self._enough.touch()
                            time.sleep(0.05)
                        elif ends.grew(within_s=1.0):
                            time.sleep(self.dice.random() * 0.5)
                            self._kill(program, self.dice.choice(kinds))
                finally:
                    end_family(program.pid)
                    program.wait()
                if done := re.search(r"^done (\d+)$", self._said(), flags=re.MULTILINE):
                    return int(done.group(1))
                assert self.kills["driver"] >= self.starts, f"the driver ended by itself:\n{self._complaints()[-6000:]}"

    @property
    def _enough(self) -> Path:
        return self.run.folder / "enough"

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        options = {
            "bootstrap": self.run.bootstrap, "topic": self.run.topic, "checkpoint": self.run.folder / "checkpoint",
            "master": self.run.master, "batches": self.run.batches, "rows": self.run.rows, "keys": self.run.keys,
            "enough": self._enough,
        }  # fmt: skip
        command = [sys.executable, "-m", PROGRAM]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        with (self.run.folder / "out").open("wb") as out, (self.run.folder / "err").open("ab") as err:
            return subprocess.Popen(
                command,
                stdout=out,
                stderr=err,
                cwd=ROOT,
                env={
                    **os.environ,
                    "SPARK_WORKER_DIR": str(self.run.folder / "work"),
                    "SPARK_LOCAL_DIRS": str(self.run.folder),
                },
            )

    def _said(self) -> str:
        return (self.run.folder / "out").read_text(errors="replace")

    def _complaints(self) -> str:
        return (self.run.folder / "err").read_text(errors="replace")

    def _kill(self, program: subprocess.Popen[bytes], kind: str) -> None:
        found = [pid for pid in family(program.pid) if kind_of(pid) == kind]
        if kind == "driver":
            found = [program.pid]
            victims = [pid for pid in family(program.pid) if kind_of(pid) == "driver-jvm"] + found
        else:
            victims = [self.dice.choice(found)] if found else []
        for victim in victims:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                return
        if victims:
            self.kills[kind] += 1


class _Ends:
    """Where the target's log ends, committed or not: it grows in the middle of a transaction."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._last: int | None = None

    def __enter__(self) -> _Ends:
        self._consumer = Consumer(
            {
                "bootstrap.servers": self._run.bootstrap,
                "group.id": "ends",
                "isolation.level": "read_uncommitted",
                "log_level": 0,
            }
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._consumer.close()

    def grew(self, *, within_s: float) -> bool:
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            time.sleep(0.02)
            try:
                now = sum(
                    self._consumer.get_watermark_offsets(TopicPartition(self._run.topic, partition), timeout=10)[1]
                    for partition in range(self._run.partitions)
                )
            except KafkaException:
                continue  # no leader yet, or a machine with much to do: who waits for it in vain gives up
            before, self._last = self._last, now
            if before is not None and now > before:
                return True
        return False


def committed(bootstrap: str, topic: str, partitions: int) -> list[list[tuple[bytes | None, bytes | None]]]:
    """Key and value of every committed record, partition by partition, in order: the judge's view."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap, "group.id": "judge", "isolation.level": "read_committed",
            "enable.partition.eof": True, "auto.offset.reset": "earliest",
        }
    )  # fmt: skip
    rows: list[list[tuple[bytes | None, bytes | None]]] = [[] for _ in range(partitions)]
    try:
        until_decided(bootstrap, topic, *range(partitions))
        consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
        open_still = set(range(partitions))
        deadline = time.monotonic() + 120
        while open_still:
            assert time.monotonic() < deadline, f"{topic}: partitions {open_still} do not end"
            for message in consumer.consume(1000, timeout=1.0):
                error = message.error()
                if error is None:
                    rows[message.partition() or 0].append((message.key(), message.value()))
                elif error.code() == KafkaError._PARTITION_EOF:
                    open_still.discard(message.partition())
                else:
                    raise AssertionError(error)
    finally:
        consumer.close()
    return rows


def judge(run: Run, batches: int) -> None:
    """Every number of so many batches once, and those of a key in one partition and in order."""
    rows = committed(run.bootstrap, run.topic, run.partitions)
    times = Counter(int(value or b"-1") for partition in rows for _, value in partition)
    # The program ends when it sees that its last batch is done; by then it may have written some of the next.
    wanted = set(range(batches * run.rows))
    assert not (lost := sorted(wanted - times.keys())), f"{len(lost)} lost: {lost[:10]}"
    assert not (doubled := sorted(number for number, count in times.items() if count > 1)), f"doubled: {doubled[:10]}"
    homes: dict[bytes | None, int] = {}
    for partition, records in enumerate(rows):
        last: dict[bytes | None, int] = {}
        for key, value in records:
            assert homes.setdefault(key, partition) == partition, f"key {key!r} is in two partitions"
            number = int(value or b"-1")
            assert last.get(key, -1) < number, f"key {key!r}: {number} after {last[key]}"
            last[key] = number
