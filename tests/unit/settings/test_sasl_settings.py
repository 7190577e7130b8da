"""Settings about logging in: what is refused before anything is opened, and what a listener has of its own."""

import pytest

from penstock.settings import SettingsInvalid, load_settings
from penstock.settings.broker import SASL_ENABLED_MECHANISMS
from penstock.settings.per_listener import ListenerConfig

SASL = {"listeners": "SASL_PLAINTEXT://127.0.0.1:9092"}
OPEN = {"listeners": "PLAINTEXT://127.0.0.1:9092"}
TOKENS = SASL | {"sasl.enabled.mechanisms": "OAUTHBEARER"}
ISSUER = {"penstock.oidc.issuer": "https://login.example/realms/queue"}
AUDIENCE = {"sasl.oauthbearer.expected.audience": "queue"}
JWKS = {"sasl.oauthbearer.jwks.endpoint.url": "https://login.example/keys"}
ETCD = {"penstock.etcd.endpoints": "127.0.0.1:2379"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (SASL | {"sasl.enabled.mechanisms": "GSSAPI"}, "SCRAM-SHA-512"),
        (SASL | {"sasl.enabled.mechanisms": ""}, "names none"),
        (SASL | {"sasl.jaas.config": "x"}, "penstock user add"),
        (SASL | {"listener.name.sasl_plaintext.plain.sasl.jaas.config": "x"}, "penstock user add"),
        (SASL | {"listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config": "x"}, "penstock user add"),
        (SASL | {"listener.name.sasl_plaintext.plain.sasl.server.callback.handler.class": "x"}, "checks passwords"),
        (SASL | {"listener.name.sasl_plaintext.plain.connections.max.reauth.ms": "1"}, "write connections.max.reauth"),
        (OPEN | {"listener.name.plaintext.sasl.enabled.mechanisms": "PLAIN"}, "speaks PLAINTEXT"),
        (OPEN | {"listener.name.plaintext.connections.max.reauth.ms": "1"}, "speaks PLAINTEXT"),
        (OPEN | {"sasl.enabled.mechanisms": "PLAIN"}, "no listener asks for a login"),
        (OPEN | {"connections.max.reauth.ms": "1"}, "no listener asks for a login"),
        (OPEN | ISSUER, "no listener asks for a login"),
        (TOKENS | AUDIENCE, "takes penstock.oidc.issuer, or sasl.oauthbearer.jwks.endpoint.url"),
        (TOKENS | ISSUER, "set sasl.oauthbearer.expected.audience"),
        (TOKENS | AUDIENCE | JWKS, "set sasl.oauthbearer.expected.issuer"),
        (TOKENS | AUDIENCE | {"penstock.oidc.issuer": "http://login.example"}, "is not encrypted"),
        (TOKENS | AUDIENCE | ISSUER | {"sasl.oauthbearer.jwks.endpoint.url": "file:///keys"}, "is no URL to fetch"),
        (SASL | {"sasl.oauthbearer.jwt.validator.class": "x"}, "checks passwords and tokens itself"),
        (SASL | ETCD, "openssl rand -base64 32"),
    ],
)
def test_what_protects_nothing_refuses_the_start(given: dict[str, str], words: str) -> None:
    with pytest.raises(SettingsInvalid, match=words):
        load_settings(overrides=given)


def test_a_listener_may_have_mechanisms_of_its_own() -> None:
    config = load_settings(overrides=SASL | {"listener.name.sasl_plaintext.sasl.enabled.mechanisms": "PLAIN"})
    assert ListenerConfig(config, "SASL_PLAINTEXT").get(SASL_ENABLED_MECHANISMS) == ("PLAIN",)
    assert config[SASL_ENABLED_MECHANISMS] == ("SCRAM-SHA-512", "SCRAM-SHA-256")


def test_a_cluster_that_shares_a_key_may_start() -> None:
    load_settings(overrides=SASL | ETCD | {"penstock.secrets.key.file": "/etc/penstock/secrets.key"})


@pytest.mark.parametrize(
    "given",
    [
        ISSUER | AUDIENCE,
        JWKS | AUDIENCE | {"sasl.oauthbearer.expected.issuer": "https://login.example"},
        {"penstock.oidc.issuer": "http://127.0.0.1:8080"} | AUDIENCE,
        ISSUER | {"penstock.oidc.allow.unverified.audience": "true"},
        JWKS | AUDIENCE | {"penstock.oidc.allow.unverified.issuer": "true"},
    ],
)
def test_tokens_are_taken_where_it_is_said_whose(given: dict[str, str]) -> None:
    load_settings(overrides=TOKENS | given)
