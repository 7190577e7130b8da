"""SaslHandshake: how a caller wants to prove who it is. What comes before a login is answered by `login_gate`.

Here it is a broker of the cluster, or a client that renews its login (KIP-368). Everybody else is told
ILLEGAL_SASL_STATE, as Apache Kafka does on listeners without SASL. v1 what follows comes in SaslAuthenticate requests.
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
    if context.caller.session is not None:
        return context.caller.session.begin_again(request.mechanism, context.api_version)
    authenticator.handshake(context.caller, mechanism=request.mechanism, listener=context.listener)
    return SaslHandshakeResponse(mechanisms=[MECHANISM])
