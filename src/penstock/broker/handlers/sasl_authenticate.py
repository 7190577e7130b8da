"""SaslAuthenticate: a step of the handshake that SaslHandshake began.

v1 session lifetime (handshakes last as long as their connection), v2 flexible.
"""

import structlog

from penstock.access.rights import NOTHING
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.errors import SaslAuthenticationFailed
from penstock.wire.api import ApiKey
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse

_log = structlog.get_logger(__name__)


@answers(ApiKey.SASL_AUTHENTICATE, versions=(0, 2), requires=NOTHING, audits=NOTHING)
def sasl_authenticate(
    request: SaslAuthenticateRequest, context: RequestContext, authenticator: PeerAuthenticator
) -> SaslAuthenticateResponse:
    try:
        answer = authenticator.authenticate(context.caller, request.auth_bytes)
    except SaslAuthenticationFailed as refusal:
        _log.warning("handshake refused", peer=context.peer, listener=context.listener, reason=refusal.message)
        raise
    return SaslAuthenticateResponse(auth_bytes=answer)
