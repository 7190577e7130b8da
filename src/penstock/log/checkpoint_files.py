"""Kafka's small text files: offset checkpoints of a data folder, and the name=value files beside them.

    0                      version
    2                      number of lines that follow
    orders 0 1500          topic, partition, offset
    orders 1 1320

Every write is atomic and durable: temporary file, fsync, rename, fsync of the folder.
"""

from collections.abc import Mapping

from penstock.log.file_pool import read_whole, write_atomically
from penstock.model import PartitionIndex, TopicId, TopicPartition, topic_id_from_text, topic_id_text

RECOVERY_POINTS = "recovery-point-offset-checkpoint"
LOG_START_OFFSETS = "log-start-offset-checkpoint"
HIGH_WATERMARKS = "replication-offset-checkpoint"
CLEANER_OFFSETS = "cleaner-offset-checkpoint"
TOPIC_IDS = "penstock-topic-ids"
"""Ours: of which topic the rows of a partition are, as Kafka's files do not say."""

_VERSION = 0


class CheckpointUnreadable(ValueError):
    """A checkpoint file that is not in Kafka's format, or in a version of it that nobody has seen."""


def write_rows(path: str, rows: list[str], *, durably: bool = True) -> None:
    text = "\n".join([str(_VERSION), str(len(rows)), *rows]) + "\n"
    write_atomically(path, text.encode(), durably=durably)


def read_rows(path: str) -> list[list[str]] | None:
    """The words of every row; None where the file is missing."""
    data = read_whole(path)
    if data is None:
        return None
    if not data:
        return []  # Kafka makes the file before it has anything to write
    try:
        lines = data.decode().splitlines()
        version, count = int(lines[0]), int(lines[1])
    except (UnicodeDecodeError, IndexError, ValueError) as error:
        raise CheckpointUnreadable(f"{path} is not a checkpoint file") from error
    if version != _VERSION:
        raise CheckpointUnreadable(f"{path} has version {version}, expected {_VERSION}")
    rows = [line.split() for line in lines[2:] if line.strip()]
    if len(rows) != count:
        raise CheckpointUnreadable(f"{path} says {count} rows and has {len(rows)}")
    return rows


def write_offsets(path: str, offsets: Mapping[TopicPartition, int]) -> None:
    write_rows(path, [f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()])


def read_offsets(path: str) -> dict[TopicPartition, int]:
    """Empty where the file is missing; CheckpointUnreadable where it is broken."""
    try:
        return {
            TopicPartition(topic, PartitionIndex(int(partition))): int(offset)
            for topic, partition, offset in read_rows(path) or []
        }
    except ValueError as error:
        raise error if isinstance(error, CheckpointUnreadable) else CheckpointUnreadable(f"{path}: {error}") from error


def write_topic_ids(path: str, topic_ids: Mapping[TopicPartition, TopicId]) -> None:
    texts = {topic_id: topic_id_text(topic_id) for topic_id in set(topic_ids.values())}
    write_rows(path, [f"{topic} {partition} {texts[of]}" for (topic, partition), of in topic_ids.items()])


def read_topic_ids(path: str) -> dict[TopicPartition, TopicId]:
    """As `read_offsets`."""
    try:
        return {
            TopicPartition(topic, PartitionIndex(int(partition))): topic_id_from_text(topic_id)
            for topic, partition, topic_id in read_rows(path) or []
        }
    except ValueError as error:
        raise error if isinstance(error, CheckpointUnreadable) else CheckpointUnreadable(f"{path}: {error}") from error


def write_properties(path: str, values: Mapping[str, str], *, separator: str = "=", durably: bool = True) -> None:
    text = "".join(f"{name}{separator}{value}\n" for name, value in values.items())
    write_atomically(path, text.encode(), durably=durably)


def read_properties(path: str, *, separator: str = "=") -> dict[str, str] | None:
    """name=value lines, `#` beginning a comment; None where the file is missing."""
    data = read_whole(path)
    if data is None:
        return None
    values = {}
    for line in data.decode(errors="replace").splitlines():
        name, found, value = line.partition(separator)
        if found and not name.lstrip().startswith("#"):
            values[name.strip()] = value.strip()
    return values
