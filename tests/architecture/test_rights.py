"""Every handler says what it requires and what it changes, in a way that fits its API's name and its rights."""

import pytest

import penstock.broker.handlers  # noqa: F401 - fills the registry
from penstock.access.rights import CHANGING, NOTHING
from penstock.broker.registry import REGISTRY
from penstock.wire.api import ApiKey

BEFORE_ANYBODY_IS_KNOWN = {ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE}
ONLY_TO_WHOM_IT_BELONGS = {ApiKey.RENEW_DELEGATION_TOKEN, ApiKey.EXPIRE_DELEGATION_TOKEN}
CHANGES = {
    "ADD", "ALTER", "CREATE", "DELETE", "ELECT", "END", "EXPIRE", "INCREMENTAL", "INIT", "INITIALIZE", "JOIN", "LEAVE",
    "PRODUCE", "RENEW", "SYNC", "TXN", "UNREGISTER", "UPDATE", "WRITE",
}  # fmt: skip
READS = {"API", "DESCRIBE", "FETCH", "FIND", "HEARTBEAT", "LIST", "READ", "SASL"}
NEITHER_BY_NAME = {
    ApiKey.CONSUMER_GROUP_DESCRIBE: False,
    ApiKey.SHARE_GROUP_DESCRIBE: False,
    ApiKey.CONSUMER_GROUP_HEARTBEAT: True,
    ApiKey.SHARE_GROUP_HEARTBEAT: True,
    ApiKey.METADATA: True,  # creates topics
    ApiKey.OFFSET_COMMIT: True,
    ApiKey.OFFSET_DELETE: True,
    ApiKey.OFFSET_FETCH: False,
    ApiKey.OFFSET_FOR_LEADER_EPOCH: False,
    ApiKey.SHARE_ACKNOWLEDGE: True,
    ApiKey.SHARE_FETCH: True,  # says what became of records that were fetched before
}


def changes(key: ApiKey) -> bool:
    verb = key.name.partition("_")[0]
    assert (verb in CHANGES) + (verb in READS) + (key in NEITHER_BY_NAME) == 1, f"does {key.name} change a thing?"
    return NEITHER_BY_NAME.get(key, verb in CHANGES)


@pytest.mark.parametrize("key", sorted(REGISTRY), ids=lambda key: key.name)
def test_a_handler_declares_what_it_requires_and_what_it_changes(key: ApiKey) -> None:
    answer = REGISTRY[key]
    assert (answer.requires == NOTHING) == (key in BEFORE_ANYBODY_IS_KNOWN | ONLY_TO_WHOM_IT_BELONGS)
    assert (answer.audits != NOTHING) == changes(key)
    assert changes(key) or not CHANGING & {right.operation for right in answer.requires}
