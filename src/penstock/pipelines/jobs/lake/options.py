"""What a user can say to `lake`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.pipelines.problems import PipelineProblem

MODES = ("raw", "json", "avro", "protobuf")
SOURCES = ("kafka", "penstock")
PARTITIONS = ("none", "hour", "day", "month", "year")


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeOptions:
    bootstrap: str
    topics: tuple[str, ...]
    table: str
    """`namespace.name` in the catalog; `{topic}` in it makes a table a topic."""
    mode: str = "json"
    schema: str | None = None
    """JSON: columns as DDL. Avro: the schema as JSON text. Without it JSON's is inferred and grows with the data."""
    descriptors: bytes | None = None
    message: str | None = None
    framed: bool = False
    """Values have a schema registry's five-byte prefix."""
    registry: str | None = None
    """For framed Avro: a registry's address, or a folder of <id>.avsc files."""
    evolve: bool = True
    keep_value: bool = False
    event_time: str | None = None
    partition_by: str = "day"
    dead_letter_table: str | None = None
    """Default: the table's name with _dead_letters after it."""
    job: str = "lake"
    """Names the progress kept in the table: two jobs that fill one table need two names."""
    source: str = "kafka"
    start: str = "earliest"
    isolation: str = "read_committed"
    accept_new_topic: bool = False
    accept_gaps: bool = False
    available_now: bool = False
    batch_records_max: int = 500_000
    interval_s: float = 10.0
    patience_s: float = 300.0
    """How long the cluster may be away before the run ends with an error."""
    compact_every: int = 0
    """Batches between two compactions; 0 never."""
    compact_target_bytes: int = 512 * 1024 * 1024
    expire_after_s: float | None = None
    snapshots_min: int = 10
    catalog: str = "lake"
    warehouse: str = "penstock-lake"
    catalog_uri: str | None = None
    """A REST catalog; without it, and without settings for the catalog, the embedded one in the warehouse folder."""
    master: str = "local[*]"
    settings: Mapping[str, str] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    """Properties of the Kafka client, such as security.protocol."""
    group: str | None = None
    """Consumer group that progress is committed to; default spark.<job>.<table>. Empty: none."""

    def __post_init__(self) -> None:
        _one_of("mode", self.mode, MODES)
        _one_of("source", self.source, SOURCES)
        _one_of("partition_by", self.partition_by, PARTITIONS)
        _one_of("start", self.start, ("earliest", "latest"))
        _one_of("isolation", self.isolation, ("read_committed", "read_uncommitted"))
        if not self.topics:
            raise PipelineProblem("no topic named")
        check_job_name(self.job)
        if self.mode == "avro" and self.schema is None and not self.registry:
            raise PipelineProblem("avro needs a schema", hint="Give --schema FILE.avsc, or --registry URL-or-FOLDER.")
        if self.mode == "protobuf" and not (self.descriptors and self.message):
            raise PipelineProblem(
                "protobuf needs a descriptor set and a message's name",
                hint="protoc --include_imports --descriptor_set_out=FILE makes it: --descriptors FILE --message NAME.",
            )
        if self.batch_records_max < 1:
            raise PipelineProblem("a batch has at least one record")

    def table_of(self, topic: str) -> str:
        # Iceberg and SQL take other names too, but only in backticks, which every user of the table would have to type.
        return self.table.replace("{topic}", re.sub(r"\W", "_", topic))

    def lanes(self) -> dict[str, tuple[str, ...]]:
        """The tables, each with the topics that fill it."""
        lanes: dict[str, tuple[str, ...]] = {}
        for topic in self.topics:
            table = self.table_of(topic)
            lanes[table] = (*lanes.get(table, ()), topic)
        if "{topic}" in self.table and any(len(topics) > 1 for topics in lanes.values()):
            raise PipelineProblem("two topics would get one table, since their names differ only in signs",
                                  hint="Run them apart, each with a table named for it.")  # fmt: skip
        return lanes

    def dead_letters_of(self, table: str) -> str:
        if self.dead_letter_table is None:
            return f"{table}_dead_letters"
        return self.dead_letter_table


def check_job_name(job: str) -> None:
    if not re.fullmatch(r"[\w-]+", job):
        raise PipelineProblem(f"a job's name has letters, digits, - and _ only, not {job!r}")


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise PipelineProblem(f"{what} is one of {', '.join(allowed)}, not {value!r}")
