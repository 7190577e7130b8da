"""ConsumerGroupDescribe where the cluster has no groups of the consumer protocol."""

from tests.support.callers import a_context
from tests.support.groups_service import groups_world

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.consumer_group_describe import consumer_group_describe
from penstock.cluster.commands import FeatureUpdate, UpgradeType
from penstock.cluster.features import GROUP_VERSION
from penstock.errors import GroupIdNotFound, UnsupportedVersion
from penstock.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest


async def test_with_the_feature_off_clients_are_told_to_ask_in_the_older_way() -> None:
    """Tools ask so first and fall back at this error (KIP-848); another one ends them."""
    request = ConsumerGroupDescribeRequest(group_ids=["one", "two"])
    async with groups_world() as world:

        async def codes() -> list[int]:
            answer = await consumer_group_describe(request, a_context(version=1), world.groups, Authorizer())
            return [group.error_code for group in answer.groups]

        assert await codes() == [GroupIdNotFound.code] * 2
        off = FeatureUpdate(GROUP_VERSION, 0, UpgradeType.SAFE_DOWNGRADE)
        await world.cluster.controller.update_features([off])
        assert await codes() == [UnsupportedVersion.code] * 2
