"""Whether the settings about logging in can be kept, told before anything is opened. The files are read later."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from penstock.settings.broker_etcd import PENSTOCK_ETCD_ENDPOINTS
from penstock.settings.broker_sasl import (
    PENSTOCK_OIDC_ALLOW_UNVERIFIED_AUDIENCE,
    PENSTOCK_OIDC_ALLOW_UNVERIFIED_ISSUER,
    PENSTOCK_OIDC_ISSUER,
    PENSTOCK_SECRETS_KEY_FILE,
    SASL_ENABLED_MECHANISMS,
    SASL_OAUTHBEARER_EXPECTED_AUDIENCE,
    SASL_OAUTHBEARER_EXPECTED_ISSUER,
    SASL_OAUTHBEARER_JWKS_ENDPOINT_URL,
)
from penstock.settings.config import Config
from penstock.settings.listeners import listeners
from penstock.settings.per_listener import ListenerConfig

_OF_LOGINS = ("connections.max.reauth.ms", "penstock.oidc.", "sasl.enabled.mechanisms", "sasl.oauthbearer.")


def check_sasl(config: Config) -> None:
    """Raises ValueError, in words, for what asks for a protection that would not be there."""
    if not any(listener.has_sasl for listener in listeners(config)):
        idle = next((name for name in config.static if name.startswith(_OF_LOGINS)), None)
        if idle is not None:
            raise ValueError(
                f"{idle} is set, and no listener asks for a login: give one SASL_SSL in listeners or "
                "listener.security.protocol.map, or take the setting away"
            )
    for listener in listeners(config):
        own = f"listener.name.{listener.name.lower()}."
        if not listener.has_sasl:
            given = next(
                (name for name in config.static if name.startswith((f"{own}sasl.", f"{own}connections."))), None
            )
            if given is not None:
                raise ValueError(
                    f"{given} is set, and the listener {listener.name} speaks {listener.protocol}: it takes "
                    "SASL_PLAINTEXT or SASL_SSL in listener.security.protocol.map"
                )
            continue
        if not ListenerConfig(config, listener.name).get(SASL_ENABLED_MECHANISMS):
            raise ValueError(
                f"the listener {listener.name} speaks {listener.protocol}, and sasl.enabled.mechanisms names none"
            )
        if "OAUTHBEARER" in ListenerConfig(config, listener.name).get(SASL_ENABLED_MECHANISMS):
            _check_tokens(ListenerConfig(config, listener.name))
        if config[PENSTOCK_ETCD_ENDPOINTS] and config[PENSTOCK_SECRETS_KEY_FILE] is None:
            raise ValueError(
                f"the listener {listener.name} speaks {listener.protocol}, and the brokers of a cluster must share one "
                "key for its secrets: openssl rand -base64 32 > secrets.key, chmod 600 secrets.key, and set "
                "penstock.secrets.key.file to it on every broker"
            )


def _check_tokens(own: ListenerConfig) -> None:
    issuer, jwks = own.get(PENSTOCK_OIDC_ISSUER), own.get(SASL_OAUTHBEARER_JWKS_ENDPOINT_URL)
    if issuer is None and jwks is None:
        raise ValueError(
            f"OAUTHBEARER on the listener {own.listener} takes penstock.oidc.issuer, or "
            "sasl.oauthbearer.jwks.endpoint.url"
        )
    for name, url in ((PENSTOCK_OIDC_ISSUER.name, issuer), (SASL_OAUTHBEARER_JWKS_ENDPOINT_URL.name, jwks)):
        if url is not None and (problem := why_not_fetched(url)) is not None:
            raise ValueError(f"{name}: {problem}")
    expected = own.get(SASL_OAUTHBEARER_EXPECTED_ISSUER) or issuer
    if expected is None and not own.get(PENSTOCK_OIDC_ALLOW_UNVERIFIED_ISSUER):
        raise ValueError(
            "OAUTHBEARER: set sasl.oauthbearer.expected.issuer to the iss of the tokens that are taken "
            "(or penstock.oidc.allow.unverified.issuer=true)"
        )
    if not own.get(SASL_OAUTHBEARER_EXPECTED_AUDIENCE) and not own.get(PENSTOCK_OIDC_ALLOW_UNVERIFIED_AUDIENCE):
        raise ValueError(
            "OAUTHBEARER: set sasl.oauthbearer.expected.audience to what the tokens are made for (aud); otherwise a "
            "token for any other service would be good here (penstock.oidc.allow.unverified.audience=true allows it)"
        )


def why_not_fetched(url: str) -> str | None:
    """Why this is no address to fetch from; None where it is one."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as problem:
        return f"{url} is no URL: {problem}"
    if parts.scheme not in ("http", "https") or not host or parts.username is not None:
        return f"{url} is no URL to fetch from: write https://host/path"
    if parts.scheme == "http" and not _is_here(host):
        return f"{url} is not encrypted: whoever is on the way could put keys of their own in; write https://"
    return None


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
