"""Acknowledgements of whole batches: Kafka's own ShareConsumerPerformance, of brokers that speak its protocol."""

import csv
import io
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.figures import Better, Figure
from benchmarks.loadgen import LoadFailed
from benchmarks.processes import running_seconds
from benchmarks.queue.loads import RECORD_BYTES, Side
from benchmarks.queue.rows import KAFKA, PENSTOCK, SYNCED, Bar, Row
from benchmarks.workloads import THROUGHPUT, Values

TOOL = "org.apache.kafka.tools.ShareConsumerPerformance"
_LOGGING = (
    "status=error\nappender.out.type=Console\nappender.out.name=out\nappender.out.target=SYSTEM_ERR\n"
    "appender.out.layout.type=PatternLayout\nappender.out.layout.pattern=%p %m%n\n"
    "rootLogger.level=error\nrootLogger.appenderRef.out.ref=out\n"
)


@dataclass(frozen=True, slots=True)
class Batches:
    records: int
    threads: int = 4
    key: str = "batches"
    sides: Sequence[str] = (KAFKA, PENSTOCK, SYNCED)

    def rows(self) -> list[Row]:
        title = f"acks by the batch, Kafka's tool, {self.threads} consumers"
        return [
            Row(Figure(f"{self.key}.s", title, "records/s", Better.HIGHER), (Bar(PENSTOCK, 1.0, (KAFKA,)),)),
            Row(
                Figure(f"{self.key}.cpu", f"{title}, broker", "CPU s/million", Better.LOWER),
                (Bar(PENSTOCK, 0.6, (KAFKA,)),),
            ),
        ]

    def run(self, side: Side) -> Values:
        with side.queue(self.key, 1) as queue:
            side.plain.run(
                "produce", "-b", side.broker.bootstrap, "-t", queue, "-s", RECORD_BYTES, "-n", self.records,
                settings={**THROUGHPUT, "p:acks": "all"},
            )  # fmt: skip
            cpu = running_seconds(side.broker.pid)
            taken, took_s = self._tool(side, queue)
            cpu = running_seconds(side.broker.pid) - cpu
        return {f"{self.key}.s": taken / took_s, f"{self.key}.cpu": cpu / taken * 1e6}

    def _tool(self, side: Side, queue: str) -> tuple[int, float]:
        logging = side.broker.folder / "tool-log4j2.properties"
        logging.write_text(_LOGGING)
        java = ["java", "-Xmx512m", f"-Dlog4j2.configurationFile={logging}", "-cp", f"{side.jars}/*", TOOL]
        asked = ["--num-records", str(self.records), "--threads", str(self.threads), "--timeout", "30000"]
        done = subprocess.run(
            [*java, "--bootstrap-server", side.broker.bootstrap, "--topic", queue, "--group", queue, *asked],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        if done.returncode:
            raise LoadFailed(f"{TOOL}: {done.stderr[-1000:]}")
        return said(done.stdout)


def said(output: str) -> tuple[int, float]:
    """How many records the tool had, and in how many seconds of fetching."""
    lines = [line for line in output.splitlines() if line.count(",") >= 4]
    for row in csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True):
        records, took_ms = int(row["data.consumed.in.nMsg"]), int(row["fetch.time.ms"])
        if records and took_ms:
            return records, took_ms / 1000
    raise LoadFailed(f"{TOOL} told no figures: {output[-500:]}")
