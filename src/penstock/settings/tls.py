"""Whether the settings about TLS can be kept, told before anything is opened. The files are read later."""

from penstock.settings.broker_tls import (
    PENSTOCK_TLS,
    SSL_CLIENT_AUTH,
    SSL_KEYSTORE_CERTIFICATE_CHAIN,
    SSL_KEYSTORE_KEY,
    SSL_KEYSTORE_LOCATION,
    SSL_KEYSTORE_PASSWORD,
    SSL_KEYSTORE_TYPE,
    SSL_TRUSTSTORE_CERTIFICATES,
    SSL_TRUSTSTORE_LOCATION,
    SSL_TRUSTSTORE_PASSWORD,
    SSL_TRUSTSTORE_TYPE,
)
from penstock.settings.config import Config
from penstock.settings.listeners import Listener, http_listener, listeners
from penstock.settings.per_listener import ListenerConfig, listener_names
from penstock.settings.setting import broker_row


def check_tls(config: Config) -> None:
    """Raises ValueError, in words, for what asks for a protection that would not be there."""
    opened = listeners(config)
    with_tls = [listener for listener in opened if listener.has_tls]
    strangers = listener_names(config) - {listener.name for listener in opened}
    if strangers:
        raise ValueError(f"listener.name.{min(strangers).lower()}.… is set, and listeners has no {min(strangers)}")
    for listener in opened:
        if not listener.has_tls and (idle := _set_to(config, f"listener.name.{listener.name.lower()}.")):
            raise ValueError(
                f"{idle} is set, and the listener {listener.name} speaks {listener.protocol}: it takes SSL or SASL_SSL "
                "in listener.security.protocol.map"
            )
    for listener in with_tls:
        _check_listener(ListenerConfig(config, listener.name), listener)
    http = http_listener(config)
    if http is not None and http.has_tls:
        _check_listener(ListenerConfig(config, http.name), http)
    elif not with_tls and (idle := _set_to(config)):
        raise ValueError(
            f"{idle} is set, and no listener encrypts: give one SSL or SASL_SSL in listeners or "
            "listener.security.protocol.map, or take the setting away"
        )


def _set_to(config: Config, prefix: str = "") -> str | None:
    """A setting about TLS under this prefix that says something else than its default."""
    for name, text in config.static.items():
        if name.startswith(f"{prefix}ssl.") or name == f"{prefix}{PENSTOCK_TLS.name}":
            row = broker_row(name)
            if row is not None and row.parse(text) != row.default:
                return name
    return None


def _check_listener(own: ListenerConfig, listener: Listener) -> None:
    for store, location in ((SSL_KEYSTORE_TYPE, SSL_KEYSTORE_LOCATION), (SSL_TRUSTSTORE_TYPE, SSL_TRUSTSTORE_LOCATION)):
        if own.get(store).upper() != "PEM":
            raise ValueError(_how_to_convert(store.name, own.get(store).upper(), own.get(location)))
    for password in (SSL_KEYSTORE_PASSWORD, SSL_TRUSTSTORE_PASSWORD):
        if own.get(password) is not None:
            raise ValueError(f"{password.name} cannot be set: PEM files have none (ssl.key.password opens a key)")
    has_text = own.get(SSL_KEYSTORE_KEY) is not None, own.get(SSL_KEYSTORE_CERTIFICATE_CHAIN) is not None
    if any(has_text) and not all(has_text):
        raise ValueError("ssl.keystore.key and ssl.keystore.certificate.chain go together")
    if (own.get(SSL_KEYSTORE_LOCATION) is not None) == any(has_text):
        raise ValueError(
            f"the listener {listener.name} speaks {listener.protocol}, which takes a certificate: set "
            "ssl.keystore.location (a PEM file with key and certificates), or ssl.keystore.key and "
            "ssl.keystore.certificate.chain, and not both"
        )
    trusts = own.get(SSL_TRUSTSTORE_LOCATION) is not None, own.get(SSL_TRUSTSTORE_CERTIFICATES) is not None
    if all(trusts):
        raise ValueError("ssl.truststore.location and ssl.truststore.certificates exclude each other")
    if own.get(SSL_CLIENT_AUTH) == "required" and own.get(PENSTOCK_TLS) == "optional":
        raise ValueError(
            f"ssl.client.auth is required and penstock.tls is optional on the listener {listener.name}: whoever does "
            "not encrypt shows no certificate. Set ssl.client.auth=requested for as long as clients move"
        )
    if own.get(SSL_CLIENT_AUTH) != "none" and not any(trusts):
        raise ValueError(
            f"ssl.client.auth is {own.get(SSL_CLIENT_AUTH)} on the listener {listener.name}: whom to believe takes "
            "ssl.truststore.location (a PEM file with authorities) or ssl.truststore.certificates"
        )


def _how_to_convert(setting: str, kind: str, location: str | None) -> str:
    file = location or "store"
    if setting == SSL_TRUSTSTORE_TYPE.name:
        command = f"keytool -list -rfc -keystore {file} > truststore.pem"
    elif kind == "PKCS12":
        command = f"openssl pkcs12 -in {file} -nodes -out keystore.pem"
    else:
        command = (
            f"keytool -importkeystore -srckeystore {file} -destkeystore keystore.p12 -deststoretype PKCS12 && "
            "openssl pkcs12 -in keystore.p12 -nodes -out keystore.pem"
        )
    return f"{setting} is {kind}, and only PEM is read: {command}"
