"""Settings about logging in: what is refused before anything is opened, and what a listener has of its own."""

import pytest

from penstock.settings import SettingsInvalid, load_settings
from penstock.settings.broker import SASL_ENABLED_MECHANISMS
from penstock.settings.per_listener import ListenerConfig

SASL = {"listeners": "SASL_PLAINTEXT://127.0.0.1:9092"}
OPEN = {"listeners": "PLAINTEXT://127.0.0.1:9092"}
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
