"""penstock produce and penstock consume against a running broker."""

import json
import logging
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from pytest import MonkeyPatch
from tests.support.command import PATIENCE_S, PATIENT, Penstock
from tests.support.faults import eventually

from penstock.cli import librdkafka
from penstock.cli.client import Cluster
from penstock.cli.consume import open_consumer
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.positions import Span
from penstock.cli.produce import open_producer
from penstock.cli.reading import TopicReader
from penstock.testing import RunningBroker


@pytest.fixture
def topic(penstock: Penstock) -> str:
    """A topic of one partition, so that order is certain."""
    name = f"records-{uuid4().hex[:8]}"
    assert penstock("topic", "create", name, "-p", "1").code == ExitCode.OK
    return name


def test_lines_written_are_lines_read(penstock: Penstock, topic: str) -> None:
    written = penstock("produce", topic, stdin="one\ntwo\nthree\n")
    assert written.code == ExitCode.OK and f"3 records written to {topic}" in written.err
    assert penstock("consume", topic).out == "one\ntwo\nthree\n"


def test_a_file_is_written_with_keys_and_headers(penstock: Penstock, topic: str, tmp_path: Path) -> None:
    path = tmp_path / "records.txt"
    path.write_text("a=1|k1:v1\na=2|k2:NULL\n")
    penstock("produce", topic, "-f", str(path), "-K", ":", "--header-separator", "|", "-H", "source=test", "-N", "NULL")
    assert penstock("consume", topic, "-k", "-H", "-O").out == (
        "0:0\tk1\tsource=test,a=1\tv1\n0:1\tk2\tsource=test,a=2\tnull\n"
    )


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_every_compression_is_read_back(penstock: Penstock, topic: str, codec: str) -> None:
    lines = "".join(f"record {number} of a hundred\n" for number in range(100))
    assert penstock("produce", topic, "-z", codec, stdin=lines).code == ExitCode.OK
    assert penstock("consume", topic).out == lines


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_every_level_of_acknowledgement_writes(penstock: Penstock, topic: str, acks: str) -> None:
    written = penstock("produce", topic, "--acks", acks, stdin="x\ny\n")
    assert written.code == ExitCode.OK and f"2 records {'sent' if acks == '0' else 'written'}" in written.err
    # With 0 nobody has said yet that they are there.
    eventually(lambda: penstock("consume", topic).out == "x\ny\n", "both records are there, once and in order")


EVERY_BYTE = b"".join(bytes([byte]) for byte in range(256) if byte != ord("\n"))
LINES_OF_BYTES = EVERY_BYTE + b"\n" + b"ends in a carriage return\r\n" + b"\xff\xfe\n" + b"\n" + "caf\u00e9\n".encode()


def test_bytes_go_in_and_out_as_they_are_through_pipes_and_files(
    penstock: Penstock, topic: str, penstock_session_broker: RunningBroker, tmp_path: Path
) -> None:
    assert penstock("produce", topic, stdin=LINES_OF_BYTES).code == ExitCode.OK
    environment = {**os.environ, "PENSTOCK_BOOTSTRAP": penstock_session_broker.bootstrap}
    command = [sys.executable, "-m", "penstock.cli", "consume", topic, *PATIENT]
    piped = subprocess.run(command, capture_output=True, env=environment, check=True).stdout
    assert piped == LINES_OF_BYTES
    with open(tmp_path / "out", "wb") as file:
        subprocess.run(command, stdout=file, env=environment, check=True)
    assert (tmp_path / "out").read_bytes() == LINES_OF_BYTES


def test_a_terminal_is_shown_no_control_characters(
    penstock: Penstock, topic: str, penstock_session_broker: RunningBroker
) -> None:
    penstock("produce", topic, stdin=b"\x1b[2J\xff boo\r\n")
    environment = {**os.environ, "PENSTOCK_BOOTSTRAP": penstock_session_broker.bootstrap}
    command = [sys.executable, "-m", "penstock.cli", "consume", topic, *PATIENT]
    ours, theirs = pty.openpty()
    try:
        subprocess.run(command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=environment, check=True)
        shown = os.read(ours, 1_000)
    finally:
        os.close(ours)
        os.close(theirs)
    assert shown == rb"\x1b[2J\xff boo\x0d" + b"\r\n"  # the terminal's own line ends


def test_lines_of_windows_are_split_where_one_says_so(penstock: Penstock, topic: str) -> None:
    penstock("produce", topic, "-d", r"\r\n", stdin=b"one\r\ntwo\r\n")
    assert penstock("consume", topic).out == "one\ntwo\n"


def test_the_producer_id_is_asked_for_before_the_first_record(bootstrap: str, topic: str) -> None:
    """Else librdkafka looks only every half second, which is what one record would take."""
    said: list[str] = []
    logger = logging.Logger("librdkafka", level=logging.DEBUG)
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    cluster = Cluster(bootstrap, {"debug": "eos", "log_level": "7"}, timeout_s=PATIENCE_S[1])
    for _ in range(5):  # without being told to, it is quick now and then
        said.clear()
        with MonkeyPatch.context() as patched:
            patched.setattr(librdkafka, "_quiet_logger", logger)
            producer = open_producer(cluster, topic, {"enable.idempotence": True, "acks": "all"})
        producer.poll(0)
        assert any("Acquiring ProducerId" in line for line in said), said


def test_records_that_are_deleted_before_they_are_read_are_said_to_be_gone(
    penstock: Penstock, bootstrap: str, topic: str
) -> None:
    penstock("produce", topic, stdin="one\ntwo\nthree\n")
    admin = AdminClient({"bootstrap.servers": bootstrap})
    (deleted,) = admin.delete_records([TopicPartition(topic, 0, 2)]).values()
    deleted.result(PATIENCE_S[1])
    cluster = Cluster(bootstrap, timeout_s=PATIENCE_S[1])
    consumer = open_consumer(cluster, group=None, isolation="read_committed")
    try:
        with pytest.raises(Failure, match=f"could not read {topic}: .*ffset out of range"):
            list(TopicReader(consumer, cluster, topic).read({0: Span(0, 0, 3)}, follow=False))
    finally:
        consumer.close()


def test_json_goes_round_without_loss(penstock: Penstock, topic: str) -> None:
    record = {
        "key": "k",
        "value_base64": "/wA=",
        "headers": [{"name": "h", "value": None}],
        "timestamp": 1_700_000_000_000,
    }
    penstock("produce", topic, "--format", "json", stdin=json.dumps(record) + "\n")
    read = json.loads(penstock("consume", topic, "--json").out)
    assert read == {"topic": topic, "partition": 0, "offset": 0, "timestamp_type": "create", **record}


def test_raw_writes_and_reads_bytes_as_they_are(penstock: Penstock, topic: str) -> None:
    penstock("produce", topic, "--format", "raw", stdin="line one\nline two")
    assert penstock("consume", topic, "--format", "raw").out == "line one\nline two"


def test_a_summary_for_programs(penstock: Penstock, topic: str) -> None:
    summary = json.loads(penstock("produce", topic, "--json", stdin="a\nb\n").out)
    assert (summary["written"], summary["failed"], summary["bytes"]) == (2, 0, 2)
    unasked = json.loads(penstock("produce", topic, "--json", "--acks", "0", stdin="a\nb\n").out)
    assert (unasked["written"], unasked["sent"]) == (None, 2)


def test_reading_starts_where_it_is_told_to(penstock: Penstock, topic: str) -> None:
    stamped = "".join(f'{{"value": "v{n}", "timestamp": {1_700_000_000_000 + n * 1000}}}\n' for n in range(10))
    penstock("produce", topic, "--format", "json", stdin=stamped)
    assert penstock("consume", topic, "--offset", "8").out == "v8\nv9\n"
    assert penstock("consume", topic, "--last", "3").out == "v7\nv8\nv9\n"
    assert penstock("consume", topic, "--last", "0").out == ""
    assert penstock("consume", topic, "--from-time", "1700000007500").out == "v8\nv9\n"
    assert penstock("consume", topic, "--from-beginning", "--count", "2").out == "v0\nv1\n"
    assert penstock("consume", topic, "--from-time", "now").out == ""


def test_an_offset_beyond_the_end_is_said(penstock: Penstock, topic: str) -> None:
    beyond = penstock("consume", topic, "--offset", "5")
    assert (beyond.code, beyond.out) == (ExitCode.OK, "") and f"{topic}-0 ends at 0" in beyond.err


def test_the_last_records_are_the_last_over_all_partitions(penstock: Penstock) -> None:
    topic = f"wide-{uuid4().hex[:8]}"
    penstock("topic", "create", topic, "-p", "3")
    for number in range(6):
        line = json.dumps({"value": f"v{number}", "timestamp": 1_700_000_000_000 + number, "partition": number % 3})
        penstock("produce", topic, "--format", "json", "--keep-partitions", stdin=line + "\n")
    assert penstock("consume", topic, "--last", "4").out == "v2\nv3\nv4\nv5\n"
    assert penstock("consume", topic, "--partition", "1").out == "v1\nv4\n"


def test_a_template_prints_what_it_says(penstock: Penstock, topic: str) -> None:
    penstock("produce", topic, "-k", "key", stdin="value\n")
    assert penstock("consume", topic, "--template", r"{topic}/{partition}/{offset}\t{key}={value}\n").out == (
        f"{topic}/0/0\tkey=value\n"
    )


def test_a_line_that_is_no_record_stops_with_its_number(penstock: Penstock, topic: str) -> None:
    stopped = penstock("produce", topic, "-K", ":", stdin="a:1\nb2\nc:3\n")
    assert stopped.code == ExitCode.FAILED and "line 2: no key separator" in stopped.err
    assert penstock("consume", topic).out == "1\n"


def test_bad_lines_may_be_skipped_and_still_count(penstock: Penstock, topic: str) -> None:
    skipped = penstock("produce", topic, "-K", ":", "--skip-bad-lines", stdin="a:1\nb2\nc:3\n")
    assert skipped.code == ExitCode.FAILED and "2 records written" in skipped.err and "1 failed" in skipped.err
    assert penstock("consume", topic).out == "1\n3\n"


def test_a_record_that_is_too_large_is_exit_code_1(penstock: Penstock, topic: str) -> None:
    penstock("topic", "alter", topic, "-s", "max.message.bytes=1000")
    refused = penstock("produce", topic, stdin="x" * 5_000 + "\n")
    assert refused.code == ExitCode.FAILED and "MESSAGE_TOO_LARGE" in refused.err


def test_what_does_not_exist_is_exit_code_4(penstock: Penstock, topic: str) -> None:
    assert penstock("consume", "no-such-topic").code == ExitCode.NOT_FOUND
    assert penstock("consume", topic, "--partition", "7").code == ExitCode.NOT_FOUND
    assert penstock("produce", "no-such-topic", "--no-create", stdin="x\n").code == ExitCode.NOT_FOUND
    assert penstock("produce", topic, "--partition", "7", stdin="x\n").code == ExitCode.NOT_FOUND


def test_a_missing_topic_is_created_by_the_first_record(penstock: Penstock) -> None:
    topic = f"auto-{uuid4().hex[:8]}"
    assert penstock("produce", topic, stdin="x\n").code == ExitCode.OK
    assert penstock("consume", topic).out == "x\n"


def test_following_prints_what_comes_until_it_is_interrupted(
    penstock: Penstock, topic: str, penstock_session_broker: RunningBroker
) -> None:
    penstock("produce", topic, stdin="old\n")
    # A suite that was started in the background ignores SIGINT, and so would the command that inherits that from it.
    interruptible = ["env", "--default-signal=INT"]
    command = [*interruptible, sys.executable, "-m", "penstock.cli", "consume", topic, "--last", "1", "--follow"]
    command += PATIENT
    environment = {**os.environ, "PENSTOCK_BOOTSTRAP": penstock_session_broker.bootstrap}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as following:
        try:
            assert following.stdout is not None
            assert following.stdout.readline() == b"old\n"
            penstock("produce", topic, stdin="new\n")
            assert following.stdout.readline() == b"new\n"
            following.send_signal(signal.SIGINT)
            assert following.wait(60) == ExitCode.INTERRUPTED
        finally:
            following.kill()


def test_a_closed_pipe_is_a_quiet_end(penstock: Penstock, topic: str, penstock_session_broker: RunningBroker) -> None:
    penstock("produce", topic, stdin="".join(f"{n} {'x' * 100}\n" for n in range(5_000)))
    environment = {**os.environ, "PENSTOCK_BOOTSTRAP": penstock_session_broker.bootstrap}
    pipe = f"{sys.executable} -m penstock.cli consume {topic} {' '.join(PATIENT)} | head -1; echo ${{PIPESTATUS[0]}}"
    outcome = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, env=environment, check=True)
    assert outcome.stdout == f"0 {'x' * 100}\n0\n" and outcome.stderr == ""


def test_a_partition_that_is_offline_is_said_with_kafkas_name_for_it(
    penstock_broker: RunningBroker, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    penstock = Penstock(penstock_broker.bootstrap, monkeypatch, capfd)
    penstock("produce", "t", "-p", "0", stdin="x\n")
    penstock_broker.stop()
    log = penstock_broker.data_dir / "t-0" / "00000000000000000000.log"
    damaged = bytearray(log.read_bytes())
    damaged[-1] ^= 0xFF
    log.write_bytes(damaged)
    (penstock_broker.data_dir / ".kafka_cleanshutdown").unlink()
    penstock_broker.start()
    failed = penstock("consume", "t")
    assert failed.code == ExitCode.FAILED
    assert "the offsets of t-0 are not known" in failed.err and "KAFKA_STORAGE_ERROR" in failed.err
    described = penstock("topic", "describe", "t")
    assert described.code == ExitCode.FAILED and "KAFKA_STORAGE_ERROR" in described.err
    refused = penstock("produce", "t", "-p", "0", "-X", "message.timeout.ms=20000", stdin="y\n")
    assert refused.code == ExitCode.FAILED
    assert "nothing was written to t" in refused.err and "The cluster was reached" in refused.err


def test_a_header_may_come_twice_and_keeps_its_spaces(penstock: Penstock, topic: str) -> None:
    penstock("produce", topic, "-H", "a=1", "-H", "a= 2 ", stdin="v\n")
    assert json.loads(penstock("consume", topic, "--json").out)["headers"] == [
        {"name": "a", "value": "1"},
        {"name": "a", "value": " 2 "},
    ]


@pytest.mark.parametrize("command", ["produce", "consume"])
def test_a_partition_that_is_not_there_is_told_with_how_many_there_are(
    penstock: Penstock, topic: str, command: str
) -> None:
    outcome = penstock(command, topic, "-p", "9", stdin="v\n")
    assert outcome.code == ExitCode.NOT_FOUND
    assert f"{topic} has no partition 9; it has 1, counted from 0" in outcome.err


def test_a_record_that_is_too_large_is_told_with_what_to_raise(penstock: Penstock, topic: str) -> None:
    large = b"x" * 2_000_000
    refused = penstock("produce", topic, "--format", "raw", stdin=large)
    assert refused.code == ExitCode.FAILED
    assert "MESSAGE_TOO_LARGE" in refused.err and "max.message.bytes" in refused.err
    assert penstock("topic", "alter", topic, "-s", "max.message.bytes=3000000").code == ExitCode.OK
    options = ("--format", "raw", "-X", "message.max.bytes=3000000")
    assert penstock("produce", topic, *options, stdin=large).code == ExitCode.OK
