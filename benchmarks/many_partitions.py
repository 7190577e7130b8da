"""Thousands of partitions under `ulimit -n 1024`: python benchmarks/many_partitions.py [partitions]

Creates them, writes one batch to every second one, stops cleanly, starts again, then starts as after a crash.
Prints seconds, memory and descriptors; asserts nothing.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import structlog
from tests.support.logs import StillClock, a_batch

from penstock.log import ExpectedLog, FilePool, LogFolder
from penstock.model import PartitionIndex, TopicId, TopicPartition
from penstock.settings.config import Config

TOPIC_ID = TopicId(bytes(range(16)))


@contextmanager
def timed(what: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    print(f"{what:<52} {time.perf_counter() - began:7.2f} s   {rss_mib():6.0f} MiB resident")


def rss_mib() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    config = Config.for_broker({})
    topic = config.for_topic({})
    clock = StillClock()

    def a_folder() -> LogFolder:
        return LogFolder(path, cluster_id="bench", node_id=1, pool=FilePool(512), clock=clock)

    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        folder = a_folder()
        folder.open_all(lambda *_: ExpectedLog(topic))
        partitions = [TopicPartition("bench", PartitionIndex(number)) for number in range(count)]
        print(f"{count} partitions, {rss_mib():.0f} MiB before")
        with timed("create"):
            logs = [folder.create(partition, TOPIC_ID, topic) for partition in partitions]
        with timed("one batch to every second one"):
            for log in logs[::2]:
                log.append([a_batch(0, value_bytes=100)])
        print(f"{folder.pool.open_now} log files open")
        with timed("clean stop"):
            print(f"clean: {folder.close()}")
        for what in ("start after a clean stop", "start as after kill -9"):
            del logs, folder
            folder = a_folder()
            with timed(what):
                logs = list(folder.open_all(lambda *_: ExpectedLog(topic)).values())
            assert sum(log.end_offset for log in logs) == (count + 1) // 2
            folder.lock.release()


if __name__ == "__main__":
    main()
