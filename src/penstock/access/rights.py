"""What a handler requires of whoever asks, and what it changes: plain data, in Kafka's words and with Kafka's numbers.

A handler declares every right that its requests may be asked for. Which of them a request needs depends on what it says
(a transactional produce also writes under its transactional id), and some are alternatives (CreateTopics: CREATE of the
cluster, or of the topic).
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple


class Operation(IntEnum):
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


CHANGING: Final = frozenset(
    {
        Operation.WRITE,
        Operation.CREATE,
        Operation.DELETE,
        Operation.ALTER,
        Operation.ALTER_CONFIGS,
        Operation.IDEMPOTENT_WRITE,
        Operation.CREATE_TOKENS,
        Operation.TWO_PHASE_COMMIT,
    }
)
"""Whoever needs one of these changes something. Joining a group and committing its offsets take no more than READ."""


class ResourceKind(IntEnum):
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


SUPPORTED: Final[Mapping[ResourceKind, tuple[Operation, ...]]] = {
    ResourceKind.TOPIC: (
        Operation.READ,
        Operation.WRITE,
        Operation.CREATE,
        Operation.DELETE,
        Operation.ALTER,
        Operation.DESCRIBE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    ),
    ResourceKind.GROUP: (
        Operation.READ,
        Operation.DELETE,
        Operation.DESCRIBE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    ),
    ResourceKind.CLUSTER: (
        Operation.CREATE,
        Operation.ALTER,
        Operation.DESCRIBE,
        Operation.CLUSTER_ACTION,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
        Operation.IDEMPOTENT_WRITE,
    ),
    ResourceKind.TRANSACTIONAL_ID: (Operation.WRITE, Operation.DESCRIBE, Operation.TWO_PHASE_COMMIT),
    ResourceKind.DELEGATION_TOKEN: (Operation.DESCRIBE,),
    ResourceKind.USER: (Operation.CREATE_TOKENS, Operation.DESCRIBE_TOKENS),
}
"""What can be done with resources of a kind."""


class Right(NamedTuple):
    operation: Operation
    on: ResourceKind

    def __str__(self) -> str:
        return f"{self.operation.name} {self.on.name.title().replace('_', '')}"


Rights = tuple[Right, ...]
Kinds = tuple[ResourceKind, ...]

NOTHING: Final[tuple[()]] = ()
"""Said where a handler requires no right, or changes nothing."""

READ_TOPIC: Final = Right(Operation.READ, ResourceKind.TOPIC)
WRITE_TOPIC: Final = Right(Operation.WRITE, ResourceKind.TOPIC)
CREATE_TOPIC: Final = Right(Operation.CREATE, ResourceKind.TOPIC)
DELETE_TOPIC: Final = Right(Operation.DELETE, ResourceKind.TOPIC)
ALTER_TOPIC: Final = Right(Operation.ALTER, ResourceKind.TOPIC)
DESCRIBE_TOPIC: Final = Right(Operation.DESCRIBE, ResourceKind.TOPIC)
DESCRIBE_TOPIC_CONFIGS: Final = Right(Operation.DESCRIBE_CONFIGS, ResourceKind.TOPIC)
ALTER_TOPIC_CONFIGS: Final = Right(Operation.ALTER_CONFIGS, ResourceKind.TOPIC)
READ_GROUP: Final = Right(Operation.READ, ResourceKind.GROUP)
DELETE_GROUP: Final = Right(Operation.DELETE, ResourceKind.GROUP)
DESCRIBE_GROUP: Final = Right(Operation.DESCRIBE, ResourceKind.GROUP)
DESCRIBE_GROUP_CONFIGS: Final = Right(Operation.DESCRIBE_CONFIGS, ResourceKind.GROUP)
ALTER_GROUP_CONFIGS: Final = Right(Operation.ALTER_CONFIGS, ResourceKind.GROUP)
CREATE_CLUSTER: Final = Right(Operation.CREATE, ResourceKind.CLUSTER)
DELETE_CLUSTER: Final = Right(Operation.DELETE, ResourceKind.CLUSTER)
"""As good as DELETE of every topic; not among what tools list for the cluster."""
ALTER_CLUSTER: Final = Right(Operation.ALTER, ResourceKind.CLUSTER)
DESCRIBE_CLUSTER: Final = Right(Operation.DESCRIBE, ResourceKind.CLUSTER)
CLUSTER_ACTION: Final = Right(Operation.CLUSTER_ACTION, ResourceKind.CLUSTER)
DESCRIBE_CLUSTER_CONFIGS: Final = Right(Operation.DESCRIBE_CONFIGS, ResourceKind.CLUSTER)
ALTER_CLUSTER_CONFIGS: Final = Right(Operation.ALTER_CONFIGS, ResourceKind.CLUSTER)
IDEMPOTENT_WRITE: Final = Right(Operation.IDEMPOTENT_WRITE, ResourceKind.CLUSTER)
WRITE_TRANSACTIONAL_ID: Final = Right(Operation.WRITE, ResourceKind.TRANSACTIONAL_ID)
DESCRIBE_TRANSACTIONAL_ID: Final = Right(Operation.DESCRIBE, ResourceKind.TRANSACTIONAL_ID)
DESCRIBE_TOKEN: Final = Right(Operation.DESCRIBE, ResourceKind.DELEGATION_TOKEN)
CREATE_TOKENS: Final = Right(Operation.CREATE_TOKENS, ResourceKind.USER)
DESCRIBE_TOKENS: Final = Right(Operation.DESCRIBE_TOKENS, ResourceKind.USER)
