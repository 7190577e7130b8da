"""The options of format("penstock") as a source.

They carry the names of Spark's own kafka source wherever that has one, so that a query can change between the two by
its format alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Literal

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.problems import PipelineProblem

Named = Literal["earliest", "latest"]
EARLIEST, LATEST = -2, -1
"""Offsets that stand for an end of the log, in JSON as in Spark's kafka source."""

_KNOWN = {
    "kafka.bootstrap.servers", "bootstrap", "subscribe", "topics", "subscribepattern", "assign",
    "startingoffsets", "endingoffsets", "startingtimestamp", "endingtimestamp",
    "maxoffsetspertrigger", "maxbytespertrigger", "minpartitions", "maxrecordsperpartition", "maxbytesperpartition",
    "failondataloss", "includeheaders", "isolationlevel", "penstock.group", "brokerwaitms", "path",
}  # fmt: skip
DEFAULT_BYTES_A_PARTITION = 128 * 1024 * 1024
"""The size that Spark gives to a partition of files, too."""
DEFAULT_BROKER_WAIT_MS = 120_000


@dataclass(frozen=True)
class Place:
    """Where to begin or end: an end of the log, offsets by partition (others at the end of the log), or a time."""

    named: Named
    offsets: Mapping[TopicPartition, int] = field(default_factory=dict)
    time_ms: int | None = None


@dataclass(frozen=True)
class SourceOptions:
    bootstrap: str
    topics: tuple[str, ...] = ()
    pattern: str | None = None
    assigned: tuple[TopicPartition, ...] = ()
    start: Place = field(default_factory=lambda: Place("earliest"))
    end: Place = field(default_factory=lambda: Place("latest"))
    has_end: bool = False
    """Whether an end was asked for: a stream then stops moving there."""
    records_max: int | None = None
    bytes_max: int | None = None
    partitions_min: int | None = None
    partition_records_max: int | None = None
    partition_bytes_max: int = DEFAULT_BYTES_A_PARTITION
    fail_on_data_loss: bool = True
    headers: bool = False
    read_committed: bool = True
    group: str | None = None
    """None leaves it to the name of a streaming query; an empty one is none."""
    broker_wait_ms: int = DEFAULT_BROKER_WAIT_MS
    client: Mapping[str, str] = field(default_factory=dict)
    """librdkafka's own properties: the options that begin with kafka., without that."""

    def client_settings(self) -> dict[str, str | int | float | bool]:
        return {"log_level": 0, **self.client, "bootstrap.servers": self.bootstrap}


def parse(given: Mapping[str, str], *, streaming: bool) -> SourceOptions:
    options = {name.lower(): value for name, value in given.items()}
    for name in options:
        if name not in _KNOWN and not name.startswith("kafka."):
            near = get_close_matches(name, _KNOWN, n=1)
            raise PipelineProblem(
                f'format("penstock") has no option {name!r}' + (f"; did you mean {near[0]!r}?" if near else "")
            )
    bootstrap = options.get("kafka.bootstrap.servers") or options.get("bootstrap")
    if not bootstrap:
        raise PipelineProblem("kafka.bootstrap.servers is missing: HOST:PORT of the cluster to read from")
    topics, pattern, assigned = _what(options)
    start = _place(options, "starting", default="latest" if streaming else "earliest", never=None)
    end = _place(options, "ending", default="latest", never="earliest")
    isolation = options.get("isolationlevel", options.get("kafka.isolation.level", "read_committed"))
    if isolation not in ("read_committed", "read_uncommitted"):
        raise PipelineProblem(f"isolationLevel is read_committed or read_uncommitted, not {isolation!r}")
    return SourceOptions(
        bootstrap=bootstrap,
        topics=topics,
        pattern=pattern,
        assigned=assigned,
        start=start,
        end=end,
        has_end="endingoffsets" in options or "endingtimestamp" in options,
        records_max=_count(options, "maxoffsetspertrigger"),
        bytes_max=_size(options, "maxbytespertrigger"),
        partitions_min=_count(options, "minpartitions"),
        partition_records_max=_count(options, "maxrecordsperpartition"),
        partition_bytes_max=_size(options, "maxbytesperpartition") or DEFAULT_BYTES_A_PARTITION,
        fail_on_data_loss=_flag(options, "failondataloss", default=True),
        headers=_flag(options, "includeheaders", default=False),
        read_committed=isolation == "read_committed",
        group=options.get("penstock.group"),
        broker_wait_ms=_count(options, "brokerwaitms") or DEFAULT_BROKER_WAIT_MS,
        client={
            name.removeprefix("kafka."): value
            for name, value in options.items()
            if name.startswith("kafka.") and name not in ("kafka.bootstrap.servers", "kafka.isolation.level")
        },
    )


def _what(options: Mapping[str, str]) -> tuple[tuple[str, ...], str | None, tuple[TopicPartition, ...]]:
    listed = options.get("subscribe") or options.get("topics") or options.get("path")
    pattern, assign = options.get("subscribepattern"), options.get("assign")
    if sum(1 for each in (listed, pattern, assign) if each) != 1:
        raise PipelineProblem("give one of subscribe (topics, with commas between), subscribePattern and assign")
    if pattern:
        try:
            re.compile(pattern)
        except re.error as error:
            raise PipelineProblem(f"subscribePattern {pattern!r} is no regular expression: {error}") from error
        return (), pattern, ()
    if assign:
        wanted = _json(assign, "assign")
        return (), None, tuple(
            TopicPartition(topic, PartitionIndex(int(index)))
            for topic, indexes in sorted(wanted.items())
            for index in indexes
        )  # fmt: skip
    topics = tuple(dict.fromkeys(name.strip() for name in (listed or "").split(",") if name.strip()))
    return topics, None, ()


def _place(options: Mapping[str, str], prefix: str, *, default: Named, never: str | None) -> Place:
    text, when = options.get(f"{prefix}offsets"), options.get(f"{prefix}timestamp")
    if text and when:
        raise PipelineProblem(f"give {prefix}Offsets or {prefix}Timestamp, not both")
    if when:
        return Place("latest", time_ms=timestamp_ms(when))
    if not text:
        return Place(default)
    if text == never or (text not in ("earliest", "latest") and not text.lstrip().startswith("{")):
        raise PipelineProblem(f"{prefix}Offsets cannot be {text!r}: earliest, latest or JSON by topic and partition")
    if text == "earliest":
        return Place("earliest")
    if text == "latest":
        return Place("latest")
    offsets = {
        TopicPartition(topic, PartitionIndex(int(index))): int(offset)
        for topic, by_index in _json(text, f"{prefix}Offsets").items()
        if not topic.startswith("@")  # what our own positions carry beside the offsets
        for index, offset in by_index.items()
    }
    return Place(default, offsets)


def timestamp_ms(text: str) -> int:
    """Milliseconds since 1970, or a time in ISO form; without a zone it is UTC."""
    if re.fullmatch(r"-?\d+", text.strip()):
        return int(text)
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise PipelineProblem(
            f"{text!r} is no time: milliseconds since 1970, or such as 2026-11-16T04:30:00Z"
        ) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)


def _json(text: str, option: str) -> dict[str, dict[str, int]]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise PipelineProblem(f"{option} is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise PipelineProblem(f"{option} is an object by topic, not {text!r}")
    return value


def _count(options: Mapping[str, str], name: str) -> int | None:
    text = options.get(name)
    if text is None:
        return None
    if not text.strip().isdecimal() or int(text) < 1:
        raise PipelineProblem(f"{name} is a whole number from 1, not {text!r}")
    return int(text)


_UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}


def _size(options: Mapping[str, str], name: str) -> int | None:
    text = options.get(name)
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)\s*([a-z]*)", text.strip().lower())
    if not match or match.group(2) not in _UNITS or int(match.group(1)) < 1:
        raise PipelineProblem(f"{name} is a size such as 1048576 or 64m, not {text!r}")
    return int(match.group(1)) * _UNITS[match.group(2)]


def _flag(options: Mapping[str, str], name: str, *, default: bool) -> bool:
    text = options.get(name)
    if text is None:
        return default
    if text.lower() not in ("true", "false"):
        raise PipelineProblem(f"{name} is true or false, not {text!r}")
    return text.lower() == "true"
