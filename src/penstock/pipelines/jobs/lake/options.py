"""What a user can say to `lake`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from penstock.pipelines.jobs.options import FillingOptions, one_of
from penstock.pipelines.problems import PipelineProblem

MODES = ("raw", "json", "avro", "protobuf")
PARTITIONS = ("none", "hour", "day", "month", "year")


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeOptions(FillingOptions):
    """`{topic}` in the table's name makes a table a topic."""

    topics: tuple[str, ...]
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
    """Two jobs that fill one table need two names."""
    max_dead_letters: float = 1.0
    """Percent of a batch's rows, judged over 1,000 rows or more: with more of them the run ends, and commits nothing of
    that batch. 100: any number."""
    batch_bytes_max: int = 256 * 1024 * 1024
    """What a batch reads, about: it bounds the memory that a batch takes, however large records are."""
    accept_new_topic: bool = False
    accept_gaps: bool = False
    compact_every: int = 0
    """Batches between two compactions; 0 never."""
    compact_target_bytes: int = 512 * 1024 * 1024
    expire_after_s: float | None = None
    snapshots_min: int = 10

    def __post_init__(self) -> None:
        FillingOptions.__post_init__(self)
        one_of("mode", self.mode, MODES)
        one_of("partition_by", self.partition_by, PARTITIONS)
        if not self.topics:
            raise PipelineProblem("no topic named")
        self._check_mode()
        if not 0 <= self.max_dead_letters <= 100:
            raise PipelineProblem(f"dead letters are at most 0 to 100 percent, not {self.max_dead_letters:g}")
        if self.batch_bytes_max < 1:
            raise PipelineProblem("a batch has at least one byte")
        if self.expire_after_s is not None and not (self.compact_every or self.available_now):
            raise PipelineProblem(
                "snapshots are expired at compactions, and there would be none", hint="Give --compact-every N as well."
            )

    def _check_mode(self) -> None:
        """An option that another mode would heed is a mistake, of which all rows might be bad ones."""
        for name, value, modes in (
            ("schema", self.schema, ("json", "avro")),
            ("descriptors", self.descriptors, ("protobuf",)),
            ("message", self.message, ("protobuf",)),
            ("framed", self.framed, ("avro", "protobuf")),
            ("registry", self.registry, ("avro",)),
        ):
            if value and self.mode not in modes:
                raise PipelineProblem(f"{name} is for mode {' or '.join(modes)}, not {self.mode}")
        if self.mode == "avro" and self.schema is None and not self.registry:
            raise PipelineProblem(
                "avro needs a schema", hint="Give --schema-file FILE.avsc, or --registry URL-or-FOLDER."
            )
        if self.mode == "avro" and self.framed and not self.registry:
            raise PipelineProblem(
                "framed values name the schema that wrote them, and there is nowhere to find it",
                hint="Give --registry URL-or-FOLDER.",
            )
        if self.mode == "protobuf" and not (self.descriptors and self.message):
            raise PipelineProblem(
                "protobuf needs a descriptor set and a message's name",
                hint="protoc --include_imports --descriptor_set_out=FILE makes it: --descriptors FILE --message NAME.",
            )

    @property
    def has_ddl(self) -> bool:
        """Whether the schema is in Spark's own words, which takes a Spark to understand."""
        return self.mode == "json" and self.schema is not None

    @property
    def can_have_bad_rows(self) -> bool:
        return self.mode != "raw" or self.event_time is not None

    def table_of(self, topic: str) -> str:
        # Iceberg and SQL take other names too, but only in backticks, which every user of the table would have to type.
        return self.table.replace("{topic}", re.sub(r"\W", "_", topic))

    def workers(self) -> dict[str, tuple[str, ...]]:
        """The tables, each with the topics that fill it."""
        workers: dict[str, tuple[str, ...]] = {}
        for topic in self.topics:
            table = self.table_of(topic)
            workers[table] = (*workers.get(table, ()), topic)
        if "{topic}" in self.table and any(len(topics) > 1 for topics in workers.values()):
            raise PipelineProblem("two topics would get one table, since their names differ only in signs",
                                  hint="Run them apart, each with a table named for it.")  # fmt: skip
        return workers

    def dead_letters_of(self, table: str) -> str:
        if self.dead_letter_table is None:
            return f"{table}_dead_letters"
        return self.dead_letter_table
