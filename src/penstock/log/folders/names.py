"""How Kafka names the folders of partitions: `<topic>-<partition>`, with a suffix when they are on their way out."""

import re
from typing import Final
from uuid import uuid4

from penstock.errors import InvalidTopic
from penstock.model import PartitionIndex, TopicPartition

DELETE: Final = "-delete"
STRAY: Final = "-stray"
FUTURE: Final = "-future"

_NAME_MAX: Final = 255
_LIVE = re.compile(r"(.+)-(\d+)")
_COPY = re.compile(r"(.+)-(\d+)\.[0-9a-z]+-future")
_SET_ASIDE = re.compile(r"(.+)-(\d+)\.[0-9a-z]+-stray")
_LEAVING = re.compile(r".+-\d+\.[0-9a-z]+(-delete|-stray|-future)")


def parse_folder_name(name: str) -> TopicPartition | None:
    """The partition of a folder in use; None for everything else."""
    if _LEAVING.fullmatch(name):
        return None
    match = _LIVE.fullmatch(name)
    return TopicPartition(match[1], PartitionIndex(int(match[2]))) if match else None


def is_on_its_way_out(name: str, suffix: str) -> bool:
    match = _LEAVING.fullmatch(name)
    return match is not None and match[1] == suffix


def parse_future_name(name: str) -> TopicPartition | None:
    """The partition whose log is being copied into a folder of this name; None for everything else."""
    match = _COPY.fullmatch(name)
    return TopicPartition(match[1], PartitionIndex(int(match[2]))) if match else None


def parse_stray_name(name: str) -> TopicPartition | None:
    """The partition of a log that was set aside; None where its topic's name was cut, or for everything else."""
    match = _SET_ASIDE.fullmatch(name)
    if match is None or len(name) >= _NAME_MAX:
        return None
    return TopicPartition(match[1], PartitionIndex(int(match[2])))


def future_name(partition: TopicPartition) -> str:
    """As `leaving_name`, but whole: a start reads the partition off it."""
    return f"{partition}.{uuid4().hex}{FUTURE}"


def check_future_name(partition: TopicPartition) -> None:
    """InvalidTopic where a copy's folder cannot have its name, as in Kafka."""
    if len(future_name(partition)) > _NAME_MAX:
        raise InvalidTopic(f"{partition.topic} is too long a name for a log that moves")


def leaving_name(partition: TopicPartition, suffix: str) -> str:
    """A name that no two folders share, with the topic cut where file systems end."""
    tail = f"-{partition.partition}.{uuid4().hex}{suffix}"
    return partition.topic[: _NAME_MAX - len(tail)] + tail
