"""Dead letters as these commands read them, and which of them are wanted."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import Failure, NotFound
from penstock.cli.records.times import parse_time
from penstock.cli.topic.facts import topic_settings
from penstock.client import Client, ConsumedRecord, Consumer, OffsetSpec, place
from penstock.model import TopicPartition
from penstock.settings.topic import ERRORS_DEADLETTERQUEUE_GROUP_ENABLE
from penstock.wire.records import Header

PREFIX: Final = "__dlq."
ERRORS: Final = "__dlq.errors."
SENT_AT: Final = "penstock-sent-at"
POLL_S: Final = 0.5

topic_argument = click.argument("topic")


@dataclass(frozen=True)
class Letter:
    record: ConsumedRecord
    topic: str | None
    partition: int
    offset: int
    group: str | None
    message: str | None
    deliveries: int

    @property
    def headers(self) -> tuple[Header, ...]:
        """Those that the record had."""
        own = [each for each in self.record.headers if not each[0].startswith(PREFIX)]
        if own and own[-1][0] == SENT_AT and len(own) < len(self.record.headers):
            own.pop()  # the broker's, who moved it
        return tuple(own)

    @property
    def is_empty(self) -> bool:
        """It only says where the record is: the group copies none, or it was too large."""
        return self.record.key is None and self.record.value is None and not self.headers


def read(record: ConsumedRecord) -> Letter:
    told = {name: (value or b"").decode(errors="replace") for name, value in record.headers if name.startswith(ERRORS)}

    def number(name: str) -> int:
        text = told.get(ERRORS + name, "")
        return int(text) if text.isdigit() else -1

    return Letter(
        record,
        told.get(ERRORS + "topic"),
        number("partition"),
        number("offset"),
        told.get(ERRORS + "group"),
        told.get(ERRORS + "message"),
        number("delivery.count"),
    )


@dataclass(frozen=True)
class Filter:
    group: str | None = None
    source: str | None = None
    reason: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None

    def wants(self, letter: Letter) -> bool:
        at = letter.record.timestamp_ms
        return (
            self.group in (None, letter.group)
            and self.source in (None, letter.topic)
            and (self.reason is None or self.reason.lower() in (letter.message or "").lower())
            and (self.since_ms is None or at >= self.since_ms)
            and (self.until_ms is None or at < self.until_ms)
        )

    @property
    def mark(self) -> str:
        """The same for the same choice; empty where everything is wanted."""
        if self == Filter():
            return ""
        chosen = "\0".join(map(str, (self.group, self.source, self.reason, self.since_ms, self.until_ms)))
        return "." + sha256(chosen.encode()).hexdigest()[:12]


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--until", metavar="TIME", help="Only what was written there before this time."),
        click.option("--since", metavar="TIME", help="Only what was written there since: 10m, 2026-01-31T12:00."),
        click.option("--reason", metavar="TEXT", help="Only those whose reason has this in it, such as rejected."),
        click.option("--source", metavar="TOPIC", help="Only records of this topic."),
        click.option("--group", help="Only what this group gave up."),
    ):
        command = option(command)
    return command


def filter_of(
    group: str | None, source: str | None, reason: str | None, since: str | None, until: str | None, *, now_ms: int
) -> Filter:
    return Filter(group, source, reason, moment(since, "--since", now_ms), moment(until, "--until", now_ms))


def moment(text: str | None, option: str, now_ms: int) -> int | None:
    if text is None:
        return None
    try:
        return parse_time(text, now_ms=now_ms)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def partitions_of(cluster: Cluster, topic: str) -> list[TopicPartition]:
    """Failure where it is no dead-letter topic: what is in others is nobody's to send about or delete."""
    with cluster.doing(f"find {topic}") as client:
        if topic not in client.list_topics():
            raise NotFound(f"there is no topic {topic}", hint="`penstock dlq list` shows dead-letter topics.")
        client.run(client.core.need_topics([topic]))
        indexes = sorted(client.core.metadata.topics[topic].partitions)
    settings = {each.name: each.value for each in topic_settings(cluster, [topic])[topic]}
    if settings.get(ERRORS_DEADLETTERQUEUE_GROUP_ENABLE.name) != "true":
        raise Failure(
            f"{topic} is no dead-letter topic",
            hint=f"Its setting {ERRORS_DEADLETTERQUEUE_GROUP_ENABLE.name} is not true.",
        )
    return [place(topic, index) for index in indexes]


def ends(client: Client, places: list[TopicPartition], spec: OffsetSpec) -> dict[TopicPartition, int]:
    found = client.list_offsets(dict.fromkeys(places, int(spec)), read_committed=spec is OffsetSpec.LATEST).all()
    return {where: each.offset for where, each in found.items()}


def letters_between(
    client: Client, begins: Mapping[TopicPartition, int], until: Mapping[TopicPartition, int]
) -> Iterator[list[Letter]]:
    """What is there between these offsets, piece by piece."""
    left = {where: begin for where, begin in begins.items() if begin < until[where]}
    with client.consumer() as consumer:
        consumer.assign(left)
        while left:
            found = consumer.poll(POLL_S)
            yield [read(each) for each in found if each.offset < until[place(each.topic, each.partition)]]
            left = {where: offset for where, offset in left.items() if (consumer.position(where) or 0) < until[where]}
            _only(consumer, left)


def _only(consumer: Consumer, left: Mapping[TopicPartition, int]) -> None:
    consumer.pause([where for where in consumer.assignment() if where not in left])
