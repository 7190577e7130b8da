"""Bearers of tokens, told apart: one for each listener that takes tokens."""

import ssl

from penstock.access.oauth.checking import TokenRules, check, read_head
from penstock.access.oauth.key_source import KeySource, Pace, Spawn, Where
from penstock.access.sasl.steps import Proved, TokenCheck
from penstock.errors import Fatal, SaslAuthenticationFailed
from penstock.model import Clock
from penstock.settings import broker as settings
from penstock.settings.per_listener import ListenerConfig


class TokenChecker:
    def __init__(self, rules: TokenRules, source: KeySource, clock: Clock) -> None:
        self._rules = rules
        self._source = source
        self._clock = clock

    @classmethod
    def of(cls, own: ListenerConfig, *, clock: Clock, spawn: Spawn) -> "TokenChecker":
        issuer = own.get(settings.PENSTOCK_OIDC_ISSUER)
        expected = own.get(settings.SASL_OAUTHBEARER_EXPECTED_ISSUER) or issuer
        rules = TokenRules(
            issuer=None if own.get(settings.PENSTOCK_OIDC_ALLOW_UNVERIFIED_ISSUER) else expected,
            audiences=(
                ()
                if own.get(settings.PENSTOCK_OIDC_ALLOW_UNVERIFIED_AUDIENCE)
                else own.get(settings.SASL_OAUTHBEARER_EXPECTED_AUDIENCE)
            ),
            skew_s=own.get(settings.SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS),
            user_claim=own.get(settings.SASL_OAUTHBEARER_SUB_CLAIM_NAME),
            scope_claim=own.get(settings.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME),
            scopes=own.get(settings.PENSTOCK_OIDC_SCOPES_REQUIRED),
            groups_claim=own.get(settings.PENSTOCK_OIDC_GROUPS_CLAIM),
        )
        pace = Pace(
            own.get(settings.SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS) / 1000,
            own.get(settings.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS) / 1000,
            own.get(settings.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS) / 1000,
            own.get(settings.PENSTOCK_OIDC_TIMEOUT_MS) / 1000,
        )
        where = Where(own.get(settings.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL), issuer)
        trust = _trust(own.get(settings.PENSTOCK_OIDC_CA_FILE))
        return cls(rules, KeySource(where, pace, trust=trust, clock=clock, spawn=spawn), clock)

    async def check(self, asked: TokenCheck) -> Proved | str:
        """Who it is, or why it is nobody."""
        try:
            head = read_head(asked.token)
            key = await self._source.key(head)
            if key is None:
                return f"no key of the issuer fits the token (kid {head.kid!r:.100}, {head.algorithm})"
            return check(asked.token, head, key, self._rules, authzid=asked.authzid, now_ms=self._clock.now())
        except SaslAuthenticationFailed as wrong:
            return wrong.message


def _trust(file: str | None) -> ssl.SSLContext | None:
    if file is None:
        return None
    try:
        return ssl.create_default_context(cafile=file)
    except (OSError, ssl.SSLError) as problem:
        raise Fatal(f"penstock.oidc.ca.file: {file} cannot be read: {problem}") from None
