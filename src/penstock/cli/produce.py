"""`penstock produce`: lines, JSON lines or whole files to records."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

import click

from penstock.cli.client import Cluster, client_options, require_partition, topic_missing
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.librdkafka import Producer, failure, reach
from penstock.cli.librdkafka import open_producer as make_producer
from penstock.cli.output import json_option, note, print_json
from penstock.cli.progress import Advance, progress_bar
from penstock.cli.records import LineFormat, ParsedRecord, Unparsable, parse_json, parse_line, unescape
from penstock.cli.sending import Sender
from penstock.model.words import counted

READ_BYTES = 1 << 16


@click.command(no_args_is_help=True)
@click.argument("topic")
@click.option("-f", "--file", "source", type=click.File("rb"), default="-", help="Read this file, not standard input.")
@click.option("--format", "form", type=click.Choice(["lines", "json", "raw"]), default="lines", show_default=True,
              help="lines: a record a line; json: an object a line (key, value, headers, timestamp), as consume "
              "prints it; raw: the whole input is one value.")  # fmt: skip
@click.option("-k", "--key", help="The key of every record.")
@click.option("-K", "--key-separator", metavar="TEXT", help=r"Ends the key in a line, such as ':' or '\t'.")
@click.option("-H", "--header", "header_pairs", multiple=True, metavar="NAME=VALUE",
              help="A header for every record; repeatable.")  # fmt: skip
@click.option("--header-separator", metavar="TEXT",
              help="Ends the headers in a line, which come first as name=value,name=value.")  # fmt: skip
@click.option("-d", "--delimiter", default=r"\n", show_default=True, metavar="TEXT",
              help=r"Ends a record; '\r\n' for files from Windows.")  # fmt: skip
@click.option("-N", "--null-marker", metavar="TEXT", help="A key or value of exactly this text is null (a tombstone).")
@click.option("-p", "--partition", type=click.IntRange(min=0), help="Write to this partition only.")
@click.option("--keep-partitions", is_flag=True, help="With json: write each record to the partition it names.")
@click.option("-z", "--compression", type=click.Choice(["none", "gzip", "snappy", "lz4", "zstd"]), default="none",
              show_default=True)  # fmt: skip
@click.option("--acks", type=click.Choice(["0", "1", "all"]), default="all", show_default=True,
              help="Who must have a record before it counts as written: nobody, the leader, or all in-sync "
              "replicas.")  # fmt: skip
@click.option("--linger-ms", type=click.IntRange(min=0), default=5, show_default=True,
              help="How long to gather records into a batch.")  # fmt: skip
@click.option("--batch-bytes", type=click.IntRange(min=1), default=1_000_000, show_default=True,
              help="How large a batch may grow.")  # fmt: skip
@click.option("--create/--no-create", default=True, show_default=True,
              help="Let the cluster create a missing topic, where it does so by itself.")  # fmt: skip
@click.option("--skip-bad-lines", is_flag=True, help="Go on after a line that is no record; it counts as a failure.")
@client_options
@json_option
def produce(
    *,
    topic: str,
    source: BinaryIO,
    form: str,
    key: str | None,
    key_separator: str | None,
    header_pairs: tuple[str, ...],
    header_separator: str | None,
    delimiter: str,
    null_marker: str | None,
    partition: int | None,
    keep_partitions: bool,
    compression: str,
    acks: str,
    linger_ms: int,
    batch_bytes: int,
    create: bool,
    skip_bad_lines: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Write records to TOPIC.

    \b
    echo hello | penstock produce greetings
    penstock produce orders --key-separator : --file orders.txt --compression zstd
    penstock consume orders --json | penstock produce copy --format json

    Exits with 1 if any record was not written; a count follows on stderr.
    """
    if form != "lines" and (key_separator or header_separator or null_marker is not None):
        raise click.UsageError("--key-separator, --header-separator and --null-marker are for --format lines")
    if key is not None and key_separator is not None:
        raise click.UsageError("give either --key or --key-separator")
    line_format = LineFormat(
        _separator(key_separator, "--key-separator"),
        _separator(header_separator, "--header-separator"),
        None if null_marker is None else os.fsencode(null_marker),
    )
    parse: Callable[[bytes], ParsedRecord] = {
        "lines": lambda line: parse_line(line, line_format),
        "json": parse_json,
        "raw": lambda content: ParsedRecord(value=content),
    }[form]
    separator = None if form == "raw" else _separator(delimiter, "--delimiter")
    tuning: dict[str, str | int] = {
        "acks": acks,
        "compression.type": compression,
        "linger.ms": linger_ms,
        "batch.size": batch_bytes,
        "enable.idempotence": acks == "all",
    }
    sender = Sender(
        open_producer(cluster, topic, tuning, partition=partition, create=create),
        topic,
        partition,
        tuple(_header(pair) for pair in header_pairs),
        is_acknowledged=acks != "0",
    )

    def shape(record: ParsedRecord) -> ParsedRecord:
        return ParsedRecord(
            record.value,
            os.fsencode(key) if key is not None else record.key,
            record.headers,
            record.timestamp_ms,
            record.partition if keep_partitions else None,
        )

    return _run(
        sender, source, separator, lambda line: shape(parse(line)), cluster,
        skip_bad_lines=skip_bad_lines, as_json=as_json,
    )  # fmt: skip


def _run(
    sender: Sender,
    source: BinaryIO,
    separator: bytes | None,
    parse: Callable[[bytes], ParsedRecord],
    cluster: Cluster,
    *,
    skip_bad_lines: bool,
    as_json: bool,
) -> ExitCode:
    if source.isatty():
        note(f"Type records for {sender.topic}, one a line; Ctrl-D ends.")
    started = time.monotonic()
    unparsable: Failure | None = None
    interrupted = False
    with progress_bar("writing", total=_size(source), shown=not source.isatty(), unit="bytes") as advance:
        try:
            for number, line in enumerate(_pieces(source, separator, advance), start=1):
                try:
                    record = parse(line)
                except Unparsable as error:
                    sender.failed += 1
                    if not skip_bad_lines:
                        unparsable = Failure(f"line {number}: {error}", hint="--skip-bad-lines goes on after one.")
                        break
                    note(f"line {number} skipped: {error}")
                else:
                    sender.send(record)
                    if sender.is_stuck:
                        note(f"stopped at line {number}: no more records are taken")
                        break
        except KeyboardInterrupt:
            interrupted = True  # what was typed so far is still delivered
        sender.finish()
    _summary(sender, time.monotonic() - started, as_json=as_json)
    if interrupted:
        return ExitCode.INTERRUPTED
    if unparsable:
        raise unparsable
    if sender.first_error is not None:
        problem = failure(sender.first_error, cluster)
        # The failures themselves were told as they came.
        if sender.delivered == 0:
            raise type(problem)(f"nothing was written to {sender.topic}", hint=problem.hint)
        raise Failure(f"not all records were written to {sender.topic}", hint=problem.hint)
    return ExitCode.FAILED if sender.failed else ExitCode.OK


def _header(pair: str) -> tuple[str, bytes]:
    """A name may come several times, and a value may begin with a space: nothing is tidied away."""
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise click.UsageError(f"--header wants NAME=VALUE, not {pair!r}")
    return name, os.fsencode(value)


def open_producer(
    cluster: Cluster, topic: str, tuning: Mapping[str, str | int], *, partition: int | None = None, create: bool = True
) -> Producer:
    producer = make_producer(
        cluster,
        **{
            **tuning,
            # Java's choice of partition for a key, so that records join those of Java producers.
            "partitioner": "murmur2_random",
            "queue.buffering.max.kbytes": 65_536,
            "message.timeout.ms": 30_000,
            "topic.metadata.propagation.max.ms": int(cluster.timeout_s * 1_000),
        },
    )
    metadata = reach(cluster, producer)
    if tuning["enable.idempotence"]:
        # librdkafka asks for a producer id when metadata arrives while a broker is connected, and otherwise looks every
        # 500 ms. The first answer comes over the connection that it then gives up, so a second one is asked for.
        reach(cluster, producer)
    if topic not in metadata.topics:
        if not create:
            raise topic_missing(topic, metadata.topics)
        note(f"there is no topic {topic!r} yet; asking the cluster to create it")
    elif partition is not None:
        require_partition(partition, topic, metadata.topics[topic].partitions)
    return producer


def _separator(text: str | None, option: str) -> bytes | None:
    if text is None:
        return None
    try:
        separator = unescape(text)
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}") from None
    if not separator:
        raise click.UsageError(f"{option} must not be empty")
    return separator


def _size(source: BinaryIO) -> int | None:
    try:
        return os.fstat(source.fileno()).st_size or None
    except OSError:  # a stream without a descriptor
        return None


def _pieces(source: BinaryIO, separator: bytes | None, advance: Advance) -> Iterator[bytes]:
    """The input cut at the separator; None hands over all of it. A last piece without separator counts if not empty."""
    if separator is None:
        yield source.read()
        return
    if separator == b"\n":
        # readline returns as soon as there is a line, which somebody typing or piping slowly counts on.
        for line in iter(source.readline, b""):
            advance(len(line))
            yield line.removesuffix(b"\n")
        return
    rest = b""
    while chunk := source.read(READ_BYTES):
        advance(len(chunk))
        *whole, rest = (rest + chunk).split(separator)
        yield from whole
    if rest.rstrip(b"\n"):
        yield rest


def _summary(sender: Sender, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "topic": sender.topic,
                "written": sender.delivered if sender.is_acknowledged else None,
                "sent": sender.delivered,
                "failed": sender.failed,
                "bytes": sender.bytes_sent,
                "seconds": round(seconds, 3),
            }
        )
        return
    rate = f"{sender.delivered / seconds:,.0f} records/s" if sender.delivered > 1_000 else f"{seconds * 1_000:.0f} ms"
    failed = f", {sender.failed:,} failed" if sender.failed else ""
    done = "written" if sender.is_acknowledged else "sent, with nobody to say whether they were written,"
    note(f"{counted(sender.delivered, 'record')} {done} to {sender.topic}{failed} ({rate})")
    sys.stderr.flush()
