"""`penstock consume`: like cat, tail and tail -f for a topic."""

import sys
import time
from typing import BinaryIO

import click

from penstock.cli.client import Cluster, client_options, require_partition, topic_missing
from penstock.cli.exits import ExitCode
from penstock.cli.group_reading import GroupReader
from penstock.cli.interrupts import interrupts_wait
from penstock.cli.librdkafka import Consumer, reach
from penstock.cli.librdkafka import open_consumer as make_consumer
from penstock.cli.output import note
from penstock.cli.positions import AtOffset, AtTime, Beginning, Last, Span, Start, find_spans
from penstock.cli.progress import progress_bar
from penstock.cli.reading import TopicReader
from penstock.cli.records import PrintedRecord, Printer, json_line, make_printer, parse_time, unescape


@click.command(no_args_is_help=True)
@click.argument("topic")
@click.option("--from-beginning", is_flag=True, help="Start with the oldest record; the default.")
@click.option("-o", "--offset", type=click.IntRange(min=0), help="Start at this offset, in every partition read.")
@click.option("-t", "--from-time", metavar="TIME",
              help="Start with records from then: 2026-01-31T12:00, 10m (ago), 2h30m, or ms since 1970.")  # fmt: skip
@click.option("-n", "--last", type=click.IntRange(min=0), help="Start with the last so many records.")
@click.option("-f", "--follow", is_flag=True, help="Go on with records as they come; otherwise stop at the end.")
@click.option("-p", "--partition", "only", type=click.IntRange(min=0), multiple=True,
              help="Read this partition only; repeatable.")  # fmt: skip
@click.option("-g", "--group", metavar="GROUP", help="Read as a member of this group: go on where it has committed, "
              "and commit what was printed.")  # fmt: skip
@click.option("-c", "--count", type=click.IntRange(min=1), help="Stop after so many records.")
@click.option("--format", "form", type=click.Choice(["text", "json", "raw"]), default="text", show_default=True,
              help="raw: values as they are, nothing between them.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line; the same as --format json.")
@click.option("--template", metavar="TEXT", help=r"Print this a record, such as '{offset} {key}={value}\n'. Fields: "
              "topic, partition, offset, timestamp, timestamp_ms, key, value, headers; {{ is a brace.")  # fmt: skip
@click.option("-k", "--keys", is_flag=True, help="Print keys.")
@click.option("-H", "--headers", is_flag=True, help="Print headers.")
@click.option("-T", "--timestamps", is_flag=True, help="Print timestamps (UTC).")
@click.option("-O", "--offsets", is_flag=True, help="Print partition:offset.")
@click.option("--null-marker", default="null", show_default=True, help="How a null key or value is printed.")
@click.option("--isolation", type=click.Choice(["read_committed", "read_uncommitted"]), default="read_committed",
              show_default=True, help="Whether records of open and aborted transactions are hidden.")  # fmt: skip
@client_options
def consume(
    *,
    topic: str,
    from_beginning: bool,
    offset: int | None,
    from_time: str | None,
    last: int | None,
    follow: bool,
    only: tuple[int, ...],
    group: str | None,
    count: int | None,
    form: str,
    as_json: bool,
    template: str | None,
    keys: bool,
    headers: bool,
    timestamps: bool,
    offsets: bool,
    null_marker: str,
    isolation: str,
    cluster: Cluster,
) -> ExitCode:
    """Print the records of TOPIC: all of them up to now, unless told where to start and whether to follow.

    \b
    penstock consume orders                     everything, then stop
    penstock consume orders --last 10 --follow  the last ten, then whatever comes
    penstock consume orders --from-time 1h --json | jq .value
    penstock consume orders --group billing     what the group billing has not read yet

    Several partitions are read at once: order holds within each.
    """
    start = _start(from_beginning, offset, from_time, last)
    if group is not None and (only or not isinstance(start, Beginning)):
        raise click.UsageError(
            "a group begins where it has committed, and shares out partitions itself: --group goes without "
            "--partition, --offset, --from-time and --last (`penstock group reset` moves a group)"
        )
    columns = [(timestamps, "{timestamp}"), (offsets, "{partition}:{offset}"), (keys, "{key}"), (headers, "{headers}")]
    shown = [column for wanted, column in columns if wanted]
    form = "json" if as_json else form
    if template is not None and (shown or form != "text"):
        raise click.UsageError("--template says all that is printed: it goes with no other form and no columns")
    if shown and form == "raw":
        raise click.UsageError("--keys, --headers, --timestamps and --offsets are for text; JSON has them all")
    printer = _printer(form, template, shown, null_marker)
    consumer = open_consumer(cluster, group=group, isolation=isolation)
    try:
        partitions = _partitions(consumer, cluster, topic, only)
        spans = find_spans(
            cluster, topic=topic, partitions=partitions, start=start,
            read_committed=isolation == "read_committed",
        )  # fmt: skip
        out = Output(sys.stdout.buffer, printer, left=count)
        if group is None:
            _print(TopicReader(consumer, cluster, topic), spans, start, out, follow=follow)
        else:
            ends = {index: span.end for index, span in spans.items()}
            _print_as_member(GroupReader(consumer, cluster, topic, group, ends), out, follow=follow)
    finally:
        consumer.close()
    return ExitCode.OK


def open_consumer(cluster: Cluster, *, group: str | None, isolation: str) -> Consumer:
    return make_consumer(
        cluster,
        **{
            # librdkafka wants one; assign() without commits leaves it unused
            "group.id": group or "penstock-cli",
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "enable.partition.eof": True,
            # Without a group, reading begins at offsets that were there: if they are gone, that is to be said.
            "auto.offset.reset": "earliest" if group else "error",
            "isolation.level": isolation,
            "queued.max.messages.kbytes": 65_536,
        },
    )


def _start(from_beginning: bool, offset: int | None, from_time: str | None, last: int | None) -> Start:
    if sum([from_beginning, offset is not None, from_time is not None, last is not None]) > 1:
        raise click.UsageError("choose one of --from-beginning, --offset, --from-time and --last")
    if offset is not None:
        return AtOffset(offset)
    if last is not None:
        return Last(last)
    if from_time is not None:
        try:
            return AtTime(parse_time(from_time, now_ms=int(time.time() * 1_000)))
        except ValueError as error:
            raise click.UsageError(f"--from-time: {error}") from None
    return Beginning()


def _printer(form: str, template: str | None, columns: list[str], null_marker: str) -> Printer:
    if template is None and form == "json":
        return json_line
    if template is None and form == "raw":
        return lambda record: record.value or b""
    try:
        pattern = ("\t".join([*columns, "{value}"]) + "\n").encode() if template is None else unescape(template)
        return make_printer(pattern, null_marker=null_marker, for_terminal=sys.stdout.isatty())
    except ValueError as error:
        raise click.UsageError(f"--template: {error}") from None


def _partitions(consumer: Consumer, cluster: Cluster, topic: str, only: tuple[int, ...]) -> list[int]:
    metadata = reach(cluster, consumer)
    if topic not in metadata.topics:
        raise topic_missing(topic, metadata.topics)
    existing = sorted(metadata.topics[topic].partitions)
    for index in only:
        require_partition(index, topic, existing)
    return sorted(set(only)) or existing


def _print(reader: TopicReader, spans: dict[int, Span], start: Start, out: "Output", *, follow: bool) -> None:
    total = sum(span.end - span.start for span in spans.values())
    with progress_bar("reading", total=total, shown=not sys.stdout.isatty() and not follow) as advance:
        if isinstance(start, Last):
            out.write(reader.read_last(spans, count=start.count))
            if not follow or out.left == 0:
                return
            spans = {index: Span(span.begin, span.end, span.end) for index, span in spans.items()}
        for records in reader.read(spans, follow=follow):
            out.write(records)
            advance(len(records))
            if out.left == 0:
                break
    if out.written == 0 and not follow and sys.stderr.isatty():
        note(f"{reader.topic} holds no records there")


def _print_as_member(reader: GroupReader, out: "Output", *, follow: bool) -> None:
    with interrupts_wait() as check_interrupt:
        try:
            for records in reader.read(follow=follow):
                written = out.write(records)
                reader.wrote(written, is_all=len(written) == len(records))
                if out.left == 0:
                    break
                check_interrupt()
        finally:
            reader.commit()
    if out.written == 0 and not follow and sys.stderr.isatty():
        note(f"{reader.group} has read all of {reader.topic}")


class Output:
    """Standard output, with a limit on the records still to be written."""

    def __init__(self, stream: BinaryIO, printer: Printer, *, left: int | None) -> None:
        self._stream = stream
        self._printer = printer
        self.left = left
        self.written = 0

    def write(self, records: list[PrintedRecord]) -> list[PrintedRecord]:
        """Gives back what was written: all, or as many as were left."""
        if self.left is not None:
            records = records[: self.left]
            self.left -= len(records)
        if records:
            self._stream.write(b"".join(map(self._printer, records)))
            self._stream.flush()
            self.written += len(records)
        return records
