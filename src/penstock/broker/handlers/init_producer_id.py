"""InitProducerId: an id under which an idempotent producer's batches are told apart.

v2 flexible, v3 the producer's former id and epoch (KIP-360), v4 PRODUCER_FENCED, v5 TRANSACTION_ABORTABLE. Ids come
from blocks that the metadata store gives out once. A producer without a transactional id always gets a new one.
"""

from penstock.broker.registry import answers
from penstock.cluster import ProducerIds
from penstock.errors import CoordinatorNotAvailable, InvalidRequest, Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.init_producer_id_request import InitProducerIdRequest
from penstock.wire.messages.init_producer_id_response import InitProducerIdResponse

UNKNOWN = -1


@answers(ApiKey.INIT_PRODUCER_ID, versions=(0, 5))
async def init_producer_id(request: InitProducerIdRequest, producer_ids: ProducerIds) -> InitProducerIdResponse:
    try:
        return InitProducerIdResponse(producer_id=await _next(request, producer_ids), producer_epoch=0)
    except Refusal as refusal:
        return InitProducerIdResponse(error_code=refusal.code, producer_id=UNKNOWN, producer_epoch=UNKNOWN)


async def _next(request: InitProducerIdRequest, producer_ids: ProducerIds) -> int:
    if (request.producer_id == UNKNOWN) != (request.producer_epoch == UNKNOWN):
        raise InvalidRequest("a former producer id and its epoch come together or not at all")
    if request.transactional_id is not None:
        if not request.transactional_id:
            raise InvalidRequest("a transactional id cannot be empty")
        # Found by FindCoordinator, which is not answered yet: no client that looks first comes here.
        raise CoordinatorNotAvailable("transactions are not served by this broker")
    return await producer_ids.next()
