"""DescribeClientQuotas: the quotas of users, client ids, addresses and tenants that pass a filter. v1 flexible."""

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.describing import Component, matching
from penstock.access.rights import DESCRIBE_CLUSTER_CONFIGS, NOTHING
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage, EntryKind
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_client_quotas_request import DescribeClientQuotasRequest
from penstock.wire.messages.describe_client_quotas_response import (
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)


@answers(ApiKey.DESCRIBE_CLIENT_QUOTAS, versions=(0, 1), requires=(DESCRIBE_CLUSTER_CONFIGS,), audits=NOTHING)
def describe_client_quotas(
    request: DescribeClientQuotasRequest, context: RequestContext, image: ClusterImage, authorizer: Authorizer
) -> DescribeClientQuotasResponse:
    wanted = [Component(each.entity_type, each.match_type, each.match) for each in request.components]
    try:
        authorizer.require(context.caller.subject, DESCRIBE_CLUSTER_CONFIGS)
        found = list(matching(image.entries.of(EntryKind.QUOTAS), wanted, strict=request.strict))
    except Refusal as refusal:
        return DescribeClientQuotasResponse(error_code=refusal.code, error_message=refusal.message, entries=None)
    return DescribeClientQuotasResponse(
        entries=[
            EntryData(
                [EntityData(part.type, part.name) for part in whom],
                [ValueData(key, limit) for key, limit in limits.items()],
            )
            for whom, limits in found
        ],
    )
