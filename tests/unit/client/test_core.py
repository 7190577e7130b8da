"""The client's core over lines that a test holds in its hands: no socket, and a clock that the test turns."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.hand_fed import Brokers, offers, run, two_brokers

from penstock.client import aio, blocking
from penstock.client.admin import groups, topics
from penstock.client.network import NotConnected
from penstock.client.routing import ROUTES, STORAGE_ATTEMPTS
from penstock.errors import GroupIdNotFound, KafkaStorageError, RequestTimedOut, UnsupportedVersion
from penstock.wire.api import BROKER_APIS, ApiKey
from penstock.wire.messages.api_versions_response import ApiVersion, ApiVersionsResponse
from penstock.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse
from penstock.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from penstock.wire.messages.metadata_response import MetadataResponse


def test_the_newest_version_that_both_know_is_spoken() -> None:
    brokers = Brokers(
        lambda _, request, __: offers(METADATA=9) if request.api_key == ApiKey.API_VERSIONS else MetadataResponse()
    )
    assert run(brokers, topics.list_topics) == {}
    assert brokers.asked[1:] == [(1, ApiKey.METADATA, 9)]


def test_a_broker_that_does_not_know_our_api_versions_is_asked_again_in_its_own() -> None:
    def answer(_: int, request: Any, version: int) -> Any:
        if request.api_key != ApiKey.API_VERSIONS:
            return MetadataResponse()
        if version > 2:
            return ApiVersionsResponse(UnsupportedVersion.code, [ApiVersion(ApiKey.API_VERSIONS, 0, 2)]), 0
        return offers()

    brokers = Brokers(answer)
    run(brokers, topics.list_topics)
    assert [version for _, key, version in brokers.asked if key == ApiKey.API_VERSIONS] == [4, 2]


def test_an_address_that_refuses_is_passed_over() -> None:
    brokers = Brokers(lambda _, request, __: two_brokers(request))
    brokers.refusing = {1}
    run(brokers, topics.list_topics)
    assert brokers.opened == [1, 2]


def test_where_nobody_answers_every_address_is_named_with_its_reason() -> None:
    brokers = Brokers(lambda *_: None)
    brokers.refusing = {1, 2}
    with pytest.raises(NotConnected, match="a:1: Connection refused; a:2: Connection refused"):
        run(brokers, topics.list_topics, timeout_s=1)


def test_a_silent_broker_is_given_up_on_when_the_operation_is_over() -> None:
    brokers = Brokers(lambda _, request, __: None if request.api_key == ApiKey.METADATA else two_brokers(request))
    with pytest.raises(RequestTimedOut):
        run(brokers, topics.list_topics, timeout_s=5, request_timeout_s=60)


def test_a_coordinator_that_moved_is_looked_for_anew() -> None:
    finds = iter((1, 2))

    def answer(port: int, request: Any, _: int) -> Any:
        if request.api_key == ApiKey.FIND_COORDINATOR:
            found = next(finds)
            return FindCoordinatorResponse(coordinators=[Coordinator("g", found, "a", found)])
        if request.api_key == ApiKey.DELETE_GROUPS:
            return DeleteGroupsResponse(results=[DeletableGroupResult("g", 16 if port == 1 else 0)])
        return two_brokers(request)

    brokers = Brokers(answer)
    assert run(brokers, lambda core: groups.delete_groups(core, ["g"])).all() == {"g": None}
    assert [port for port, key, _ in brokers.asked if key == ApiKey.DELETE_GROUPS] == [1, 2]


@pytest.mark.parametrize(("code", "times"), [(KafkaStorageError.code, STORAGE_ATTEMPTS), (GroupIdNotFound.code, 1)])
def test_a_failing_disk_is_asked_some_times_more_and_what_is_final_is_not(code: int, times: int) -> None:
    def answer(_: int, request: Any, __: int) -> Any:
        if request.api_key == ApiKey.FIND_COORDINATOR:
            return FindCoordinatorResponse(coordinators=[Coordinator("g", 1, "a", 1)])
        if request.api_key == ApiKey.DELETE_GROUPS:
            return DeleteGroupsResponse(results=[DeletableGroupResult("g", code)])
        return two_brokers(request)

    brokers = Brokers(answer)
    assert run(brokers, lambda core: groups.delete_groups(core, ["g"]), timeout_s=600).refused["g"].code == code
    assert len([key for _, key, _ in brokers.asked if key == ApiKey.DELETE_GROUPS]) == times


def test_both_drivers_have_the_same_operations_and_each_api_has_a_row() -> None:
    def face(kind: type, descriptor: type) -> set[str]:
        return {name for name, value in vars(kind).items() if isinstance(value, descriptor)}

    assert face(blocking.Client, blocking.Blocking) == face(aio.AsyncClient, aio.Awaited)
    assert set(ROUTES) <= set(BROKER_APIS)
