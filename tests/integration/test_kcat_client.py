"""kcat, as Debian ships it: an older librdkafka, from the command line."""

from __future__ import annotations

import json
import shutil
import subprocess

from confluent_kafka import Producer
from tests.support.clients import WITHIN_S, make_topic

PATIENCE_S = "100"
"""By default it gives up on a broker that is silent for five seconds, as any is on a machine that stalls."""


def kcat(bootstrap: str, *arguments: str, stdin: str = "") -> str:
    program = shutil.which("kcat")
    assert program is not None, "no kcat on the path; run: tools/test-setup"
    command = [program, "-b", bootstrap, "-m", PATIENCE_S, *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def test_kcat_lists_brokers_and_topics(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "kcat-list", partitions=2)
    seen = json.loads(kcat(bootstrap, "-L", "-J", "-t", topic))
    assert [each["name"] for each in seen["brokers"]] == [bootstrap]
    (listed,) = seen["topics"]
    assert (listed["topic"], len(listed["partitions"])) == (topic, 2)


def test_kcat_reads_what_it_wrote(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "kcat")
    kcat(bootstrap, "-P", "-t", topic, "-p", "0", "-K:", "-H", "origin=kcat", stdin="a:1\nb:2\nc:3\n")
    read = kcat(bootstrap, "-C", "-t", topic, "-p", "0", "-o", "beginning", "-e", "-q", "-f", "%o %k=%s %h\n")
    assert read.splitlines() == ["0 a=1 origin=kcat", "1 b=2 origin=kcat", "2 c=3 origin=kcat"]


def test_kcat_compresses(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "kcat-codec")
    for codec in ("gzip", "snappy", "lz4", "zstd"):
        kcat(bootstrap, "-P", "-t", topic, "-p", "0", "-z", codec, stdin=f"{codec} {'x' * 500}\n")
    read = kcat(bootstrap, "-C", "-t", topic, "-p", "0", "-o", "beginning", "-e", "-q")
    assert [line.split()[0] for line in read.splitlines()] == ["gzip", "snappy", "lz4", "zstd"]


def test_kcat_reads_the_last_records(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "kcat-last")
    kcat(bootstrap, "-P", "-t", topic, "-p", "0", stdin="".join(f"{number}\n" for number in range(50)))
    assert kcat(bootstrap, "-C", "-t", topic, "-p", "0", "-o", "-2", "-e", "-q").split() == ["48", "49"]


def test_kcat_queries_offsets_by_time(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "kcat-query")
    producer = Producer({"bootstrap.servers": bootstrap})
    for second in (1, 2, 3):
        producer.produce(topic, b"x", partition=0, timestamp=1_700_000_000_000 + second * 1_000)
        assert producer.flush(WITHIN_S) == 0  # a batch each
    for time, offset in (
        (1_700_000_000_000, "0"),
        (1_700_000_001_001, "1"),
        (1_700_000_003_000, "2"),
        (1_700_000_003_001, "-1"),
        (-1, "3"),
        (-2, "0"),
    ):
        assert kcat(bootstrap, "-Q", "-t", f"{topic}:0:{time}").split() == [topic, "[0]", "offset", offset]
