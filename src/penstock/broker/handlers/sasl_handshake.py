"""SaslHandshake: how a caller wants to prove who it is. Only brokers of the cluster have a way, among themselves.

On listeners without SASL, as all are, Apache Kafka answers ILLEGAL_SASL_STATE; so do clients hear it from us. v1 what
follows comes in SaslAuthenticate requests.
"""

from penstock.access.rights import NOTHING
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.replication.proof import MECHANISM
from penstock.wire.api import ApiKey
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse


@answers(ApiKey.SASL_HANDSHAKE, versions=(0, 1), requires=NOTHING, audits=NOTHING)
def sasl_handshake(
    request: SaslHandshakeRequest, context: RequestContext, authenticator: PeerAuthenticator
) -> SaslHandshakeResponse:
    authenticator.handshake(context.caller, mechanism=request.mechanism, listener=context.listener)
    return SaslHandshakeResponse(mechanisms=[MECHANISM])
