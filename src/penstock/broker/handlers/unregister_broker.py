"""UnregisterBroker: forget a broker that is gone for good, so that another data folder may have its id."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import Controller
from penstock.model import BrokerId
from penstock.wire.api import ApiKey
from penstock.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from penstock.wire.messages.unregister_broker_response import UnregisterBrokerResponse


@answers(ApiKey.UNREGISTER_BROKER, versions=(0, 0), requires=(ALTER_CLUSTER,), audits=(ResourceKind.CLUSTER,))
async def unregister_broker(
    request: UnregisterBrokerRequest, context: RequestContext, controller: Controller, authorizer: Authorizer
) -> UnregisterBrokerResponse:
    authorizer.require(context.caller.subject, ALTER_CLUSTER)
    await controller.unregister_broker(BrokerId(request.broker_id))
    return UnregisterBrokerResponse(error_message=None)
