"""What the audit log tells of each API that changes something.

An API that declares `audits=` stands in one of two tables: `ROWS`, which says what it is about and what came of it, or
`DATA_PATH`. A test holds that.
"""

from collections.abc import Mapping
from typing import Final

from penstock.access.audit import AuditLog
from penstock.access.authorizer import Authorizer
from penstock.broker.auditing import access, cluster, topics
from penstock.broker.auditing.call import Audited
from penstock.broker.auditing.row import Row, State
from penstock.broker.registry import Bound
from penstock.cluster import ClusterImage
from penstock.model import Clock
from penstock.settings import Config
from penstock.settings.broker import REQUEST_TIMEOUT_MS
from penstock.wire.api import ApiKey

ROWS: Final[Mapping[ApiKey, Row]] = {**topics.ROWS, **cluster.ROWS, **access.ROWS}

DATA_PATH: Final = frozenset(
    {
        ApiKey.PRODUCE,
        ApiKey.METADATA,
        ApiKey.OFFSET_COMMIT,
        ApiKey.TXN_OFFSET_COMMIT,
        ApiKey.SHARE_GROUP_HEARTBEAT,
        ApiKey.SHARE_FETCH,
        ApiKey.SHARE_ACKNOWLEDGE,
        ApiKey.JOIN_GROUP,
        ApiKey.SYNC_GROUP,
        ApiKey.LEAVE_GROUP,
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        ApiKey.INIT_PRODUCER_ID,
        ApiKey.ADD_PARTITIONS_TO_TXN,
        ApiKey.ADD_OFFSETS_TO_TXN,
        ApiKey.END_TXN,
        ApiKey.INITIALIZE_SHARE_GROUP_STATE,
        ApiKey.WRITE_SHARE_GROUP_STATE,
        ApiKey.DELETE_SHARE_GROUP_STATE,
    }
)
"""What clients do at the pace of their data, and what brokers ask of each other for
that. It is not told one by one and never waits; refusals of it are told.
"""


def audited(
    bound: dict[int, Bound],
    log: AuditLog | None,
    *,
    image: ClusterImage,
    authorizer: Authorizer,
    config: Config,
    clock: Clock,
) -> dict[int, Bound]:
    """The handlers' calls with their traces; without a log, as they are."""
    if log is None:
        return bound
    state = State(image, config)
    return {key: _audited(one, log, state, authorizer, config, clock) for key, one in bound.items()}


def _audited(one: Bound, log: AuditLog, state: State, authorizer: Authorizer, config: Config, clock: Clock) -> Bound:
    key = one.answer.key
    row = ROWS.get(key)
    if row is None:
        return one
    call = Audited(
        "".join(word.capitalize() for word in key.name.split("_")),
        row,
        one.call,
        log=log,
        state=state,
        authorizer=authorizer,
        clock=clock,
        timeout_s=lambda: config[REQUEST_TIMEOUT_MS] / 1000,
    )
    return Bound(one.answer, call)
