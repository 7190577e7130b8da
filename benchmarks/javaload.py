"""The same produce load from Kafka's own ProducerPerformance, for whoever trusts no other client (--java)."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.brokers import pids
from benchmarks.figures import Better, Figure
from benchmarks.loadgen import LoadFailed
from benchmarks.processes import cpu_seconds
from benchmarks.workloads import Side, Values

_RESULT = re.compile(r"^(\d+) records sent, [\d.,]+ records/sec \(([\d.]+) MB/sec\)", re.MULTILINE)
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class JavaProduce:
    key: str
    title: str
    record_bytes: int
    records: int
    jars: Path

    def figures(self) -> list[Figure]:
        return [
            Figure(f"{self.key}.produce_mb_s", f"produce {self.title}", "MB/s", Better.HIGHER),
            Figure(f"{self.key}.produce_cpu", f"produce {self.title}", "CPU s/GB", Better.LOWER),
        ]

    def run(self, side: Side) -> Values:
        tool = ["java", "-Xmx512m", "-cp", f"{self.jars}/*", "org.apache.kafka.tools.ProducerPerformance"]
        shape = ["--num-records", str(self.records), "--record-size", str(self.record_bytes), "--throughput", "-1"]
        properties = [f"bootstrap.servers={side.subject.bootstrap}", "acks=1", "linger.ms=5", "batch.size=1000000"]
        with side.topic(self.key, 1) as topic:
            side.touch()
            cpu = cpu_seconds(*pids(side.subject))
            command = [*tool, "--topic", topic, *shape, "--command-property", *properties]
            done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
            cpu = cpu_seconds(*pids(side.subject)) - cpu
        # The last line is of the whole run; those before it are progress, five seconds each.
        found = _RESULT.findall(done.stdout)
        if done.returncode != 0 or not found or int(found[-1][0]) != self.records:
            raise LoadFailed(f"ProducerPerformance: {(done.stdout + done.stderr).strip()[-2000:]}")
        return {
            f"{self.key}.produce_mb_s": float(found[-1][1]) * _MIB / 1e6,
            f"{self.key}.produce_cpu": cpu / (self.records * self.record_bytes / 1e9),
        }
