"""Settings about TLS: what is refused before anything is opened, and what a listener has of its own."""

import pytest

from penstock.settings import Config, SettingsInvalid, load_settings
from penstock.settings import broker as b
from penstock.settings.per_listener import ListenerConfig

TLS = {"listeners": "SSL://127.0.0.1:9093", "ssl.keystore.location": "/broker.pem"}
OPEN = {"listeners": "PLAINTEXT://127.0.0.1:9092"}
BOTH = {"listeners": "PLAINTEXT://127.0.0.1:9092,SSL://127.0.0.1:9093", "ssl.keystore.location": "/broker.pem"}


def refusal(given: dict[str, str]) -> str:
    with pytest.raises(SettingsInvalid) as refused:
        load_settings(overrides=given)
    return str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        "ssl.protocol",
        "ssl.engine.factory.class",
        "listener.name.ssl.ssl.provider",
        "listener.name.ssl.principal.builder.class",
        "listener.name.ssl.authorizer.class.name",
        "listener.name.ssl.penstock.oidc.issuer",
    ],
)
def test_a_setting_that_is_not_honoured_refuses_the_start(name: str) -> None:
    assert f"{name} is not honoured: " in refusal(TLS | {name: "x"})


def test_a_variable_that_is_not_honoured_refuses_the_start_too() -> None:
    with pytest.raises(SettingsInvalid, match=r"ssl\.protocol is not honoured"):
        load_settings(environment={"PENSTOCK_SSL_PROTOCOL": "TLSv1.3"})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"listeners": "SSL://127.0.0.1:9093"}, "takes a certificate: set ssl.keystore.location"),
        (TLS | {"ssl.keystore.key": "k", "ssl.keystore.certificate.chain": "c"}, "and not both"),
        ({"listeners": "SSL://h:1", "ssl.keystore.key": "k"}, "go together"),
        (TLS | {"ssl.keystore.type": "JKS"}, "keytool -importkeystore -srckeystore /broker.pem"),
        (TLS | {"ssl.keystore.type": "PKCS12"}, "openssl pkcs12 -in /broker.pem -nodes"),
        (TLS | {"ssl.truststore.type": "JKS", "ssl.truststore.location": "/t"}, "keytool -list -rfc -keystore /t"),
        (TLS | {"ssl.keystore.password": "p"}, "ssl.keystore.password cannot be set"),
        (TLS | {"ssl.client.auth": "required"}, "takes ssl.truststore.location"),
        (TLS | {"ssl.truststore.location": "/t", "ssl.truststore.certificates": "x"}, "exclude each other"),
        (OPEN | {"ssl.client.auth": "required"}, "no listener encrypts"),
        (BOTH | {"listener.name.plaintext.ssl.client.auth": "required"}, "the listener PLAINTEXT speaks PLAINTEXT"),
        (
            TLS | {"ssl.client.auth": "required", "penstock.tls": "optional", "ssl.truststore.location": "/t"},
            "whoever does not encrypt shows no certificate",
        ),
        (OPEN | {"penstock.tls": "optional"}, "no listener encrypts"),
        (BOTH | {"listener.name.plaintext.ssl.keystore.location": "/b"}, "the listener PLAINTEXT speaks PLAINTEXT"),
        (OPEN | {"ssl.keystore.location": "/broker.pem"}, "no listener encrypts"),
        (OPEN | {"ssl.truststore.location": "/ca.pem"}, "no listener encrypts"),
        (TLS | {"listener.name.other.ssl.key.password": "secret"}, "listeners has no OTHER"),
        (TLS | {"listener.name.ssl.ssl.key.pasword": "secret"}, "there is no setting"),
        (TLS | {"ssl.enabled.protocols": "TLSv1.1"}, "TLSv1.2, TLSv1.3"),
        (TLS | {"ssl.client.auth": "maybe"}, "one of none, requested, required"),
    ],
)  # fmt: skip
def test_a_protection_that_would_not_be_there_refuses_the_start(given: dict[str, str], words: str) -> None:
    told = refusal(given)
    assert words in told
    assert "secret" not in told


def test_defaults_that_are_spelt_out_are_no_wish_for_tls() -> None:
    load_settings(overrides=OPEN | {"ssl.client.auth": "none", "ssl.keystore.type": "PEM"})


def test_pages_over_tls_use_the_certificate_too() -> None:
    load_settings(overrides=OPEN | {"penstock.http.listener": "https://h:8080", "ssl.keystore.location": "/broker.pem"})


def test_a_listeners_own_setting_wins_over_the_brokers() -> None:
    config = load_settings(
        overrides={
            "listeners": "IN://h:1,OUT://h:2",
            "listener.security.protocol.map": "IN:SSL,OUT:SSL",
            "ssl.keystore.location": "/all.pem",
            "ssl.truststore.location": "/ca.pem",
            "listener.name.out.ssl.keystore.location": "/out.pem",
            "listener.name.out.ssl.client.auth": "required",
        }
    )
    assert ListenerConfig(config, "OUT").get(b.SSL_KEYSTORE_LOCATION) == "/out.pem"
    assert ListenerConfig(config, "OUT").get(b.SSL_CLIENT_AUTH) == "required"
    assert ListenerConfig(config, "IN").get(b.SSL_KEYSTORE_LOCATION) == "/all.pem"
    assert ListenerConfig(config, "IN").get(b.SSL_CLIENT_AUTH) == "none"


def test_secrets_are_never_shown() -> None:
    config = Config.for_broker(TLS | {"ssl.key.password": "hush", "listener.name.ssl.ssl.key.password": "hush"})
    assert all("hush" not in str(config.explain(row)) for row in config.settings())
