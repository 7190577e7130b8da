"""AlterClientQuotas: set and take away quotas, entity by entity, for real or to see whether it could be done.
v1 flexible.
"""

from functools import partial

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.altering import Alteration, Outcomes, decide
from penstock.access.quotas.entities import entity
from penstock.access.rights import ALTER_CLUSTER_CONFIGS, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage, Controller, EntryKind
from penstock.errors import NO_ERROR, Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_client_quotas_request import AlterClientQuotasRequest, EntryData
from penstock.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse, EntityData
from penstock.wire.messages.alter_client_quotas_response import EntryData as Result


@answers(
    ApiKey.ALTER_CLIENT_QUOTAS,
    versions=(0, 1),
    requires=(ALTER_CLUSTER_CONFIGS,),
    audits=(ResourceKind.CLUSTER,),
)
async def alter_client_quotas(
    request: AlterClientQuotasRequest,
    context: RequestContext,
    image: ClusterImage,
    controller: Controller,
    authorizer: Authorizer,
) -> AlterClientQuotasResponse:
    wanted = [_alteration(each) for each in request.entries]
    decided = partial(decide, wanted=wanted)
    outcomes: Outcomes
    try:
        authorizer.require(context.caller.subject, ALTER_CLUSTER_CONFIGS)
        if request.validate_only:
            outcomes = decided(image.entries.of(EntryKind.QUOTAS)).reply
        else:
            outcomes = await controller.change_entries(EntryKind.QUOTAS, decided)
    except Refusal as refusal:
        outcomes = {each.whom: refusal for each in wanted}
    return AlterClientQuotasResponse(
        entries=[
            Result(
                NO_ERROR if refusal is None else refusal.code,
                None if refusal is None else refusal.message,
                [EntityData(part.type, part.name) for part in whom],
            )
            for whom, refusal in outcomes.items()
        ]
    )


def _alteration(entry: EntryData) -> Alteration:
    return Alteration(
        entity((part.entity_type, part.entity_name) for part in entry.entity),
        [(op.key, None if op.remove else op.value) for op in entry.ops],
    )
