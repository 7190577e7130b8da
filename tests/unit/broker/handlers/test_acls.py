"""The three APIs of access rules, on a cluster of one."""

from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
from tests.support.clusters import a_cluster

from penstock.access.acls import PatternType, Permission
from penstock.access.authorizer import Authorizer
from penstock.access.entry_feed import follow
from penstock.access.principal import Principal
from penstock.access.rights import READ_TOPIC, Operation, ResourceKind
from penstock.access.subject import Subject
from penstock.broker import acl_changes
from penstock.broker.acl_changes import AclChanges
from penstock.broker.handlers.create_acls import create_acls
from penstock.broker.handlers.delete_acls import delete_acls
from penstock.broker.handlers.describe_acls import describe_acls
from penstock.broker.peer_authentication import Caller
from penstock.broker.registry import RequestContext
from penstock.cluster import EntryKind
from penstock.errors import (
    ClusterAuthorizationFailed,
    InvalidRequest,
    PolicyViolation,
    SecurityDisabled,
)
from penstock.settings import Config
from penstock.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from penstock.wire.messages.create_acls_response import AclCreationResult, CreateAclsResponse
from penstock.wire.messages.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from penstock.wire.messages.delete_acls_response import DeleteAclsFilterResult, DeleteAclsResponse
from penstock.wire.messages.describe_acls_request import DescribeAclsRequest
from penstock.wire.messages.describe_acls_response import DescribeAclsResource, DescribeAclsResponse

ON = {"authorizer.class.name": "penstock", "super.users": "User:root"}
NO_AUTHORIZER = (SecurityDisabled.code, "No authorizer is set up on this cluster.")
TOPIC, ALLOW, READ = int(ResourceKind.TOPIC), int(Permission.ALLOW), int(Operation.READ)
VERSION = 3


class Stage(NamedTuple):
    authorizer: Authorizer
    changes: AclChanges

    def as_(self, name: str) -> RequestContext:
        caller = Caller()
        caller.subject = Subject(Principal("User", name), host="10.0.0.1")
        return RequestContext(api_version=VERSION, client_id=None, listener="PLAINTEXT", peer="", caller=caller)

    async def create(self, *creations: AclCreation, who: str = "root") -> list[AclCreationResult]:
        request = CreateAclsRequest.decode(CreateAclsRequest(list(creations)).encode(VERSION), VERSION)
        answer = await create_acls(request, self.as_(who), self.authorizer, self.changes)
        return CreateAclsResponse.decode(answer.encode(VERSION), VERSION).results

    async def delete(self, *filters: DeleteAclsFilter, who: str = "root") -> list[DeleteAclsFilterResult]:
        answer = await delete_acls(DeleteAclsRequest(list(filters)), self.as_(who), self.authorizer, self.changes)
        return DeleteAclsResponse.decode(answer.encode(VERSION), VERSION).filter_results

    async def describe(self, who: str = "root", /, **wanted: object) -> list[DescribeAclsResource]:
        request = DescribeAclsRequest(**(ANYTHING | wanted))  # type: ignore[arg-type]
        answer = await describe_acls(request, self.as_(who), self.authorizer, self.changes)
        return DescribeAclsResponse.decode(answer.encode(VERSION), VERSION).resources


ANYTHING = {
    "resource_type_filter": 1,
    "resource_name_filter": None,
    "pattern_type_filter": 1,
    "principal_filter": None,
    "host_filter": None,
    "operation": 1,
    "permission_type": 1,
}


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with a_cluster() as cluster:
        config = Config.for_broker(ON | {"penstock.acls.max": "2500"})
        authorizer = Authorizer(config)
        follow(cluster.image, EntryKind.ACLS, authorizer.learn)
        yield Stage(authorizer, AclChanges(authorizer, cluster.controller, config))


def a_rule(name: str = "orders", **given: object) -> AclCreation:
    fields: dict[str, object] = {"resource_type": TOPIC, "principal": "User:alice", "host": "*"}
    fields |= {"resource_name": name, "operation": READ, "permission_type": ALLOW}
    return AclCreation(**(fields | given))  # type: ignore[arg-type]


def a_filter(**given: object) -> DeleteAclsFilter:
    return DeleteAclsFilter(**(ANYTHING | given))  # type: ignore[arg-type]


def codes(results: list[AclCreationResult] | list[DeleteAclsFilterResult]) -> list[int]:
    return [result.error_code for result in results]


async def test_without_an_authorizer_there_are_none() -> None:
    async with a_cluster() as cluster:
        config = Config.for_broker()
        authorizer = Authorizer(config)
        stage = Stage(authorizer, AclChanges(authorizer, cluster.controller, config))
        with pytest.raises(SecurityDisabled):
            await stage.describe()
        created = await stage.create(a_rule(), AclCreation())
        assert [(one.error_code, one.error_message) for one in created] == [NO_AUTHORIZER] * 2
        deleted = await stage.delete(a_filter(), a_filter())
        assert [(one.error_code, one.error_message, one.matching_acls) for one in deleted] == [(*NO_AUTHORIZER, [])] * 2


async def test_who_may_not_is_refused(stage: Stage) -> None:
    assert codes(await stage.create(a_rule(), who="alice")) == [ClusterAuthorizationFailed.code]
    assert codes(await stage.delete(a_filter(), who="alice")) == [ClusterAuthorizationFailed.code]
    with pytest.raises(ClusterAuthorizationFailed):
        await stage.describe("alice")


async def test_a_rule_acts_from_its_answer_on_until_it_is_taken_away(stage: Stage) -> None:
    alice = stage.as_("alice").caller.subject
    assert codes(await stage.create(a_rule(), a_rule(), a_rule("bills"))) == [0, 0, 0]
    assert stage.authorizer.allows(alice, READ_TOPIC, "orders")
    assert {one.resource_name: len(one.acls) for one in await stage.describe()} == {"orders": 1, "bills": 1}
    (deleted,) = await stage.delete(a_filter(resource_name_filter="orders"))
    assert [(acl.resource_name, acl.principal, acl.error_code) for acl in deleted.matching_acls] == [
        ("orders", "User:alice", 0)
    ]
    assert not stage.authorizer.allows(alice, READ_TOPIC, "orders")
    assert [one.resource_name for one in await stage.describe()] == ["bills"]


async def test_rules_are_described_by_what_they_are_about(stage: Stage) -> None:
    await stage.create(a_rule(), a_rule(principal="User:bert"), a_rule("or", resource_pattern_type=4))
    literal, prefixed = sorted(await stage.describe(), key=lambda one: one.pattern_type)
    assert sorted(acl.principal for acl in literal.acls) == ["User:alice", "User:bert"]
    assert (prefixed.resource_name, prefixed.pattern_type) == ("or", PatternType.PREFIXED)
    matching = await stage.describe(resource_name_filter="orders", pattern_type_filter=int(PatternType.MATCH))
    assert len(matching) == 2
    exact = await stage.describe(
        resource_type_filter=TOPIC,
        resource_name_filter="orders",
        pattern_type_filter=3,
        principal_filter="User:bert",
        host_filter="*",
        operation=READ,
        permission_type=ALLOW,
    )
    assert [acl.principal for one in exact for acl in one.acls] == ["User:bert"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (a_rule(""), "Invalid empty resource name"),
        (a_rule(resource_type=1), "Invalid resourceType ANY"),
        (a_rule(resource_type=99), "Invalid resourceType UNKNOWN"),
        (a_rule(resource_type=4), "The only valid name for the CLUSTER resource is kafka-cluster"),
        (a_rule(resource_pattern_type=2), "Invalid patternType MATCH"),
        (a_rule(operation=1), "Invalid operation ANY"),
        (a_rule(operation=99), "Invalid operation UNKNOWN"),
        (a_rule(permission_type=1), "Invalid permissionType ANY"),
        (a_rule(principal="alice"), "Could not parse principal from `alice`"),
        (a_rule(host="10.0.0.1/8"), "is no range of addresses"),
        (a_rule(principal="User:" + "x" * 5_000), "more than 4096 bytes"),
    ],
)
async def test_what_is_no_rule_is_refused_alone(stage: Stage, asked: AclCreation, words: str) -> None:
    wrong, right = await stage.create(asked, a_rule())
    assert (wrong.error_code, right.error_code) == (InvalidRequest.code, 0)
    assert words in (wrong.error_message or "")


@pytest.mark.parametrize(
    "wrong",
    [{"resource_type_filter": 0}, {"pattern_type_filter": 0}, {"operation": 77}, {"permission_type": 0}],
)
async def test_a_filter_of_what_does_not_exist_is_refused_alone(stage: Stage, wrong: dict[str, object]) -> None:
    await stage.create(a_rule())
    results = await stage.delete(a_filter(**wrong), a_filter(resource_name_filter="else"))
    assert codes(results) == [InvalidRequest.code, 0]
    assert len(await stage.describe()) == 1
    with pytest.raises(InvalidRequest):
        await stage.describe(**wrong)


async def test_there_may_be_so_many_rules_and_no_more(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acl_changes, "LOOKED_AT_AT_ONCE", 10)
    many = [a_rule(f"topic-{number}") for number in range(3_000)]
    assert codes(await stage.create(*many)) == [0] * 2_000 + [PolicyViolation.code] * 1_000
    assert len(stage.authorizer.acls) == 2_000
    (deleted,) = await stage.delete(a_filter(principal_filter="User:alice"))
    assert len(deleted.matching_acls) == 2_000
    assert not stage.authorizer.acls


async def test_what_cannot_be_written_is_said_for_each(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    await stage.create(a_rule())

    async def fail(*_asked: object, **_given: object) -> None:
        raise PolicyViolation

    monkeypatch.setattr(stage.changes._controller, "change_entries", fail)
    assert codes(await stage.create(a_rule("else"))) == [PolicyViolation.code]
    (deleted,) = await stage.delete(a_filter())
    assert [acl.error_code for acl in deleted.matching_acls] == [PolicyViolation.code]
