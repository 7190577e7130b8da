"""Who may say where brokers write."""

import pytest

from penstock.access.acls import Acl, PatternType, Permission, encode, entry_name
from penstock.access.authorizer import Authorizer
from penstock.access.principal import Principal
from penstock.access.rights import Operation, ResourceKind
from penstock.access.subject import Subject
from penstock.broker.config_rights import require_to_name_topics
from penstock.cluster import Resource, ResourceType
from penstock.errors import TopicAuthorizationFailed
from penstock.settings import Config

GROUP, TOPIC = Resource(ResourceType.GROUP, "workers"), Resource(ResourceType.TOPIC, "orders")
NAME = "errors.deadletterqueue.topic.name"
ALICE = Subject(Principal("User", "alice"), host="10.0.0.1")


def an_authorizer() -> Authorizer:
    """Lets alice write to dlq.orders, and nothing else."""
    acl = Acl(
        ResourceKind.TOPIC, "dlq.orders", PatternType.LITERAL, "User:alice", "*", Operation.WRITE, Permission.ALLOW
    )
    authorizer = Authorizer(Config.for_broker({"authorizer.class.name": "penstock"}))
    authorizer.learn(entry_name(acl), encode(acl))
    return authorizer


def test_who_names_a_dead_letter_topic_must_be_allowed_to_write_there() -> None:
    require_to_name_topics(an_authorizer(), ALICE, GROUP, [("share.isolation.level", "x"), (NAME, "dlq.orders")])
    with pytest.raises(TopicAuthorizationFailed):
        require_to_name_topics(an_authorizer(), ALICE, GROUP, [("share.isolation.level", "x"), (NAME, "dlq.others")])


@pytest.mark.parametrize(
    ("resource", "values"),
    [(GROUP, [(NAME, None)]), (GROUP, [(NAME, "")]), (GROUP, [("share.isolation.level", "x")]), (TOPIC, [(NAME, "a")])],
)
def test_whatever_else_is_altered_asks_for_no_more(resource: Resource, values: list[tuple[str, str | None]]) -> None:
    require_to_name_topics(an_authorizer(), ALICE, resource, values)
